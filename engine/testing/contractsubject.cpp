// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractsubject.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QString seconds(int count)
{
    return QString::number(count);
}

Command printOctal(const QByteArray &bytes)
{
    QString format;
    for (const char byte : bytes)
        format += u'\\' + QString::number(static_cast<unsigned char>(byte), 8).rightJustified(3, u'0');
    return {u"printf"_s, format};
}

} // namespace

ContractCommands::ContractCommands()
{
    print = [](const QString &text) {
        return Command{u"echo"_s, text};
    };
    printToBoth = [](const QString &out, const QString &errors) {
        return Command::shell(u"echo '%1'; echo '%2' >&2"_s.arg(out, errors));
    };
    printBytes = printOctal;
    printZeros = [](qint64 bytes) {
        return Command{u"head"_s, u"-c"_s, QString::number(bytes), u"/dev/zero"_s};
    };
    printNumbers = [](int lines) {
        return Command{u"seq"_s, QString::number(lines)};
    };
    exitWith = [](int code) {
        return Command::shell(u"exit %1"_s.arg(code));
    };
    endBySignal = [] {
        return Command::shell(u"kill -TERM $$"_s);
    };
    hang = [](int count) {
        return Command{u"sleep"_s, seconds(count)};
    };
    hangDetached = [](int count) {
        return Command::shell(u"setsid sleep %1 & sleep %1"_s.arg(count));
    };
    printThenHang = [](const QString &text, int count) {
        return Command::shell(u"echo '%1'; sleep %2"_s.arg(text).arg(count));
    };
    printAndLeaveChild = [](const QString &text, int count) {
        return Command::shell(u"sleep %2 & echo '%1'"_s.arg(text).arg(count));
    };
    printVariable = [](const QString &name) {
        return Command::shell(u"echo \"$%1\""_s.arg(name));
    };
    printDirectory = [] {
        return Command{u"pwd"_s};
    };
    printUser = [] {
        return Command{u"whoami"_s};
    };
    copyInput = [] {
        return Command{u"cat"_s};
    };
    printFile = [](const QString &path) {
        return Command{u"cat"_s, path};
    };
    makeSymbolicLink = [](const QString &target, const QString &path) {
        return Command{u"ln"_s, u"-s"_s, target, path};
    };
    fillMemory = [] {
        return Command{u"python3"_s, u"-c"_s, u"x = bytearray(300_000_000)"_s};
    };
    raiseOwnCaps = [] {
        // Both versions of control groups; a file that is not there is none of theirs.
        return Command::shell(
            u"cd /sys/fs/cgroup; for f in memory.max pids.max cpu.max memory/memory.limit_in_bytes"
            u" pids/pids.max cpu/cpu.cfs_quota_us; do [ -e $f ] || continue;"
            u" for v in max -1; do echo $v > $f && exit 0; done; done; exit 1"_s);
    };
}

ContractCode::ContractCode()
{
    print = [](const QString &text) {
        return u"print('%1')"_s.arg(text);
    };
    raise = [] {
        return u"raise ValueError('on purpose')"_s;
    };
    syntaxError = [] {
        return u"print('no end"_s;
    };
    exitWith = [](int status) {
        return u"import sys\nsys.exit(%1)"_s.arg(status);
    };
    hang = [](int count) {
        return u"import time\ntime.sleep(%1)"_s.arg(count);
    };
    copyInput = [] {
        return u"import sys\nsys.stdout.write(sys.stdin.read())"_s;
    };
    printVariable = [](const QString &name) {
        return u"import os\nprint(os.environ['%1'])"_s.arg(name);
    };
    remember = [](const QString &text) {
        return u"contract_kept = '%1'"_s.arg(text);
    };
    recall = [] {
        return u"print(contract_kept)"_s;
    };
}

ContractSubject::ContractSubject() = default;
ContractSubject::~ContractSubject() = default;

QString ContractSubject::unavailable()
{
    return {};
}

std::unique_ptr<Engine> ContractSubject::makeEngine()
{
    return std::make_unique<Engine>(engineOptions());
}

EngineOptions ContractSubject::engineOptions() const
{
    EngineOptions options;
    options.stateDirectory = QString();
    options.teardownGrace = 2s;
    options.records.sinks = {records};
    return options;
}

CreateOptions ContractSubject::createOptions() const
{
    return {};
}

} // namespace Sandboxio

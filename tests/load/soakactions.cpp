// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "soakfollow.h"

#include <QFile>

namespace Sandboxio::Load {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto runLimit = 60s; // never reached, except by what is to reach its limit
constexpr auto shortLimit = 300ms;

QString described(const ExecResult &result)
{
    return u"exit code %1, signal %2, output '%3', errors '%4'"_s.arg(result.exitCode.value_or(-1))
        .arg(result.signal.value_or(0))
        .arg(QString::fromUtf8(
                 result.standardOutput.first(std::min<qsizetype>(200, result.standardOutput.size()))),
             QString::fromUtf8(result.standardError).right(300));
}

QString readLocal(const QString &path, QByteArray *bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return file.errorString();
    *bytes = file.readAll();
    return {};
}

QString difference(const QByteArray &got, const QByteArray &wanted)
{
    return got == wanted ? QString()
                         : u"%1 bytes instead of %2, or others"_s.arg(got.size()).arg(wanted.size());
}

} // namespace

void Soak::run(const SoakBoxPtr &box)
{
    const QByteArray text = QByteArray::number(m_random.generate64(), 16);
    const bool takesInput = random(3) == 0;
    RunOptions options{.timeout = runLimit};
    if (takesInput)
        options.standardInput = text;
    const Command command =
        takesInput ? Command{u"cat"_s} : Command{u"printf"_s, u"%s"_s, QString::fromLatin1(text)};
    follow(u"run"_s, box, box->sandbox->run(command, options), [text](const ExecResult &result) {
        return result.exitCode == 0 && result.standardOutput == text ? QString() : described(result);
    });
}

void Soak::runWithMuchOutput(const SoakBoxPtr &box)
{
    const int bytes = 1 + random(3'000'000);
    const Command command =
        Command::shell(u"head -c %1 /dev/zero; (sleep 600 >/dev/null 2>&1 &) ; exit 3"_s.arg(bytes));
    follow(u"run with much output"_s, box, box->sandbox->run(command, {.timeout = runLimit}),
           [bytes](const ExecResult &result) {
               return result.exitCode == 3 && result.standardOutput.size() == bytes ? QString()
                                                                                    : described(result);
           });
}

void Soak::runPastItsLimit(const SoakBoxPtr &box)
{
    follow(u"run past its limit"_s, box,
           box->sandbox->run(Command::shell(u"sleep 600 & sleep 600"_s), {.timeout = shortLimit}), described)
        ->expected = {ErrorKind::ExecutionTimeout};
}

void Soak::runAndCancel(const SoakBoxPtr &box)
{
    const auto operation =
        box->sandbox->run(Command::shell(u"setsid sleep 600 & sleep 600"_s), {.timeout = runLimit});
    const SoakOperationPtr entry = follow(u"run to be cancelled"_s, box, operation, described);
    entry->expected = {ErrorKind::ExecutionTimeout}; // when it was paused for long
    cancelSoon(entry, operation);
}

void Soak::streamAndDrop(const SoakBoxPtr &box)
{
    auto process = std::shared_ptr<Process>(box->sandbox->stream(
        Command::shell(u"while :; do echo line; sleep 0.05; done"_s), {.timeout = runLimit}));
    const SoakOperationPtr entry = m_journal.begin(u"stream"_s, box);
    entry->cancelled = true;
    connect(process.get(), &Process::ended, this,
            [this, entry](const RunOutcome &, const std::optional<ExecResult> &,
                          const std::optional<ErrorInfo> &error) {
                if (error)
                    m_journal.failed(entry, *error);
                else
                    m_journal.cancelled(entry);
            });
    std::ignore = process->start(random(2) ? Process::ConsumerMode::Signals : Process::ConsumerMode::Discard);
    const bool isDropped = random(2) == 0;
    later(random(1500), [this, process, entry, isDropped]() mutable {
        if (isDropped && entry->ends == 0) { // then nobody is told the end
            process.reset();
            m_journal.cancelled(entry);
        } else if (entry->ends == 0) {
            std::ignore = process->kill(); // it lives until its end is told
            m_processes.push_back(std::move(process));
        }
    });
    std::erase_if(m_processes, [](const auto &kept) { return !kept->isRunning(); });
}

void Soak::createContext(const SoakBoxPtr &box)
{
    if (box->contexts.size() >= 2)
        return;
    follow(u"create context"_s, box, box->sandbox->createContext(), [box](const QString &id) {
        box->contexts.append(id);
        return QString();
    });
}

void Soak::removeContext(const SoakBoxPtr &box)
{
    if (box->contexts.isEmpty())
        return;
    follow(u"remove context"_s, box, box->sandbox->removeContext(box->contexts.takeFirst()));
}

void Soak::cell(const SoakBoxPtr &box)
{
    if (box->contexts.isEmpty())
        return createContext(box);
    const int number = random(1'000'000);
    const QString code =
        u"import time\nx = %1\nprint('a' * 10000)\ntime.sleep(0.02)\nprint(x + 1)"_s.arg(number);
    const auto operation = box->sandbox->runCode(
        code, {.timeout = runLimit, .context = box->contexts.at(random(int(box->contexts.size())))});
    const SoakOperationPtr entry = follow(u"cell"_s, box, operation, [number](const ExecResult &result) {
        // Of a removed context: ended by signal 9.
        const bool isRight =
            result.signal == 9 || result.text().trimmed().endsWith(QString::number(number + 1));
        return isRight ? QString() : described(result);
    });
    entry->expected = {ErrorKind::ConfigurationError}; // its context was removed
    if (random(5) == 0)
        cancelSoon(entry, operation);
}

void Soak::cellPastItsLimit(const SoakBoxPtr &box)
{
    if (box->contexts.isEmpty())
        return;
    const auto operation = box->sandbox->runCode(
        u"while True: pass"_s,
        {.timeout = shortLimit, .context = box->contexts.at(random(int(box->contexts.size())))});
    follow(u"cell past its limit"_s, box, operation, [](const ExecResult &result) {
        return result.signal == 9 ? QString() : described(result);
    })->expected = {ErrorKind::ExecutionTimeout, ErrorKind::ConfigurationError};
}

void Soak::writeAndRead(const SoakBoxPtr &box)
{
    const QByteArray data = randomBytes(200'000);
    const QString path = u"file-%1"_s.arg(++m_number);
    follow(u"write"_s, box, box->sandbox->files().write(path, data), [this, box, path, data] {
        follow(u"read"_s, box, box->sandbox->files().read(path),
               [data](const QByteArray &got) { return difference(got, data); });
        if (random(2))
            later(500, [this, box, path] {
                follow(u"remove"_s, box, box->sandbox->files().remove(path))->expected = {
                    ErrorKind::PathNotFound};
            });
    });
}

void Soak::uploadAndDownload(const SoakBoxPtr &box)
{
    const QByteArray data = randomBytes(2'000'000);
    const QString name = QString::number(++m_number);
    const QString local = m_files.filePath(u"up-"_s + name);
    const QString back = m_files.filePath(u"down-"_s + name);
    const QString remote = u"upload-"_s + name;
    QFile file(local);
    if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size())
        return;
    file.close();
    follow(u"upload"_s, box, box->sandbox->files().upload(local, remote), [this, box, remote, back, data] {
        const SoakOperationPtr down = m_journal.begin(u"download"_s, box);
        box->sandbox->files()
            .download(remote, back)
            .then(this,
                  [this, down, back, data] {
                      QByteArray got;
                      const QString problem = readLocal(back, &got);
                      const QString wrong = problem.isEmpty() ? difference(got, data) : problem;
                      QFile::remove(back);
                      m_journal.succeeded(down, wrong.isEmpty(), wrong);
                  })
            .onError(this, [this, down](const ErrorInfo &error) { m_journal.failed(down, error); })
            .onCancelled(this, [this, down] { m_journal.cancelled(down); });
        follow(u"remove"_s, box, box->sandbox->files().remove(u"upload-none"_s))->expected = {
            ErrorKind::PathNotFound};
    });
    later(10'000, [local] { QFile::remove(local); });
}

void Soak::uploadAndCancel(const SoakBoxPtr &box)
{
    const QString local = m_files.filePath(u"cancelled"_s);
    if (!QFile::exists(local)) {
        QFile file(local);
        if (!file.open(QIODevice::WriteOnly) || !file.resize(8'000'000))
            return;
    }
    const QString remote = u"cancelled-%1"_s.arg(++m_number);
    const auto operation = box->sandbox->files().upload(local, remote);
    const SoakOperationPtr entry = follow(u"upload to be cancelled"_s, box, operation, [this, box, remote] {
        follow(u"remove"_s, box, box->sandbox->files().remove(remote));
    });
    later(random(60), [entry, operation] {
        entry->cancelled = true;
        operation.cancel();
    });
}

void Soak::look(const SoakBoxPtr &box)
{
    const auto fine = [](const auto &) {
        return QString();
    };
    switch (random(5)) {
    case 0:
        follow(u"list files"_s, box, box->sandbox->files().ls(), fine);
        return;
    case 1:
        follow(u"stats"_s, box, box->sandbox->stats(), fine);
        return;
    case 2:
        follow(u"info"_s, box, box->sandbox->info(), fine);
        return;
    case 3:
        follow(u"list sandboxes"_s, {}, m_engine.listManaged({.targets = {box->sandbox->target()}}), fine);
        return;
    default:
        follow(u"connect"_s, box, m_engine.connectTo(box->sandbox->target(), box->sandbox->id()),
               [this, box](const SandboxPtr &again) {
                   follow(u"run"_s, box, again->run({u"true"_s}, {.timeout = runLimit}),
                          [again](const ExecResult &result) {
                              return result.exitCode == 0 ? QString() : described(result);
                          });
                   return QString();
               });
    }
}

void Soak::pause(const SoakBoxPtr &box)
{
    if (box->isPaused())
        return;
    box->pausedAt = m_journal.now();
    follow(u"pause"_s, box, box->sandbox->pause());
    later(500 + random(3000), [this, box] {
        if (!box->isUsable())
            return;
        follow(u"resume"_s, box, box->sandbox->resume(), [this, box] { box->resumedAt = m_journal.now(); });
    });
}

} // namespace Sandboxio::Load

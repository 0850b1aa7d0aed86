// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "lifetimetable.h"

#include <QFile>
#include <QTest>

namespace Sandboxio::Live {

using namespace Qt::StringLiterals;

namespace {

constexpr auto heading = "| Attack | As | Runtime | Paused | Answers | Lifetime | Ended after | Verdict |\n"
                         "|---|---|---|---|---|---|---|---|\n";

QString seconds(qint64 milliseconds)
{
    return milliseconds < 0 ? u"never"_s : u"%1 s"_s.arg(static_cast<double>(milliseconds) / 1000, 0, 'f', 1);
}

} // namespace

QString LifetimeRow::toText() const
{
    return u"| %1 | %2 | %3 | %4 | %5 | %6 | %7 | %8 |"_s.arg(
        attack, user, runtime, isPaused ? u"yes"_s : u"no"_s, answers.isEmpty() ? u"-"_s : answers,
        seconds(lifetimeMs), seconds(endedMs), isInTime() ? u"ended in time"_s : u"FAILED"_s);
}

void addToLifetimeTable(const LifetimeRow &row)
{
    qInfo("%s", qPrintable(row.toText()));
    const QString name = qEnvironmentVariable("SANDBOXIO_LIFETIME_TABLE");
    if (name.isEmpty())
        return;
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered)) {
        QTest::qFail(qPrintable(name + u": "_s + file.errorString()), __FILE__, __LINE__);
        return;
    }
    file.write((file.size() == 0 ? QByteArray(heading) : QByteArray()) + row.toText().toUtf8() + '\n');
}

} // namespace Sandboxio::Live

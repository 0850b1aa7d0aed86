// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputscript.h"

#include "session/cellpane.h"
#include "session/outputview.h"
#include "session/sessionpage.h"
#include "shell/backendwatch.h"
#include "shell/mainwindow.h"

#include <QFile>
#include <QTextStream>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto limit = 600s;
constexpr qint64 megabyte = 1'000'000;

// Memory of this process that is its own, in bytes: what is cached of files does not count.
qint64 memoryInUse()
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    const QList<QByteArray> lines = status.readAll().split('\n');
    for (const QByteArray &line : lines) {
        if (line.startsWith("RssAnon:"))
            return line.sliced(8).chopped(2).trimmed().toLongLong() * 1024;
    }
    return 0;
}

} // namespace

OutputScript::OutputScript(const DesktopOptions &options, QObject *parent)
    : Script(limit, parent)
    , m_options(options)
{
    addBackendStep();
    addStep(
        u"a sandbox is created"_s,
        [this] {
            CreateOptions created;
            created.timeout = 15min;
            window()->createSandbox(window()->backends()->targets().first(), created);
        },
        [this] { return window()->currentSession() != nullptr; });
    const QString bytes = QString::number(options.outputMegabytes * megabyte);
    addRun(u"lines of 80 bytes"_s, u"yes %1 | head -c %2"_s.arg(QString(79, u'x'), bytes));
    addRun(u"lines of one byte"_s, u"yes | head -c %1"_s.arg(bytes));
    addRun(u"one line without end"_s, u"head -c %1 /dev/zero"_s.arg(bytes));
    addRun(u"printed by Python"_s,
           u"python3 -c 'for i in range(%1): print(i, \"x\" * 990)'"_s.arg(options.outputMegabytes * 1010));
}

void OutputScript::prepare()
{
    openWindow(m_options);
}

void OutputScript::addRun(const QString &name, const QString &commandLine)
{
    addStep(
        name,
        [this, commandLine] {
            m_memoryBefore = m_memoryMost = memoryInUse();
            m_elapsed.start();
            window()->currentSession()->cell()->setContent(commandLine, {});
            window()->currentSession()->cell()->run();
        },
        [this, name] {
            m_memoryMost = std::max(m_memoryMost, memoryInUse());
            if (window()->currentSession()->cell()->isRunning())
                return false;
            report(name);
            return true;
        });
}

void OutputScript::report(const QString &name)
{
    CellPane *cell = window()->currentSession()->cell();
    OutputLog *log = cell->output()->log();
    const qint64 bytes = log->byteCount(OutputStream::StandardOutput);
    QTextStream(stdout) << u"%1: %2 MB in %3 ms, %4 rows, %5 bytes missing, memory +%6 MiB at most; %7"_s
                               .arg(name)
                               .arg(bytes / megabyte)
                               .arg(m_elapsed.elapsed())
                               .arg(log->rowCount())
                               .arg(log->missingBytes())
                               .arg(double(m_memoryMost - m_memoryBefore) / 1024 / 1024, 0, 'f', 1)
                               .arg(cell->statusText())
                        << Qt::endl;
    if (bytes < m_options.outputMegabytes * megabyte)
        fail(u"less arrived than was printed"_s);
}

} // namespace Sandboxio::Desktop

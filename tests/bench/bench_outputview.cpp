// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// What a chunk of output costs the window's thread, beside a QPlainTextEdit that keeps as many lines as it shows.
#include "bench/measurement.h"
#include "session/outputview.h"
#include "shell/eventtimes.h"

#include <sandboxio/models/outputlog.h>

#include <QApplication>
#include <QPlainTextEdit>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

constexpr int rounds = 100;

// Milliseconds of this thread's CPU time until \a view has taken the chunk and stands painted.
double spent(QAbstractScrollArea &view, const std::function<void()> &append)
{
    const auto before = Desktop::threadCpuTime();
    append();
    QCoreApplication::processEvents();
    view.viewport()->repaint();
    return double((Desktop::threadCpuTime() - before).count()) / 1e6;
}

// \a marked: a text that the search marks wherever it stands on screen.
Cli::Measurement chunks(const QString &name, const QByteArray &chunk, const QString &marked)
{
    const QTemporaryDir folder;
    OutputLog log({.directory = folder.path(), .limit = 64 * 1024 * 1024});
    Desktop::OutputView view;
    view.resize(800, 600);
    view.setLog(&log);
    view.setMarkedText(marked);
    view.show();
    QPlainTextEdit peer;
    peer.resize(800, 600);
    peer.setFont(view.font());
    peer.setLineWrapMode(QPlainTextEdit::NoWrap);
    peer.setUndoRedoEnabled(false);
    peer.setMaximumBlockCount(50);
    peer.show();
    Cli::Measurement row{.name = name, .unit = u"ms"_s, .peerName = u"QPlainTextEdit"_s};
    for (int round = 0; round < rounds; ++round) {
        while (log.pendingBytes() >= OutputLog::enoughPending)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        row.ours.append(spent(view, [&] { log.append({.data = chunk}); }));
        row.peer.append(spent(peer, [&] { peer.appendPlainText(QString::fromUtf8(chunk)); }));
    }
    return row;
}

} // namespace

int main(int argc, char *argv[])
{
    const QApplication application(argc, argv);
    const QByteArray lines = (QByteArray(79, 'x') + '\n').repeated(3276); // 256 KiB
    const QByteArray wide = QByteArray("\xe4\xb8\xad").repeated(87'381);
    for (const Cli::Measurement &row :
         {chunks(u"lines of 80 bytes"_s, lines, {}),
          chunks(u"lines of 80 bytes, each byte marked"_s, lines, u"x"_s),
          chunks(u"lines of one byte"_s, QByteArray("y\n").repeated(128 * 1024), {}),
          chunks(u"one line without end"_s, QByteArray(256 * 1024, 'x'), {}),
          chunks(u"wide characters"_s, wide, {})}) {
        const auto [low, high] = row.interval().value();
        std::printf("%-36s ours %.2f ms, longest %.2f ms, %s %.2f ms, ratio %.4f [%.4f, %.4f]\n",
                    qPrintable(row.name), Cli::median(row.ours), *std::ranges::max_element(row.ours),
                    qPrintable(row.peerName), Cli::median(row.peer), row.ratio().value(), low, high);
    }
}

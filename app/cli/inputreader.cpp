// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "inputreader.h"

#include <cerrno>

#include <unistd.h>

namespace Sandboxio::Cli {

InputReader::InputReader(int descriptor, QObject *parent)
    : QObject(parent)
    , m_descriptor(descriptor)
    , m_notifier(descriptor, QSocketNotifier::Read)
{
    m_notifier.setEnabled(false);
    connect(&m_notifier, &QSocketNotifier::activated, this, &InputReader::readPiece);
}

InputReader::~InputReader() = default;

Operation<QByteArray> InputReader::read()
{
    m_pending.emplace();
    m_pending->onCancelRequested(this, [this] { stop(); });
    m_notifier.setEnabled(true);
    return m_pending->operation();
}

void InputReader::stop()
{
    m_notifier.setEnabled(false);
    if (const std::optional<OperationPromise<QByteArray>> pending = std::exchange(m_pending, std::nullopt))
        pending->cancelled();
}

void InputReader::readPiece()
{
    constexpr qsizetype pieceSize = 64 * 1024;
    QByteArray piece(pieceSize, Qt::Uninitialized);
    const ssize_t size = ::read(m_descriptor, piece.data(), std::size_t(pieceSize));
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    m_notifier.setEnabled(false);
    piece.resize(qMax(qsizetype(0), qsizetype(size)));
    const OperationPromise<QByteArray> pending = *std::exchange(m_pending, std::nullopt);
    pending.finish(piece);
}

} // namespace Sandboxio::Cli

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include "exitcode.h"
#include "json.h"

#include <QJsonDocument>

#include <cerrno>
#include <csignal>

#include <poll.h>
#include <unistd.h>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

Style styleOfDescriptor(int descriptor)
{
    return styleOf(::isatty(descriptor) == 1, qgetenv("NO_COLOR"), qgetenv("TERM"));
}

// The writer takes everything; who must not run ahead of the reader awaits its writes instead.
void post(OutputWriter &writer, int descriptor, const QByteArray &data)
{
    const Operation<int> taken = writer.write(descriptor, data);
    Q_UNUSED(taken)
}

} // namespace

QString renderError(const ErrorInfo &error, const Style &style)
{
    const QString text = error.toWholeText();
    const qsizetype end = text.indexOf(u'\n');
    return style.paint(text.left(end), Tone::Bad) + (end < 0 ? QString() : text.sliced(end)) + u'\n';
}

Console::Console()
    : m_errorIsTerminal(::isatty(STDERR_FILENO) == 1)
    , m_outputStyle(styleOfDescriptor(STDOUT_FILENO))
    , m_errorStyle(styleOfDescriptor(STDERR_FILENO))
{}

void Console::show(const QJsonObject &payload, const Renderer &render)
{
    if (m_json)
        post(m_writer, STDOUT_FILENO, QJsonDocument(payload).toJson());
    else
        print(render(payload, m_outputStyle));
}

void Console::print(const QString &text)
{
    post(m_writer, STDOUT_FILENO, text.toUtf8());
}

void Console::showError(const ErrorInfo &error)
{
    showProgress({});
    if (m_json)
        post(m_writer, STDOUT_FILENO, QJsonDocument(QJsonObject{{u"error"_s, errorJson(error)}}).toJson());
    else
        post(m_writer, STDERR_FILENO, renderError(error, m_errorStyle).toUtf8());
}

void Console::warn(const QString &what, const ErrorInfo &error)
{
    showProgress({});
    if (!m_json)
        post(m_writer, STDERR_FILENO, (what + u'\n' + renderError(error, m_errorStyle)).toUtf8());
}

void Console::notice(const QString &text)
{
    showProgress({});
    const QByteArray line = text.toUtf8() + '\n';
    pollfd writable{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&writable, 1, 0) != 1)
        return;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.constData(), std::size_t(line.size()));
}

void Console::showProgress(const QString &text)
{
    if (!showsProgress() || (text.isEmpty() && !m_hasProgress))
        return;
    m_hasProgress = !text.isEmpty();
    post(m_writer, STDERR_FILENO, u"\r\x1b[K%1"_s.arg(text).toUtf8());
}

QCoro::Task<int> Console::finish(int exitCode)
{
    showProgress({});
    int error = co_await m_writer.flush(STDERR_FILENO);
    if (error == 0)
        error = co_await m_writer.flush(STDOUT_FILENO);
    if (error == EPIPE)
        co_return exitCodeOfSignal(SIGPIPE);
    co_return error == 0 || error == ECANCELED ? exitCode : ExitCode::engineFailure;
}

} // namespace Sandboxio::Cli

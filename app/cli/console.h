// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "outputwriter.h"
#include "style.h"

#include <sandboxio/core/errorinfo.h>

#include <QCoroTask>
#include <QJsonObject>

#include <functional>

namespace Sandboxio::Cli {

/*! Where a command shows what it has to say: one payload, as JSON or for people. */
class Console
{
public:
    using Renderer = std::function<QString(const QJsonObject &payload, const Style &style)>;

    Console();

    void setJson(bool json) { m_json = json; }
    bool isJson() const { return m_json; }
    const Style &outputStyle() const { return m_outputStyle; }
    const Style &errorStyle() const { return m_errorStyle; }
    /*! Whether progress may be shown: standard error is a terminal and nobody asked for JSON. */
    bool showsProgress() const { return m_errorIsTerminal && !m_json; }
    OutputWriter &writer() { return m_writer; }

    /*! Shows \a payload as JSON, or as \a render makes it. */
    void show(const QJsonObject &payload, const Renderer &render);
    /*! Shows \a text on standard output. */
    void print(const QString &text);
    /*! Shows \a error: as text on standard error, or as `{"error": …}` on standard output with JSON. */
    void showError(const ErrorInfo &error);
    /*! Shows on standard error, besides the payload, that something failed: \a what, then \a error; nothing
       with JSON, where the payload holds it. */
    void warn(const QString &what, const ErrorInfo &error);
    /*! Shows \a text on standard error, at once, past everything that waits; dropped where that would block. */
    void notice(const QString &text);
    /*! Replaces the progress line by \a text; empty removes it. */
    void showProgress(const QString &text);
    /*! Ends when everything is written; the exit code that follows from a failure to write, else \a exitCode.
     */
    QCoro::Task<int> finish(int exitCode);

private:
    bool m_json = false;
    bool m_errorIsTerminal = false;
    bool m_hasProgress = false;
    Style m_outputStyle;
    Style m_errorStyle;
    OutputWriter m_writer;
};

/*! \a error for people, with the style of standard error. */
QString renderError(const ErrorInfo &error, const Style &style);

} // namespace Sandboxio::Cli

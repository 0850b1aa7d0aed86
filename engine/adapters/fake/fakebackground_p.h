// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakeprocess_p.h"

#include <sandboxio/core/backgroundrun.h>

#include <QThread>

#include <array>
#include <map>
#include <mutex>

namespace Sandboxio::Fake {

class KeptProcess;

/*! A background run as those see it who read it. Any thread. */
class KeptRun
{
public:
    /*! Bytes that are kept of each stream at least. */
    static constexpr qint64 spoolLimit = 1024 * 1024;

    struct Piece
    {
        qint64 lost = 0; //!< bytes before the data
        QByteArray data;
        bool isLast = false; //!< the stream ends with it
    };

    KeptRun(const QString &id, const QStringList &arguments, const QDateTime &startedAt);

    QString id() const { return m_run.id; }
    BackgroundRun describe() const;
    /*! At most \a limit bytes of \a stream from \a offset on. */
    Piece read(OutputStream stream, qint64 offset, qint64 limit) const;
    /*! How the main process ended, once everything up to \a offsets was written before that. */
    std::optional<ExitStatus> endAfter(const std::array<qint64, 2> &offsets) const;
    /*! Why nothing more is known of it: its sandbox has gone. */
    std::optional<ErrorInfo> error() const;
    /*! Calls \a wake after every change, in any thread, until \a reader is removed. */
    void addReader(const void *reader, std::function<void()> wake);
    void removeReader(const void *reader);
    /*! Calls \a function with the process in its thread; not when that has gone. */
    void withProcess(const std::function<void(Process &)> &function);
    /*! Ends when no process of it is left. */
    Operation<void> kill();
    /*! Deletes the process, which has ended. */
    void retire();

private:
    friend class KeptProcess;
    struct Stream
    {
        QByteArray kept;
        qint64 end = 0;
        qint64 endAtExit = 0;
        bool isOver = false;
    };
    static size_t index(OutputStream stream) { return stream == OutputStream::StandardError ? 1 : 0; }
    void change(const std::function<void()> &function);

    mutable std::mutex m_mutex;
    BackgroundRun m_run;
    std::array<Stream, 2> m_streams;
    std::optional<ExitStatus> m_status;
    std::optional<ErrorInfo> m_error;
    std::map<const void *, std::function<void()>> m_readers;
    KeptProcess *m_process = nullptr;
};
using KeptRunPtr = std::shared_ptr<KeptRun>;

/*! Where background runs go on, whatever becomes of the engines: a thread of the provider's own. Any thread. */
class Machine
{
public:
    Machine();
    ~Machine();

    /*! Starts \a program as a background run; ends with its id once that has started. */
    Operation<QString> start(const Provider &provider, const QString &sandboxId,
                             const std::shared_ptr<Program> &program, const ProcessRequest &request);
    /*! Null: there is none. */
    KeptRunPtr find(const QString &sandboxId, const QString &id) const;
    QList<KeptRunPtr> runs(const QString &sandboxId) const;
    void forget(const QString &sandboxId, const QString &id);

private:
    mutable std::mutex m_mutex;
    std::map<QString, QList<KeptRunPtr>> m_runs; // by sandbox, oldest first
    int m_serial = 0;
    QThread m_thread;
    QObject *m_host; // in m_thread
};

/*! Reads a background run. */
class Attachment final : public QObject, public ProcessPort
{
    Q_OBJECT
public:
    /*! \a run is null where there is none. */
    Attachment(KeptRunPtr run, const AttachRequest &request, ProcessEvents *events);
    ~Attachment() override;

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    Operation<void> signal(int signal) override;
    Operation<void> killTree() override;

private:
    void begin();
    void wake();
    void pump();
    bool pumpStream(OutputStream stream);
    void fail(const ErrorInfo &error);

    const KeptRunPtr m_run;
    const AttachRequest m_request;
    ProcessEvents *const m_events;
    std::array<qint64, 2> m_offsets;
    std::array<qint64, 2> m_unacknowledged{};
    std::array<bool, 2> m_ended{};
    bool m_started = false;
    bool m_exitTold = false;
    bool m_failed = false;
};

ErrorInfo unknownBackgroundRun(const QString &id);

} // namespace Sandboxio::Fake

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>
#include <sandboxio/guest/protocol/filemessages.h>
#include <sandboxio/guest/protocol/keptmessages.h>
#include <sandboxio/guest/protocol/messages.h>

#include <QByteArray>
#include <QByteArrayView>
#include <QObject>
#include <QString>

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Sandboxio::Guest {

class ClientPrivate;

/*! Names a run in this client; never reused by it. */
using RunId = quint32;
/*! Names an open file, upload, listing or watch in this client's connection. */
using FileHandle = quint32;

/*! Why a request has no value: the errno the sandbox gave, or the connection went first. */
struct FileError
{
    int errorNumber = 0;         //!< Linux errno as the sandbox said; 0 when the connection was lost
    bool connectionLost = false; //!< no answer will come: whether it was done is unknown
    bool operator==(const FileError &) const = default;
};

template <typename T>
using Reply = std::function<void(std::expected<T, FileError>)>;

/*! The way to the guest: a relay's or container's standard input. Called in the client's thread. */
struct Transport
{
    /*! Takes all the bytes, in order; must not call back into the client. */
    std::function<void(QByteArray)> write = {};
    /*! Bytes taken by write() that have not left yet; standard input waits while they are over 1 MiB.
        When they have left, tell the client by outputDrained(). */
    std::function<qint64()> bytesToWrite = {};
};

struct ClientHandlers
{
    /*! The guest answered the greeting. Requests may be made before; the guest takes them in order. */
    std::function<void(const HelloReply &)> ready = {};
    /*! The peer broke the protocol or speaks another version. Everything pending has been failed as
        lost; the connection is of no more use. At most once. */
    std::function<void(const QString &reason)> failed = {};
};

/*! What happens to a run. Order: spawned, then any of the others. The run's end is `failed`, or
    `exited` and an eof of each stream; background children may hold a stream open for long after
    `exited`. A handler may be empty. */
struct RunHandlers
{
    std::function<void(qint64 pid)> spawned = {};
    /*! Instead of spawned, after attach(). */
    std::function<void(const Attached &attached)> attached = {};
    /*! The command did not start; stage Exec with ENOENT or EACCES is "not found" or "not executable".
        The run is released already. */
    std::function<void(int errorNumber, SpawnStage stage)> failed = {};
    /*! \a offset counts the bytes of the stream before \a data. Give the bytes back by credit(). */
    std::function<void(StreamId stream, quint64 offset, QByteArray data)> output = {};
    /*! After attach(): the next \a bytes of \a stream are kept no longer; what follows comes after them. */
    std::function<void(StreamId stream, quint64 bytes)> outputLost = {};
    /*! Stdout, Stderr: no more output. Stdin: the process reads no more, what is written is dropped.
        Streams of a run with a stream token and stderr of a terminal have no eof. */
    std::function<void(StreamId stream)> eof = {};
    std::function<void(ExitStatus status)> exited = {};
    /*! Standard input has room for \a space bytes again after writeStdin() took less than given. */
    std::function<void(qint64 space)> stdinCredit = {};
    /*! The connection went before the run was released. The last call. */
    std::function<void()> lost = {};
};

enum class SignalTarget { Process, Group };

/*! The engine's side of the guest protocol, over any pair of byte streams.

    Lives in and is used from one thread (the I/O thread) only. Handlers and replies run in that
    thread, from feed(), from connectionLost() or queued, never inside the call that made the request;
    they may make requests and may delete the client. Each reply is called exactly once, unless the
    client is deleted: then nothing is called any more.

    Memory: a guest that sends more than was credited, or anything out of order, fails the client.

    \code
    auto *client = new Guest::Client({.write = [socket](QByteArray b) { socket->write(b); },
                                      .bytesToWrite = [socket] { return socket->bytesToWrite(); }},
                                     {.ready = …, .failed = …}, this);
    client->start();
    Guest::Spawn spawn;
    spawn.argv = {"echo", "hi"};
    client->spawn(spawn, {.output = …, .exited = …});
    \endcode */
class SANDBOXIO_CORE_EXPORT Client : public QObject
{
    Q_OBJECT

public:
    Client(Transport transport, ClientHandlers handlers, QObject *parent = nullptr);
    ~Client() override;

    /*! Greets the guest. Call once, before anything else. */
    void start();
    /*! Bytes that came from the guest (its standard output, without any multiplexing). */
    void feed(QByteArrayView bytes);
    /*! The connection is gone: every run is lost() and every reply fails, once. Idempotent. */
    void connectionLost();
    /*! The transport has written what it had: standard input that waited may go on. */
    void outputDrained();
    /*! What the guest said of itself; absent until ready. */
    const std::optional<HelloReply> &guest() const;
    /*! False after connectionLost() or failed: every request then fails as lost. */
    bool isUsable() const;

    /*! Starts a process. The handlers are kept until release(), failed or lost. A request over the
        frame limit of 1 MiB fails with E2BIG, stage Setup. */
    RunId spawn(const Spawn &request, RunHandlers handlers);
    /*! \a bytes of output were consumed. Without it the stream stops after 1 MiB. */
    void credit(RunId run, StreamId stream, qint64 bytes);
    /*! Writes to the process's standard input (StdinMode::Pipe or a terminal) or to its control socket. Returns how many bytes
        were taken, maybe 0; after less than all, stdinCredit says when to go on. */
    qint64 writeStdin(RunId run, QByteArrayView data);
    /*! End of standard input, after what writeStdin() took; on a terminal it types end-of-file. */
    void closeStdin(RunId run);
    void resize(RunId run, WindowSize size);
    /*! Sends signal \a number unless the main process has ended. */
    void signal(RunId run, int number, SignalTarget target = SignalTarget::Process);
    /*! Kills every process of the run with its daemonised children, also after `exited`. The reply
        comes when none is left. Other runs are not touched. */
    void killTree(RunId run, Reply<void> reply);
    /*! Forgets the run: its handlers are dropped, the guest closes its ends of the streams. Kills
        nothing. */
    void release(RunId run);

    /*! Starts a run that belongs to the sandbox instead of to this client. A request over the frame limit of 1 MiB
        fails with E2BIG. */
    void startKept(const StartKept &request, Reply<KeptStarted> reply);
    void listKept(Reply<KeptList> reply);
    /*! Kills what is left of the kept run and forgets it; ENOENT: there is none. */
    void removeKept(const std::string &name, Reply<void> reply);
    /*! Reads a kept run from the given byte of each stream on, as a run of this client: attached, then what
        follows spawned. It fails with ENOENT, or ERANGE for an offset beyond what was written. release() lets go of
        it, also without a word; killTree() kills it. */
    RunId attach(const Attach &request, RunHandlers handlers);

    void stat(const std::string &path, bool follow, Reply<FileInfo> reply);
    /*! Lists a directory in pages, in no particular order, without "." and "..": \a page is called
        for each, then \a reply. The next page is asked for after \a page returned. */
    void list(const std::string &path, std::function<void(std::vector<FileInfo>)> page, Reply<void> reply);
    /*! Opens a regular file; others are refused with EISDIR or EOPNOTSUPP. */
    void openRead(const std::string &path, Reply<FileOpened> reply);
    /*! Up to \a length (at most maximumChunk) bytes; empty at the end. */
    void read(FileHandle handle, quint64 offset, quint32 length, Reply<QByteArray> reply);
    /*! Opens an upload: bytes go to a temporary file beside \a path, which commit() moves over it. */
    void openWrite(const FileOpenWrite &request, Reply<FileOpened> reply);
    /*! \a data is at most maximumChunk bytes. */
    void write(FileHandle handle, quint64 offset, QByteArrayView data, Reply<void> reply);
    /*! Puts the upload in place and closes the handle, also when it fails. Keeps mode and owner of a
        file that was there. \a size extends or cuts; absent: as written. */
    void commit(FileHandle handle, std::optional<quint64> size, Reply<void> reply);
    /*! Closes a file; an upload that was not committed leaves nothing behind. */
    void close(FileHandle handle, Reply<void> reply = {});
    void makeDirectory(const std::string &path, bool makeParents, Reply<void> reply);
    void remove(const std::string &path, bool recursive, Reply<void> reply);
    /*! Renames; EEXIST when \a to exists and \a overwrite is false, EXDEV between file systems. */
    void move(const std::string &from, const std::string &to, bool overwrite, Reply<void> reply);
    /*! Makes the symbolic link \a path to \a target, which is not looked up; EEXIST when \a path exists. */
    void makeLink(const std::string &target, const std::string &path, Reply<void> reply);
    void changeMode(const std::string &path, quint32 mode, Reply<void> reply);
    /*! Watches a directory with its entries, with \a recursive all below it; or one file. close() ends it. */
    void watch(const std::string &path, bool recursive, Reply<FileOpened> reply);
    /*! The changes since the last reply, as soon as there are any; nothing in the first reply, which says that the
        watch is in force. ENOENT when the watched path has gone, after that was told. One at a time: EBUSY. */
    void watchNext(FileHandle handle, Reply<std::vector<FileChange>> reply);

    /*! Tries to reach an address from inside. */
    void netProbe(const NetProbe &request, Reply<NetProbeResult> reply);
    void status(Reply<Status> reply);
    /*! The lifetime ends \a lifetimeMs from now. Creator only, others get EPERM. */
    void extend(quint64 lifetimeMs, Reply<Status> reply);
    /*! Ends the sandbox. Creator only. The connection closes soon after the reply. */
    void shutdown(Reply<void> reply);

private:
    std::unique_ptr<ClientPrivate> d;
};

} // namespace Sandboxio::Guest

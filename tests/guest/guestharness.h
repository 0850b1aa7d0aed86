// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/guest/client/client.h>

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QStringList>
#include <QTest>

#include <expected>
#include <functional>
#include <memory>
#include <optional>

namespace Sandboxio::Guest::Test {

/// What a run told so far.
struct RunRecord
{
    RunId id = 0;
    std::optional<qint64> pid;
    std::optional<int> failedWith;
    std::optional<SpawnStage> failedStage;
    QByteArray out;
    QByteArray err;
    QByteArray control;
    qsizetype outAtControl = -1; // bytes of out that had come before the first of control
    bool outEof = false;
    bool errEof = false;
    bool stdinEof = false;
    std::optional<ExitStatus> exit;
    qsizetype outAtExit = -1; // bytes of out that had come before the exit
    int lostCount = 0;
    std::optional<Attached> attached;
    QList<std::pair<StreamId, quint64>> gaps; // how many bytes were lost
    quint64 firstOffset = 0;                  // of the first output
    qint64 stdinOffered = 0;

    bool isFinished() const { return failedWith || lostCount || (exit && outEof && errEof); }
};
using RunRecordPtr = std::shared_ptr<RunRecord>;

enum class Crediting { Automatic, Manual };

/// A helper process (serve or relay) with a client on its standard input and output.
class Peer : public QObject
{
    Q_OBJECT

public:
    Peer(const QString &program, const QStringList &arguments, const QString &mark);
    ~Peer() override;

    bool isReady() const { return client && client->guest().has_value(); }
    RunRecordPtr run(const Spawn &spawn, Crediting crediting = Crediting::Automatic);
    RunRecordPtr attach(const Attach &request, Crediting crediting = Crediting::Automatic);

    QProcess process;
    QPointer<Client> client;
    QString failure;

private:
    RunHandlers handlersOf(const RunRecordPtr &record, Crediting crediting);
};

Spawn command(std::vector<std::string> argv);
Spawn shell(std::string script);

/// One guest: the serving helper, its creator's client, relays on demand. Every process it starts
/// carries a mark in its environment, so that leftovers are found.
class Harness
{
public:
    enum class Place { Host, PidNamespace };

    explicit Harness(Place place = Place::Host, qint64 lifetimeMs = 60000, const QStringList &options = {});
    ~Harness();

    bool waitReady();
    Client *client() const { return creator->client; }
    RunRecordPtr run(const Spawn &spawn, Crediting crediting = Crediting::Automatic)
    {
        return creator->run(spawn, crediting);
    }
    /// Runs and waits for the end.
    RunRecordPtr finish(const Spawn &spawn);
    std::unique_ptr<Peer> relay();
    /// Starts the helper in another mode, inside the guest's namespaces.
    std::unique_ptr<QProcess> start(const QStringList &helperArguments);

    /// Host pids of the processes that carry the mark and whose command line contains \a text.
    QList<qint64> processes(const QByteArray &text = {}) const;
    /// Asks for the end and waits until no process of this guest is left.
    bool shutDown();

    const QString mark;
    const QString socketName;
    std::unique_ptr<Peer> creator;

private:
    qint64 initPid() const;
    QStringList inside(const QStringList &helperArguments) const;

    const Place m_place;
};

/// The helper as a command line. SANDBOXIO_TEST_GUEST_COMMAND replaces it, its words separated by '|': the helper of
/// another architecture under an emulator.
QStringList helperCommand();
/// Whether helperCommand() names an emulator of user programs, which differs from a kernel here and there.
bool isEmulated();
/// Why no failure to start a program is told there: an emulator runs vfork() as fork(), so that the child's errno does
/// not reach its parent. Empty where it is.
QString noStartErrors();
/// Whether namespaces can be made here: they need root.
bool canUnshare();

/// The value or the error that \a request is answered with.
template <typename T>
std::expected<T, FileError> replyTo(const std::function<void(Reply<T>)> &request)
{
    std::optional<std::expected<T, FileError>> result;
    request([&](std::expected<T, FileError> value) { result = std::move(value); });
    if (!QTest::qWaitFor([&] { return result.has_value(); }, 10000))
        qFatal("no reply");
    return *result;
}

} // namespace Sandboxio::Guest::Test

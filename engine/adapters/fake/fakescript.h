// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/execresult.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/ports/backendport.h>
#include <sandboxio/ports/enginecontext.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace Sandboxio::Fake {

class Store;

/*! What a scripted run does, instead of the built-in programs. The output comes first, then \a duration passes,
    then it ends. */
struct Answer
{
    QByteArray standardOutput{};
    QByteArray standardError{};
    int exitCode = 0;
    std::optional<int> signal{};           //!< ends by this signal instead of the exit code
    std::chrono::milliseconds duration{0}; //!< between the output and the end, on the engine's clock
    bool hangs = false;                    //!< never ends by itself
    QList<RichOutput> results{};           //!< result values richer than text
    std::optional<ErrorInfo> error{};      //!< the run cannot start and fails with this instead
};

/*! One request that reached the fake. */
struct Call
{
    enum class Kind {
        Create,      //!< text: the template
        Connect,     //!<
        Kill,        //!< by a handle
        KillManaged, //!< by id
        List,        //!< of the managed sandboxes
        Run,         //!< text: the command line as Command::toString() gives it
        RunCode,     //!< text: the code
        Signal,      //!< text: its number
        KillTree,    //!< of a run
        ReadFile,    //!< text: the path, as for all that follow
        WriteFile,   //!< the file is in place
        StatFile,
        ListFiles,
        MakeDirectory,
        RemoveFile,
        MoveFile, //!< text: from and to with " -> " between
        ChangeMode,
    };
    Kind kind = Kind::Run;
    QString sandboxId{};                  //!< empty for Create and List
    QString text{};                       //!< see Kind
    QMap<QString, QString> environment{}; //!< of Create, Run and RunCode; never secrets
    QString workingDirectory{};
    std::optional<std::chrono::milliseconds> timeout{}; //!< the run limit, or the lifetime of Create
    QString user{};
    QByteArray standardInput{}; //!< given at the start of a run
    bool operator==(const Call &) const = default;
};

/*! What goes wrong from now on, until other faults are set. A default one is a provider that works. */
struct Faults
{
    std::optional<ErrorInfo> provider{};                  //!< every request to the provider fails with this
    std::optional<ErrorInfo> create{};                    //!< create fails with this in its step "create"
    std::optional<std::chrono::milliseconds> rateLimit{}; //!< create answers "429" with this retry-after
    std::optional<int> rateLimitedCreates{}; //!< so many creates are answered so, later ones work; unset: all
    std::chrono::milliseconds createStep{0}; //!< how long each step of create takes, on the engine's clock
    QString slowStep{};                      //!< only this one: resolve, create, start or verify
    bool clientSideLifetime =
        false;              //!< nothing but this program ends sandboxes for certain: refused unless accepted
    bool killHangs = false; //!< kills of a sandbox begin and never end
    bool killTreeHangs = false;                   //!< kills of a run begin and never end
    std::optional<ErrorInfo> kill{};              //!< kills of a sandbox fail with this
    std::optional<ErrorInfo> killTree{};          //!< kills of a run fail with this
    std::optional<ErrorInfo> files{};             //!< every file operation that begins fails with this
    std::optional<qint64> disconnectAtByte{};     //!< the connection of a run breaks after that much output
    std::optional<qint64> goneAtByte{};           //!< the sandbox of a run vanishes after that much output
    std::optional<qint64> transferBreaksAtByte{}; //!< reading or writing a file breaks after so much of it
};

/*! Scripts the in-memory backend and records what reached it. Also its store: engines whose factories share a
    script see the same sandboxes, as two programs at one provider would. Use it from any thread.

    \code
    auto script = std::make_shared<Fake::Script>();
    script->onRun(u"make -j4"_s, {.standardError = "no rule"_ba, .exitCode = 2});
    script->onRunCode(Fake::contains(u"read_csv"_s), {.standardOutput = "3 rows\n"_ba});
    engine.registerBackend(u"fake"_s, Fake::factory(script));
    // … let the code under test use Target::fromDsn(u"fake://"_s), then look at script->calls()
    \endcode */
class Script
{
public:
    using Match = std::function<bool(const QString &text)>;
    /*! Makes an answer that depends on the call. Called in an engine's I/O thread, without locks held. */
    using Reply = std::function<Answer(const Call &call)>;

    Script();
    ~Script();
    Q_DISABLE_COPY_MOVE(Script)

    /*! Answers commands whose line (Command::toString()) satisfies \a match. The rule added last wins; a line
       without a rule goes to the built-in programs. */
    void onRun(Match match, const Answer &answer);
    /*! \overload for exactly this line. */
    void onRun(const QString &line, const Answer &answer);
    /*! \overload with an answer made for each call. */
    void onRun(Match match, Reply reply);
    /*! Answers code that satisfies \a match. The rule added last wins. */
    void onRunCode(Match match, const Answer &answer);
    /*! \overload for exactly this code. */
    void onRunCode(const QString &code, const Answer &answer);
    /*! \overload with an answer made for each call. */
    void onRunCode(Match match, Reply reply);
    using ProbeReply =
        std::function<NetworkProbeResult(const NetworkProbe &probe, NetworkPolicy::Egress egress)>;
    /*! Answers probes of the network from sandboxes with that egress; without a rule the fake, which has no network,
       says so. */
    void onProbe(ProbeReply reply);
    /*! What samples of sandboxes say from now on. Without it, and where a member is absent, the fake tells what it
       knows: the runs under way and the cap of memory. The time is always that of the clock. */
    void setStats(const SandboxStats &stats);

    /*! Replaces all faults. Runs and creates that are under way notice them at their next step. */
    void setFaults(const Faults &faults);
    Faults faults() const;

    /*! The requests so far, oldest first; with \a kind those of that kind. */
    QList<Call> calls() const;
    QList<Call> calls(Call::Kind kind) const;
    void clearCalls();

    /*! Puts a sandbox there that nobody of this process created, for instance an orphan. Its id must be new. */
    void addManaged(const ManagedSandbox &sandbox);
    /*! Puts a running sandbox there that does not carry our labels. */
    void addForeign(const QString &id);
    /*! Makes the sandbox vanish, as if the provider had lost it. */
    void lose(const QString &id);
    /*! Ids of all sandboxes there are, whatever their state. */
    QStringList sandboxes() const;
    /*! Command lines of all runs that have started and neither ended nor been killed. */
    QStringList runningProcesses() const;

    /*! Puts a file into the sandbox \a id, with the folders above it. False when there is no such sandbox, or
       no room. */
    bool putFile(const QString &id, const QString &path, const QByteArray &content);
    /*! What the file \a path of the sandbox \a id contains; relative paths start at /work. Absent when there is
       none. */
    std::optional<QByteArray> file(const QString &id, const QString &path) const;

    // What the backend asks.
    std::shared_ptr<Store> store() const;
    /*! For a Call of kind Run or RunCode. */
    std::optional<Answer> answerFor(const Call &call) const;
    /*! The retry-after of a create that is answered with "429". */
    std::optional<std::chrono::milliseconds> takeRateLimit();
    std::optional<SandboxStats> stats() const;
    NetworkProbeResult probeResult(const NetworkProbe &probe, NetworkPolicy::Egress egress) const;
    void record(const Call &call);

private:
    class Private;
    std::unique_ptr<Private> d;
};

/*! A match for lines or code that contain \a part. */
Script::Match contains(const QString &part);
/*! A match for everything. */
Script::Match anything();
/*! Replies with each of \a answers once and then with the last one for ever: a program that fails and then works.
    \a answers must not be empty. */
Script::Reply inTurn(const QList<Answer> &answers);

using Factory = std::function<std::unique_ptr<BackendPort>(EngineContext &, const Target &)>;
/*! Makes ports of the in-memory backend that follow \a script, for Engine::registerBackend(). */
Factory factory(std::shared_ptr<Script> script);
/*! The port that the plugin makes: engines have a store each, unless the DSN names one with `store`, which all
    engines of this process then share while one of them uses it. */
std::unique_ptr<BackendPort> createUnscripted(EngineContext &context, const Target &target);

} // namespace Sandboxio::Fake

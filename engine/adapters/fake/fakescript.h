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

/*! What a scripted run does, instead of the built-in programs. */
struct Answer
{
    QByteArray standardOutput{};
    QByteArray standardError{};
    int exitCode = 0;
    std::optional<int> signal{};           //!< ends by this signal instead of the exit code
    std::chrono::milliseconds duration{0}; //!< between the output and the end, on the engine's clock
    bool hangs = false;                    //!< never ends by itself
    QList<RichOutput> results{};           //!< result values richer than text
    std::optional<ErrorInfo> error{};      //!< the run fails with this instead
};

/*! One request that reached the fake. */
struct Call
{
    enum class Kind { Create, Connect, Kill, KillManaged, List, Run, RunCode, Signal, KillTree };
    Kind kind = Kind::Run;
    QString sandboxId{}; //!< empty for Create and List
    QString text{};      //!< the command line, the code, the template or the signal number
    QMap<QString, QString> environment{};
    QString workingDirectory{};
    std::optional<std::chrono::milliseconds> timeout{};
    bool operator==(const Call &) const = default;
};

/*! What goes wrong from now on. */
struct Faults
{
    std::optional<ErrorInfo> provider{};                  //!< every request to the provider fails with this
    std::optional<ErrorInfo> create{};                    //!< create fails with this after its steps
    std::optional<std::chrono::milliseconds> rateLimit{}; //!< create answers "429" with this retry-after
    std::chrono::milliseconds createStep{0};              //!< how long each step of create takes
    bool killHangs = false;                               //!< kills of a sandbox begin and never end
    bool killTreeHangs = false;                           //!< kills of a run begin and never end
    std::optional<ErrorInfo> kill{};                      //!< kills of a sandbox fail with this
    std::optional<qint64> disconnectAtByte{}; //!< the connection of a run breaks after that much output
    std::optional<qint64> goneAtByte{};       //!< the sandbox of a run vanishes after that much output
};

/*! Scripts the in-memory backend and records what reached it. Also its store: engines whose factories share a
    script see the same sandboxes, as two programs at one provider would. Use it from any thread.

    \code
    auto script = std::make_shared<Fake::Script>();
    script->onRun(u"make -j4"_s, {.standardError = "no rule"_ba, .exitCode = 2});
    engine.registerBackend(u"fake"_s, Fake::factory(script));
    // … let the code under test use Target::fromDsn(u"fake://"_s), then look at script->calls()
    \endcode */
class Script
{
public:
    using Match = std::function<bool(const QString &text)>;

    Script();
    ~Script();
    Q_DISABLE_COPY_MOVE(Script)

    /*! Answers commands whose line (Command::toString()) satisfies \a match. The rule added last wins. */
    void onRun(Match match, const Answer &answer);
    /*! \overload for exactly this line. */
    void onRun(const QString &line, const Answer &answer);
    /*! Answers code that satisfies \a match. The rule added last wins. */
    void onRunCode(Match match, const Answer &answer);
    /*! \overload for exactly this code. */
    void onRunCode(const QString &code, const Answer &answer);
    /*! Answers probes of the network; without a rule the fake, which has no network, says so. */
    void onProbe(std::function<NetworkProbeResult(const NetworkProbe &)> answer);

    void setFaults(const Faults &faults);
    Faults faults() const;

    /*! The requests so far, oldest first. */
    QList<Call> calls() const;
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

    // What the backend asks.
    std::shared_ptr<Store> store() const;
    std::optional<Answer> answerFor(const QString &line) const;
    std::optional<Answer> answerForCode(const QString &code) const;
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

using Factory = std::function<std::unique_ptr<BackendPort>(EngineContext &, const Target &)>;
/*! Makes ports of the in-memory backend that follow \a script, for Engine::registerBackend(). */
Factory factory(std::shared_ptr<Script> script);
/*! The port that the plugin makes: engines have a store each, unless the DSN names one with `store`, which all
    engines of this process then share while one of them uses it. */
std::unique_ptr<BackendPort> createUnscripted(EngineContext &context, const Target &target);

} // namespace Sandboxio::Fake

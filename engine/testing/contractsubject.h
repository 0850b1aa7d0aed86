// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/engine.h>
#include <sandboxio/testing/export.h>
#include <sandboxio/testing/probe.h>
#include <sandboxio/testing/recordingsink.h>

namespace Sandboxio {

/*! The commands that the suite runs. The defaults are those of a POSIX system with `sh`; an adapter whose
    sandboxes have others replaces them, and declares those that it has not as Probe::missing(). */
struct SANDBOXIO_TESTING_EXPORT ContractCommands
{
    ContractCommands();

    Probe<Command(const QString &text)> print; //!< \a text and a newline to standard output
    Probe<Command(const QString &out, const QString &errors)> printToBoth; //!< one line to each stream
    Probe<Command(const QByteArray &bytes)> printBytes;                    //!< exactly these; short, any value
    Probe<Command(qint64 bytes)> printZeros;                               //!< that many NUL bytes, fast
    Probe<Command(int lines)> printNumbers;                                //!< the numbers from 1, a line each
    Probe<Command(int code)> exitWith;
    Probe<Command()> endBySignal;             //!< ends itself by SIGTERM
    Probe<Command(int seconds)> hang;         //!< ends after that many seconds, prints nothing
    Probe<Command(int seconds)> hangDetached; //!< as hang, beside a child in a session of its own that lasts as
                                              //!< many seconds
    Probe<Command(const QString &text, int seconds)> printThenHang;
    Probe<Command(const QString &text, int seconds)> printAndLeaveChild; //!< ends at once; a child that lasts
                                                                         //!< so long keeps the streams open
    Probe<Command(const QString &name)> printVariable; //!< the value of an environment variable and a newline
    Probe<Command()> printDirectory;                   //!< the working directory and a newline
    Probe<Command()> printUser;                        //!< the user's name and a newline
    Probe<Command()> copyInput;                        //!< standard input to standard output
    Probe<Command(const QString &path)> printFile;
    Probe<Command(const QString &target, const QString &path)> makeSymbolicLink;
    Probe<Command()> fillMemory;   //!< more than 256 MiB
    Probe<Command()> raiseOwnCaps; //!< tries to lift the caps of its own sandbox; exits with 0 if it could
};

/*! The code that the suite runs; Python by default. */
struct SANDBOXIO_TESTING_EXPORT ContractCode
{
    ContractCode();

    QString language = QStringLiteral("python");
    Probe<QString(const QString &text)> print; //!< \a text and a newline to standard output
    Probe<QString()> raise;                    //!< fails while it runs, with a message on standard error
    Probe<QString()> syntaxError;
    Probe<QString(int code)> exitWith;
    Probe<QString(int seconds)> hang;
    Probe<QString()> copyInput;                        //!< standard input to standard output
    Probe<QString(const QString &name)> printVariable; //!< the value of an environment variable and a newline
    Probe<QString(const QString &text)> remember;      //!< keeps \a text in the interpreter
    Probe<QString()> recall;                           //!< prints what was kept; fails when nothing was
    QString commentPrefix = QStringLiteral("# ");
};

/*! A sandbox that is not managed, there as long as somebody holds it. */
struct ForeignSandbox
{
    QString id;
    std::shared_ptr<void> holder;
};

/*! What the suite asks of the provider behind the engine's back. */
struct ContractProbes
{
    /*! Ids of everything that exists at the provider with the metadata pair (\a name, \a value), whatever its
       state. Asks the provider itself, not the adapter. */
    Probe<QStringList(const QString &name, const QString &value)> sandboxes;
    /*! Command lines of what runs in the sandbox \a id now, without what belongs to the backend. */
    Probe<QStringList(const QString &id)> processes;
    /*! How many requests to create a sandbox have reached the provider so far. */
    Probe<int()> createRequests;
    /*! Lets time pass on the clock in EngineOptions. Missing: the suite waits in real time. */
    Probe<void(std::chrono::milliseconds)> advance;
    /*! Makes the sandbox vanish, as if somebody else had removed it. */
    Probe<void(const QString &id)> lose;
    Probe<ForeignSandbox()> addForeign;
    /*! The caps as the provider says; unset where it has none. */
    Probe<Resources(const QString &id)> caps;
    /*! Everything the provider stores and shows about the sandbox, as text. */
    Probe<QByteArray(const QString &id)> description;

    Probe<Fault()> breakProvider;                       //!< every request fails
    Probe<Fault(std::chrono::milliseconds)> slowCreate; //!< the steps of a create take at least so long
    Probe<Fault()> failCreate;                          //!< the provider refuses to create
    Probe<Fault()> cutCreateAnswer; //!< the provider creates, its answer breaks off in the middle
    Probe<Fault()> failFetch;       //!< the fetch of missingTemplate begins well and fails in the middle
    Probe<Fault()> rateLimit;       //!< creates are answered with "too many requests"
    Probe<Fault()> hangKill;        //!< kills of a sandbox begin and never end
    Probe<Fault()> failKill;        //!< kills of a sandbox fail
    Probe<Fault(const QString &id)> hangKillTree; //!< kills of runs in the sandbox \a id begin and never end
    Probe<void()> breakConnections;               //!< all connections that exist now break; new ones work
    Probe<Fault()> disconnectRuns; //!< the connection of runs that start now breaks while they print
};

/*! One adapter as the suite sees it: where, with which engine, and what can be done to its provider. Subclass it
    once per adapter, fill the public members in the constructor, and hand it to runContract().

    \code
    class MySubject : public ContractSubject
    {
    public:
        QString name() const override { return u"mine"_s; }
        Target target() const override { return Target::fromDsn(u"mine://"_s); }
    };
    int main(int argc, char **argv)
    {
        QCoreApplication application(argc, argv);
        MySubject subject;
        return contractMain(subject, application.arguments());
    }
    \endcode */
class SANDBOXIO_TESTING_EXPORT ContractSubject
{
public:
    ContractSubject();
    virtual ~ContractSubject();
    Q_DISABLE_COPY_MOVE(ContractSubject)

    /*! What the report calls it. */
    virtual QString name() const = 0;
    virtual Target target() const = 0;
    /*! Why nothing can be tested now, for instance because no provider answers; empty: everything is there. */
    virtual QString unavailable();
    /*! Makes an engine that knows the backend; reimplement it to call Engine::registerBackend(). Several
       engines of one subject exist at the same time and see the same sandboxes. */
    virtual std::unique_ptr<Engine> makeEngine();
    /*! The options for engines: nothing is kept, a grace of 2 s, and `records` as the sink. A reimplementation
        starts from these. */
    virtual EngineOptions engineOptions() const;
    /*! The options that every sandbox is created with; the suite adds its own to them. */
    virtual CreateOptions createOptions() const;

    ContractCommands commands;
    ContractCode code;
    ContractProbes probes;
    /*! The records of every engine with engineOptions(). */
    const std::shared_ptr<RecordingSink> records = std::make_shared<RecordingSink>();

    QString missingTemplate;         //!< a template that must be fetched first; see ContractProbes::failFetch
    QStringList credentialVariables; //!< without each of which nothing can be created
    IsolationTier tier = IsolationTier::Unknown; //!< what it really is; nothing above it may be reported
    std::chrono::milliseconds operationLimit = std::chrono::seconds(20);   //!< longer is a hang
    std::chrono::milliseconds shortLifetime = std::chrono::seconds(2);     //!< the shortest that is possible
    std::chrono::milliseconds shortLimit = std::chrono::milliseconds(500); //!< of runs that must time out
    int rounds = 10;       //!< how often creates are cancelled in the moment of success
    bool hasEvents = true; //!< whether the backend reports changes; without, the engine looks now and then
    QString noOpenNetwork; //!< why nothing can be reached even when egress is open; empty: it can
    qint64 transferBytes = 5'000'000; //!< size of the large file of the transfer rows
    qint64 streamBytes =
        256 * 1024 * 1024; //!< what the back-pressure rows print; more than the window and 16 MiB
};

} // namespace Sandboxio

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/recordsink.h>
#include <sandboxio/testing/export.h>

#include <condition_variable>
#include <mutex>

namespace Sandboxio {

/*! Keeps every record of the engines that have it, for tests: none is ever refused or dropped, so memory grows
    until clear(). Use it from any thread, with several engines at the same time if need be.

    A record is written a moment after its operation has ended, so wait for it:
    \code
    auto sink = std::make_shared<RecordingSink>();
    Engine audited({.stateDirectory = QString(), .records = {.sinks = {sink}, .timeout = {}}});
    SandboxPtr box = audited.create().result();
    box->run({u"true"_s}).result();
    QVERIFY(sink->waitFor(1));
    QCOMPARE(sink->records().first().event, RecordEvent::Run);
    \endcode
    That nothing more comes is certain only when the engine is gone or Engine::shutdown() has ended. */
class SANDBOXIO_TESTING_EXPORT RecordingSink final : public RecordSink
{
public:
    RecordingSink();
    ~RecordingSink() override;
    QString name() const override { return QStringLiteral("recording"); }
    /*! Keeps \a record; ends at once, always as a success. */
    Operation<void> write(const OperationRecord &record) override;

    /*! The records since clear(), in the order in which the operations ended. */
    QList<OperationRecord> records() const;
    /*! The records of one sandbox alone. */
    QList<OperationRecord> recordsOf(const QString &sandboxId) const;
    qsizetype size() const;
    /*! records(), and forgets them. */
    QList<OperationRecord> take();
    void clear();

    /*! Blocks until there are \a count records or more, at most \a limit; whether there are. Not for threads whose
        event loop must go on: there look at size() now and then. */
    bool waitFor(qsizetype count, std::chrono::milliseconds limit = std::chrono::seconds(5)) const;

private:
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_arrived;
    QList<OperationRecord> m_records;
};

} // namespace Sandboxio

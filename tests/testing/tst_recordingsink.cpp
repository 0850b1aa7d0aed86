// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/testing/recordingsink.h>

#include <QTest>

#include <thread>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestRecordingSink : public QObject
{
    Q_OBJECT
    const std::shared_ptr<RecordingSink> m_sink = std::make_shared<RecordingSink>();

    EngineOptions options() const
    {
        return {.stateDirectory = QString(), .records = {.sinks = {m_sink}, .timeout = {}}};
    }
    static OperationRecord recordOf(const QString &id)
    {
        OperationRecord record;
        record.sandboxId = id;
        return record;
    }

private Q_SLOTS:
    void init() { m_sink->clear(); }

    void theRecordOfAnEngineIsWaitedFor()
    {
        Engine engine(options());
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"fake://"_s)).result();
        for (int i = 0; i < 3; ++i)
            sandbox->run({u"echo"_s, QString::number(i)}).result();
        QVERIFY(m_sink->waitFor(3));
        const QList<OperationRecord> records = m_sink->records();
        QCOMPARE(records.size(), 3);
        for (int i = 0; i < 3; ++i)
            QCOMPARE(records.at(i).argv, (QStringList{u"echo"_s, QString::number(i)}));
    }

    void whatDoesNotComeIsNotWaitedForLongerThanAsked()
    {
        m_sink->write(recordOf(u"a"_s)).result();
        QVERIFY(m_sink->waitFor(1, 0ms));
        QVERIFY(!m_sink->waitFor(2, 10ms));
    }

    void severalEnginesAreToldApart()
    {
        QStringList ids;
        const auto script = std::make_shared<Fake::Script>();
        {
            Engine first(options());
            Engine second(options());
            for (Engine *engine : {&first, &second}) {
                engine->registerBackend(u"fake"_s, Fake::factory(script)); // one provider: no id is there twice
                const SandboxPtr sandbox = engine->create(Target::fromDsn(u"fake://"_s)).result();
                ids.append(sandbox->id());
                sandbox->run({u"true"_s}).result();
            }
        }
        QCOMPARE(m_sink->size(), 2);
        for (const QString &id : ids)
            QCOMPARE(m_sink->recordsOf(id).size(), 1);
        QCOMPARE(m_sink->recordsOf(u"another"_s).size(), 0);
    }

    void whatIsTakenIsForgotten()
    {
        m_sink->write(recordOf(u"a"_s)).result();
        QCOMPARE(m_sink->take(), QList{recordOf(u"a"_s)});
        QCOMPARE(m_sink->size(), 0);
    }

    void noRecordOfManyThreadsIsLost()
    {
        constexpr int each = 500;
        std::vector<std::jthread> threads;
        for (const QString &id : {u"a"_s, u"b"_s, u"c"_s})
            threads.emplace_back([this, id] {
                for (int i = 0; i < each; ++i)
                    m_sink->write(recordOf(id)).result();
            });
        QVERIFY(m_sink->waitFor(3 * each));
        threads.clear();
        for (const QString &id : {u"a"_s, u"b"_s, u"c"_s})
            QCOMPARE(m_sink->recordsOf(id).size(), each);
    }
};

SANDBOXIO_TEST(TestRecordingSink)
#include "tst_recordingsink.moc"

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QElapsedTimer>
#include <QTest>

#include <deque>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// Creates that are cancelled while they run and in the moment they succeed: nothing may stay.
class TestCancelledCreates : public QObject
{
    Q_OBJECT
    static constexpr int rounds = 200;
    static constexpr size_t atOnce = 4;

    static void expectCancelled(const Operation<SandboxPtr> &creation)
    {
        QVERIFY2(creation.waitFor(60s), "a cancelled creation hangs");
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, creation.result());
    }

private Q_SLOTS:
    void twoHundredCancelledLeaveNothing()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Engine engine({.stateDirectory = QString()});
        const CreateOptions options = Live::createOptions(u"cancelled"_s);
        QElapsedTimer timer;
        timer.start();
        engine.create(Live::target(), options).result()->kill().result();
        const qint64 usualMs = std::max<qint64>(timer.elapsed(), 1);
        std::deque<Operation<SandboxPtr>> cancelled;
        for (int i = 0; i < rounds; ++i) {
            const Operation<SandboxPtr> creation = engine.create(Live::target(), options);
            // Every other one in the moment of success, the rest spread over the time a creation takes.
            if (i % 2 == 0)
                QVERIFY(creation.waitFor(60s));
            else
                creation.waitFor(std::chrono::milliseconds(usualMs * i / rounds));
            creation.cancel();
            cancelled.push_back(creation);
            if (cancelled.size() >= atOnce) {
                expectCancelled(cancelled.front());
                cancelled.pop_front();
            }
        }
        for (const Operation<SandboxPtr> &creation : cancelled)
            expectCancelled(creation);
        engine.shutdown().result();
        QTRY_COMPARE_WITH_TIMEOUT(Live::containersWith(u"subject"_s, u"cancelled"_s).size(), 0, 20'000);
    }
};

SANDBOXIO_TEST(TestCancelledCreates)
#include "tst_cancelledcreates.moc"

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "engineload.h"
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/fake/store_p.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! The load on the backend in memory. */
class TestEngineLoad final : public Load::EngineLoadTest
{
    Q_OBJECT
    static constexpr auto step = 10ms;
    const std::shared_ptr<Fake::Script> m_script = std::make_shared<Fake::Script>();

public:
    TestEngineLoad() { m_script->setFaults({.createStep = step}); }

private:
    std::unique_ptr<Engine> makeEngine() override
    {
        auto engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        engine->registerBackend(u"fake"_s, Fake::factory(m_script));
        return engine;
    }
    Target target() const override { return Target::fromDsn(u"fake://base"_s); }
    CreateOptions options() const override { return {}; }
    QStringList atProvider() const override { return m_script->sandboxes(); }
    QStringList runningIn(const QString &id) const override
    {
        QStringList running;
        m_script->store()->with(
            id, [&running](const Fake::Record &record) { running = record.processes.values(); });
        return running;
    }
    std::chrono::milliseconds createTime() const override { return 4 * step; }
};

SANDBOXIO_TEST(TestEngineLoad)
#include "tst_engineload.moc"

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "engineload.h"
#include "support/testprogram.h"

#include "dockerdaemon.h"

#include <QTest>
#include <QUuid>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! The load on a real daemon. */
class TestDockerLoad final : public Load::EngineLoadTest
{
    Q_OBJECT
    const QString m_subject =
        u"load-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces); // of this process

    QString unavailable() override { return Live::missingDaemon(); }
    std::unique_ptr<Engine> makeEngine() override
    {
        // A machine that makes fifty containers at the same time may let a run wait for its end.
        return std::make_unique<Engine>(EngineOptions{.stateDirectory = QString(), .teardownGrace = 30s});
    }
    Target target() const override { return Live::target(); }
    CreateOptions options() const override { return Live::createOptions(m_subject); }
    QStringList atProvider() const override
    {
        const QByteArray volumes = Live::docker({u"volume"_s, u"ls"_s, u"--quiet"_s, u"--filter"_s,
                                                 u"label=io.sandboxio.meta.subject="_s + m_subject});
        return Live::containersWith(u"subject"_s, m_subject) +
               QString::fromLatin1(volumes).split(u'\n', Qt::SkipEmptyParts);
    }
    QStringList runningIn(const QString &id) const override
    {
        const QByteArray top = Live::docker({u"top"_s, id, u"-eo"_s, u"pid,args"_s});
        QStringList lines = QString::fromUtf8(top).split(u'\n', Qt::SkipEmptyParts).mid(1);
        lines.removeIf([](const QString &line) { return line.contains("/.sandboxio/"_L1); });
        return lines;
    }
    std::chrono::milliseconds createTime() const override { return 300ms; }
};

SANDBOXIO_TEST(TestDockerLoad)
#include "tst_dockerload.moc"

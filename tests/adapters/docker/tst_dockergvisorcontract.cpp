// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockersubject.h"
#include "support/testprogram.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>
#include <QProcess>

using namespace Qt::StringLiterals;

namespace {

QStringList linesOf(const QStringList &dockerArguments)
{
    QProcess process;
    process.start(u"docker"_s, dockerArguments);
    process.waitForFinished();
    return QString::fromUtf8(process.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts);
}

/*! `docker top` shows processes of the host under gVisor, so somebody inside has to look. */
QStringList processesInside(const QString &id)
{
    QStringList lines =
        linesOf({u"exec"_s, id, u"sh"_s, u"-c"_s,
                 u"for f in /proc/[0-9]*/cmdline; do tr '\\0\\n' '  ' <$f; echo; done # look"_s});
    lines.removeIf([](const QString &line) {
        return line.contains("/.sandboxio/"_L1) || line.contains("# look"_L1) || line.startsWith("tr "_L1);
    });
    return lines;
}

/*! Sandboxes under gVisor, where the daemon has it as its runtime `runsc`. */
class GVisorSubject final : public Sandboxio::Docker::DockerSubject
{
public:
    GVisorSubject()
        : DockerSubject(u"docker-gvisor"_s, {{u"runtime"_s, u"runsc"_s}})
    {
        tier = Sandboxio::IsolationTier::GVisor;
        operationLimit = std::chrono::seconds(40);
        probes.processes = processesInside;
        commands.raiseOwnCaps = decltype(commands.raiseOwnCaps)::missing(
            u"the control groups inside are gVisor's own; those that cap the sandbox are not in it"_s);
        commands.fillMemory =
            decltype(commands.fillMemory)::missing(u"the end of memory is the end of the whole sandbox"_s);
    }

    QString unavailable() override
    {
        if (!linesOf({u"info"_s, u"--format"_s, u"{{range $name, $_ := .Runtimes}}{{println $name}}{{end}}"_s})
                 .contains(u"runsc"_s))
            return u"the daemon has no runtime runsc"_s;
        const QString problem = DockerSubject::unavailable();
        noOpenNetwork = u"the runtime runsc is started without a network"_s;
        return problem;
    }
};

} // namespace

static int runGVisorContract(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    GVisorSubject subject;
    return Sandboxio::contractMain(subject, application.arguments());
}

SANDBOXIO_TEST_FUNCTION(runGVisorContract)

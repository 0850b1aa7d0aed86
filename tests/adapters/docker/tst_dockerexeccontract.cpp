// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockersubject.h"
#include "support/testprogram.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>

using namespace Qt::StringLiterals;

namespace {

/*! The same sandboxes reached by plain execs: what connecting to a container without a guest gives, too. */
class PlainExecSubject final : public Sandboxio::Docker::DockerSubject
{
public:
    PlainExecSubject()
        : DockerSubject(u"docker-exec"_s, {{u"runs"_s, u"exec"_s}})
    {
        commands.endBySignal =
            decltype(commands.endBySignal)::missing(u"Docker tells an end by signal N as exit code 128 + N"_s);
    }
};

} // namespace

static int runExecContract(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    PlainExecSubject subject;
    return Sandboxio::contractMain(subject, application.arguments());
}

SANDBOXIO_TEST_FUNCTION(runExecContract)

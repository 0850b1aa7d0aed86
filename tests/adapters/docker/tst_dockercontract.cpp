// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockersubject.h"
#include "support/testprogram.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>

static int runDockerContract(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    Sandboxio::Docker::DockerSubject subject;
    return Sandboxio::contractMain(subject, application.arguments());
}

SANDBOXIO_TEST_FUNCTION(runDockerContract)

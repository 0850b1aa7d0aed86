// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakesubject.h"
#include "support/testprogram.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>

static int runFakeContract(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    Sandboxio::Fake::FakeSubject subject;
    return Sandboxio::contractMain(subject, application.arguments());
}

SANDBOXIO_TEST_FUNCTION(runFakeContract)

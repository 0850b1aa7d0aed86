// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakesubject.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    Sandboxio::Fake::FakeSubject subject;
    return Sandboxio::contractMain(subject, application.arguments());
}

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockersubject.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    Sandboxio::Docker::DockerSubject subject;
    return Sandboxio::contractMain(subject, application.arguments());
}

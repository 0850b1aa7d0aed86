// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <sandboxio/runtime/engine.h>

#include <QCoreApplication>
#include <QTextStream>

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    Sandboxio::Engine engine;
    const auto target = Sandboxio::Target::fromDsn(application.arguments().value(1));
    const auto sandbox = engine.create(target).result();
    QTextStream(stdout) << sandbox->run({QStringLiteral("echo"), QStringLiteral("hello")}).result().text();
    sandbox->kill().result();
}

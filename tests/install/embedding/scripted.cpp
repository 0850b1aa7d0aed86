// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>

#include <QCoreApplication>

using namespace Sandboxio;

// A test of a program that makes things in sandboxes, without a provider.
int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const auto script = std::make_shared<Fake::Script>();
    script->onRun(QStringLiteral("make"), {.exitCode = 2});
    Engine engine({.stateDirectory = QString()});
    engine.registerBackend(QStringLiteral("fake"), Fake::factory(script));
    const SandboxPtr sandbox = engine.create(Target::fromDsn(QStringLiteral("fake://"))).result();
    return sandbox->run({QStringLiteral("make")}).result().exitCode == 2 ? 0 : 1;
}

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "tinyprovider.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

// The plugin is found through SANDBOXIO_PLUGIN_PATH, as a user's program finds it.
class TinySubject final : public ContractSubject
{
public:
    TinySubject()
    {
        tier = IsolationTier::Container;
        hasEvents = false;
        noOpenNetwork = u"a tiny box has no network"_s;
        commands.print = [](const QString &text) {
            return Command{u"say"_s, text};
        };
        commands.exitWith = [](int code) {
            return Command{u"leave"_s, QString::number(code)};
        };
        commands.hang = [](int seconds) {
            return Command{u"wait"_s, QString::number(seconds)};
        };
        leaveOut(commands.printToBoth, commands.printBytes, commands.printZeros, commands.printNumbers,
                 commands.endBySignal, commands.hangDetached, commands.printThenHang,
                 commands.printAndLeaveChild, commands.printVariable, commands.printDirectory,
                 commands.printUser, commands.copyInput, commands.printFile, commands.makeSymbolicLink,
                 commands.fillMemory, commands.raiseOwnCaps);
        Tiny::Provider &provider = Tiny::Provider::instance();
        probes.sandboxes = [&provider](const QString &name, const QString &value) {
            QStringList ids;
            for (const Tiny::Box &box : provider.boxes()) {
                if (box.labels.value(name) == value)
                    ids.append(box.id);
            }
            return ids;
        };
        probes.processes = [&provider](const QString &id) {
            return provider.find(id).value_or(Tiny::Box()).running;
        };
        probes.createRequests = [&provider] {
            return provider.requests();
        };
        probes.lose = [&provider](const QString &id) {
            provider.remove(id);
        };
    }
    QString name() const override { return u"tiny"_s; }
    Target target() const override { return Target::fromDsn(u"tiny://"_s); }

private:
    template <typename... Probes>
    static void leaveOut(Probes &...probes)
    {
        ((probes = Probes::missing(u"a tiny box knows three programs"_s)), ...);
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    TinySubject subject;
    return contractMain(subject, application.arguments());
}

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakescript.h"

#include <sandboxio/ports/backendplugin.h>

#include <QObject>

namespace Sandboxio::Fake {

class Plugin final : public QObject, public BackendPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID SANDBOXIO_BACKEND_IID FILE "fake.json")
    Q_INTERFACES(Sandboxio::BackendPlugin)
public:
    std::unique_ptr<BackendPort> create(EngineContext &context, const Target &target) override
    {
        return createUnscripted(context, target);
    }
};

} // namespace Sandboxio::Fake

#include "fakeplugin.moc"

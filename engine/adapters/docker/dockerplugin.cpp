// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerbackend.h"

#include <sandboxio/ports/backendplugin.h>

#include <QObject>

namespace Sandboxio::Docker {

/*! The plugin's root object: a stateless factory. */
class DockerPlugin final : public QObject, public BackendPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID SANDBOXIO_BACKEND_IID FILE "docker.json")
    Q_INTERFACES(Sandboxio::BackendPlugin)

public:
    std::unique_ptr<BackendPort> create(EngineContext &context, const Target &target) override
    {
        return std::make_unique<DockerBackend>(context, target,
                                               resolveEndpoint(target, EndpointSources::ofProcess()));
    }
};

} // namespace Sandboxio::Docker

#include "dockerplugin.moc"

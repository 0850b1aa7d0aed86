// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/target.h>

namespace Sandboxio {

/*! Where and from what the Docker backend makes sandboxes, for code that prefers members to a DSN. Header-only.

    \code
    auto creation = engine.create(DockerConfig{.image = u"python:3.12-slim"_s});
    \endcode */
struct DockerConfig
{
    QString image;   //!< empty: the backend's default
    QString host;    //!< as DOCKER_HOST has it; empty: DOCKER_HOST, the docker context, the usual socket
    QString runtime; //!< name of a runtime of the daemon; empty: its default
    bool plainExec =
        false; //!< runs by `docker exec` instead of the helper inside: slower and able to do less, but
               //!< as any user of the image; the helper only ends the sandbox in time
    bool operator==(const DockerConfig &) const = default;

    /*! The target that the members describe. */
    operator Target() const // NOLINT(google-explicit-constructor): create() takes it as it is
    {
        Target target;
        target.backend = QStringLiteral("docker");
        target.templateId = image;
        if (!host.isEmpty())
            target.parameters.insert(QStringLiteral("host"), host);
        if (!runtime.isEmpty())
            target.parameters.insert(QStringLiteral("runtime"), runtime);
        if (plainExec)
            target.parameters.insert(QStringLiteral("runs"), QStringLiteral("exec"));
        return target;
    }
};

} // namespace Sandboxio

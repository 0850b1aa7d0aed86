// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/target.h>
#include <sandboxio/transport/devicefactory.h>

#include <expected>
#include <functional>

namespace Sandboxio::Docker {

/*! Where a daemon listens. A plain value, any thread. */
struct Endpoint
{
    QString path = {}; //!< of the local socket; empty for TCP
    QString host = {}; //!< of TCP
    quint16 port = 0;
    QString origin = {}; //!< who says so, for people: "DOCKER_HOST", "the docker context 'x'"…
    bool operator==(const Endpoint &) const = default;

    bool isLocal() const { return !path.isEmpty(); }
    /*! As DOCKER_HOST would have it: "unix:///run/docker.sock". */
    QString toString() const;
    DeviceFactory deviceFactory() const;
};

/*! What choosing an endpoint looks at; tests give their own. */
struct EndpointSources
{
    std::function<QString(const QString &)> variable =
        {};                       //!< value of an environment variable, empty when not set
    QString configDirectory = {}; //!< where the docker command keeps config.json and contexts/
    std::function<bool(const QString &)> socketExists = {};

    /*! Those of this process. */
    static EndpointSources ofProcess();
};

/*! Parses one address: `unix://PATH`, `tcp://HOST:PORT`. What cannot be reached yet (`ssh://`, TLS) or is no
    address is a ConfigurationError. \a origin as in Endpoint. */
std::expected<Endpoint, ErrorInfo> parseEndpoint(const QString &address, const QString &origin);

/*! The daemon of \a target: its parameter `host`, else DOCKER_HOST, else the current docker context, else the
    usual sockets. Reads files of a few KiB, opens no socket. */
std::expected<Endpoint, ErrorInfo> resolveEndpoint(const Target &target, const EndpointSources &sources);

} // namespace Sandboxio::Docker

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apierror.h"

#include <sandboxio/core/operationstate.h>

#include <QByteArray>
#include <QHash>

#include <expected>

namespace Sandboxio::Docker {

/*! Sums up the lines that the daemon writes while it pulls an image. A plain value. */
class PullProgress
{
public:
    /*! Takes one line of JSON. The progress so far in bytes (downloads only), or the failure that the line
       reports inside an answer that began with 200. */
    std::expected<OperationProgress, ErrorInfo> feed(const QByteArray &line, const Purpose &purpose);

private:
    struct Layer
    {
        qint64 done = 0;
        qint64 total = 0;
    };
    OperationProgress progress(const QString &step) const;

    QHash<QString, Layer> m_layers;
};

} // namespace Sandboxio::Docker

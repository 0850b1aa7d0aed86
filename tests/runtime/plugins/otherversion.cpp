// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <QObject>
#include <QtPlugin>

/// A plugin that was built against ports of another version.
class OtherVersion : public QObject
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID "io.sandboxio.Backend/99" FILE "otherversion.json")
};

#include "otherversion.moc"

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <sandboxio/ports/backendplugin.h>

#include <QObject>

/// A plugin whose metadata is right and whose root object is no factory.
class WrongObject : public QObject
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID SANDBOXIO_BACKEND_IID FILE "wrongobject.json")
};

#include "wrongobject.moc"

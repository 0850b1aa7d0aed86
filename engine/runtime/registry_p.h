// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/engine.h>

#include <mutex>

class QPluginLoader;

namespace Sandboxio::Detail {

/*! The backends that an engine knows: registered ones, then plugins. Metadata is read when somebody asks, code
    is loaded when a backend is used; plugins are never unloaded. Thread-safe. */
class Registry
{
public:
    explicit Registry(QStringList pluginPath);
    ~Registry();

    void add(const QString &name, Engine::BackendFactory factory);
    void addPlugin(const QString &path);
    QList<BackendDescription> backends() const;
    BackendDescription describe(const QString &name) const;    //!< \throws BackendNotFound
    Engine::BackendFactory factory(const QString &name) const; //!< \throws BackendNotFound, BackendNotInstalled
    Target defaultTarget() const;
    QStringList folders() const { return m_folders; }

private:
    struct Entry
    {
        BackendDescription description;
        Engine::BackendFactory factory; // empty for a plugin that is not loaded yet
    };
    void scan() const;
    static BackendDescription readMetadata(const QString &path);
    Entry *find(const QString &name) const;

    mutable std::mutex m_mutex;
    mutable bool m_scanned = false;
    mutable QList<Entry> m_entries;
    QStringList m_folders;
};

} // namespace Sandboxio::Detail

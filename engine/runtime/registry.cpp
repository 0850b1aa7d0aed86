// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "registry_p.h"

#include <sandboxio/core/error.h>

#include <QCoreApplication>
#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QPluginLoader>

#include <algorithm>

#include <dlfcn.h>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;

namespace {

QString registryText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Registry", text);
}

// Plugins stand beside this library, in the build tree and in an installation alike.
QString installedFolder()
{
    Dl_info info{};
    static const int anchor = 0;
    if (!dladdr(&anchor, &info) || !info.dli_fname)
        return {};
    const QDir folder = QFileInfo(QFile::decodeName(info.dli_fname)).absoluteDir();
    return folder.filePath(QStringLiteral(SANDBOXIO_ADAPTER_FOLDER));
}

QStringList stringList(const QJsonValue &value)
{
    QStringList list;
    for (const QJsonValue item : value.toArray())
        list.append(item.toString());
    return list;
}

} // namespace

Registry::Registry(QStringList pluginPath)
{
    const QString fromEnvironment = qEnvironmentVariable("SANDBOXIO_PLUGIN_PATH");
    m_folders = fromEnvironment.split(u':', Qt::SkipEmptyParts) + pluginPath + QStringList{installedFolder()};
    m_folders.removeAll(QString()); // never the folder that the program happens to be in
    for (QString &folder : m_folders)
        folder = QDir(folder).absolutePath();
    m_folders.removeDuplicates();
}

Registry::~Registry() = default;

BackendDescription Registry::readMetadata(const QString &path)
{
    const QPluginLoader loader(path);
    const QJsonObject root = loader.metaData();
    const QJsonObject metadata = root.value("MetaData"_L1).toObject();
    BackendDescription description;
    description.origin = path;
    description.name = metadata.value("name"_L1).toString();
    if (description.name.isEmpty())
        description.name = QFileInfo(path).baseName();
    description.title = metadata.value("title"_L1).toString(description.name);
    description.version = metadata.value("version"_L1).toString();
    description.isDefault = metadata.value("default"_L1).toBool();
    description.isDemo = metadata.value("demo"_L1).toBool();
    description.credentialVariables = stringList(metadata.value("credentials"_L1));
    description.parameters = stringList(metadata.value("parameters"_L1));
    const QString iid = root.value("IID"_L1).toString();
    if (root.isEmpty())
        description.problem = loader.errorString();
    else if (iid != QLatin1StringView(SANDBOXIO_BACKEND_IID))
        description.problem =
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "It was built for %1, this engine has %2."))
                .arg(iid, QLatin1StringView(SANDBOXIO_BACKEND_IID));
    return description;
}

void Registry::scan() const
{
    if (m_scanned)
        return;
    m_scanned = true;
    for (const QString &folder : m_folders) {
        const QStringList files = QDir(folder).entryList({u"*.so"_s}, QDir::Files, QDir::Name);
        for (const QString &file : files) {
            const BackendDescription description = readMetadata(QDir(folder).filePath(file));
            if (!find(description.name))
                m_entries.append({description, {}});
        }
    }
}

Registry::Entry *Registry::find(const QString &name) const
{
    const auto entry = std::ranges::find_if(
        m_entries, [&](const Entry &candidate) { return candidate.description.name == name; });
    return entry == m_entries.end() ? nullptr : &*entry;
}

void Registry::add(const QString &name, Engine::BackendFactory factory)
{
    const std::lock_guard lock(m_mutex);
    if (const Entry *entry = find(name); entry && entry->description.origin.isEmpty()) {
        makeError(
            ErrorKind::ConfigurationError,
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "A backend '%1' is registered already."))
                .arg(name),
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "Register it under another name.")))
            .raise();
    }
    m_entries.removeIf([&](const Entry &entry) { return entry.description.name == name; });
    BackendDescription description;
    description.name = name;
    description.title = name;
    m_entries.prepend({description, std::move(factory)});
}

void Registry::addPlugin(const QString &path)
{
    // A relative path can be read, but not loaded.
    const BackendDescription description = readMetadata(QFileInfo(path).absoluteFilePath());
    if (!description.problem.isEmpty()) {
        makeError(
            ErrorKind::BackendNotInstalled,
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "'%1' is no adapter for this engine: %2"))
                .arg(path, description.problem),
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "Build the adapter against this version.")))
            .raise();
    }
    const std::lock_guard lock(m_mutex);
    m_entries.removeIf([&](const Entry &entry) { return entry.description.name == description.name; });
    m_entries.prepend({description, {}});
}

QList<BackendDescription> Registry::backends() const
{
    const std::lock_guard lock(m_mutex);
    scan();
    QList<BackendDescription> result;
    for (const Entry &entry : std::as_const(m_entries))
        result.append(entry.description);
    return result;
}

BackendDescription Registry::describe(const QString &name) const
{
    const std::lock_guard lock(m_mutex);
    scan();
    if (const Entry *entry = find(name))
        return entry->description;
    QStringList names;
    for (const Entry &entry : std::as_const(m_entries))
        names.append(entry.description.name);
    const QString hint =
        names.isEmpty()
            ? registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "No backend is installed; looked in %1."))
                  .arg(m_folders.join(u", "_s))
            : registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "Installed are: %1."))
                  .arg(names.join(u", "_s));
    makeError(ErrorKind::BackendNotFound,
              registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "There is no backend '%1'.")).arg(name),
              hint)
        .raise();
}

Engine::BackendFactory Registry::factory(const QString &name) const
{
    const BackendDescription description = describe(name);
    const std::lock_guard lock(m_mutex);
    Entry *entry = find(name);
    if (entry->factory)
        return entry->factory;
    QPluginLoader loader(description.origin);
    const auto *plugin =
        description.problem.isEmpty() ? qobject_cast<BackendPlugin *>(loader.instance()) : nullptr;
    if (!plugin) {
        const QString why = !description.problem.isEmpty() ? description.problem
                            : !loader.isLoaded()
                                ? loader.errorString()
                                : registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry",
                                                                 "Its root object is no factory of backends."));
        makeError(
            ErrorKind::BackendNotInstalled,
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "The '%1' backend cannot be loaded: %2"))
                .arg(name, why),
            registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry",
                                           "Install a build of %1 for this version, or take it away."))
                .arg(description.origin))
            .raise();
    }
    entry->factory = [plugin = qobject_cast<BackendPlugin *>(loader.instance())](EngineContext &context,
                                                                                 const Target &target) {
        return plugin->create(context, target);
    };
    return entry->factory;
}

Target Registry::defaultTarget() const
{
    for (const BackendDescription &description : backends()) {
        if (description.isDefault)
            return {.backend = description.name, .templateId = {}, .parameters = {}};
    }
    makeError(
        ErrorKind::BackendNotInstalled,
        registryText(QT_TRANSLATE_NOOP("Sandboxio::Registry", "No installed backend is the default one.")),
        registryText(
            QT_TRANSLATE_NOOP("Sandboxio::Registry", "Name a target, or install an adapter; looked in %1."))
            .arg(m_folders.join(u", "_s)))
        .raise();
}

} // namespace Sandboxio::Detail

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakewatch_p.h"

#include "texts_p.h"

#include <sandboxio/core/handover.h>
#include <sandboxio/core/path.h>

namespace Sandboxio::Fake {

FileWatch::FileWatch(std::shared_ptr<Provider> provider, const QString &id, const QString &path, bool recursive)
    : m_provider(std::move(provider))
    , m_id(id)
    , m_path(path)
    , m_watch(std::make_shared<MemoryWatch>(encodePath(path), MemoryFiles::resolved(encodePath(path)),
                                            recursive, [this] { postCall(this, [this] { serve(); }); }))
{
    Store *store = m_provider->store.get();
    const auto look = [this, store](const QString &changed) {
        takeOver(store);
        if (changed == m_id)
            serve();
    };
    connect(store, &Store::removed, this, look, Qt::QueuedConnection);
    connect(store, &Store::changed, this, look, Qt::QueuedConnection);
}

FileWatch::~FileWatch()
{
    // Under the lock of the store, so that no change is being noted.
    m_provider->store->with(m_id, [this](Record &) { m_watch.reset(); });
    if (m_waiting)
        m_waiting->cancelled();
}

Operation<QList<FileChange>> FileWatch::next()
{
    m_waiting.emplace();
    const Operation<QList<FileChange>> operation = m_waiting->operation();
    postCall(this, [this] { serve(); });
    return operation;
}

void FileWatch::serve()
{
    if (!m_waiting)
        return;
    if (const std::optional<ErrorInfo> error = notUsable(*m_provider, m_id)) {
        std::exchange(m_waiting, {})->fail(*error);
        return;
    }
    QList<FileChange> changes;
    bool over = false;
    m_provider->store->with(m_id, [&](Record &) {
        changes = m_watch->take();
        over = m_watch->isOver();
    });
    if (!changes.isEmpty())
        std::exchange(m_waiting, {})->finish(changes);
    else if (over)
        std::exchange(m_waiting, {})
            ->fail(makeError(ErrorKind::PathNotFound,
                             Text::tr("'%1' is not there any more.").arg(displayPath(m_path))));
}

} // namespace Sandboxio::Fake

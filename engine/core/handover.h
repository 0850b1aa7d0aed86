// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QMetaObject>
#include <QThread>

#include <utility>

#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
#endif

namespace Sandboxio {

/*! \file
    Where work passes from one thread to another by a queued call of Qt. ThreadSanitizer does not see the locks
    inside Qt's own libraries, which are not instrumented, and would report every such call. These tell it what Qt
    guarantees: what was done before the call was posted has happened when the call runs. Without the sanitizer they
    are nothing. All threads.

    \code
    postCall(process, [process] { std::ignore = process->kill(); });
    \endcode */

/*! Stands around the call of Qt that posts, connects or emits. Everything before it happens before what follows
    takeOver() with the same \a tag, which is only an address. */
class HandOver
{
public:
#if defined(__SANITIZE_THREAD__)
    explicit HandOver(const void *tag)
    {
        __tsan_release(const_cast<void *>(tag));
        // What Qt allocates for the event is its own affair.
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
    ~HandOver()
    {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
#else
    explicit HandOver(const void *) {}
    ~HandOver() {} // not trivial, so that nobody is told that it is unused
#endif
    HandOver(const HandOver &) = delete;
    HandOver &operator=(const HandOver &) = delete;
};

/*! The other end: see HandOver. */
inline void takeOver([[maybe_unused]] const void *tag)
{
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(const_cast<void *>(tag));
#endif
}

/*! \a function, preceded by takeOver(\a tag). */
template <typename Function>
auto takingOver([[maybe_unused]] const void *tag, Function function)
{
#if defined(__SANITIZE_THREAD__)
    return [tag, function = std::move(function)] {
        takeOver(tag);
        function();
    };
#else
    return function;
#endif
}

/*! Runs \a function once in the thread of \a context, from its event loop; never after \a context died. */
template <typename Function>
void postCall(QObject *context, Function function)
{
    auto call = takingOver(context, std::move(function));
    const HandOver handOver(context);
    QMetaObject::invokeMethod(context, std::move(call), Qt::QueuedConnection);
}

/*! Deletes \a thread in the thread it lives in, once what it runs has ended. */
inline void deleteWhenFinished(QThread *thread)
{
    auto ask = takingOver(thread, [thread] { postCall(thread, [thread] { thread->deleteLater(); }); });
    const HandOver handOver(thread);
    QObject::connect(thread, &QThread::finished, thread, std::move(ask), Qt::DirectConnection);
}

} // namespace Sandboxio

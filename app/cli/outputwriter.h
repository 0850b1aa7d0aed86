// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/operation.h>

#include <QByteArray>

#include <memory>

namespace Sandboxio::Cli {

/*! Writes bytes to file descriptors from a thread of its own, in the order given, so that a slow reader never
    holds the event loop. At most about one MiB waits; a write beyond that ends when there is room again, which
    is how a slow reader slows the program that prints. Create, use and destroy it in one thread. */
class OutputWriter
{
public:
    OutputWriter();
    /*! Lets what is being written go: a write that blocks does not hold the end of the program, and nothing is
       written after it. The descriptor of such a write is closed only after its reader. */
    ~OutputWriter();
    Q_DISABLE_COPY_MOVE(OutputWriter)

    /*! Takes \a data for \a descriptor; ends with 0 when there is room for more, with the errno that writing to
       this descriptor gave (EPIPE: nobody reads it any more; its data is dropped from then on), or with
       ECANCELED. */
    Operation<int> write(int descriptor, const QByteArray &data);
    /*! Ends as write() when everything taken for \a descriptor is written. */
    Operation<int> flush(int descriptor);
    /*! Drops what waits and ends every write and flush, now and later, with ECANCELED. */
    void abandon();

private:
    struct Shared;
    static void work(const std::shared_ptr<Shared> &shared);
    std::shared_ptr<Shared> m_shared;
};

} // namespace Sandboxio::Cli

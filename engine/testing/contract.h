// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/testing/contractreport.h>
#include <sandboxio/testing/contractsubject.h>

#include <functional>

namespace Sandboxio {

/*! What to run of the suite. */
struct ContractSelection
{
    QStringList families;  //!< empty: all
    QStringList functions; //!< ContractRow::function; empty: all
    bool verbose = false;  //!< Qt Test's own output on the terminal as well
    std::function<void(const QList<ContractRow> &rows)>
        familyEnded{}; //!< called after each family with its rows
};

/*! The names of all families, in the order they are run. */
SANDBOXIO_TESTING_EXPORT QStringList contractFamilies();

/*! Runs the suite against \a subject and returns what it said. Needs a QCoreApplication; call it in the main
    thread, any number of times, but not from within a running Qt Test function. Each family gets engines of its
    own; no row waits longer than a few operationLimit. */
SANDBOXIO_TESTING_EXPORT ContractReport runContract(ContractSubject &subject,
                                                    const ContractSelection &selection = {});

/*! The main() of a test program: runs the suite, prints the table, writes the report to the file that
    SANDBOXIO_CONTRACT_REPORT or `--report FILE` names, and returns

    - 0 when nothing failed, also when the subject is unavailable and says why;
    - 1 when a row failed, or when the whole suite ran and no row passed;
    - 2 when no row has the family and the name that were asked for, or the report cannot be written.

    \a arguments, after the program's name: `--family NAME` and `--row FUNCTION` (repeatable), `--report FILE`,
    `--verbose`, `--list`. */
SANDBOXIO_TESTING_EXPORT int contractMain(ContractSubject &subject, const QStringList &arguments);

} // namespace Sandboxio

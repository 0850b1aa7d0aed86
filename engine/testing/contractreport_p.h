// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/testing/contractreport.h>

namespace Sandboxio {

/*! Whether nothing failed. Of the whole suite (\a isWhole) something must have passed too, unless the subject was
    unavailable; rows that somebody chose may all have been skipped. */
SANDBOXIO_TESTING_EXPORT bool isGood(const ContractReport &report, bool isWhole);
/*! One line about \a rows, which are of one family and at least one. */
QString familyText(const QList<ContractRow> &rows);

} // namespace Sandboxio

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/testing/contractreport.h>

namespace Sandboxio {

/*! The rows in \a xml, a result of Qt Test in its format "xml". What cannot be read is a failed row. A pure
    function. */
SANDBOXIO_TESTING_EXPORT QList<ContractRow> parseQtTestResult(const QByteArray &xml, const QString &family);
/*! The same from a file. */
QList<ContractRow> readQtTestResult(const QString &path, const QString &family);
/*! "anEmptyArgumentSurvives" as "an empty argument survives". */
SANDBOXIO_TESTING_EXPORT QString sentenceOf(const QString &function);

} // namespace Sandboxio

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/testing/export.h>

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace Sandboxio {

/*! What one row of the suite said. */
struct ContractRow
{
    enum class Verdict { Passed, Skipped, Failed };
    QString family;
    QString function; //!< the name to run it alone by
    QString row;      //!< a sentence
    Verdict verdict = Verdict::Failed;
    QString reason; //!< why it was skipped, or what failed and where
    double milliseconds = 0;
    bool operator==(const ContractRow &) const = default;
};

/*! What the suite said about one adapter. */
struct SANDBOXIO_TESTING_EXPORT ContractReport
{
    QString subject;
    QList<ContractRow> rows;
    bool isUnavailable = false; //!< nothing could be tested; the only row says why

    /*! Whether something passed and nothing failed. */
    bool passed() const;
    qsizetype count(ContractRow::Verdict verdict) const;
    QList<ContractRow> failures() const;
    /*! Families with a failed row, each once, in the order of the suite. */
    QStringList failedFamilies() const;

    /*! For a terminal: a line per family, then problemsText(). */
    QString toText() const;
    /*! What was skipped and what failed, and why, then the sum. */
    QString problemsText() const;
    /*! A table with a line per row. */
    QString toMarkdown() const;
    QJsonObject toJson() const;
    /*! Writes JSON to a path that ends in ".json", Markdown to any other; to a folder both, named after the
       subject. False with \a problem when it cannot. */
    bool write(const QString &path, QString *problem) const;
};

} // namespace Sandboxio

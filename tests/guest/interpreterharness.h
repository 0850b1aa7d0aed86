// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "guestharness.h"

#include <sandboxio/guest/client/interpreter.h>

namespace Sandboxio::Guest::Test {

/// What a cell told so far.
struct CellRecord
{
    Interpreter::CellId id = 0;
    bool started = false;
    QByteArray out;
    QByteArray err;
    QList<RichOutput> results;
    std::optional<int> code;
    int deaths = 0;
    int streamEnds = 0;
    bool spokeAfterTheEnd = false;

    bool isOver() const { return code || deaths; }
    QByteArray text(qsizetype result = 0) const
    {
        return results.value(result).bundle.value(QStringLiteral("text/plain"));
    }
};
using CellRecordPtr = std::shared_ptr<CellRecord>;

/// An interpreter of the host in a guest.
class InterpreterHarness
{
public:
    explicit InterpreterHarness(const QString &language, const std::vector<std::string> &environment = {});

    bool waitReady();
    /// Another one in the same guest.
    std::unique_ptr<Interpreter> make(const QString &workingDirectory = {});
    CellRecordPtr submit(const QByteArray &code, Crediting crediting = Crediting::Automatic)
    {
        return submit(*interpreter, code, crediting);
    }
    CellRecordPtr submit(Interpreter &to, const QByteArray &code, Crediting crediting = Crediting::Automatic);
    /// Runs a cell to its end.
    CellRecordPtr run(const QByteArray &code);
    /// Takes the output of a cell that was submitted without credit until it is over; false after 20 s.
    bool takeOutput(const CellRecordPtr &cell);

    Harness guest;
    std::unique_ptr<Interpreter> interpreter;

private:
    const QString m_language;
    const std::vector<std::string> m_environment;
};

} // namespace Sandboxio::Guest::Test

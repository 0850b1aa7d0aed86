// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "interpreterharness.h"

#include <QTest>

namespace Sandboxio::Guest::Test {

InterpreterHarness::InterpreterHarness(const QString &language, const std::vector<std::string> &environment)
    : m_language(language)
    , m_environment(environment)
{}

bool InterpreterHarness::waitReady()
{
    if (!guest.waitReady())
        return false;
    interpreter = make();
    return interpreter != nullptr;
}

std::unique_ptr<Interpreter> InterpreterHarness::make(const QString &workingDirectory)
{
    const auto ready = std::make_shared<bool>(false);
    Spawn spawn;
    spawn.environment = m_environment;
    spawn.workingDirectory = workingDirectory.toStdString();
    auto made = std::make_unique<Interpreter>(guest.client(), spawn, interpreterProgram(m_language),
                                              Interpreter::Handlers{.ready = [ready] {
                                                  *ready = true;
                                              }});
    made->start();
    if (QTest::qWaitFor([&] { return *ready || made->end(); }, 20'000) && *ready)
        return made;
    qWarning("%s", made->heldErrors().constData());
    return nullptr;
}

CellRecordPtr InterpreterHarness::submit(Interpreter &to, const QByteArray &code, Crediting crediting)
{
    const auto record = std::make_shared<CellRecord>();
    const auto speak = [record] {
        record->spokeAfterTheEnd = record->spokeAfterTheEnd || record->isOver();
    };
    CellHandlers handlers;
    handlers.started = [record, speak] {
        speak();
        record->started = true;
    };
    handlers.output = [record, crediting, &to](StreamId stream, const QByteArray &data) {
        record->spokeAfterTheEnd = record->spokeAfterTheEnd || record->code; // it may follow a death
        (stream == StreamId::Stdout ? record->out : record->err) += data;
        if (crediting == Crediting::Automatic)
            to.credit(record->id, stream, data.size());
    };
    handlers.result = [record, speak](const RichOutput &output) {
        speak();
        record->results.append(output);
    };
    handlers.ended = [record, speak](int exitCode) {
        speak();
        record->code = exitCode;
    };
    handlers.died = [record] {
        record->spokeAfterTheEnd = record->spokeAfterTheEnd || record->code;
        ++record->deaths;
    };
    handlers.eof = [record](StreamId) {
        ++record->streamEnds;
    };
    record->id = to.run(code, handlers);
    return record;
}

CellRecordPtr InterpreterHarness::run(const QByteArray &code)
{
    const CellRecordPtr record = submit(code);
    if (!QTest::qWaitFor([&] { return record->isOver(); }, 30'000))
        qWarning("the cell did not end");
    return record;
}

bool InterpreterHarness::takeOutput(const CellRecordPtr &cell)
{
    qsizetype given = 0;
    const auto isOver = [&] {
        interpreter->credit(cell->id, StreamId::Stdout, cell->out.size() - given);
        given = cell->out.size();
        return cell->isOver();
    };
    return QTest::qWaitFor(isOver, 20'000);
}

} // namespace Sandboxio::Guest::Test

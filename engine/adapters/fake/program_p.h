// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "memoryfiles.h"

#include <sandboxio/core/execresult.h>

#include <QMap>
#include <QStringList>

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <variant>

namespace Sandboxio::Fake {

class Program;

/*! Where output goes. */
struct Sink
{
    enum class Kind { StandardOutput, StandardError, File, Nowhere };
    Kind kind = Kind::StandardOutput;
    QByteArray path; //!< absolute, for File
    bool operator==(const Sink &) const = default;
};

// What a program does next. Programs are lists of these, so that a process can stop and go on between any two
// bytes.
struct WriteStep
{
    Sink sink;
    QByteArray data;
};
struct RepeatStep
{
    Sink sink;
    QByteArray pattern;
    std::optional<qint64> bytes; //!< absent: for ever
};
struct SleepStep
{
    std::optional<std::chrono::milliseconds> duration; //!< absent: for ever
};
struct CopyInputStep
{
    Sink sink;
};
struct RichStep
{
    RichOutput output;
};
struct SpawnStep
{
    std::shared_ptr<Program> program; //!< runs in the background
};
struct ExitStep
{
    int code = 0;
    std::optional<int> signal;
};
using Step = std::variant<WriteStep, RepeatStep, SleepStep, CopyInputStep, RichStep, SpawnStep, ExitStep>;

/*! What a program can see of its surroundings. */
struct Surroundings
{
    QMap<QString, QString> environment;
    QByteArray directory = MemoryFiles::workingDirectory;
    QString user;
};

/*! A program that has been started. */
class Program
{
public:
    virtual ~Program() = default;
    /*! The next step; the last one is an ExitStep. \a files is the sandbox as it is now. */
    virtual Step next(MemoryFiles &files) = 0;
};

/*! A program that does \a steps and then exits with \a last. */
std::shared_ptr<Program> makeProgram(QList<Step> steps, const ExitStep &last);
/*! The program for \a argv; null when the fake has none of that name. */
std::shared_ptr<Program> makeCommand(const QStringList &argv, const Surroundings &surroundings);
/*! The names that makeCommand() knows. */
QStringList programNames();

/*! What a simple command is: its steps, or a program of its own, and its exit status. */
struct CommandPlan
{
    QList<Step> steps;
    int status = 0;
    std::shared_ptr<Program> program; //!< instead of steps and status
};
/*! What \a argv does; absent when there is no such program. */
std::optional<CommandPlan> planCommand(const QStringList &argv, const Surroundings &surroundings,
                                       MemoryFiles &files);

/*! A program for `sh -c`. */
std::shared_ptr<Program> makeShell(const QString &text, const Surroundings &surroundings);
/*! What python code does; an error when the fake cannot know, because it has no Python. */
std::expected<CommandPlan, ErrorInfo> planPython(const QString &code, const QString &fileName);

} // namespace Sandboxio::Fake

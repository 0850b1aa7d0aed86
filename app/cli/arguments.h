// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/target.h>

#include <QCommandLineParser>

#include <chrono>
#include <expected>
#include <optional>

namespace Sandboxio::Cli {

/*! Why a command does not run: its help was asked for, or its arguments are wrong. */
struct ParseStop
{
    QString help;                   //!< the text of `--help`
    std::optional<ErrorInfo> error; //!< ConfigurationError
};

template <typename T>
using Parsed = std::expected<T, ParseStop>;

/*! How a command is called. */
struct CommandSyntax
{
    QString name;
    QString summary;      //!< one sentence
    QString positional;   //!< for example "[options] ID..."
    QStringList examples; //!< command lines without the name of the program
    QString remarks;      //!< more help after the options
};

/*! The arguments of one command, from text to values. Has no effects and knows no global state. The typed
    members note the first value that is wrong; finish() reports it. */
class ArgumentParser
{
public:
    explicit ArgumentParser(CommandSyntax syntax);

    void addFlag(const QStringList &names, const QString &description);
    void addValue(const QStringList &names, const QString &valueName, const QString &description);
    /*! After the first positional argument nothing is an option any more, as for programs with arguments of
     * their own. */
    void setProgramFollows();

    /*! Splits \a arguments. False when the command must stop; see finish(). */
    bool parse(const QStringList &arguments);

    bool isSet(const QString &name) const { return m_parser.isSet(name); }
    QString text(const QString &name) const { return m_parser.value(name); }
    QStringList texts(const QString &name) const { return m_parser.values(name); }
    QStringList positional() const { return m_parser.positionalArguments(); }
    /*! Notes an error unless the number of positional arguments is in range. */
    void expectPositional(qsizetype minimum, qsizetype maximum);

    /*! A positive number of seconds. */
    std::optional<std::chrono::milliseconds> seconds(const QString &name);
    /*! A number above zero. */
    std::optional<double> number(const QString &name);
    /*! An integer above zero. */
    std::optional<int> count(const QString &name);
    /*! MiB: "512", "512m", "2g". */
    std::optional<qint64> mebibytes(const QString &name);
    /*! KEY=VALUE, any number of times; the last of equal keys counts. */
    QMap<QString, QString> pairs(const QString &name);
    /*! DSNs, any number of times. */
    QList<Target> targets(const QString &name);
    std::optional<Target> target(const QString &name);

    /*! Notes \a message as the error, unless there is one. */
    void reject(const QString &message, const QString &hint = {});
    void reject(const ErrorInfo &error);

    /*! \a value, or why there is none. */
    template <typename T>
    Parsed<T> finish(T value) const
    {
        if (m_stop)
            return std::unexpected(*m_stop);
        return value;
    }
    QString helpText() const;

private:
    CommandSyntax m_syntax;
    QCommandLineParser m_parser;
    std::optional<ParseStop> m_stop;
};

/*! What the commands that create a sandbox have in common. */
struct CreateArguments
{
    std::optional<Target> target; //!< absent: the engine's default
    CreateOptions options;
    bool operator==(const CreateArguments &) const = default;
};

/*! Adds --target, --image, --label, --network, --cpu, --memory, --pids, --require-isolation and the lifetime,
    which is called \a lifetimeName. */
void addCreateArguments(ArgumentParser &parser, const QString &lifetimeName);
CreateArguments readCreateArguments(ArgumentParser &parser, const QString &lifetimeName);

/*! Adds --target as the place or places to look for sandboxes. */
void addTargets(ArgumentParser &parser);

/*! A path inside a sandbox, written ID:PATH. */
struct RemotePath
{
    QString sandbox;
    QString path; //!< empty: not given
    bool operator==(const RemotePath &) const = default;
};

/*! Reads ID:PATH. Absent when \a text names a local file: no colon, or a slash or nothing before it. */
std::optional<RemotePath> parseRemotePath(const QString &text);

/*! Whether \a arguments ask for JSON, even when they are wrong otherwise. */
bool wantsJson(const QStringList &arguments);

} // namespace Sandboxio::Cli

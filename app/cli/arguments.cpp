// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arguments.h"

#include "translation.h"

#include <sandboxio/core/dsn.h>

#include <cmath>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

ArgumentParser::ArgumentParser(CommandSyntax syntax)
    : m_syntax(std::move(syntax))
{
    addFlag({u"h"_s, u"help"_s}, Text::tr("Show this help."));
    addFlag({u"json"_s}, Text::tr("Write JSON to standard output, errors included."));
}

void ArgumentParser::addFlag(const QStringList &names, const QString &description)
{
    m_parser.addOption(QCommandLineOption(names, description));
}

void ArgumentParser::addValue(const QStringList &names, const QString &valueName, const QString &description)
{
    m_parser.addOption(QCommandLineOption(names, description, valueName));
}

void ArgumentParser::setProgramFollows()
{
    m_parser.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsPositionalArguments);
}

bool ArgumentParser::parse(const QStringList &arguments)
{
    m_stop.reset();
    const bool understood = m_parser.parse(QStringList{u"sandboxio"_s} + arguments);
    if (!understood)
        reject(m_parser.errorText());
    else if (isSet(u"help"_s))
        m_stop = ParseStop{helpText(), std::nullopt};
    return !m_stop;
}

void ArgumentParser::expectPositional(qsizetype minimum, qsizetype maximum)
{
    if (positional().size() < minimum)
        reject(Text::tr("An argument is missing."));
    else if (positional().size() > maximum)
        reject(Text::tr("'%1' is one argument too many.").arg(positional().at(maximum)));
}

std::optional<std::chrono::milliseconds> ArgumentParser::seconds(const QString &name)
{
    if (!isSet(name))
        return std::nullopt;
    const std::optional<qint64> milliseconds = parseSecondsAsMilliseconds(text(name));
    if (!milliseconds || *milliseconds <= 0) {
        reject(Text::tr("--%1 needs a number of seconds above 0, not '%2'.").arg(name, text(name)));
        return std::nullopt;
    }
    return std::chrono::milliseconds(*milliseconds);
}

std::optional<double> ArgumentParser::number(const QString &name)
{
    if (!isSet(name))
        return std::nullopt;
    bool ok = false;
    const double value = text(name).toDouble(&ok);
    if (!ok || !std::isfinite(value) || value <= 0) {
        reject(Text::tr("--%1 needs a number above 0, not '%2'.").arg(name, text(name)));
        return std::nullopt;
    }
    return value;
}

std::optional<int> ArgumentParser::count(const QString &name)
{
    if (!isSet(name))
        return std::nullopt;
    bool ok = false;
    const int value = text(name).toInt(&ok);
    if (!ok || value <= 0) {
        reject(Text::tr("--%1 needs a whole number above 0, not '%2'.").arg(name, text(name)));
        return std::nullopt;
    }
    return value;
}

std::optional<qint64> ArgumentParser::mebibytes(const QString &name)
{
    if (!isSet(name))
        return std::nullopt;
    QString digits = text(name).toLower();
    qint64 factor = 1;
    if (digits.endsWith(u'g'))
        factor = 1024;
    if (digits.endsWith(u'g') || digits.endsWith(u'm'))
        digits.chop(1);
    bool ok = false;
    const int value = digits.toInt(&ok);
    if (!ok || value <= 0) {
        reject(Text::tr("--%1 needs a size in MiB above 0, like 512, 512m or 2g, not '%2'.")
                   .arg(name, text(name)));
        return std::nullopt;
    }
    return value * factor;
}

QMap<QString, QString> ArgumentParser::pairs(const QString &name)
{
    QMap<QString, QString> result;
    for (const QString &pair : texts(name)) {
        const qsizetype equals = pair.indexOf(u'=');
        if (equals > 0)
            result.insert(pair.left(equals), pair.sliced(equals + 1));
        else
            // What stands there may be a secret that was meant as a value.
            reject(Text::tr("--%1 needs KEY=VALUE.").arg(name));
    }
    return result;
}

QList<Target> ArgumentParser::targets(const QString &name)
{
    QList<Target> result;
    for (const QString &dsn : texts(name)) {
        const std::variant<Target, ErrorInfo> parsed = parseDsn(dsn);
        if (const auto *error = std::get_if<ErrorInfo>(&parsed))
            reject(*error);
        else
            result.append(std::get<Target>(parsed));
    }
    return result;
}

std::optional<Target> ArgumentParser::target(const QString &name)
{
    const QList<Target> all = targets(name);
    if (all.size() > 1)
        reject(Text::tr("--%1 can be given only once here.").arg(name));
    return all.isEmpty() ? std::nullopt : std::optional(all.first());
}

void ArgumentParser::reject(const QString &message, const QString &hint)
{
    const QString fix = hint.isEmpty()
                            ? Text::tr("Run `sandboxio %1 --help` to see how it is called.").arg(m_syntax.name)
                            : hint;
    reject(makeError(ErrorKind::ConfigurationError, message, fix));
}

void ArgumentParser::reject(const ErrorInfo &error)
{
    if (!m_stop)
        m_stop = ParseStop{{}, error};
}

QString ArgumentParser::helpText() const
{
    const QString all = m_parser.helpText();
    const QString options = all.sliced(all.indexOf(u'\n') + 1).trimmed(); // without Qt's own usage line
    QString help = Text::tr("Usage: sandboxio %1 %2\n").arg(m_syntax.name, m_syntax.positional) +
                   m_syntax.summary + u"\n\n"_s + options + u"\n\n"_s + Text::tr("Examples:\n");
    for (const QString &example : m_syntax.examples)
        help += u"  sandboxio "_s + example + u'\n';
    if (!m_syntax.remarks.isEmpty())
        help += u'\n' + m_syntax.remarks;
    return help;
}

namespace {

void readIsolation(ArgumentParser &parser, CreateOptions &options)
{
    if (!parser.isSet(u"require-isolation"_s))
        return;
    const QString wanted = parser.text(u"require-isolation"_s);
    for (const IsolationTier tier : {IsolationTier::Container, IsolationTier::GVisor, IsolationTier::MicroVm}) {
        if (wanted.compare(isolationTierName(tier), Qt::CaseInsensitive) == 0)
            options.requireIsolation = tier;
    }
    if (!options.requireIsolation)
        parser.reject(Text::tr("'%1' is no isolation tier.").arg(wanted),
                      Text::tr("Use container, gvisor or microvm."));
}

void readNetwork(ArgumentParser &parser, CreateOptions &options)
{
    if (!parser.isSet(u"network"_s))
        return;
    const QString wanted = parser.text(u"network"_s);
    if (wanted == "open"_L1)
        options.network = NetworkPolicy::open();
    else if (wanted != "deny"_L1)
        parser.reject(Text::tr("'%1' is no network policy.").arg(wanted), Text::tr("Use deny or open."));
}

} // namespace

void addCreateArguments(ArgumentParser &parser, const QString &lifetimeName)
{
    parser.addValue({u"target"_s}, u"DSN"_s, Text::tr("Where to create: backend://template?name=value."));
    parser.addValue({u"image"_s}, u"IMAGE"_s, Text::tr("Image or template of the sandbox."));
    parser.addValue({lifetimeName}, u"SECONDS"_s, Text::tr("How long the sandbox may live (300 unless said)."));
    parser.addValue({u"network"_s}, u"POLICY"_s, Text::tr("deny (unless said) or open."));
    parser.addValue({u"cpu"_s}, u"CORES"_s, Text::tr("Cap of processor cores."));
    parser.addValue({u"memory"_s}, u"MIB"_s, Text::tr("Cap of memory, like 512, 512m or 2g."));
    parser.addValue({u"pids"_s}, u"COUNT"_s, Text::tr("Cap of processes and threads."));
    parser.addValue({u"label"_s}, u"KEY=VALUE"_s, Text::tr("Label of the sandbox; can be repeated."));
    parser.addValue({u"require-isolation"_s}, u"TIER"_s, Text::tr("At least container, gvisor or microvm."));
    parser.addFlag({u"accept-client-side-lifetime"_s},
                   Text::tr("Also where code inside may stop what ends the sandbox."));
}

CreateArguments readCreateArguments(ArgumentParser &parser, const QString &lifetimeName)
{
    CreateArguments result;
    result.target = parser.target(u"target"_s);
    result.options.templateId = parser.text(u"image"_s);
    if (const auto lifetime = parser.seconds(lifetimeName))
        result.options.timeout = *lifetime;
    result.options.resources.cpu = parser.number(u"cpu"_s);
    result.options.resources.memoryMb = parser.mebibytes(u"memory"_s);
    result.options.resources.processes = parser.count(u"pids"_s);
    result.options.metadata = parser.pairs(u"label"_s);
    readNetwork(parser, result.options);
    readIsolation(parser, result.options);
    result.options.acceptClientSideLifetime = parser.isSet(u"accept-client-side-lifetime"_s);
    return result;
}

void addTargets(ArgumentParser &parser)
{
    parser.addValue({u"target"_s}, u"DSN"_s,
                    Text::tr("Where to look; can be repeated (all installed backends unless said)."));
}

std::optional<RemotePath> parseRemotePath(const QString &text)
{
    const qsizetype colon = text.indexOf(u':');
    if (colon <= 0 || text.left(colon).contains(u'/') || text.startsWith(u'.'))
        return std::nullopt;
    return RemotePath{text.left(colon), text.sliced(colon + 1)};
}

bool wantsJson(const QStringList &arguments)
{
    for (const QString &argument : arguments) {
        if (argument == "--"_L1)
            return false;
        if (argument == "--json"_L1)
            return true;
    }
    return false;
}

} // namespace Sandboxio::Cli

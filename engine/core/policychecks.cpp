// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "policychecks.h"
#include "redactor.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using Text = const char *;

namespace {

ErrorInfo refused(Text message, Text hint)
{
    return makeError(ErrorKind::ConfigurationError, QCoreApplication::translate("Sandboxio::Policy", message),
                     QCoreApplication::translate("Sandboxio::Policy", hint));
}

ErrorInfo refused(Text message, const QString &argument, Text hint)
{
    ErrorInfo info = refused(message, hint);
    info.message = info.message.arg(argument);
    return info;
}

std::optional<ErrorInfo> checkResources(const Resources &resources)
{
    const std::array caps{std::pair{u"cpu"_s, resources.cpu.value_or(1) > 0},
                          std::pair{u"memoryMb"_s, resources.memoryMb.value_or(1) > 0},
                          std::pair{u"diskMb"_s, resources.diskMb.value_or(1) > 0},
                          std::pair{u"processes"_s, resources.processes.value_or(1) > 0}};
    for (const auto &[name, positive] : caps) {
        if (!positive)
            return refused(
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "The cap '%1' is not positive."), name,
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give a positive value, or none for the default."));
    }
    return std::nullopt;
}

std::optional<ErrorInfo> checkNetwork(const NetworkPolicy &network)
{
    const bool takesList =
        network.egress == NetworkPolicy::Egress::AllowList || network.egress == NetworkPolicy::Egress::Learn;
    if (!takesList && !network.allow.isEmpty())
        return refused(
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "An allow list is given with egress '%1'."),
            egressName(network.egress),
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "Use egress 'allowlist', or leave the list out."));
    if (network.egress == NetworkPolicy::Egress::AllowList && network.allow.isEmpty())
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The allow list is empty."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Name at least one host, or use egress 'deny'."));
    for (const QString &entry : network.allow) {
        if (!isAllowListEntry(entry))
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "'%1' is no host name, address or CIDR."),
                           entry,
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "Write it like pypi.org:443 or 10.0.0.0/8."));
    }
    return std::nullopt;
}

std::optional<ErrorInfo> checkEnvironment(const QMap<QString, QString> &environment)
{
    for (const auto &[name, value] : environment.asKeyValueRange()) {
        if (name.isEmpty() || name.contains(u'=') || name.contains(QChar(0)) || value.contains(QChar(0)))
            return refused(
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "'%1' cannot be an environment variable."), name,
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "Names have no '=' and nothing has a NUL byte."));
    }
    return std::nullopt;
}

// Longer ones mean "never" and overflow dates.
constexpr std::chrono::milliseconds longestLifetime = std::chrono::days(10 * 365);

std::optional<ErrorInfo> checkLimit(std::optional<std::chrono::milliseconds> limit)
{
    if (limit && limit->count() <= 0)
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The run limit is not positive."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give a positive timeout, or none to inherit the "
                                                              "sandbox's lifetime."));
    return std::nullopt;
}

std::optional<ErrorInfo> checkMetadata(const QMap<QString, QString> &metadata)
{
    static const QRegularExpression validKey(u"\\A[A-Za-z0-9][A-Za-z0-9._-]{0,62}\\z"_s);
    for (const QString &key : metadata.keys()) {
        if (!validKey.match(key).hasMatch())
            return refused(
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "The metadata key '%1' cannot be a label."), key,
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "Use up to 63 letters, digits, '.', '_' and '-'."));
    }
    return std::nullopt;
}

std::optional<ErrorInfo> checkSecrets(const QMap<QString, Secret> &secrets)
{
    for (const auto &[name, secret] : secrets.asKeyValueRange()) {
        if (secret.size() < minimumSecretSize)
            return refused(
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "The secret '%1' is shorter than 4 bytes."), name,
                QT_TRANSLATE_NOOP("Sandboxio::Policy", "A value that short cannot be kept out of texts; "
                                                       "pass it in env instead."));
    }
    return std::nullopt;
}

std::optional<int> number(const QString &text, int maximum)
{
    static const QRegularExpression digits(u"\\A[0-9]{1,5}\\z"_s);
    const int value = text.toInt();
    return digits.match(text).hasMatch() && value <= maximum ? std::optional(value) : std::nullopt;
}

bool isPort(const QString &text)
{
    return number(text, 65535).value_or(0) > 0;
}

// Splits off an optional "/prefix" and says whether it is right.
bool takePrefix(QString &network, int maximum)
{
    const qsizetype slash = network.indexOf(u'/');
    if (slash < 0)
        return true;
    const QString prefix = network.sliced(slash + 1);
    network.truncate(slash);
    return number(prefix, maximum).has_value();
}

bool isIpv4Network(QString network)
{
    if (!takePrefix(network, 32))
        return false;
    const QStringList parts = network.split(u'.');
    return parts.size() == 4 &&
           std::ranges::all_of(parts, [](const QString &part) { return number(part, 255).has_value(); });
}

bool isIpv6Network(QString network)
{
    if (!takePrefix(network, 128))
        return false;
    static const QRegularExpression group(u"\\A[0-9a-fA-F]{1,4}\\z"_s);
    const qsizetype gap = network.indexOf(u"::"_s);
    qsizetype groups = 0;
    // Without a gap the address is one run of groups, with one it is two, either of which may be empty.
    for (const QString &run :
         gap < 0 ? QStringList{network} : QStringList{network.first(gap), network.sliced(gap + 2)}) {
        QStringList parts = run.isEmpty() ? QStringList() : run.split(u':');
        if (!parts.isEmpty() && parts.last().contains(u'.') && isIpv4Network(parts.last())) {
            parts.removeLast();
            groups += 2;
        }
        if (!std::ranges::all_of(parts, [](const QString &part) { return group.match(part).hasMatch(); }))
            return false;
        groups += parts.size();
    }
    return gap < 0 ? groups == 8 : groups <= 7;
}

bool isHostName(const QString &name)
{
    static const QRegularExpression shape(u"\\A(\\*\\.)?([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*"
                                          "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\z"_s);
    return shape.match(name).hasMatch();
}

template <typename... Results>
std::optional<ErrorInfo> firstOf(const Results &...results)
{
    std::optional<ErrorInfo> first;
    ((first = first ? first : results), ...);
    return first;
}

} // namespace

bool isAllowListEntry(const QString &entry)
{
    if (entry.startsWith(u'[')) {
        const qsizetype end = entry.indexOf(u']');
        const QString rest = entry.sliced(end + 1);
        return end > 0 && isIpv6Network(entry.sliced(1, end - 1)) &&
               (rest.isEmpty() || (rest.startsWith(u':') && isPort(rest.sliced(1))));
    }
    if (entry.count(u':') > 1)
        return isIpv6Network(entry);
    const QString host = entry.section(u':', 0, 0);
    if (entry.contains(u':') && !isPort(entry.section(u':', 1)))
        return false;
    static const QRegularExpression numeric(u"\\A[0-9./]*\\z"_s);
    return numeric.match(host).hasMatch() ? isIpv4Network(host) : isHostName(host);
}

std::optional<ErrorInfo> checkCreateOptions(const CreateOptions &options)
{
    if (options.timeout.count() <= 0)
        return refused(
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "The lifetime is not positive."),
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "Every sandbox needs an end; the default is 300 seconds."));
    if (options.timeout > longestLifetime)
        return refused(
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "The lifetime is longer than ten years."),
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "Every sandbox needs an end; the default is 300 seconds."));
    if (options.createLimit.count() <= 0)
        return refused(
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "The create limit is not positive."),
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give a positive limit; the default is 60 seconds."));
    return firstOf(checkResources(options.resources), checkNetwork(options.network),
                   checkEnvironment(options.env), checkSecrets(options.secrets),
                   checkMetadata(options.metadata));
}

std::optional<ErrorInfo> checkRun(const Command &command, const RunOptions &options)
{
    if (command.isEmpty())
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The command is empty."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give the program and its arguments as a list."));
    for (const QString &argument : command.arguments()) {
        if (argument.contains(QChar(0)))
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "An argument contains a NUL byte."),
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "Pass such data through standard input."));
    }
    if (options.outputLimit < 0)
        return refused(
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "The output limit is negative."),
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give the number of bytes to keep of each stream."));
    if (options.pty && (options.pty->rows <= 0 || options.pty->columns <= 0))
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The terminal size is not positive."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give rows and columns of at least 1."));
    return firstOf(checkLimit(options.timeout), checkEnvironment(options.env));
}

std::optional<ErrorInfo> checkRunCode(const RunCodeOptions &options)
{
    if (options.outputLimit < 0)
        return refused(
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "The output limit is negative."),
            QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give the number of bytes to keep of each stream."));
    return firstOf(checkLimit(options.timeout), checkEnvironment(options.env));
}

} // namespace Sandboxio

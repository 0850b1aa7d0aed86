// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "policychecks.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using Text = const char *;

namespace {

constexpr qsizetype minimumSecretSize = 4;

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
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The cap '%1' is not positive."), name,
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give a positive value, or none for the default."));
    }
    return std::nullopt;
}

std::optional<ErrorInfo> checkNetwork(const NetworkPolicy &network)
{
    const bool takesList =
        network.egress == NetworkPolicy::Egress::AllowList || network.egress == NetworkPolicy::Egress::Learn;
    if (!takesList && !network.allow.isEmpty())
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "An allow list is given with egress '%1'."),
                       egressName(network.egress),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Use egress 'allowlist', or leave the list out."));
    if (network.egress == NetworkPolicy::Egress::AllowList && network.allow.isEmpty())
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The allow list is empty."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Name at least one host, or use egress 'deny'."));
    for (const QString &entry : network.allow) {
        if (!isAllowListEntry(entry))
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "'%1' is no host name, address or CIDR."), entry,
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "Write it like pypi.org:443 or 10.0.0.0/8."));
    }
    return std::nullopt;
}

std::optional<ErrorInfo> checkEnvironment(const QMap<QString, QString> &environment)
{
    for (const auto &[name, value] : environment.asKeyValueRange()) {
        if (name.isEmpty() || name.contains(u'=') || name.contains(QChar(0)) || value.contains(QChar(0)))
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "'%1' cannot be an environment variable."), name,
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "Names have no '=' and nothing has a NUL byte."));
    }
    return std::nullopt;
}

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
    static const QRegularExpression validKey(u"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"_s);
    for (const QString &key : metadata.keys()) {
        if (!validKey.match(key).hasMatch())
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The metadata key '%1' cannot be a label."), key,
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "Use up to 63 letters, digits, '.', '_' and '-'."));
    }
    return std::nullopt;
}

std::optional<ErrorInfo> checkSecrets(const QMap<QString, Secret> &secrets)
{
    for (const auto &[name, secret] : secrets.asKeyValueRange()) {
        if (secret.size() < minimumSecretSize)
            return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The secret '%1' is shorter than 4 bytes."), name,
                           QT_TRANSLATE_NOOP("Sandboxio::Policy", "A value that short cannot be kept out of texts; "
                                                                  "pass it in env instead."));
    }
    return std::nullopt;
}

template<typename... Results>
std::optional<ErrorInfo> firstOf(const Results &...results)
{
    std::optional<ErrorInfo> first;
    ((first = first ? first : results), ...);
    return first;
}

} // namespace

bool isAllowListEntry(const QString &entry)
{
    static const QRegularExpression host(
        u"^(\\*\\.)?([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(:[0-9]{1,5})?$"_s);
    static const QRegularExpression ipv4(u"^([0-9]{1,3}\\.){3}[0-9]{1,3}(/[0-9]{1,2})?(:[0-9]{1,5})?$"_s);
    static const QRegularExpression ipv6(u"^\\[?[0-9a-fA-F:]*:[0-9a-fA-F:.]+(/[0-9]{1,3})?\\]?(:[0-9]{1,5})?$"_s);
    return host.match(entry).hasMatch() || ipv4.match(entry).hasMatch() || ipv6.match(entry).hasMatch();
}

std::optional<ErrorInfo> checkCreateOptions(const CreateOptions &options)
{
    if (options.timeout.count() <= 0)
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The lifetime is not positive."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Every sandbox needs an end; the default is 300 seconds."));
    if (options.createLimit.count() <= 0)
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The create limit is not positive."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give a positive limit; the default is 60 seconds."));
    return firstOf(checkResources(options.resources), checkNetwork(options.network), checkEnvironment(options.env),
                   checkSecrets(options.secrets), checkMetadata(options.metadata));
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
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The output limit is negative."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give the number of bytes to keep of each stream."));
    if (options.pty && (options.pty->rows <= 0 || options.pty->columns <= 0))
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The terminal size is not positive."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give rows and columns of at least 1."));
    return firstOf(checkLimit(options.timeout), checkEnvironment(options.env));
}

std::optional<ErrorInfo> checkRunCode(const RunCodeOptions &options)
{
    if (options.outputLimit < 0)
        return refused(QT_TRANSLATE_NOOP("Sandboxio::Policy", "The output limit is negative."),
                       QT_TRANSLATE_NOOP("Sandboxio::Policy", "Give the number of bytes to keep of each stream."));
    return firstOf(checkLimit(options.timeout), checkEnvironment(options.env));
}

} // namespace Sandboxio

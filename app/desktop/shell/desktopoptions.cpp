// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktopoptions.h"

#include <sandboxio/core/dsn.h>

#include <QCommandLineParser>
#include <QCoreApplication>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int usageError = 2;

class OptionText
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Desktop)
};

void declareOptions(QCommandLineParser &parser)
{
    parser.setApplicationDescription(OptionText::tr("Drives sandboxes for untrusted code."));
    parser.addHelpOption();
    parser.addVersionOption();
    QCommandLineOption script(u"screenshot-script"_s, u"Takes the screenshots into <directory> and ends."_s,
                              u"directory"_s);
    script.setFlags(QCommandLineOption::HiddenFromHelp);
    QCommandLineOption output(u"output-script"_s, u"Runs a cell that prints <megabytes>, measures and ends."_s,
                              u"megabytes"_s);
    output.setFlags(QCommandLineOption::HiddenFromHelp);
    parser.addOptions(
        {{u"target"_s, OptionText::tr("Shows <dsn> instead of every installed backend. May be repeated."),
          u"dsn"_s},
         {u"color-scheme"_s, OptionText::tr("Uses light or dark colours whatever the desktop says."),
          u"light|dark"_s},
         {u"self-test"_s, OptionText::tr("Does the main job on the demo backend without a display and ends.")},
         script,
         output});
}

CommandLineResult failure(const QString &message)
{
    CommandLineResult result;
    result.message = message;
    result.exitCode = usageError;
    return result;
}

} // namespace

CommandLineResult parseCommandLine(const QStringList &arguments)
{
    QCommandLineParser parser;
    declareOptions(parser);
    if (!parser.parse(arguments))
        return failure(parser.errorText());
    CommandLineResult result;
    if (parser.isSet(u"help"_s) || parser.isSet(u"version"_s)) {
        result.message = parser.isSet(u"help"_s) ? parser.helpText() : QCoreApplication::applicationVersion();
        result.exitCode = 0;
        return result;
    }
    if (!parser.positionalArguments().isEmpty())
        return failure(OptionText::tr("Unexpected argument: %1").arg(parser.positionalArguments().first()));
    DesktopOptions &options = result.options;
    const QString scheme = parser.value(u"color-scheme"_s);
    if (scheme == "light"_L1)
        options.colorScheme = Qt::ColorScheme::Light;
    else if (scheme == "dark"_L1)
        options.colorScheme = Qt::ColorScheme::Dark;
    else if (!scheme.isEmpty())
        return failure(OptionText::tr("--color-scheme is light or dark, not %1.").arg(scheme));
    const QStringList dsns = parser.values(u"target"_s);
    for (const QString &dsn : dsns) {
        const std::variant<Target, ErrorInfo> target = parseDsn(dsn);
        if (const auto *error = std::get_if<ErrorInfo>(&target))
            return failure(error->toText());
        options.targets.append(std::get<Target>(target));
    }
    options.selfTest = parser.isSet(u"self-test"_s);
    if (const QString megabytes = parser.value(u"output-script"_s); parser.isSet(u"output-script"_s)) {
        bool isNumber = false;
        options.outputMegabytes = megabytes.toInt(&isNumber);
        if (!isNumber || options.outputMegabytes <= 0)
            return failure(
                OptionText::tr("--output-script takes a number of megabytes above 0, not %1.").arg(megabytes));
    }
    options.screenshotDirectory = parser.value(u"screenshot-script"_s);
    return result;
}

QList<Target> usualTargets(const QList<BackendDescription> &backends)
{
    QList<Target> targets;
    for (const BackendDescription &backend : backends) {
        if (!backend.isDemo && backend.problem.isEmpty())
            targets.append(Target{backend.name, {}, {}});
    }
    return targets;
}

std::optional<Target> demoTarget(const QList<BackendDescription> &backends)
{
    for (const BackendDescription &backend : backends) {
        if (backend.isDemo && backend.problem.isEmpty())
            return Target{backend.name, {}, {}};
    }
    return std::nullopt;
}

} // namespace Sandboxio::Desktop

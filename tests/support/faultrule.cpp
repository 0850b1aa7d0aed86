// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "faultrule.h"

#include <array>

#include <QStringList>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

struct PhaseName
{
    FaultRule::Phase phase;
    QStringView name;
};

struct ActionName
{
    FaultRule::Action action;
    QStringView name;
};

constexpr std::array phaseNames{
    PhaseName{FaultRule::Phase::BeforeRequest, u"before-request"},
    PhaseName{FaultRule::Phase::AfterRequest, u"after-request"},
    PhaseName{FaultRule::Phase::BeforeReply, u"before-reply"},
    PhaseName{FaultRule::Phase::AfterReply, u"after-reply"},
};

constexpr std::array actionNames{
    ActionName{FaultRule::Action::Stop, u"stop"}, ActionName{FaultRule::Action::Delay, u"delay"},
    ActionName{FaultRule::Action::Cut, u"cut"},   ActionName{FaultRule::Action::Error, u"error"},
    ActionName{FaultRule::Action::Half, u"half"}, ActionName{FaultRule::Action::ErrorLine, u"error-line"},
};

bool isPossible(const FaultRule &rule)
{
    if (rule.action == FaultRule::Action::Half)
        return rule.phase == FaultRule::Phase::BeforeReply;
    const bool answers = rule.action == FaultRule::Action::Error || rule.action == FaultRule::Action::ErrorLine;
    return !answers || rule.phase != FaultRule::Phase::AfterReply;
}

} // namespace

bool FaultRule::matches(const QByteArray &requestMethod, const QByteArray &target) const
{
    return (method == "*" || method == requestMethod) && path.match(QString::fromLatin1(target)).hasMatch();
}

std::expected<FaultRule, QString> FaultRule::parse(const QString &text)
{
    QStringList parts = text.split(u':');
    if (parts.size() < 4)
        return std::unexpected(u"a rule is METHOD PATHREGEX:OCCURRENCE:PHASE:ACTION[=NUMBER]"_s);
    const QStringList action = parts.takeLast().split(u'=');
    const QString phase = parts.takeLast();
    const QString occurrence = parts.takeLast();
    const QString request = parts.join(u':');
    const auto knownPhase = std::ranges::find(phaseNames, phase, &PhaseName::name);
    const auto knownAction = std::ranges::find(actionNames, action.first(), &ActionName::name);
    if (knownPhase == phaseNames.end())
        return std::unexpected(u"unknown phase '%1'"_s.arg(phase));
    if (knownAction == actionNames.end())
        return std::unexpected(u"unknown action '%1'"_s.arg(action.first()));
    bool occurrenceValid = false;
    bool numberValid = true;
    FaultRule rule{.method = request.section(u' ', 0, 0).toLatin1(),
                   .path = QRegularExpression(request.section(u' ', 1)),
                   .occurrence = occurrence.toInt(&occurrenceValid),
                   .phase = knownPhase->phase,
                   .action = knownAction->action};
    if (action.size() > 1)
        rule.number = action.at(1).toLongLong(&numberValid);
    if (!occurrenceValid || rule.occurrence < 0 || !numberValid || rule.number < 0)
        return std::unexpected(u"a number in '%1' is not one"_s.arg(text));
    if (rule.path.pattern().isEmpty() || !rule.path.isValid())
        return std::unexpected(u"the path in '%1' is not a regular expression"_s.arg(text));
    if (!isPossible(rule))
        return std::unexpected(u"'%1' is not possible in phase %2"_s.arg(action.first(), phase));
    return rule;
}

QString phaseName(FaultRule::Phase phase)
{
    return std::ranges::find(phaseNames, phase, &PhaseName::phase)->name.toString();
}

} // namespace Sandboxio

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "redaction_p.h"

namespace Sandboxio::Detail {

namespace {

void clean(const Redactor &redactor, QString &text)
{
    text = redactor.redact(text);
}

void clean(const Redactor &redactor, QStringList &texts)
{
    for (QString &text : texts)
        clean(redactor, text);
}

void clean(const Redactor &redactor, QMap<QString, QString> &map)
{
    for (QString &value : map)
        clean(redactor, value);
}

void clean(const Redactor &redactor, Target &target)
{
    clean(redactor, target.templateId);
    clean(redactor, target.parameters);
}

void clean(const Redactor &redactor, QList<Diagnosis> &lines)
{
    for (Diagnosis &line : lines) {
        clean(redactor, line.subject);
        clean(redactor, line.finding);
        clean(redactor, line.fix);
    }
}

} // namespace

ErrorInfo redacted(const Redactor &redactor, ErrorInfo error)
{
    clean(redactor, error.message);
    clean(redactor, error.hint);
    clean(redactor, error.limit);
    clean(redactor, error.step);
    if (error.cause)
        clean(redactor, error.cause->text);
    return error;
}

EngineWarning redacted(const Redactor &redactor, EngineWarning warning)
{
    clean(redactor, warning.message);
    clean(redactor, warning.metadata);
    clean(redactor, warning.target);
    return warning;
}

OperationProgress redacted(const Redactor &redactor, OperationProgress progress)
{
    clean(redactor, progress.step);
    return progress;
}

OperationRecord redacted(const Redactor &redactor, OperationRecord record)
{
    clean(redactor, record.target);
    clean(redactor, record.metadata);
    clean(redactor, record.argv);
    clean(redactor, record.language);
    clean(redactor, record.paths);
    clean(redactor, record.backgroundRun);
    if (record.code)
        clean(redactor, *record.code);
    return record;
}

DoctorReport redacted(const Redactor &redactor, DoctorReport report)
{
    clean(redactor, report.engine);
    for (TargetReport &target : report.targets)
        clean(redactor, target.lines);
    return report;
}

QList<BackgroundRun> redacted(const Redactor &redactor, QList<BackgroundRun> runs)
{
    for (BackgroundRun &run : runs)
        clean(redactor, run.arguments);
    return runs;
}

ManagedListing redacted(const Redactor &redactor, ManagedListing listing)
{
    for (TargetListing &target : listing.targets) {
        if (target.error)
            target.error = redacted(redactor, *target.error);
    }
    return listing;
}

CreatePlan redacted(const Redactor &redactor, CreatePlan plan)
{
    clean(redactor, plan.remarks);
    for (ErrorInfo &refusal : plan.refusals)
        refusal = redacted(redactor, refusal);
    return plan;
}

PolicyReport redacted(const Redactor &redactor, PolicyReport report)
{
    for (PolicyCheck &check : report.checks)
        clean(redactor, check.detail);
    return report;
}

} // namespace Sandboxio::Detail

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contract.h"

#include "contractfamily_p.h"
#include "contractreport_p.h"
#include "qttestresult_p.h"

#include <QMetaMethod>
#include <QTemporaryDir>
#include <QUuid>

#include <array>
#include <cstdio>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array families{
    ContractFamilyEntry{"lifecycle", makeLifecycleContract},
    ContractFamilyEntry{"teardown", makeTeardownContract},
    ContractFamilyEntry{"cancellation", makeCancellationContract},
    ContractFamilyEntry{"capabilities", makeCapabilityContract},
    ContractFamilyEntry{"runs", makeRunContract},
    ContractFamilyEntry{"timeouts", makeTimeoutContract},
    ContractFamilyEntry{"code", makeCodeContract},
    ContractFamilyEntry{"contexts", makeContextContract},
    ContractFamilyEntry{"streams", makeStreamContract},
    ContractFamilyEntry{"background", makeBackgroundContract},
    ContractFamilyEntry{"files", makeFileContract},
    ContractFamilyEntry{"transfers", makeTransferContract},
    ContractFamilyEntry{"storedfiles", makeStoredFilesContract},
    ContractFamilyEntry{"watches", makeWatchContract},
    ContractFamilyEntry{"policy", makePolicyContract},
    ContractFamilyEntry{"resources", makeResourceContract},
    ContractFamilyEntry{"errors", makeErrorContract},
    ContractFamilyEntry{"reaping", makeReapingContract},
    ContractFamilyEntry{"secrets", makeSecretContract},
    ContractFamilyEntry{"records", makeRecordContract},
};

QStringList functionsOf(const QObject &family)
{
    QStringList names;
    const QMetaObject *meta = family.metaObject();
    for (int i = meta->methodOffset(); i < meta->methodCount(); ++i) {
        const QMetaMethod method = meta->method(i);
        const QString name = QString::fromLatin1(method.name());
        if (method.methodType() == QMetaMethod::Slot && method.access() == QMetaMethod::Private &&
            !name.endsWith("_data"_L1))
            names.append(name);
    }
    return names;
}

QList<ContractRow> runFamily(const ContractFamilyEntry &entry, ContractSubject &subject, const QString &label,
                             const ContractSelection &selection)
{
    const std::unique_ptr<ContractFamily> family = entry.make(subject, label);
    QStringList functions = functionsOf(*family);
    if (!selection.functions.isEmpty())
        functions.removeIf([&](const QString &name) { return !selection.functions.contains(name); });
    if (functions.isEmpty())
        return {};
    const QTemporaryDir folder;
    const QString file = folder.filePath(u"result.xml"_s);
    QStringList arguments{QString::fromLatin1(entry.name), u"-o"_s, file + u",xml"_s};
    if (selection.verbose)
        arguments += {u"-o"_s, u"-,txt"_s};
    if (!selection.functions.isEmpty())
        arguments += functions;
    std::ignore = QTest::qExec(family.get(), arguments);
    return readQtTestResult(file, QString::fromLatin1(entry.name));
}

QStringList valuesOf(const QString &option, const QStringList &arguments)
{
    QStringList values;
    for (qsizetype i = 1; i + 1 < arguments.size(); ++i) {
        if (arguments[i] == option)
            values.append(arguments[++i]);
    }
    return values;
}

void print(FILE *stream, const QString &text)
{
    std::fputs(text.toUtf8().constData(), stream);
    std::fflush(stream);
}

} // namespace

QStringList contractFamilies()
{
    QStringList names;
    for (const ContractFamilyEntry &entry : families)
        names.append(QString::fromLatin1(entry.name));
    return names;
}

ContractReport runContract(ContractSubject &subject, const ContractSelection &selection)
{
    ContractReport report{subject.name(), {}};
    if (const QString why = subject.unavailable(); !why.isEmpty()) {
        report.isUnavailable = true;
        report.rows.append(
            {u"all"_s, {}, u"the backend can be tested"_s, ContractRow::Verdict::Skipped, why, 0});
        return report;
    }
    const QString label = QUuid::createUuid().toString(QUuid::WithoutBraces);
    for (const ContractFamilyEntry &entry : families) {
        if (!selection.families.isEmpty() && !selection.families.contains(QLatin1StringView(entry.name)))
            continue;
        const QList<ContractRow> rows = runFamily(entry, subject, label, selection);
        report.rows += rows;
        if (selection.familyEnded && !rows.isEmpty())
            selection.familyEnded(rows);
    }
    return report;
}

int contractMain(ContractSubject &subject, const QStringList &arguments)
{
    if (arguments.contains(u"--list"_s)) {
        print(stdout, contractFamilies().join(u'\n') + u'\n');
        return 0;
    }
    const ContractSelection selection{valuesOf(u"--family"_s, arguments), valuesOf(u"--row"_s, arguments),
                                      arguments.contains(u"--verbose"_s), [](const QList<ContractRow> &rows) {
                                          print(stdout, familyText(rows));
                                      }};
    const ContractReport report = runContract(subject, selection);
    if (report.rows.isEmpty()) {
        print(stderr, u"No row has that family and name; --list names the families.\n"_s);
        return 2;
    }
    print(stdout, report.problemsText());
    const QStringList files = valuesOf(u"--report"_s, arguments);
    const QString file = files.isEmpty() ? qEnvironmentVariable("SANDBOXIO_CONTRACT_REPORT") : files.last();
    QString problem;
    if (!file.isEmpty() && !report.write(file, &problem)) {
        print(stderr, problem + u'\n');
        return 2;
    }
    const bool isWhole = selection.families.isEmpty() && selection.functions.isEmpty();
    return isGood(report, isWhole) ? 0 : 1;
}

} // namespace Sandboxio

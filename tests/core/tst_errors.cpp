// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/errortable.h>
#include <sandboxio/core/operation.h>

#include <QSet>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

ErrorInfo fullInfo(ErrorKind kind)
{
    ErrorInfo info = makeError(kind, u"what failed"_s, u"do this"_s, {404, u"provider text"_s});
    info.limit = u"memory"_s;
    info.limitValue = 512;
    info.retryAfter = 3s;
    info.step = u"start"_s;
    return info;
}

template <typename Base>
bool isCaughtAs(const std::function<void()> &thrower, const ErrorInfo &expected)
{
    try {
        thrower();
    } catch (const Base &error) {
        return error.info() == expected;
    } catch (...) {
    }
    return false;
}

using Catcher = bool (*)(const std::function<void()> &, const ErrorInfo &);

struct Kind
{
    ErrorKind kind;
    const char *name;
    const char *code;
    QList<std::pair<const char *, Catcher>> bases; // itself first
};

#define CLASS(Name)                                                                                            \
    std::pair<const char *, Catcher>                                                                           \
    {                                                                                                          \
        #Name, &isCaughtAs<Name>                                                                               \
    }
#define KIND(Name, code, ...)                                                                                  \
    Kind                                                                                                       \
    {                                                                                                          \
        ErrorKind::Name, #Name, code,                                                                          \
        {                                                                                                      \
            CLASS(Name), ##__VA_ARGS__                                                                         \
        }                                                                                                      \
    }

const QList<Kind> &kinds()
{
    static const QList<Kind> all{
        KIND(SandboxError, ""),
        KIND(ConfigurationError, "SBX_E1000", CLASS(SandboxError)),
        KIND(BackendNotFound, "SBX_E1001", CLASS(ConfigurationError), CLASS(SandboxError)),
        KIND(BackendNotInstalled, "SBX_E1002", CLASS(ConfigurationError), CLASS(SandboxError)),
        KIND(CapabilityNotSupported, "SBX_E1101", CLASS(SandboxError)),
        KIND(CreationError, "SBX_E1201", CLASS(SandboxError)),
        KIND(ConnectError, "SBX_E1202", CLASS(SandboxError)),
        KIND(CreateTimeout, "SBX_E1203", CLASS(CreationError), CLASS(SandboxTimeout), CLASS(SandboxError)),
        KIND(SandboxGone, "SBX_E1204", CLASS(SandboxError)),
        KIND(ExecutionError, "SBX_E1301", CLASS(SandboxError)),
        KIND(SandboxTimeout, "", CLASS(SandboxError)),
        KIND(ExecutionTimeout, "SBX_E1302", CLASS(SandboxTimeout), CLASS(SandboxError)),
        KIND(NetworkPolicyViolation, "SBX_E1401", CLASS(SandboxError)),
        KIND(ResourceLimitExceeded, "SBX_E1402", CLASS(SandboxError)),
        KIND(AuthError, "SBX_E1501", CLASS(SandboxError)),
        KIND(RateLimitError, "SBX_E1502", CLASS(SandboxError)),
        KIND(AuditSinkError, "SBX_E1601", CLASS(SandboxError)),
        KIND(FileSystemError, "SBX_E1700", CLASS(SandboxError)),
        KIND(PathNotFound, "SBX_E1701", CLASS(FileSystemError), CLASS(SandboxError)),
    };
    return all;
}

const Kind &kindNamed(const QString &name)
{
    return *std::ranges::find_if(kinds(),
                                 [&](const Kind &kind) { return name == QLatin1StringView(kind.name); });
}

} // namespace

class TestErrors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyKind_data()
    {
        QTest::addColumn<QString>("name");
        for (const Kind &kind : kinds())
            QTest::newRow(kind.name) << QString(QLatin1StringView(kind.name));
    }
    void everyKind()
    {
        QFETCH(QString, name);
        const Kind &kind = kindNamed(name);
        const ErrorInfo info = fullInfo(kind.kind);
        QCOMPARE(info.code(), QLatin1StringView(kind.code));
        for (const auto &[base, caught] : kind.bases) {
            QVERIFY2(caught([&] { info.raise(); }, info), base);
            QVERIFY2(caught([&] { raiseClone(info); }, info), base);
            QVERIFY2(caught([&] { failedOperation<int>(info).result(); }, info), base);
            QVERIFY2(caught([&] { failedOperation<void>(info).result(); }, info), base);
        }
        for (const Kind &other : kinds()) {
            const bool isBase = std::ranges::any_of(
                kind.bases, [&](const auto &base) { return qstrcmp(base.first, other.name) == 0; });
            if (!isBase)
                QVERIFY2(!other.bases.first().second([&] { info.raise(); }, info), other.name);
        }
    }
    void theTableHasARowForEveryKindAndNoOther()
    {
        QCOMPARE(errorTable().size(), std::size_t(kinds().size()));
        for (const Kind &kind : kinds()) {
            const ErrorTableRow &row = errorTableRow(kind.kind);
            QCOMPARE(row.className, kind.name);
            QCOMPARE(row.code, kind.code);
        }
    }
    void codesAreUniqueAndTextsAreThere()
    {
        QSet<QString> codes;
        for (const ErrorTableRow &row : errorTable()) {
            const QString code = QLatin1StringView(row.code);
            QVERIFY2(!codes.contains(code) || code.isEmpty(), row.className);
            codes.insert(code);
            QVERIFY2(qstrlen(row.hint) > 0, row.className);
            QVERIFY2(qstrlen(row.documentation) > 0, row.className);
        }
        QCOMPARE(codes.size(), 18);
    }
    void codesAreFoundInAnyCase()
    {
        QCOMPARE(errorTableRow(u"sbx_e1302"_s)->kind, ErrorKind::ExecutionTimeout);
        QVERIFY(!errorTableRow(u"SBX_E9999"_s));
        QVERIFY(!errorTableRow(QString()));
    }
    void textIsTheSameEverywhere()
    {
        const ErrorInfo info =
            makeError(ErrorKind::BackendNotInstalled, u"The 'x' backend is not installed."_s, u"Install it."_s);
        QCOMPARE(
            info.toText(),
            u"[SBX_E1002] The 'x' backend is not installed.\nFix: Install it.\nDocs: %1"_s.arg(info.url()));
        QVERIFY(info.url().endsWith(u"SBX_E1002"_s));
        QCOMPARE(QString::fromUtf8(BackendNotInstalled(info).what()), info.toText());
        const ErrorInfo base = makeError(ErrorKind::SandboxTimeout, u"late"_s);
        QVERIFY(base.toText().startsWith("late\n"_L1));
        QVERIFY(base.url().endsWith("SandboxTimeout"_L1));
    }
    void aMissingHintIsTheTables()
    {
        for (const ErrorTableRow &row : errorTable())
            QCOMPARE(makeError(row.kind, u"x"_s).hint, QString::fromUtf8(row.hint));
    }
    void aCancellationIsNoSandboxError()
    {
        const OperationPromise<int> promise;
        promise.cancelled();
        bool asError = false;
        bool asCancellation = false;
        try {
            promise.operation().result();
        } catch (const SandboxError &) {
            asError = true;
        } catch (const OperationCancelled &cancelled) {
            asCancellation = true;
            const std::unique_ptr<OperationCancelled> clone(cancelled.clone());
            QVERIFY_THROWS_EXCEPTION(OperationCancelled, clone->raise());
        }
        QVERIFY(!asError);
        QVERIFY(asCancellation);
    }
    void anExecutionErrorCarriesTheResult()
    {
        ExecResult result;
        result.exitCode = 3;
        result.standardError = "why";
        try {
            result.throwIfFailed();
            QFAIL("did not throw");
        } catch (const ExecutionError &error) {
            QCOMPARE(error.result(), result);
            QVERIFY(error.info().message.contains(u'3'));
            const std::unique_ptr<ExecutionError> clone(error.clone());
            QCOMPARE(clone->result(), result);
            QVERIFY_THROWS_EXCEPTION(ExecutionError, clone->raise());
        }
    }

private:
    static void raiseClone(const ErrorInfo &info)
    {
        std::unique_ptr<SandboxError> clone;
        try {
            info.raise();
        } catch (const SandboxError &error) {
            clone.reset(error.clone());
        }
        clone->raise();
    }
};

SANDBOXIO_TEST(TestErrors)
#include "tst_errors.moc"

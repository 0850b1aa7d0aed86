// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! Interpreters that live from one cell to the next. */
class ContextContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aContextRemembers();
    void contextsAreApart();
    void aRestartedContextForgets();
    void aRemovedContextIsGone();
    void anInterruptedContextGoesOn();
    void anUnknownContextIsAnError();

private:
    void prepare() override { needCapability(Capability::StatefulCode); }
    QString context() { return value(sandbox()->createContext(subject.code.language)); }
    RunCodeOptions in(const QString &context) const
    {
        RunCodeOptions with;
        with.language = subject.code.language;
        with.context = context;
        return with;
    }
    ExecResult run(const QString &code, const QString &context)
    {
        return value(sandbox()->runCode(code, in(context)));
    }
    QString remember() { return need(subject.code.remember, "code `remember`")(u"kept"_s); }
    QString recall() { return need(subject.code.recall, "code `recall`")(); }
};

void ContextContract::aContextRemembers()
{
    const QString own = context();
    QVERIFY(value(sandbox()->listContexts()).contains(own));
    QCOMPARE(run(remember(), own).exitCode, 0);
    QCOMPARE(run(recall(), own).text(), u"kept\n"_s);
    value(sandbox()->removeContext(own));
}

void ContextContract::contextsAreApart()
{
    const QString first = context();
    const QString second = context();
    run(remember(), first);
    QVERIFY(run(recall(), second).exitCode != 0);
    QVERIFY(value(sandbox()->runCode(recall(), in(QString()))).exitCode != 0);
    QCOMPARE(run(recall(), first).text(), u"kept\n"_s);
}

void ContextContract::aRestartedContextForgets()
{
    const QString own = context();
    run(remember(), own);
    value(sandbox()->restartContext(own));
    QVERIFY(run(recall(), own).exitCode != 0);
}

void ContextContract::aRemovedContextIsGone()
{
    const QString own = context();
    value(sandbox()->removeContext(own));
    QVERIFY(!value(sandbox()->listContexts()).contains(own));
    errorOf(sandbox()->runCode(recall(), in(own)));
}

void ContextContract::anInterruptedContextGoesOn()
{
    const QString own = context();
    run(remember(), own);
    const Operation<ExecResult> cell = sandbox()->runCode(need(subject.code.hang, "code `hang`")(600), in(own));
    QTest::qWait(100);
    value(sandbox()->interruptContext(own));
    QVERIFY(value(cell).exitCode != 0);
    QCOMPARE(run(recall(), own).text(), u"kept\n"_s);
}

void ContextContract::anUnknownContextIsAnError()
{
    errorOf(sandbox()->runCode(recall(), in(u"no-such-context"_s)));
    errorOf(sandbox()->interruptContext(u"no-such-context"_s));
}

std::unique_ptr<ContractFamily> makeContextContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<ContextContract>(subject, label);
}

} // namespace Sandboxio

#include "contexts.moc"

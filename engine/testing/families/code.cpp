// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! Code: results, failures, languages, and the way it travels. */
class CodeContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void codeRuns();
    void anErrorWhileItRunsIsAResult();
    void aSyntaxErrorIsAResult();
    void exitCodesComeThrough();
    void anUnknownLanguageNamesThoseThereAre();
    void theFirstLanguageIsTheDefault();
    void codeIsNotInAnyCommandLine();
    void inputIsLeftToTheProgram();
    void theEnvironmentReachesCode();
    void richResultsAreTypedOrAbsent();
    void longCodeArrivesWhole();
    void streamedCodePrintsAndEnds();

private:
    void prepare() override { needCapability(Capability::RunCode); }
    RunCodeOptions with() const
    {
        RunCodeOptions result;
        result.language = subject.code.language;
        return result;
    }
    QString printing(const QString &text) { return need(subject.code.print, "code `print`")(text); }
};

void CodeContract::codeRuns()
{
    const ExecResult result = value(sandbox()->runCode(printing(u"from code äöü 😀"_s), with()));
    QCOMPARE(result.text(), u"from code äöü 😀\n"_s);
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.standardError, ""_ba);
    QVERIFY(!result.streamed);
}

void CodeContract::anErrorWhileItRunsIsAResult()
{
    const ExecResult result = value(sandbox()->runCode(need(subject.code.raise, "code `raise`")(), with()));
    QVERIFY(result.exitCode && result.exitCode != 0);
    QVERIFY(!result.standardError.isEmpty());
    QVERIFY_THROWS_EXCEPTION(ExecutionError, result.throwIfFailed());
}

void CodeContract::aSyntaxErrorIsAResult()
{
    const QString wrong = need(subject.code.syntaxError, "code `syntaxError`")();
    const ExecResult result = value(sandbox()->runCode(wrong, with()));
    QVERIFY(result.exitCode && result.exitCode != 0);
    QVERIFY(!result.standardError.isEmpty());
}

void CodeContract::exitCodesComeThrough()
{
    const QString code = need(subject.code.exitWith, "code `exitWith`")(7);
    QCOMPARE(value(sandbox()->runCode(code, with())).exitCode, 7);
}

void CodeContract::anUnknownLanguageNamesThoseThereAre()
{
    RunCodeOptions unknown = with();
    unknown.language = u"cobol"_s;
    const ErrorInfo error = failsAs(ErrorKind::ConfigurationError, sandbox()->runCode(u"x"_s, unknown));
    const QString text = error.message + error.hint;
    for (const QString &language : sandbox()->languages())
        check(text.contains(language), u"%1 is not named: %2"_s.arg(language, error.toText()));
}

void CodeContract::theFirstLanguageIsTheDefault()
{
    QVERIFY(!sandbox()->languages().isEmpty());
    QVERIFY(sandbox()->languages().contains(subject.code.language));
    if (sandbox()->languages().first() != RunCodeOptions().language)
        skip(u"the default language of the API is not the first one here"_s);
    QCOMPARE(value(sandbox()->runCode(printing(u"default"_s))).text(), u"default\n"_s);
}

void CodeContract::codeIsNotInAnyCommandLine()
{
    const auto &processes = need(subject.probes.processes, "probe `processes`");
    const QString canary = u"canary-in-the-code"_s;
    const SandboxPtr own = create();
    const QString hanging = need(subject.code.hang, "code `hang`")(600);
    const Operation<ExecResult> run =
        own->runCode(subject.code.commentPrefix + canary + u'\n' + hanging, with());
    runsInside(own->id(), 1);
    const QString lines = processes(own->id()).join(u'\n');
    check(!lines.contains(canary), u"the code is in a command line: "_s + lines);
    check(!lines.contains(hanging.section(u'\n', -1)), u"the code is in a command line: "_s + lines);
    run.cancel();
    endsAsCancelled(run);
}

void CodeContract::inputIsLeftToTheProgram()
{
    RunCodeOptions fed = with();
    fed.standardInput = "for the program\n"_ba;
    const QString copy = need(subject.code.copyInput, "code `copyInput`")();
    QCOMPARE(value(sandbox()->runCode(copy, fed)).standardOutput, "for the program\n"_ba);
    QCOMPARE(value(sandbox()->runCode(copy, with())).standardOutput, ""_ba);
}

void CodeContract::theEnvironmentReachesCode()
{
    RunCodeOptions fed = with();
    fed.env = {{u"CONTRACT_CODE"_s, u"seen"_s}};
    const QString print = need(subject.code.printVariable, "code `printVariable`")(u"CONTRACT_CODE"_s);
    QCOMPARE(value(sandbox()->runCode(print, fed)).text(), u"seen\n"_s);
}

void CodeContract::richResultsAreTypedOrAbsent()
{
    const ExecResult result = value(sandbox()->runCode(printing(u"only text"_s), with()));
    if (!result.results)
        return;
    for (const RichOutput &output : *result.results) {
        for (const auto &[type, data] : output.bundle.asKeyValueRange()) {
            check(type.contains(u'/'), u"'%1' is no MIME type"_s.arg(type));
            check(data.trimmed() != "only text", u"a result was made up from standard output"_s);
        }
    }
}

void CodeContract::longCodeArrivesWhole()
{
    QString code;
    for (int i = 0; i < 20'000; ++i)
        code += subject.code.commentPrefix + u"line %1 of a long program that does nothing\n"_s.arg(i);
    const ExecResult result = value(sandbox()->runCode(code + printing(u"the end"_s), with()));
    QCOMPARE(result.text(), u"the end\n"_s);
}

void CodeContract::streamedCodePrintsAndEnds()
{
    needCapability(Capability::Streaming);
    const auto process = sandbox()->streamCode(printing(u"streamed"_s), with());
    value(process->start(Process::ConsumerMode::Pull));
    QByteArray output;
    while (const auto chunk = value(process->nextChunk()))
        output += chunk->data;
    QCOMPARE(output, "streamed\n"_ba);
    const ExecResult result = value(process->wait());
    QVERIFY(result.streamed);
    QCOMPARE(result.exitCode, 0);
}

std::unique_ptr<ContractFamily> makeCodeContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<CodeContract>(subject, label);
}

} // namespace Sandboxio

#include "code.moc"

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// sandboxio-fault-proxy: FaultProxy as a program, for tests that kill a client at a chosen point.

#include <csignal>
#include <cstdio>
#include <cstring>

#include <QCommandLineParser>
#include <QCoreApplication>

#include "faultproxy.h"

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

void printLine(const QString &line)
{
    std::fputs((line + u'\n').toLocal8Bit().constData(), stdout);
    std::fflush(stdout);
}

int fail(const QString &text)
{
    std::fputs(("sandboxio-fault-proxy: " + text.toLocal8Bit() + '\n').constData(), stderr);
    return 2;
}

QString describe(const FaultHit &hit)
{
    return u"hit %1 %2 %3 %4 %5"_s.arg(hit.rule + 1)
        .arg(QString::fromLatin1(hit.method), QString::fromLatin1(hit.target))
        .arg(hit.occurrence)
        .arg(phaseName(hit.phase));
}

} // namespace

int main(int argc, char **argv)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr); // inherited by the proxy's threads

    QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.setApplicationDescription(u"Forwards one local socket to another and injects faults. Prints "
                                     u"'listening', then 'hit RULE METHOD PATH "
                                     u"OCCURRENCE PHASE' whenever a rule is met. Ends on SIGTERM."_s);
    parser.addHelpOption();
    parser.addOptions(
        {{u"listen"_s, u"Socket to create."_s, u"path"_s},
         {u"target"_s, u"Socket to forward to."_s, u"path"_s},
         {u"rule"_s, u"METHOD PATHREGEX:OCCURRENCE:PHASE:ACTION[=NUMBER]; may be repeated."_s, u"rule"_s},
         {u"log-requests"_s, u"Also print 'request NUMBER METHOD PATH' for each request."_s}});
    parser.process(application);
    FaultProxy::Options options{.listenPath = parser.value(u"listen"_s),
                                .targetPath = parser.value(u"target"_s)};
    if (options.listenPath.isEmpty() || options.targetPath.isEmpty())
        return fail(u"--listen and --target are needed"_s);
    for (const QString &text : parser.values(u"rule"_s)) {
        const auto rule = FaultRule::parse(text);
        if (!rule)
            return fail(rule.error());
        options.rules.append(*rule);
    }
    options.onHit = [](const FaultHit &hit) {
        printLine(describe(hit));
    };
    if (parser.isSet(u"log-requests"_s)) {
        options.onRequest = [](int number, const QByteArray &method, const QByteArray &target) {
            printLine(u"request %1 %2 %3"_s.arg(number).arg(QString::fromLatin1(method),
                                                            QString::fromLatin1(target)));
        };
    }
    FaultProxy proxy(std::move(options));
    if (!proxy.start())
        return fail(u"cannot listen: %1"_s.arg(QString::fromLocal8Bit(std::strerror(errno))));
    printLine(u"listening"_s);
    int received = 0;
    sigwait(&signals, &received);
    proxy.stop();
    return 0;
}

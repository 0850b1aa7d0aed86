// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "syntaxlibrary.h"

#include <sandboxio/core/handover.h>

#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/Repository>

#include <QCoreApplication>
#include <QPalette>

#include <algorithm>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar filePrefix = u'*'; // of keys that are file names; no language has it

Syntax readSyntax(const QString &key)
{
    Syntax syntax;
    syntax.repository = std::make_shared<KSyntaxHighlighting::Repository>();
    syntax.definition = key.startsWith(filePrefix) ? syntax.repository->definitionForFileName(key.sliced(1))
                                                   : syntax.repository->definitionForName(key);
    std::ignore = syntax.definition.includedDefinitions(); // reads it and what it refers to
    syntax.light = syntax.repository->defaultTheme(KSyntaxHighlighting::Repository::LightTheme);
    syntax.dark = syntax.repository->defaultTheme(KSyntaxHighlighting::Repository::DarkTheme);
    return syntax;
}

} // namespace

const KSyntaxHighlighting::Theme &Syntax::themeFor(const QPalette &palette) const
{
    return palette.color(QPalette::Base).lightness() < palette.color(QPalette::Text).lightness() ? dark : light;
}

SyntaxLibrary::SyntaxLibrary(QObject *parent)
    : QObject(parent)
{
    m_reader.setMaxThreadCount(1);
}

SyntaxLibrary::~SyntaxLibrary()
{
    m_reader.clear();
    m_reader.waitForDone();
}

SyntaxLibrary *SyntaxLibrary::instance()
{
    static QPointer<SyntaxLibrary> library;
    if (!library)
        library = new SyntaxLibrary(QCoreApplication::instance());
    return library;
}

void SyntaxLibrary::find(const QString &name, QObject *context, const Callback &ready)
{
    request(name, context, ready);
}

void SyntaxLibrary::findForFile(const QString &fileName, QObject *context, const Callback &ready)
{
    request(filePrefix + fileName, context, ready);
}

void SyntaxLibrary::request(const QString &key, QObject *context, const Callback &ready)
{
    if (const auto known = m_known.constFind(key); known != m_known.constEnd()) {
        postCall(context, [ready, syntax = *known] { ready(syntax); });
        return;
    }
    QList<Waiting> &waiting = m_waiting[key];
    waiting.append({context, ready});
    if (waiting.size() > 1)
        return;
    const HandOver handOver(this);
    m_reader.start(takingOver(this, [this, key] {
        const Syntax syntax = readSyntax(key);
        postCall(this, [this, key, syntax] { deliver(key, syntax); });
    }));
}

void SyntaxLibrary::deliver(const QString &key, const Syntax &read)
{
    // Many files share a language: one repository for it is enough.
    const auto same = std::ranges::find(m_known, read.definition, &Syntax::definition);
    const Syntax syntax = same != m_known.end() ? *same : read;
    m_known.insert(key, syntax);
    const QList<Waiting> waiting = m_waiting.take(key);
    for (const Waiting &one : waiting) {
        if (one.context)
            one.ready(syntax);
    }
}

} // namespace Sandboxio::Desktop

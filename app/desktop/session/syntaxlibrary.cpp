// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "syntaxlibrary.h"

#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/Repository>

#include <QCoreApplication>
#include <QFileInfo>
#include <QPalette>

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
    // Files with the same suffix share their language; a name without one may mean something by itself.
    const QString suffix = QFileInfo(fileName).suffix();
    request(filePrefix + (suffix.isEmpty() ? fileName : u"x."_s + suffix), context, ready);
}

void SyntaxLibrary::request(const QString &key, QObject *context, const Callback &ready)
{
    if (const auto known = m_known.constFind(key); known != m_known.constEnd()) {
        QMetaObject::invokeMethod(context, [ready, syntax = *known] { ready(syntax); }, Qt::QueuedConnection);
        return;
    }
    QList<Waiting> &waiting = m_waiting[key];
    waiting.append({context, ready});
    if (waiting.size() > 1)
        return;
    m_reader.start([this, key] {
        const Syntax syntax = readSyntax(key);
        QMetaObject::invokeMethod(this, [this, key, syntax] { deliver(key, syntax); }, Qt::QueuedConnection);
    });
}

void SyntaxLibrary::deliver(const QString &key, const Syntax &syntax)
{
    m_known.insert(key, syntax);
    const QList<Waiting> waiting = m_waiting.take(key);
    for (const Waiting &one : waiting) {
        if (one.context)
            one.ready(syntax);
    }
}

} // namespace Sandboxio::Desktop

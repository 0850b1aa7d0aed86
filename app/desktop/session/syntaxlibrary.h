// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Theme>

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace KSyntaxHighlighting {
class Repository;
}

namespace Sandboxio::Desktop {

/*! A language with everything that highlighting it needs, read and ready. */
struct Syntax
{
    KSyntaxHighlighting::Definition definition; //!< invalid: plain text
    KSyntaxHighlighting::Theme light;
    KSyntaxHighlighting::Theme dark;
    std::shared_ptr<KSyntaxHighlighting::Repository> repository; //!< owns the rest

    const KSyntaxHighlighting::Theme &themeFor(const QPalette &palette) const;
};

/*! Reads syntax definitions in a thread of its own: reading one, and the themes, costs more than an event may.
    A repository is used by one thread at a time: each language is read into a new one, which is handed over. */
class SyntaxLibrary : public QObject
{
    Q_OBJECT
public:
    /*! The library of the application; lives as long as the application object. */
    static SyntaxLibrary *instance();
    ~SyntaxLibrary() override;

    using Callback = std::function<void(const Syntax &)>;
    /*! Calls \a ready with the language \a name ("python", "bash"…), later, unless \a context is gone. */
    void find(const QString &name, QObject *context, const Callback &ready);
    /*! As find(), for the language of files like \a fileName. */
    void findForFile(const QString &fileName, QObject *context, const Callback &ready);

private:
    struct Waiting
    {
        QPointer<QObject> context;
        Callback ready;
    };
    explicit SyntaxLibrary(QObject *parent);
    void request(const QString &key, QObject *context, const Callback &ready);
    void deliver(const QString &key, const Syntax &read);

    QHash<QString, Syntax> m_known;
    QHash<QString, QList<Waiting>> m_waiting;
    QThreadPool m_reader;
};

} // namespace Sandboxio::Desktop

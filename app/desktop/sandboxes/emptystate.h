// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/runtime/doctorreport.h>

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace Sandboxio::Desktop {

/*! What stands where a list would be: an icon, one sentence, what was found, one main button and perhaps
 * another. */
class EmptyState : public QWidget
{
    Q_OBJECT
public:
    explicit EmptyState(QWidget *parent = nullptr);

    struct Button
    {
        QString text; //!< with mnemonic; empty: no button
        std::function<void()> callback;
    };
    void present(const QIcon &icon, const QString &title, const QString &text, const Button &main,
                 const Button &other = {});
    /*! Lists what a diagnosis of the targets found, with the fixes. */
    void setFindings(const QList<TargetReport> &reports);
    void clearFindings();

private:
    void setButton(QPushButton *button, const Button &content);
    void addFinding(const Diagnosis &line);

    QLabel *m_icon;
    QLabel *m_title;
    QLabel *m_text;
    QWidget *m_findings;
    QVBoxLayout *m_findingsLayout;
    QPushButton *m_main;
    QPushButton *m_other;
    std::function<void()> m_mainCallback;
    std::function<void()> m_otherCallback;
};

} // namespace Sandboxio::Desktop

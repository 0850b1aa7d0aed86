// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "targetbuttons.h"

#include "icons.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

using Status = SandboxListModel::TargetStatus;

QString statusText(const Status &status)
{
    const QString place = status.target.toDsn();
    switch (status.kind) {
    case Status::Kind::Live:
        return TargetButtons::tr("%1 connected").arg(place);
    case Status::Kind::Lost:
        return TargetButtons::tr("%1 not connected").arg(place);
    case Status::Kind::Waiting:
        break;
    }
    return TargetButtons::tr("%1 connecting").arg(place);
}

QIcon statusIcon(const Status &status)
{
    switch (status.kind) {
    case Status::Kind::Live:
        return themeIcon(u"network-connect"_s, QStyle::SP_DialogApplyButton);
    case Status::Kind::Lost:
        return themeIcon(u"network-disconnect"_s, QStyle::SP_MessageBoxWarning);
    case Status::Kind::Waiting:
        break;
    }
    return themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload);
}

} // namespace

TargetButtons::TargetButtons(const SandboxListModel *model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
{
    setAccessibleName(tr("Connections"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    connect(model, &SandboxListModel::targetStatusChanged, this, &TargetButtons::rebuild);
    rebuild();
}

void TargetButtons::rebuild()
{
    const QList<Status> all = m_model->targetStatus();
    QStringList texts;
    for (const Status &status : all)
        texts += statusText(status);
    if (texts == m_shown)
        return;
    m_shown = texts;
    const auto old = findChildren<QToolButton *>(Qt::FindDirectChildrenOnly);
    for (QToolButton *button : old)
        button->deleteLater();
    for (const Status &status : all) {
        auto *button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIcon(statusIcon(status));
        button->setText(statusText(status));
        button->setAccessibleName(statusText(status));
        button->setToolTip(status.kind == Status::Kind::Lost ? status.error.message + u'\n' + status.error.hint
                                                             : QString());
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::clicked, this, &TargetButtons::activated);
        layout()->addWidget(button);
    }
}

} // namespace Sandboxio::Desktop

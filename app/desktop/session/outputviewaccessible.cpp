// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputviewaccessible.h"

#include "outputview.h"

#include <QAccessibleWidget>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

class OutputViewAccessible : public QAccessibleWidget
{
public:
    explicit OutputViewAccessible(OutputView *view)
        : QAccessibleWidget(view, QAccessible::StaticText)
    {}
    QString text(QAccessible::Text kind) const override
    {
        if (kind == QAccessible::Value)
            return static_cast<OutputView *>(widget())->visibleText();
        return QAccessibleWidget::text(kind);
    }
};

QAccessibleInterface *create(const QString &, QObject *object)
{
    auto *view = qobject_cast<OutputView *>(object);
    return view ? new OutputViewAccessible(view) : nullptr;
}

} // namespace

void installOutputViewAccessibility()
{
    QAccessible::installFactory(create);
}

} // namespace Sandboxio::Desktop

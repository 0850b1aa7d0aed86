// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell/desktopoptions.h"
#include "steprunner.h"

namespace Sandboxio::Desktop {

/*! Takes the pictures of the documentation: the real window on the real backend with sandboxes that it makes
    and kills. Uses the first target of the options, or the first usable one. */
class ScreenshotScript : public Script
{
    Q_OBJECT
public:
    explicit ScreenshotScript(const DesktopOptions &options, QObject *parent = nullptr);

protected:
    void prepare() override;

private:
    void createSandbox(const QString &project, const QString &job, std::chrono::minutes lifetime);
    void save(const QString &name);

    DesktopOptions m_options;
};

} // namespace Sandboxio::Desktop

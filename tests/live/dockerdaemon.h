// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/engine.h>

#include <QStringList>

namespace Sandboxio::Live {

/*! The label value that everything of this test run carries. */
QString testRun();
/*! The image that the tests use. */
QString testImage();
/*! The local socket of the daemon; empty when it is not on one. */
QString daemonSocket();
/*! Why there is no daemon to test with; empty when one answers and has the test image. */
QString missingDaemon();
/*! The same for another \a image. */
QString missingImage(const QString &image);
/*! The docker command line: what it printed; fails the test when it fails. */
QByteArray docker(const QStringList &arguments);
/*! Pauses the container  id from outside. */
void pause(const QString &id);
/*! Ids of the containers, of whatever state, that carry the label \a name with \a value. */
QStringList containersWith(const QString &name, const QString &value);
/*! The error of \a run, which must fail; otherwise one that says what it printed. */
ErrorInfo errorOf(const Operation<ExecResult> &run);
/*! The target and options that every sandbox of the tests is made with. */
Target target();
CreateOptions createOptions(const QString &subject);

} // namespace Sandboxio::Live

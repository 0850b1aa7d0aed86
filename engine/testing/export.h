// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#ifdef SANDBOXIO_TESTING_LIBRARY
#define SANDBOXIO_TESTING_EXPORT Q_DECL_EXPORT
#else
#define SANDBOXIO_TESTING_EXPORT Q_DECL_IMPORT
#endif

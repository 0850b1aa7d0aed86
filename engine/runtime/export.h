// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#ifdef SANDBOXIO_RUNTIME_LIBRARY
#define SANDBOXIO_RUNTIME_EXPORT Q_DECL_EXPORT
#else
#define SANDBOXIO_RUNTIME_EXPORT Q_DECL_IMPORT
#endif

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#ifdef SANDBOXIO_MODELS_LIBRARY
#define SANDBOXIO_MODELS_EXPORT Q_DECL_EXPORT
#else
#define SANDBOXIO_MODELS_EXPORT Q_DECL_IMPORT
#endif

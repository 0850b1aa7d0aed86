// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

constexpr auto variable = "SANDBOXIO_TEST_FAKE_KEY";

/*! The fake behind a credential; without it the fix is \a hint. */
BrokenAdapter withCredential(const char *family, const char *name, const QString &hint)
{
    BrokenAdapter adapter = brokenBackend<ForwardingBackend>(family, name);
    adapter.credentials = {QString::fromLatin1(variable)};
    adapter.wrap = [inner = adapter.wrap, hint](const Setting &setting, std::unique_ptr<BackendPort> port) {
        if (qEnvironmentVariableIsEmpty(variable))
            makeError(ErrorKind::AuthError, u"The provider has no key."_s, hint).raise();
        return inner(setting, std::move(port));
    };
    return adapter;
}

} // namespace

QList<BrokenAdapter> brokenCredentials()
{
    return {
        passes(
            withCredential("", "a missing credential is named", u"Set %1."_s.arg(QLatin1StringView(variable))),
            "the credential that the other one does not name"),
        withCredential("errors", "a missing credential is not named", u"Set the key of the provider."_s),
    };
}

} // namespace Sandboxio::Broken

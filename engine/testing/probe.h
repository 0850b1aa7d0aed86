// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <concepts>
#include <functional>
#include <memory>
#include <utility>

namespace Sandboxio {

/*! A fault of the provider: in force as long as somebody holds it. */
using Fault = std::shared_ptr<void>;

/*! Makes a Fault that calls \a end when the last holder lets go. */
inline Fault faultUntil(std::function<void()> end)
{
    // The address only has to be something: a null pointer would not call the deleter's owner a fault.
    static char anchor = 0;
    return Fault(&anchor, [end = std::move(end)](void *) { end(); });
}

template <typename Signature>
class Probe;

/*! Something that only the author of an adapter can do to its provider or look at there. A probe that is
    missing skips the rows that need it, visibly, with the reason.

    \code
    probes.lose = [provider](const QString &id) { provider->remove(id); };
    probes.rateLimit = Probe<Fault()>::missing(u"the provider has no rate limit"_s);
    \endcode */
template <typename Result, typename... Arguments>
class Probe<Result(Arguments...)>
{
public:
    Probe() = default;
    template <typename Callable>
        requires std::invocable<Callable, Arguments...> && (!std::same_as<std::decay_t<Callable>, Probe>)
    Probe(Callable callable)
        : m_function(std::move(callable))
    {}
    /*! A probe that this adapter cannot give because of \a reason. */
    static Probe missing(const QString &reason)
    {
        Probe probe;
        probe.m_reason = reason;
        return probe;
    }

    explicit operator bool() const { return static_cast<bool>(m_function); }
    /*! Why it is missing; empty when nobody said. */
    QString reason() const { return m_reason; }
    Result operator()(Arguments... arguments) const
    {
        return m_function(std::forward<Arguments>(arguments)...);
    }

private:
    std::function<Result(Arguments...)> m_function;
    QString m_reason;
};

} // namespace Sandboxio

// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "events.h"

#include "eventline.h"
#include "texts.h"

#include <algorithm>
#include <utility>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto shortestPause = std::chrono::milliseconds(250);
constexpr auto longestPause = std::chrono::milliseconds(10'000);

/*! One consumer's connection, made again whenever it breaks. */
class Subscription final : public QObject, public EventSubscription
{
public:
    Subscription(std::shared_ptr<Api> api, EngineContext *engine,
                 std::function<void(const BackendEvent &)> handler)
        : m_api(std::move(api))
        , m_engine(engine)
        , m_handler(std::move(handler))
    {
        open();
    }

private:
    void open()
    {
        const Call call{.purpose = {ErrorKind::ConnectError, Text::tr("watch the containers")},
                        .limit = std::chrono::milliseconds(0)};
        const LineHandlers handlers{.opened = [this] { opened(); },
                                    .line = [this](const QByteArray &line) { receive(line); },
                                    .ended =
                                        [this](const std::optional<ErrorInfo> &error) {
                                            lost(error);
                                        }};
        m_stream = m_api->streamLines("GET"_ba, u"/events"_s, eventQuery(), handlers, call);
    }
    void report(const BackendEvent &event)
    {
        const auto handler = m_handler; // a copy: it may destroy the subscription
        handler(event);
    }
    void opened()
    {
        m_pause = shortestPause;
        m_lost = false;
        report({.kind = BackendEvent::Kind::Resync, .id = {}, .error = {}});
    }
    void receive(const QByteArray &line)
    {
        if (const auto event = backendEvent(line))
            report(*event);
    }
    void lost(const std::optional<ErrorInfo> &error)
    {
        const auto reopen = [this] {
            open();
        }; // destroys the stream that reports this: never inline
        m_timer = m_engine->clock->arm(this, m_pause, reopen);
        m_pause = std::min(2 * m_pause, longestPause);
        if (std::exchange(m_lost, true))
            return; // one message for an outage, not one for each attempt
        const ErrorInfo ended =
            makeError(ErrorKind::ConnectError, Text::tr("The Docker daemon ended the event stream."),
                      Text::tr("It is subscribed again by itself."));
        report({.kind = BackendEvent::Kind::Lost, .id = {}, .error = error.value_or(ended)});
    }

    std::shared_ptr<Api> m_api;
    EngineContext *m_engine;
    std::function<void(const BackendEvent &)> m_handler;
    std::unique_ptr<LineStream> m_stream;
    std::unique_ptr<ArmedTimer> m_timer;
    std::chrono::milliseconds m_pause = shortestPause;
    bool m_lost = false;
};

} // namespace

Events::Events(std::shared_ptr<Api> api, EngineContext *engine)
    : m_api(std::move(api))
    , m_engine(engine)
{}

std::unique_ptr<EventSubscription> Events::subscribe(std::function<void(const BackendEvent &)> handler)
{
    return std::make_unique<Subscription>(m_api, m_engine, std::move(handler));
}

} // namespace Sandboxio::Docker

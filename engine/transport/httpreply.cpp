// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "httpreply.h"

#include "httpclient.h"
#include "httpconnection.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

HttpReply::HttpReply(HttpRequest request, HttpClient *client)
    : QObject(client)
    , m_request(std::move(request))
    , m_client(client)
{}

HttpReply::~HttpReply()
{
    m_client->release(this);
}

void HttpReply::cancel()
{
    m_client->cancel(this, {TransportError::Kind::Cancelled, u"The request was cancelled."_s, {}});
}

void HttpReply::pause()
{
    m_paused = true;
    if (m_connection)
        m_connection->pause();
}

void HttpReply::resume()
{
    m_paused = false;
    if (m_connection)
        m_connection->resume();
}

std::unique_ptr<UpgradedStream> HttpReply::takeUpgradedStream()
{
    return std::move(m_upgradedStream);
}

} // namespace Sandboxio

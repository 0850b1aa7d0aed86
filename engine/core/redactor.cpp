// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "redactor.h"

#include <QUrl>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

void Redactor::add(const Secret &value)
{
    if (value.size() < minimumSecretSize)
        return;
    const QMutexLocker locker(&m_mutex);
    const QByteArray plain = value.reveal();
    for (const QByteArray &form : {plain, plain.toBase64(), plain.toPercentEncoding()}) {
        if (!m_needles.contains(form))
            m_needles.append(form);
    }
    std::ranges::stable_sort(m_needles, std::ranges::greater{}, &QByteArray::size);
}

void Redactor::addEnvironment(const QMap<QString, QString> &environment)
{
    for (const auto &[name, value] : environment.asKeyValueRange()) {
        if (looksLikeCredential(name))
            add(Secret(value.toUtf8()));
    }
}

QByteArray Redactor::redact(QByteArray text) const
{
    const QMutexLocker locker(&m_mutex);
    for (const QByteArray &needle : m_needles)
        text.replace(needle, "\u2022\u2022\u2022"_ba);
    return text;
}

QString Redactor::redact(QString text) const
{
    return QString::fromUtf8(redact(text.toUtf8()));
}

bool looksLikeCredential(const QString &name)
{
    for (const QLatin1StringView word :
         {"key"_L1, "token"_L1, "secret"_L1, "passw"_L1, "credential"_L1, "auth"_L1}) {
        if (name.contains(word, Qt::CaseInsensitive))
            return true;
    }
    return false;
}

} // namespace Sandboxio

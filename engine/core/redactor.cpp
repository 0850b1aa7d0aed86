// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "redactor.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QUrl>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

// How a text may hold the value: as it is, and as Base64, URLs and JSON write it.
QList<QByteArray> formsOf(const QByteArray &plain)
{
    constexpr auto unpadded = QByteArray::OmitTrailingEquals;
    const QByteArray json = QJsonDocument(QJsonArray{QString::fromUtf8(plain)}).toJson(QJsonDocument::Compact);
    return {plain,
            plain.toBase64(),
            plain.toBase64(unpadded),
            plain.toBase64(QByteArray::Base64UrlEncoding | unpadded),
            plain.toPercentEncoding(),
            json.sliced(2, json.size() - 4)}; // without [" and "]
}

// Values that such variables have and that name nothing secret: TOKENIZERS_PARALLELISM=false.
bool isOrdinaryWord(const QString &value)
{
    for (const QLatin1StringView word : {"true"_L1, "false"_L1, "none"_L1, "null"_L1, "auto"_L1}) {
        if (value.compare(word, Qt::CaseInsensitive) == 0)
            return true;
    }
    return false;
}

} // namespace

void Redactor::insertLocked(const QByteArray &needle)
{
    const auto place = std::ranges::lower_bound(m_needles, needle);
    if (place == m_needles.end() || *place != needle)
        m_needles.insert(place, needle);
}

void Redactor::add(const Secret &value)
{
    if (value.size() < minimumSecretSize)
        return;
    const QList<QByteArray> forms = formsOf(value.reveal());
    const QMutexLocker locker(&m_mutex);
    for (const QByteArray &form : forms)
        insertLocked(form);
}

void Redactor::addEnvironment(const QMap<QString, QString> &environment)
{
    for (const auto &[name, value] : environment.asKeyValueRange()) {
        if (looksLikeCredential(name) && !isOrdinaryWord(value))
            add(Secret(value.toUtf8()));
    }
}

// The size of the longest needle that \a text begins with; 0 for none.
qsizetype Redactor::matchLocked(QByteArrayView text) const
{
    // Everything that text begins with sorts before it, the longest last, among what shares its first bytes.
    const auto less = [](QByteArrayView left, QByteArrayView right) {
        return left < right;
    };
    auto candidate = std::upper_bound(m_needles.begin(), m_needles.end(), text, less);
    while (candidate != m_needles.begin()) {
        --candidate;
        if (text.startsWith(*candidate))
            return candidate->size();
        if (!candidate->startsWith(text.first(minimumSecretSize)))
            break;
    }
    return 0;
}

QByteArray Redactor::redact(QByteArray text) const
{
    const QMutexLocker locker(&m_mutex);
    QByteArray safe;
    qsizetype kept = 0;
    qsizetype at = 0;
    while (!m_needles.isEmpty() && at + minimumSecretSize <= text.size()) {
        const qsizetype length = matchLocked(QByteArrayView(text).sliced(at));
        if (length == 0) {
            ++at;
            continue;
        }
        safe += QByteArrayView(text).sliced(kept, at - kept);
        safe += "\u2022\u2022\u2022";
        at += length;
        kept = at;
    }
    return kept == 0 ? text : safe + text.sliced(kept);
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

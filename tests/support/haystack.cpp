// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "haystack.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

using namespace Qt::StringLiterals;

namespace {

// The forms that a value can have in a text, computed on their own: the engine's redactor is what is tested.
QMap<QString, QByteArray> formsOf(const QByteArray &value)
{
    const auto inJson = [](const QByteArray &text) { // without [" and "]
        return QJsonDocument(QJsonArray{QString::fromUtf8(text)})
            .toJson(QJsonDocument::Compact)
            .mid(2)
            .chopped(2);
    };
    return {{u"as it is"_s, value},
            {u"in Base64"_s, value.toBase64(QByteArray::OmitTrailingEquals)},
            {u"in Base64 for URLs"_s,
             value.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)},
            {u"percent-encoded"_s, value.toPercentEncoding()},
            {u"in JSON"_s, inJson(value)},
            {u"in JSON within JSON"_s, inJson(inJson(value))},
            {u"in UTF-16"_s, QByteArray(reinterpret_cast<const char *>(QString::fromUtf8(value).utf16()),
                                        QString::fromUtf8(value).size() * 2)},
            {u"in hexadecimal"_s, value.toHex()}};
}

Haystack *captured = nullptr;

} // namespace

LogCapture::LogCapture(Haystack &haystack)
{
    captured = &haystack;
    m_before = qInstallMessageHandler([](QtMsgType, const QMessageLogContext &context, const QString &message) {
        captured->add(u"log "_s + QString::fromUtf8(context.category), message);
    });
}

LogCapture::~LogCapture()
{
    qInstallMessageHandler(m_before);
}

void Haystack::plant(const QString &name, const QByteArray &value)
{
    const std::lock_guard lock(m_mutex);
    m_canaries.insert(name, value);
}

void Haystack::add(const QString &place, const QByteArray &text)
{
    const std::lock_guard lock(m_mutex);
    m_texts[place] += text + '\n';
}

void Haystack::addFolder(const QString &place, const QString &folder)
{
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly))
            add(place + u' ' + file.fileName().section(u'/', -1), file.readAll());
    }
}

QByteArray Haystack::text(const QString &place) const
{
    const std::lock_guard lock(m_mutex);
    return m_texts.value(place);
}

QByteArray Haystack::findings() const
{
    const std::lock_guard lock(m_mutex);
    QByteArray report;
    for (const auto &[name, value] : m_canaries.asKeyValueRange()) {
        for (const auto &[form, bytes] : formsOf(value).asKeyValueRange()) {
            for (const auto &[place, text] : m_texts.asKeyValueRange()) {
                const qsizetype at = text.indexOf(bytes);
                if (at >= 0)
                    report +=
                        u"%1 stands %2 in %3: …%4\n"_s
                            .arg(name, form, place,
                                 QString::fromUtf8(text.mid(qMax(qsizetype(0), at - 60), 60)).simplified())
                            .toUtf8();
            }
        }
    }
    return report;
}

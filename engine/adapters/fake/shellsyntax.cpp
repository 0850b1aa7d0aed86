// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "shellsyntax_p.h"

#include <QRegularExpression>

#include <optional>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

class Parser
{
public:
    explicit Parser(const QString &text)
        : m_text(text)
    {}

    std::expected<QList<ShellCommand>, QString> parse()
    {
        while (!m_error && skipBlanks()) {
            if (!parseSeparator() && !parseRedirection())
                parseWord();
        }
        if (m_error)
            return std::unexpected(*m_error);
        if (m_current.when != ShellCommand::When::Always && isEmpty())
            return std::unexpected(u"Syntax error: end of file unexpected"_s);
        finish(ShellCommand::When::Always);
        if (m_error)
            return std::unexpected(*m_error);
        return m_commands;
    }

private:
    QChar at(qsizetype offset = 0) const
    {
        return m_position + offset < m_text.size() ? m_text[m_position + offset] : QChar();
    }
    bool take(QLatin1StringView token)
    {
        if (!QStringView(m_text).sliced(m_position).startsWith(token))
            return false;
        m_position += token.size();
        return true;
    }
    void fail(const QString &message)
    {
        if (!m_error)
            m_error = message;
    }
    void unexpected(const QString &token) { fail(u"Syntax error: \"%1\" unexpected"_s.arg(token)); }
    bool isEmpty() const { return m_current.words.isEmpty() && m_current.redirections.isEmpty(); }

    bool skipBlanks()
    {
        while (at() == u' ' || at() == u'\t')
            ++m_position;
        if (at() == u'#') {
            while (m_position < m_text.size() && at() != u'\n')
                ++m_position;
        }
        return m_position < m_text.size();
    }
    // Words that change how the rest is read: passing them by would make wrong scripts look right.
    void refuseUnknownLanguage()
    {
        static const QRegularExpression language(
            u"^(?:[A-Za-z_]\\w*=.*|if|then|else|elif|fi|for|while|until|do|done|case|esac|function|!)$"_s,
            QRegularExpression::DotMatchesEverythingOption);
        if (m_current.words.isEmpty() || m_current.words.first().isEmpty())
            return;
        const WordPart &first = m_current.words.first().first();
        if (first.expands && language.match(first.text).hasMatch())
            fail(u"Syntax error: the fake's shell does not know \"%1\""_s.arg(first.text));
    }
    void finish(ShellCommand::When next)
    {
        refuseUnknownLanguage();
        if (!isEmpty())
            m_commands.append(m_current);
        m_current = {};
        m_current.when = next;
    }
    bool parseSeparator()
    {
        if (take("\n"_L1)) {
            if (!isEmpty())
                finish(ShellCommand::When::Always);
            return true;
        }
        const bool conditional = at() == at(1) && (at() == u'&' || at() == u'|');
        if (!conditional && at() != u';' && at() != u'&')
            return false;
        if (isEmpty()) {
            unexpected(at());
            return true;
        }
        if (take("&&"_L1)) {
            finish(ShellCommand::When::AfterSuccess);
        } else if (take("||"_L1)) {
            finish(ShellCommand::When::AfterFailure);
        } else {
            m_current.background = at() == u'&';
            ++m_position;
            finish(ShellCommand::When::Always);
        }
        return true;
    }
    bool parseRedirection()
    {
        Redirection redirection;
        const bool error = at() == u'2' && at(1) == u'>';
        const bool output = at() == u'1' && at(1) == u'>';
        if (!error && !output && at() != u'>')
            return false;
        if (error || output)
            ++m_position;
        redirection.ofError = error;
        if (take(">&2"_L1)) {
            redirection.kind = Redirection::Kind::ToStandardError;
        } else if (take(">&1"_L1)) {
            redirection.kind = Redirection::Kind::ToStandardOutput;
        } else {
            redirection.kind = take(">>"_L1) ? Redirection::Kind::AppendToFile : Redirection::Kind::ToFile;
            if (redirection.kind == Redirection::Kind::ToFile)
                take(">"_L1);
            skipBlanks();
            redirection.target = readWord();
            if (redirection.target.isEmpty())
                unexpected(u"newline"_s);
        }
        m_current.redirections.append(redirection);
        return true;
    }
    void parseWord()
    {
        const Word word = readWord();
        if (word.isEmpty())
            fail(u"Syntax error: the fake's shell does not know \"%1\""_s.arg(at()));
        else
            m_current.words.append(word);
    }
    Word readWord()
    {
        Word word;
        while (m_position < m_text.size() && !m_error) {
            if (at() == u'\'' || at() == u'"')
                word.append(readQuoted());
            else if (at() == u'\\' && m_position + 1 < m_text.size())
                word.append({m_text.sliced(std::exchange(m_position, m_position + 2) + 1, 1), false});
            else if (u" \t\n;&|<>()`*?[]{}"_s.contains(at()) && !belongsToVariable())
                break;
            else
                appendCharacter(word);
        }
        return word;
    }
    // ${NAME} and $? belong to a word although braces and globs are not known otherwise.
    bool belongsToVariable() const
    {
        if (at() == u'{' || at() == u'?')
            return m_position > 0 && m_text[m_position - 1] == u'$';
        const qsizetype open = m_text.lastIndexOf(u'{', m_position);
        return at() == u'}' && open > 0 && m_text[open - 1] == u'$' &&
               !m_text.sliced(open, m_position - open).contains(u' ');
    }
    void appendCharacter(Word &word)
    {
        if (word.isEmpty() || !word.last().expands)
            word.append({{}, true});
        word.last().text += m_text[m_position++];
    }
    WordPart readQuoted()
    {
        const QChar quote = m_text[m_position++];
        WordPart part{{}, quote == u'"'};
        while (m_position < m_text.size() && at() != quote) {
            const bool escaped = quote == u'"' && at() == u'\\' && u"\"\\"_s.contains(at(1)) && !at(1).isNull();
            if (escaped)
                ++m_position;
            part.text += m_text[m_position++];
        }
        if (m_position >= m_text.size())
            fail(u"Syntax error: Unterminated quoted string"_s);
        ++m_position;
        return part;
    }

    QString m_text;
    qsizetype m_position = 0;
    QList<ShellCommand> m_commands;
    ShellCommand m_current;
    std::optional<QString> m_error;
};

} // namespace

std::expected<QList<ShellCommand>, QString> parseShell(const QString &text)
{
    return Parser(text).parse();
}

} // namespace Sandboxio::Fake

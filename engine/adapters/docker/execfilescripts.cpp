// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execfilescripts.h"

#include <sandboxio/core/path.h>

#include <QTimeZone>

#include <cerrno>
#include <sys/stat.h>

namespace Sandboxio::Docker::FileScript {

using namespace Qt::StringLiterals;

namespace {

// Arguments that are paths come as printf's %b takes them. A full stop keeps line breaks at their ends.
constexpr QLatin1StringView common = R"sh(
LC_ALL=C
export LC_ALL
fail() { echo "$1" >&2; exit 1; }
path() { p=$(printf '%b.' "$1"); p=${p%.}; }
# One record: S, the facts, the name and a slash.
facts() { stat -c 'S%f %s %u %U %Y %n/' -- "$@"; }
# L, the name, a slash, the target and a NUL for those that are links.
targets() {
    for l in "$@"; do
        [ -L "$l" ] || continue
        t=$(readlink "$l"; echo .)
        t=${t%.} t=${t%?}
        printf 'L%s/%s\0' "$l" "$t"
    done
}
there() { stat -c '' -- "$1" >/dev/null || exit 1; }
# Where writing to $p would write, its directory and $t, its temporary neighbour.
beside() {
    [ -L "$p" ] && { p=$(readlink -f -- "$p"; echo .) p=${p%.} p=${p%?}; [ -n "$p" ] || fail 'No such file or directory'; }
    d=${p%/*}
    d=${d:-/}
    there "$d/."
    t=$d/$1
}
# The same where a file can be put.
place() {
    beside "$1"
    [ -d "$p" ] && fail 'Is a directory'
    [ -e "$p" ] && [ ! -f "$p" ] && fail 'Operation not supported'
    return 0
}
)sh"_L1;

constexpr QLatin1StringView probeScript = R"sh(
for n in cat chmod chown mkdir mv readlink rm rmdir stat; do command -v "$n" >/dev/null || exit 1; done
[ "$(printf '%b' 'a\0101')" = aA ] || exit 1
case $(facts /) in S4[0-9a-f]*' '[0-9]*' 0 '*' '[0-9]*' //') exit 0 ;; esac
exit 1
)sh"_L1;

constexpr QLatin1StringView statScript = R"sh(
path "$1"
d=${p%/*}
n=${p##*/}
there "$p"
# Under its name alone, so that a slash ends it.
if [ -n "$n" ]; then cd -P "${d:-/}" 2>/dev/null || fail 'Permission denied'; else cd / && n=.; fi
facts "./$n" || exit 1
targets "./$n"
)sh"_L1;

constexpr QLatin1StringView listScript = R"sh(
path "$1"
there "$p/."
cd "$p" 2>/dev/null && [ -r . ] || fail 'Permission denied'
# An entry that vanished is told by 1; anything else leaves entries out.
tell() {
    facts "$@" 2>/dev/null || [ $? -le 1 ] || fail 'Input/output error'
    targets "$@" 2>/dev/null
}
set --
c=0
for f in ./* ./.[!.]* ./..?*; do
    [ -e "$f" ] || [ -L "$f" ] || continue
    set -- "$@" "$f"
    c=$((c + 1))
    [ "$c" -lt 200 ] && continue
    tell "$@"
    set --
    c=0
done
[ "$c" -eq 0 ] || tell "$@"
exit 0
)sh"_L1;

constexpr QLatin1StringView readScript = R"sh(
path "$1"
stat -L -c %s -- "$p" || exit 1
[ -d "$p" ] && fail 'Is a directory'
[ -f "$p" ] || fail 'Operation not supported'
exec cat -- "$p"
)sh"_L1;

constexpr QLatin1StringView uploadScript = R"sh(
path "$1"
place "$2"
set -C
umask 077
: >"$t" || exit 1
set +C
echo ready
exec cat >"$t"
)sh"_L1;

// $3: size; $4: mode, octal, or empty.
constexpr QLatin1StringView commitScript = R"sh(
path "$1"
place "$2"
s=$(stat -c %s -- "$t") || exit 1
[ "$s" = "$3" ] || fail 'Input/output error'
if [ -e "$p" ]; then
    o=$(stat -c %u:%g -- "$p") && m=$(stat -c %a -- "$p") || exit 1
    [ "$o" = "$(stat -c %u:%g -- "$t")" ] || chown "$o" "$t" || exit 1
else
    m=${4:-$(printf %o $((0666 & ~$(umask))))}
fi
chmod "$m" "$t" && mv -f -- "$t" "$p"
)sh"_L1;

constexpr QLatin1StringView discardScript = R"sh(
path "$1"
beside "$2"
rm -f -- "$t"
)sh"_L1;

constexpr QLatin1StringView makeDirectoryScript = R"sh(
path "$1"
mkdir $2 -- "$p"
)sh"_L1;

constexpr QLatin1StringView removeScript = R"sh(
path "$1"
there "$p"
if [ -n "$2" ]; then
    rm -rf -- "$p"
elif [ -d "$p" ] && [ ! -L "$p" ]; then
    rmdir -- "$p"
else
    rm -f -- "$p"
fi
)sh"_L1;

constexpr QLatin1StringView moveScript = R"sh(
path "$2"
w=$p
path "$1"
there "$p"
d=${w%/*}
there "${d:-/}/."
{ [ -e "$w" ] || [ -L "$w" ]; } && fail 'File exists'
[ "$(stat -c %d -- "$p")" = "$(stat -c %d -- "${d:-/}/.")" ] || fail 'Invalid cross-device link'
mv -n -- "$p" "$w" || exit 1
if [ -e "$p" ] || [ -L "$p" ]; then fail 'File exists'; fi
)sh"_L1;

constexpr QLatin1StringView makeLinkScript = R"sh(
path "$1"
w=$p
path "$2"
d=${p%/*}
there "${d:-/}/."
{ [ -e "$p" ] || [ -L "$p" ]; } && fail 'File exists'
ln -s -- "$w" "$p"
)sh"_L1;

constexpr QLatin1StringView changeModeScript = R"sh(
path "$1"
chmod "$2" -- "$p"
)sh"_L1;

QString escaped(const QByteArray &path)
{
    QString text;
    for (const char byte : path) {
        const auto code = static_cast<unsigned char>(byte);
        const bool isPlain = code < 0x7f && (QChar::isLetterOrNumber(code) || "/._-"_ba.contains(byte));
        text += isPlain ? QString(QLatin1Char(byte)) : u"\\0%1"_s.arg(code, 3, 8, '0'_L1);
    }
    return text;
}

QStringList shell(QLatin1StringView script, const QStringList &arguments = {})
{
    const QString text = QString(common).trimmed() + u'\n' + QString(script).trimmed();
    return QStringList{u"/bin/sh"_s, u"-c"_s, text, u"sandboxio-files"_s} + arguments;
}

FileInfo::Type typeOf(uint mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return FileInfo::Type::File;
    case S_IFDIR:
        return FileInfo::Type::Directory;
    case S_IFLNK:
        return FileInfo::Type::SymbolicLink;
    default:
        return FileInfo::Type::Other;
    }
}

/*! Takes the bytes up to \a end, which is dropped, out of \a rest; absent when it does not come. */
std::optional<QByteArray> takeUntil(QByteArrayView &rest, char end)
{
    const qsizetype at = rest.indexOf(end);
    if (at < 0)
        return std::nullopt;
    QByteArray taken = rest.first(at).toByteArray();
    rest = rest.sliced(at + 1);
    return taken;
}

/*! After "S": the facts, then "./NAME/" and a line break. */
std::optional<FileInfo> takeFacts(QByteArrayView &rest)
{
    const auto facts = takeUntil(rest, '/'); // "MODE SIZE UID USER TIME ."
    const auto name = facts ? takeUntil(rest, '/') : std::nullopt;
    if (!name || !rest.startsWith('\n'))
        return std::nullopt;
    rest = rest.sliced(1);
    const QByteArrayList fields = facts->split(' ');
    if (fields.size() != 6)
        return std::nullopt;
    bool isMode = false;
    bool isSize = false;
    bool isTime = false;
    const uint mode = fields[0].toUInt(&isMode, 16);
    FileInfo info;
    info.name = decodePath(*name);
    info.type = typeOf(mode);
    info.mode = mode & 07777;
    info.size = fields[1].toLongLong(&isSize);
    info.owner = QString::fromUtf8(fields[3] == "UNKNOWN" ? fields[2] : fields[3]);
    info.modifiedAt = QDateTime::fromSecsSinceEpoch(fields[4].toLongLong(&isTime), QTimeZone::UTC);
    return isMode && isSize && isTime ? std::optional(info) : std::nullopt;
}

} // namespace

QStringList probe()
{
    return shell(probeScript);
}

QStringList stat(const QByteArray &path)
{
    return shell(statScript, {escaped(path)});
}

QStringList list(const QByteArray &path)
{
    return shell(listScript, {escaped(path)});
}

QStringList read(const QByteArray &path)
{
    return shell(readScript, {escaped(path)});
}

QStringList upload(const QByteArray &path, const QByteArray &temporary)
{
    return shell(uploadScript, {escaped(path), QString::fromLatin1(temporary)});
}

QStringList commit(const QByteArray &path, const QByteArray &temporary, qint64 size,
                   std::optional<quint32> mode)
{
    return shell(commitScript, {escaped(path), QString::fromLatin1(temporary), QString::number(size),
                                mode ? QString::number(*mode & 07777, 8) : QString()});
}

QStringList discard(const QByteArray &path, const QByteArray &temporary)
{
    return shell(discardScript, {escaped(path), QString::fromLatin1(temporary)});
}

QStringList makeDirectory(const QByteArray &path, bool parents)
{
    return shell(makeDirectoryScript, {escaped(path), parents ? u"-p"_s : QString()});
}

QStringList remove(const QByteArray &path, bool recursive)
{
    return shell(removeScript, {escaped(path), recursive ? u"all"_s : QString()});
}

QStringList move(const QByteArray &from, const QByteArray &to)
{
    return shell(moveScript, {escaped(from), escaped(to)});
}

QStringList makeLink(const QByteArray &target, const QByteArray &path)
{
    return shell(makeLinkScript, {escaped(target), escaped(path)});
}

QStringList changeMode(const QByteArray &path, quint32 mode)
{
    return shell(changeModeScript, {escaped(path), QString::number(mode & 07777, 8)});
}

std::optional<QList<FileInfo>> readEntries(const QByteArray &output)
{
    QList<FileInfo> entries;
    QHash<QString, qsizetype> places;
    QByteArrayView rest = output;
    while (!rest.isEmpty()) {
        const char kind = rest.front();
        rest = rest.sliced(1);
        if (kind == 'S') {
            const auto info = takeFacts(rest);
            if (!info)
                return std::nullopt;
            places.insert(info->name, entries.size());
            entries.append(*info);
            continue;
        }
        const auto dot = kind == 'L' ? takeUntil(rest, '/') : std::nullopt;
        const auto name = dot ? takeUntil(rest, '/') : std::nullopt;
        const auto target = name ? takeUntil(rest, '\0') : std::nullopt;
        if (!target)
            return std::nullopt;
        const auto place = places.constFind(decodePath(*name));
        if (place != places.cend() && entries[*place].type == FileInfo::Type::SymbolicLink)
            entries[*place].linkTarget = decodePath(*target);
    }
    // One that was replaced between the two looks.
    for (FileInfo &info : entries) {
        if (info.type == FileInfo::Type::SymbolicLink && !info.linkTarget)
            info.linkTarget = QString();
    }
    return entries;
}

int errorNumberOf(const QByteArray &errors)
{
    // As glibc, musl and the shells say it.
    static const QList<std::pair<QByteArray, int>> texts{
        {"No such file or directory"_ba, ENOENT},
        {"Directory nonexistent"_ba, ENOENT},
        {"nonexistent directory"_ba, ENOENT},
        {"Not a directory"_ba, ENOTDIR},
        {"Is a directory"_ba, EISDIR},
        {"File exists"_ba, EEXIST},
        {"Directory not empty"_ba, ENOTEMPTY},
        {"Permission denied"_ba, EACCES},
        {"Operation not permitted"_ba, EPERM},
        {"Read-only file system"_ba, EROFS},
        {"No space left on device"_ba, ENOSPC},
        {"Disk quota exceeded"_ba, EDQUOT},
        {"Too many levels of symbolic links"_ba, ELOOP},
        {"Symbolic link loop"_ba, ELOOP},
        {"File name too long"_ba, ENAMETOOLONG},
        {"Filename too long"_ba, ENAMETOOLONG},
        {"Invalid cross-device link"_ba, EXDEV},
        {"Operation not supported"_ba, EOPNOTSUPP},
        {"Device or resource busy"_ba, EBUSY},
        {"Invalid argument"_ba, EINVAL},
    };
    const QByteArrayList lines = errors.trimmed().split('\n');
    for (const auto &[text, number] : texts) {
        if (lines.last().trimmed().endsWith(text))
            return number;
    }
    return EIO;
}

} // namespace Sandboxio::Docker::FileScript

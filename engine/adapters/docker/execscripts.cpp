// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execscripts.h"

#include "texts.h"

#include <sandboxio/core/path.h>

#include <QRandomGenerator>

#include <algorithm>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

// For any POSIX shell (dash, bash, busybox): nothing but builtins, so that it works where no process can be made
// any more. dash and busybox call the limit of file locks -w, bash and zsh -x.
constexpr QLatin1StringView setMark = R"(ulimit -w "$m" || ulimit -x "$m")"_L1;

// marked PID: whether that process carries the mark $m. A zombie has nothing left that could be killed.
constexpr QLatin1StringView functions = R"sh(
marked() {
    h= s=
    while read -r a b c v r; do
        if [ "$a $b $c" = 'Max file locks' ]; then [ "$v" = "$m" ] && h=1; break; fi
    done <"/proc/$1/limits" || return 1
    [ -n "$h" ] || return 1
    while IFS= read -r l; do s=$s$l; done <"/proc/$1/stat" || return 1
    case ${s##*) } in [ZX]*) return 1 ;; esac
}
)sh"_L1;

// $1: what records begin with; $2: the mark; $3: the directory; then the program with its arguments.
constexpr QLatin1StringView runScript = R"sh(
exec 3>&2 2>/dev/null
t=$1 m=$2 w=$3
shift 3
fail() { echo "$t failed $1 $2" >&3; exit 125; }
kills() {
    n=0
    for f in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
        [ -r "$f" ] || continue
        while read -r k v; do [ "$k" = oom_kill ] && n=$v; done <"$f"
        break
    done
}
@MARK@ || fail mark 0
if [ -n "$w" ]; then
    [ -e "$w" ] || fail directory 2
    [ -d "$w" ] || fail directory 20
    cd "$w" || fail directory 13
fi
p=$1
case $p in
*/*) ;;
*)
    set -f
    IFS=:
    for d in $PATH; do
        if [ -f "${d:-.}/$1" ] && [ -x "${d:-.}/$1" ]; then p=${d:-.}/$1; break; fi
    done
    unset IFS
    set +f
    case $p in */*) ;; *) fail program 2 ;; esac
    ;;
esac
[ -e "$p" ] || fail program 2
[ -f "$p" ] && [ -x "$p" ] || fail program 13
kills
b=$n
/bin/sh -c 'exec 2>&3 3>&-; echo "$0 started $$"; echo "$0 started $$" >&2; exec "$@"' "$t" "$@"
s=$?
kills
echo "$t exited $s $((n - b))" >&3
echo "$t ended"
exit "$s"
)sh"_L1;

// Stopping first: what is stopped cannot fork while the others are looked for.
constexpr QLatin1StringView killScript = R"sh(
exec 2>/dev/null
m=$1 e=0
@FUNCTIONS@
while :; do
    f= bad=
    for d in /proc/[0-9]*; do
        p=${d#/proc/}
        marked "$p" || continue
        f="$f $p"
        kill -STOP "$p"
    done
    [ -n "$f" ] || exit 0
    for p in $f; do kill -KILL "$p" || { marked "$p" && bad=1; }; done
    [ -n "$bad" ] && e=$((e + 1))
    [ "$e" -lt 5 ] || exit 3
done
)sh"_L1;

constexpr QLatin1StringView signalScript = R"sh(
m=$1
@FUNCTIONS@
marked "$2" && kill -"$3" "$2"
)sh"_L1;

constexpr QLatin1StringView probeScript = R"sh(
exec 2>/dev/null
m=$1
shift
@FUNCTIONS@
@MARK@
marked $$ && echo mark
pwd
set -f
IFS=:
for n in "$@"; do
    for d in $PATH; do
        if [ -f "$d/$n" ] && [ -x "$d/$n" ]; then echo "program $n"; break; fi
    done
done
exit 0
)sh"_L1;

constexpr QLatin1StringView writePrivateScript = R"sh(umask 077; set -C; cat >"$1")sh"_L1;

QStringList shell(QLatin1StringView script, const QStringList &arguments)
{
    QString text = QString(script).trimmed();
    text.replace("@FUNCTIONS@"_L1, QString(functions).trimmed());
    text.replace("@MARK@"_L1, setMark);
    return QStringList{u"/bin/sh"_s, u"-c"_s, text, u"sandboxio-exec"_s} + arguments;
}

std::optional<QString> utf8(const std::string &bytes)
{
    const QByteArray raw = QByteArray::fromStdString(bytes);
    QString text = QString::fromUtf8(raw);
    return text.toUtf8() == raw ? std::optional(std::move(text)) : std::nullopt;
}

ErrorInfo notText(const QString &what)
{
    return makeError(ErrorKind::ConfigurationError,
                     Text::tr("%1 holds bytes that are no UTF-8; `docker exec` cannot pass them on.").arg(what),
                     Text::tr("Pass them through the standard input or a file."));
}

bool isShellName(QStringView name)
{
    const auto isLetter = [](QChar c) {
        return c == u'_' || (c.unicode() < 128 && c.isLetter());
    };
    return !name.isEmpty() && isLetter(name.front()) &&
           std::ranges::all_of(name, [&](QChar c) { return isLetter(c) || (c >= u'0' && c <= u'9'); });
}

} // namespace

RunMark makeRunMark()
{
    // Never 0 or "unlimited", and a number that every shell can read.
    return (QRandomGenerator::system()->generate64() >> 4) | 1;
}

QByteArray recordPrefix(RunMark mark)
{
    return "\x1e"_ba + "sandboxio-" + QByteArray::number(mark);
}

std::expected<QStringList, ErrorInfo> runArguments(const Guest::Spawn &spawn, RunMark mark)
{
    const auto directory = utf8(spawn.workingDirectory);
    if (!directory)
        return std::unexpected(notText(Text::tr("The working directory")));
    // So that neither CDPATH nor a leading dash has a meaning.
    const bool plain = directory->isEmpty() || directory->startsWith(u'/');
    QStringList arguments{QString::fromLatin1(recordPrefix(mark)), QString::number(mark),
                          plain ? *directory : u"./"_s + *directory};
    for (const std::string &argument : spawn.argv) {
        const auto text = utf8(argument);
        if (!text)
            return std::unexpected(notText(Text::tr("An argument")));
        arguments.append(*text);
    }
    return shell(runScript, arguments);
}

std::expected<QStringList, ErrorInfo> runEnvironment(const Guest::Spawn &spawn)
{
    QStringList result;
    for (const std::string &assignment : spawn.environment) {
        const auto text = utf8(assignment);
        const QString name = QString::fromStdString(assignment.substr(0, assignment.find('=')));
        if (!text)
            return std::unexpected(notText(Text::tr("The variable '%1'").arg(name)));
        if (!isShellName(name)) {
            return std::unexpected(makeError(
                ErrorKind::ConfigurationError,
                Text::tr("The shell of this container does not hand on a variable named '%1'.").arg(name),
                Text::tr("Use letters, digits and underscores, beginning with no digit.")));
        }
        result.append(*text);
    }
    return result;
}

QStringList killArguments(RunMark mark)
{
    return shell(killScript, {QString::number(mark)});
}

QStringList signalArguments(RunMark mark, qint64 pid, int signal)
{
    return shell(signalScript, {QString::number(mark), QString::number(pid), QString::number(signal)});
}

QStringList probeArguments(RunMark mark, const QStringList &programs)
{
    return shell(probeScript, QStringList{QString::number(mark)} + programs);
}

ExecProbe readExecProbe(const QByteArray &output)
{
    constexpr QByteArrayView programKey = "program ";
    ExecProbe probe;
    for (const QByteArray &line : output.split('\n')) {
        if (line == "mark")
            probe.canMark = true;
        else if (line.startsWith('/') && probe.directory.isEmpty())
            probe.directory = decodePath(line);
        else if (line.startsWith(programKey))
            probe.programs.append(QString::fromUtf8(line.sliced(programKey.size())));
    }
    return probe;
}

QStringList writePrivateArguments(const QString &path)
{
    return shell(writePrivateScript, {path});
}

} // namespace Sandboxio::Docker

#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""checkhints.py SANDBOXIO CHECKOUT: every command that a text of ours tells a person to type can be typed.

Commands stand in backticks in string literals. Each must be right for a shell. `sandboxio …` is run with --help: the
command and its options must exist. `docker …` likewise where docker is installed. Other programs are listed below."""
import functools
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from checktree import without_comments

SYSTEM_PROGRAMS = {"echo", "head", "true", "sudo", "systemctl", "journalctl", "usermod", "dockerd-rootless-setuptool.sh"}
# Words in backticks that name something and are no command.
NAMES = {"host", "timeout", "runtime", "run", "-", "--"}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ADJACENT = re.compile(r'"(?:_s|_ba|_L1)?\s*\n\s*"')
SPAN = re.compile(r"`([^`]+)`")


def commands_in(text):
    joined = ADJACENT.sub("", without_comments(text))
    for literal in LITERAL.findall(joined):
        for span in SPAN.findall(literal):
            if span not in NAMES and not span.startswith("HTTP/"):
                yield re.sub(r"%\d", "PLACEHOLDER", span)


@functools.cache
def output_of(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return result.returncode, result.stdout


def missing_options(words, help_text):
    return [word for word in words if word.startswith("-") and word != "--help" and word != "--"
            and not re.search(re.escape(word) + r"\b", help_text)]


def check_sandboxio(binary, words):
    code, known = output_of(binary, "--help", "--json")
    names = re.findall(r'"([a-z]+)"', known.split("[", 1)[1])
    subcommand = [word for word in words if not word.startswith("-")][:1]
    if not subcommand:
        code, text = output_of(binary, *words)
        return None if code == 0 and text else f"exits with {code}"
    if subcommand != ["PLACEHOLDER"] and subcommand[0] not in names:
        return f"sandboxio has no command {subcommand[0]}"
    for name in names if subcommand == ["PLACEHOLDER"] else subcommand:
        code, text = output_of(binary, name, "--help")
        if code != 0:
            return f"its --help exits with {code}"
        if missing := missing_options(words[1:], text):
            return f"{name} has no option {missing[0]}"
    return None


def check_docker(words):
    if not shutil.which("docker"):
        return None
    subcommand = []
    for word in words:
        if word.startswith("-") or word == "PLACEHOLDER":
            break
        if not output_of("docker", *subcommand, word, "--help")[1].strip().startswith(
                "Usage:  docker " + " ".join([*subcommand, word])):
            break
        subcommand.append(word)
    if not subcommand:
        return f"docker has no command {words[0]}"
    text = output_of("docker", *subcommand, "--help")[1]
    missing = missing_options(words, text)
    return f"docker {' '.join(subcommand)} has no option {missing[0]}" if missing else None


def check(binary, command):
    """Why the command cannot be typed; None when it can."""
    if subprocess.run(["sh", "-n", "-c", command], capture_output=True, check=False).returncode != 0:
        return "is no shell syntax"
    words = shlex.split(command)
    if words[0] == "sandboxio":
        return check_sandboxio(binary, words[1:])
    if words[0] == "docker":
        return check_docker(words[1:])
    return None if words[0] in SYSTEM_PROGRAMS else f"{words[0]} is no known program"


def self_test(binary):
    """The checker finds what it is there for."""
    assert list(commands_in('f(u"Run `sandboxio "\n  "doctor` now."); // `x y`')) == ["sandboxio doctor"]
    for wrong in ("sandboxio no-such", "sandboxio list --no-such", "sandboxio list 'open", "frobnicate it"):
        assert check(binary, wrong), wrong
    for right in ("sandboxio list", "sandboxio reap --kill", "sandboxio --help", "sandboxio PLACEHOLDER --help"):
        assert check(binary, right) is None, (right, check(binary, right))
    if shutil.which("docker"):
        assert check(binary, "docker no-such") and check(binary, "docker pull --no-such")
        assert check(binary, "docker rm -f") is None, check(binary, "docker rm -f")


def main():
    binary, root = sys.argv[1], pathlib.Path(sys.argv[2])
    self_test(binary)
    found = {}
    for folder in ("engine", "app"):
        for path in sorted((root / folder).rglob("*.cpp")):
            if path.is_relative_to(root / "engine" / "testing"):
                continue  # speaks to authors of adapters, of probes and rows
            for command in commands_in(path.read_text(encoding="utf-8")):
                found.setdefault(command, path.relative_to(root).as_posix())
    problems = [f"{path}: `{command}` {reason}" for command, path in found.items() if (reason := check(binary, command))]
    print("\n".join(problems + [f"{len(found)} commands in texts, {len(problems)} wrong"]))
    return 1 if problems or len(found) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())

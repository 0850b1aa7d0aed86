#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""Checks rules about the sources: checktree.py --rule NAME CHECKOUT. Prints each violation; exit code 1 when there is one."""
import argparse
import pathlib
import re
import sys

# Which layers a folder of engine/ may include, itself always.
LAYERS = {
    "core": set(),
    "ports": {"core"},
    "transport": {"core"},
    "guest": {"core"},
    "runtime": {"core", "ports"},
    "models": {"core", "ports", "runtime"},
    "testing": {"core", "ports", "runtime"},
    "adapters": {"core", "ports", "transport", "guest"},
}
ENGINE_FOR_APP = {"core", "ports", "runtime", "models", "credentials"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
PROVIDERS = re.compile(r"docker|\be2b\b|\bmodal\b|bubblewrap|podman", re.I)
# Folders whose sources must not know a provider.
NEUTRAL = ("engine/core", "engine/ports", "engine/transport", "engine/runtime", "engine/models", "engine/guest")
BLOCKING = re.compile(
    r"processEvents\s*\(|\bQEventLoop\b|\bmsleep\s*\(|\busleep\s*\(|QThread::sleep|waitForFinished\s*\("
    r"|waitForReadyRead\s*\(|\bsleep_for\b")
BLOCKING_IN_APPS = re.compile(r"\.result\s*\(\)|\.waitFor\s*\(|\.exec\s*\(\)|->exec\s*\(\)")
MAXIMUM_LINES = 600
# What a comment cannot begin in (a literal; an apostrophe within a number opens none), or a comment.
LITERAL_OR_COMMENT = re.compile(
    r'''(?P<literal>\b(?:u8|u|U|L)?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"'''
    r'''|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+')|/\*.*?\*/|//[^\n]*''', re.S)


def sources(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".qml") and path.is_file():
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace")


def without_comments(text):
    """The text without comments; literals and line breaks stay."""
    return LITERAL_OR_COMMENT.sub(
        lambda match: match["literal"] or "\n" * match.group().count("\n") or " ", text)


def allowed_layers(path):
    parts = path.split("/")
    if parts[0] == "engine":
        layers = LAYERS.get(parts[1], set()) | {parts[1]}
        return layers | {parts[2]} if parts[1] == "adapters" and len(parts) > 3 else layers
    return ENGINE_FOR_APP


def check_includes(root):
    for path, text in sources(root, "engine", "app", "qml"):
        for included in INCLUDE.findall(text):
            match = re.match(r"sandboxio/([^/]+)/", included)
            if match and match.group(1) not in allowed_layers(path):
                yield f"{path}: must not include <{included}>"
            if path.startswith("engine/") and included.startswith("../"):
                yield f"{path}: includes {included} past its own folder"
            if path.startswith("app/") and included.endswith("_p.h") and match:
                yield f"{path}: includes the private <{included}>"


def check_providers(root):
    for path, text in sources(root, *NEUTRAL):
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            if PROVIDERS.search(line):
                yield f"{path}:{number}: names a provider: {line.strip()}"


def check_licences(root):
    for path, text in sources(root, "engine", "app", "qml", "tests"):
        licence = "GPL-3.0-or-later" if path.startswith("app/") else "MIT"
        head = "\n".join(text.splitlines()[:4])
        if "SPDX-FileCopyrightText:" not in head or f"SPDX-License-Identifier: {licence}" not in head:
            yield f"{path}: lacks the licence header for {licence}"


def check_sizes(root):
    for path, text in sources(root, "engine", "app", "qml", "tests"):
        lines = text.count("\n")
        if lines > MAXIMUM_LINES:
            yield f"{path}: {lines} lines, more than {MAXIMUM_LINES}"


def check_blocking(root):
    for path, text in sources(root, "engine", "app", "qml"):
        if path.startswith("engine/guest/helper/"):
            continue  # a program of its own, without Qt
        code = without_comments(text)
        patterns = [BLOCKING, BLOCKING_IN_APPS] if path.startswith(("app/", "qml/")) else [BLOCKING]
        for number, line in enumerate(code.splitlines(), 1):
            if any(pattern.search(line) for pattern in patterns) and not main_loop(path, line):
                yield f"{path}:{number}: blocks: {line.strip()}"


def main_loop(path, line):
    """The one event loop of a program is entered in its main file."""
    return re.search(r"\b(application|app)\.exec\(\)|Application::exec\(\)", line) is not None and path.startswith("app/")


RULES = {"includes": check_includes, "providers": check_providers, "licences": check_licences, "sizes": check_sizes,
         "blocking": check_blocking}


def main(rules):
    """Of every checker with rules: --rule NAME CHECKOUT."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rule", choices=rules, required=True)
    parser.add_argument("checkout", type=pathlib.Path)
    arguments = parser.parse_args()
    violations = list(rules[arguments.rule](arguments.checkout))
    print("\n".join(violations) or f"{arguments.rule}: no violation")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(RULES))

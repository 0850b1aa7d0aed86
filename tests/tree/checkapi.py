#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""Checks rules about the public API: checkapi.py --rule NAME CHECKOUT. Prints each violation; exit code 1 when there is
one. engine/testing/REQUIREMENTS.md says which requirement each rule proves."""
import re
import sys

from checktree import main, without_comments

PUBLIC = ("engine/core", "engine/ports", "engine/runtime", "engine/models", "engine/testing")
# Those that an adapter installs besides.
PUBLIC_OF_ADAPTERS = ("engine/adapters/docker/dockerconfig.h", "engine/adapters/fake/fakeclock.h",
                      "engine/adapters/fake/fakescript.h")
UNTYPED = re.compile(r"\bQVariant(Map|Hash|List)?\b|\bstd::any\b|\bva_list\b|,\s*\.\.\.\s*\)|\(\s*\.\.\.\s*\)")
TYPE = re.compile(r"^(?:class|struct)\s+(?:SANDBOXIO_\w+\s+)?(\w+)(?:\s+final)?\s*(?::[^;]*)?$")
DETAIL = re.compile(r"^namespace Detail \{.*?^\} // namespace Detail", re.M | re.S)
NATIVE = re.compile(r"\b(native|withNative|nativeHandle)\s*\(|\bnative;|`native`")
OPERATION = re.compile(r"^\s*(?:\[\[nodiscard\]\]\s*)?Operation<.*>\s+(\w+)\(", re.M)
DEPRECATED = re.compile(r'\[\[deprecated(?:\(\s*"([^"]*)"\s*\))?\]\][^;{]*?(\w+)\s*[({;:=]')
# What the seeds oblige the documentation to say: file and words.
STATEMENTS = {
    "engine/runtime/process.h": ["each chunk costs a crossing of threads"],
    "engine/runtime/engine.h": ["Owns one I/O thread", "kills no sandbox that it"],
    "engine/runtime/scopedsandbox.h": ["whatever way the scope is left"],
}


def public_headers(root):
    paths = [path for folder in PUBLIC for path in sorted((root / folder).glob("*.h"))]
    for path in paths + [root / name for name in PUBLIC_OF_ADAPTERS if (root / name).exists()]:
        if not path.name.endswith("_p.h"):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def check_typed(root):
    """Arguments and results have types; what describes the provider's own object is the exception."""
    for path, text in public_headers(root):
        if path.startswith("engine/models/"):
            continue  # item models speak Qt's QVariant
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            if UNTYPED.search(line) and not re.search(r"\bnative\b|#include|catch \(", line):
                yield f"{path}:{number}: untyped: {line.strip()}"


def check_documented(root):
    for path, text in public_headers(root):
        lines = DETAIL.sub(lambda match: "\n" * match.group().count("\n"), text).splitlines()
        for number, line in enumerate(lines, 1):
            before = next((text for text in reversed(lines[:number - 1]) if not text.startswith("template")), "")
            if TYPE.match(line) and not re.search(r"\*/$|^\s*///", before):
                yield f"{path}:{number}: no doc comment: {line}"


def check_nativedocumented(root):
    words = re.compile(r"stability\s+contract")
    for path, text in public_headers(root):
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            if NATIVE.search(line) and not words.search(" ".join(lines[max(0, number - 5):number])):
                yield f"{path}:{number}: does not say that it is outside of the stability contract: {line.strip()}"
    for page in sorted([*root.glob("*.md"), *(root / "engine").rglob("*.md"), *(root / "app").rglob("*.md")]):
        if page.name == "REQUIREMENTS.md":
            continue
        for paragraph in re.split(r"\n\s*\n|\n(?=- )", page.read_text(encoding="utf-8")):
            if NATIVE.search(paragraph) and not words.search(paragraph):
                yield f"{page.relative_to(root)}: names native without the stability contract: {paragraph.strip()[:80]}"


def check_shelldocumented(root):
    for adapter in sorted(path for path in (root / "engine/adapters").iterdir() if path.is_dir()):
        page = adapter / "README.md"
        if not page.exists() or "`sh -c`" not in page.read_text(encoding="utf-8"):
            yield f"engine/adapters/{adapter.name}/README.md: does not say what Command::shell does (`sh -c`)"


def check_styles(root):
    test = root / "tests/runtime/tst_fourstyles.cpp"
    tried = set(re.findall(r'"(\w+)"', test.read_text(encoding="utf-8")))
    for path, text in public_headers(root):
        if not path.startswith("engine/runtime/"):
            continue
        for name in OPERATION.findall(without_comments(text)):
            if name not in tried:
                yield f"{path}: {name}() is not tried in every style by {test.name}"


def check_statements(root):
    for path, sentences in STATEMENTS.items():
        text = re.sub(r"[\s*]+", " ", (root / path).read_text(encoding="utf-8"))
        for sentence in sentences:
            if sentence not in text:
                yield f"{path}: does not say: {sentence}"


def check_deprecations(root):
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    for path, text in public_headers(root):
        for reason, name in DEPRECATED.findall(without_comments(text)):
            if not reason:
                yield f"{path}: {name} is deprecated without saying what to use"
            if not re.search(rf"[Dd]eprecated[^\n]*\b{name}\b", changes):
                yield f"{path}: {name} is deprecated and CHANGELOG.md does not say so"


RULES = {name.removeprefix("check_"): rule for name, rule in list(globals().items()) if name.startswith("check_")}


if __name__ == "__main__":
    sys.exit(main(RULES))

#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""Collects the examples of public headers into one source: examples.py OUTPUT SCENE ENGINE HEADER…

An example is what stands between \\code and \\endcode in a doc comment. Each becomes a function of a QObject. The file
SCENE defines its parameters: what the examples take for granted (an engine, a sandbox, a widget to write to).
HEADER is relative to the folder ENGINE.
"""
import pathlib
import re
import sys


def examples(text):
    for match in re.finditer(r"\\code\n(.*?)\\endcode", text, re.DOTALL):
        line = text.count("\n", 0, match.start(1)) + 1
        body = re.sub(r"^[ ]*\*(?=[ ]|$)", "", match.group(1), flags=re.MULTILINE)
        yield line, body.replace("…", "")


def function(header, line, body):
    """The example as a function; a class or function of its own (a definition at the margin) stays outside of one."""
    name = "example_" + re.sub(r"\W", "_", header) + f"_{line}"
    where = f'#line {line} "{header}"\n'
    if re.search(r"^\s*(class|struct|int main)\b", body):
        return f"namespace {name} {{\n{where}{body}}}\n"
    kind = "QCoro::Task<>" if re.search(r"\bco_(await|return|yield)\b", body) else "void"
    end = "    co_return;\n" if kind != "void" else ""
    return f"struct {name} : QObject {{\n{kind} example(SCENE)\n{{\n{{\n{where}{body}}}\n{end}}}\n}};\n"


def main():
    output, scene, engine, *headers = sys.argv[1:]
    parts = ['#include "' + scene + '"\n']
    parts += [f'#include "{pathlib.Path(engine) / header}"' for header in headers]
    count = 0
    for header in headers:
        text = (pathlib.Path(engine) / header).read_text(encoding="utf-8")
        for line, body in examples(text):
            parts.append(function(header, line, body))
            count += 1
    if count == 0:
        sys.exit("no example found: the pattern does not fit the comments any more")
    text = "\n".join(parts)
    path = pathlib.Path(output)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

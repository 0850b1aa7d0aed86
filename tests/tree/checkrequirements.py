#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""Checks engine/testing/REQUIREMENTS.md: checkrequirements.py CHECKOUT. Each row has an id of its own and a proof that
exists: a test function, a row of the contract suite or a registered test. Exit code 1 when one does not."""
import pathlib
import re
import sys

TABLE = "engine/testing/REQUIREMENTS.md"
FAMILIES = "engine/testing/families"
COLUMNS = ["id", "requirement", "section", "differs", "proof"]
OPEN_COLUMNS = ["id", "requirement", "section", "why"]
ACCESS = re.compile(r"^\s*(?:public|protected|private)\s*(Q_SLOTS)?\s*:|^\s*(Q_SIGNALS)\s*:|^\};")
SLOT = re.compile(r"^\s*void\s+(\w+)\s*\(\s*\)")
PROOF = re.compile(r"`([^`]+)`")


def slots(text):
    """Names of the private slots of the classes in the text; their data functions and fixtures are none."""
    found, inside = set(), False
    for line in re.sub(r"/\*.*?\*/", "", text, flags=re.S).splitlines():
        access = ACCESS.match(line)
        if access:
            inside = access.group(1) is not None
        slot = SLOT.match(line)
        if inside and slot:
            found.add(slot.group(1))
    return {name for name in found if not name.endswith("_data") and name not in FIXTURES}


FIXTURES = {"init", "cleanup", "initTestCase", "cleanupTestCase"}


def is_built(source):
    """Whether the build of its folder names the test."""
    build = source.parent / "CMakeLists.txt"
    subject = source.stem.removeprefix("tst_")
    return build.exists() and re.search(rf"\b(tst_)?{subject}\b", build.read_text(encoding="utf-8")) is not None


def registered_tests(root):
    """Names of add_test(), with the values of the foreach() around it put in."""
    names = set()
    for build in (root / "tests").rglob("CMakeLists.txt"):
        values = {}
        for variable, items, name in re.findall(r"foreach\((\w+) ([^)]+)\)|add_test\(NAME (\S+)",
                                                build.read_text(encoding="utf-8")):
            if variable:
                values[variable] = items.split()
                continue
            placeholder = re.search(r"\$\{(\w+)\}", name)
            if placeholder:
                names.update(name.replace(placeholder.group(), value) for value in values.get(placeholder.group(1), []))
            else:
                names.add(name)
    return names


def rows(text):
    """(line number, columns of its table, cells) of every row."""
    columns = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not columns:
            columns = cells
        elif not re.fullmatch(r"[-:| ]+", line):
            yield number, columns, cells


class Sources:
    def __init__(self, root):
        self.root = root
        self.registered = registered_tests(root)
        self.tests = {path.stem: path for path in (root / "tests").rglob("tst_*.cpp")}
        contract = root / "engine/testing/contract.cpp"
        text = contract.read_text(encoding="utf-8") if contract.exists() else ""
        self.families = set(re.findall(r'ContractFamilyEntry\{"(\w+)"', text))

    def problem(self, proof):
        """What is wrong with the proof, or nothing."""
        place, _, function = proof.partition("::")
        if not function and place not in self.tests:
            return None if proof in self.registered else "is no registered test"
        if place.startswith("tst_"):
            source = self.tests.get(place)
            if source and not is_built(source):
                return f"is not built: {source.parent.name}/CMakeLists.txt does not name it"
        else:
            if place not in self.families:
                return "is in no family of the contract suite"
            source = self.root / FAMILIES / f"{place}.cpp"
        if source is None or not source.exists():
            return "is in a file that does not exist"
        functions = slots(source.read_text(encoding="utf-8"))
        if not function:
            return "does not say which function" if functions else None
        return None if function in functions else "is no test function there"


def violations(root):
    sources = Sources(root)
    seen = set()
    count = 0
    for number, columns, cells in rows((root / TABLE).read_text(encoding="utf-8")):
        where = f"{TABLE}:{number}"
        if columns not in (COLUMNS, OPEN_COLUMNS) or len(cells) != len(columns):
            yield f"{where}: the columns are not {COLUMNS} or {OPEN_COLUMNS}"
            continue
        row = dict(zip(columns, cells))
        count += 1
        if row["id"] in seen:
            yield f"{where}: {row['id']} is there twice"
        seen.add(row["id"])
        for column in set(columns) - {"differs", "proof"}:
            if not row[column]:
                yield f"{where}: {row['id']} has no {column}"
        if columns == OPEN_COLUMNS:
            continue
        proofs = PROOF.findall(row["proof"])
        if not proofs or PROOF.sub("", row["proof"]).strip():
            yield f"{where}: {row['id']} needs names of tests as its proof, each in `…`, and nothing else"
        for proof in proofs:
            problem = sources.problem(proof)
            if problem:
                yield f"{where}: {row['id']}: {proof} {problem}"
    if count == 0:
        yield f"{TABLE}: no row found"


def main():
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every requirement is proven by a test that exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

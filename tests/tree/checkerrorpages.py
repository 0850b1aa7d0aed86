#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""checkerrorpages.py GENERATOR PAGES: the committed pages are what the table of errors gives, no more and no less."""
import filecmp
import pathlib
import subprocess
import sys
import tempfile


def differences(generated, committed):
    names = {path.name for folder in (generated, committed) for path in folder.iterdir()}
    for name in sorted(names):
        if not (generated / name).exists():
            yield f"{name}: belongs to no error"
        elif not (committed / name).exists():
            yield f"{name}: is missing"
        elif not filecmp.cmp(generated / name, committed / name, shallow=False):
            yield f"{name}: differs from the table"


def main():
    generator, committed = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        generated = pathlib.Path(folder)
        subprocess.run([generator, folder], check=True)
        pages = list(generated.iterdir())
        found = list(differences(generated, committed))
        # The check itself: a page that is changed, one too many and one too few are found.
        assert len(pages) > 15, pages
        with tempfile.TemporaryDirectory() as broken_folder:
            broken = pathlib.Path(broken_folder)
            for page in pages[1:]:
                (broken / page.name).write_bytes(page.read_bytes())
            (broken / pages[1].name).write_text("changed")
            (broken / "SBX_E9999.md").write_text("extra")
            assert len(list(differences(generated, broken))) == 3
    for line in found:
        print(line)
    print(f"{len(pages)} pages, {len(found)} differ" + ("; build the target error-pages" if found else ""))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

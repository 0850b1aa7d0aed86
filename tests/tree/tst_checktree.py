#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""Each rule of checktree.py finds what it is for, and lets the rest pass."""
import pathlib
import tempfile
import unittest

import checktree

HEADER = "// SPDX-FileCopyrightText: 2026 The sandboxio authors\n// SPDX-License-Identifier: MIT\n"


class CheckTree(unittest.TestCase):
    def violations(self, rule, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
            return list(checktree.RULES[rule](pathlib.Path(folder)))

    def test_core_must_not_include_the_runtime(self):
        self.assertTrue(self.violations("includes", "engine/core/a.h", "#include <sandboxio/runtime/engine.h>\n"))

    def test_the_runtime_may_include_core(self):
        self.assertFalse(self.violations("includes", "engine/runtime/a.h", "#include <sandboxio/core/error.h>\n"))

    def test_adapters_must_not_include_the_runtime(self):
        self.assertTrue(self.violations("includes", "engine/adapters/x/a.h", "#include <sandboxio/runtime/engine.h>\n"))

    def test_applications_must_not_include_adapters(self):
        self.assertTrue(self.violations("includes", "app/cli/a.cpp", "#include <sandboxio/fake/fakescript.h>\n"))

    def test_nobody_includes_past_its_folder(self):
        self.assertTrue(self.violations("includes", "engine/core/a.h", '#include "../runtime/engine.h"\n'))

    def test_core_must_not_name_a_provider(self):
        self.assertTrue(self.violations("providers", "engine/core/a.cpp", 'auto a = u"docker"_s;\n'))

    def test_a_comment_may_name_a_provider(self):
        self.assertFalse(self.violations("providers", "engine/core/a.cpp", "// as Docker does\n"))

    def test_what_looks_like_a_comment_in_a_literal_is_none(self):
        for literal in ('u"tcp://host"_s', 'u"say \\" // "_s', "u'\"', '/*'", 'R"(" //)"', "'\\'', 10'000"):
            for code in ("dialog.exec();", "/* a\n\n */ dialog.exec(); // c"):
                found = self.violations("blocking", "app/desktop/a.cpp", f"f({literal}); {code}\n")
                self.assertEqual(len(found), 1, literal)
                self.assertIn(f"a.cpp:{1 + code.count(chr(10))}: ", found[0])
        self.assertTrue(self.violations("providers", "engine/core/a.cpp", 'auto a = u"tcp://docker"_s;\n'))
        for comment in ("// it's dialog.exec();", "/* \" */ // dialog.exec();", "int a; // \" dialog.exec() \""):
            self.assertFalse(self.violations("blocking", "app/desktop/a.cpp", comment + "\n"), comment)

    def test_sources_without_licence_are_found(self):
        self.assertTrue(self.violations("licences", "engine/core/a.cpp", "int a;\n"))
        self.assertFalse(self.violations("licences", "engine/core/a.cpp", HEADER))
        self.assertTrue(self.violations("licences", "app/cli/a.cpp", HEADER))

    def test_long_files_are_found(self):
        self.assertTrue(self.violations("sizes", "engine/core/a.cpp", "\n" * 601))
        self.assertFalse(self.violations("sizes", "engine/core/a.cpp", "\n" * 600))

    def test_blocking_forms_are_found(self):
        self.assertTrue(self.violations("blocking", "app/cli/a.cpp", "auto r = operation.result();\n"))
        self.assertTrue(self.violations("blocking", "engine/runtime/a.cpp", "QEventLoop loop;\n"))
        self.assertTrue(self.violations("blocking", "app/desktop/a.cpp", "dialog.exec();\n"))
        self.assertFalse(self.violations("blocking", "app/desktop/main.cpp", "return application.exec();\n"))


if __name__ == "__main__":
    unittest.main()

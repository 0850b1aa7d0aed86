#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""Each rule of checkapi.py finds what it is for, and lets the rest pass."""
import pathlib
import tempfile
import unittest

import checkapi


class CheckApi(unittest.TestCase):
    def violations(self, rule, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(checkapi.RULES[rule](root))

    def of_header(self, rule, text, **more):
        return self.violations(rule, {"engine/runtime/a.h": text, **more})

    def test_arguments_and_results_without_types_are_found(self):
        for line in ("void a(const QVariantMap &options);", "QVariant b();", "void c(const char *text, ...);",
                     "void d(...);", "std::any e;"):
            self.assertTrue(self.of_header("typed", line), line)
        for line in ("QVariantMap native() const;", "template <typename... T> void f(T... t);", "// a QVariant",
                     "#include <QVariant>", "} catch (...) {"):
            self.assertFalse(self.of_header("typed", line), line)

    def test_types_without_a_comment_are_found(self):
        self.assertTrue(self.of_header("documented", "class A\n{\n};\n"))
        self.assertTrue(self.of_header("documented", "struct SANDBOXIO_CORE_EXPORT A : B\n{\n};\n"))
        self.assertFalse(self.of_header("documented", "/*! An a. */\ntemplate <typename T>\nclass A\n{\n};\n"))
        self.assertFalse(self.of_header("documented", "class A;\nstruct B;\n"))
        self.assertFalse(self.of_header("documented",
                                        "namespace Detail {\nclass A\n{\n};\n} // namespace Detail\n"))

    def test_what_adapters_install_is_public(self):
        for header in checkapi.PUBLIC_OF_ADAPTERS:
            self.assertTrue(self.violations("documented", {header: "class A\n{\n};\n"}), header)
        self.assertFalse(self.violations("documented", {"engine/adapters/fake/store.h": "class A\n{\n};\n"}))

    def test_native_must_say_that_it_is_not_stable(self):
        stable = "/*! Outside the stability contract. */\n"
        self.assertTrue(self.of_header("nativedocumented", "/*! The object. */\nQVariantMap native() const;\n"))
        self.assertFalse(self.of_header("nativedocumented", stable + "QVariantMap native() const;\n"))
        for page in ("README.md", "engine/adapters/a/README.md"):
            self.assertTrue(self.violations("nativedocumented", {page: "Use `withNative()` for it.\n\nMore.\n"}), page)
            self.assertFalse(self.violations(
                "nativedocumented", {page: "Use `withNative()`,\noutside of the stability\ncontract.\n"}), page)

    def test_an_adapter_says_what_a_shell_is(self):
        self.assertTrue(self.violations("shelldocumented", {"engine/adapters/a/README.md": "Nothing.\n"}))
        self.assertTrue(self.violations("shelldocumented", {"engine/adapters/a/a.cpp": ""}))
        self.assertFalse(self.violations("shelldocumented", {"engine/adapters/a/README.md": "It is `sh -c`.\n"}))

    def test_a_member_that_is_not_tried_in_every_style_is_found(self):
        header = "Operation<void> a();\n    Operation<QList<std::optional<int>>> b(int c) const;\n"
        test = {"tests/runtime/tst_fourstyles.cpp": 'check<void>("a");'}
        self.assertEqual(len(self.violations("styles", {"engine/runtime/x.h": header, **test})), 1)
        test["tests/runtime/tst_fourstyles.cpp"] += 'check<int>("b");'
        self.assertFalse(self.violations("styles", {"engine/runtime/x.h": header, **test}))

    def test_a_missing_statement_is_found(self):
        whole = {path: "\n ".join(" ".join(words).split()) for path, words in checkapi.STATEMENTS.items()}
        self.assertFalse(self.violations("statements", whole))
        for path in whole:
            self.assertTrue(self.violations("statements", {**whole, path: "/*! Something else. */"}), path)

    def test_a_deprecation_has_a_text_and_an_entry(self):
        def found(line, changes):
            return self.of_header("deprecations", line, **{"CHANGELOG.md": changes})
        good = '[[deprecated("use b()")]] void a();\n'
        self.assertFalse(found(good, "- Deprecated: `a()`, use `b()`.\n"))
        self.assertTrue(found(good, "- Added: a.\n"))
        self.assertTrue(found("[[deprecated]] void a();\n", "- Deprecated: `a()`.\n"))
        self.assertFalse(found("void a();\n", ""))


if __name__ == "__main__":
    unittest.main()

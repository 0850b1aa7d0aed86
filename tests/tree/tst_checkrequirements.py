#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""checkrequirements.py accepts what is proven and finds every way in which a row is not."""
import pathlib
import tempfile
import unittest

import checkrequirements

HEAD = "| id | requirement | section | differs | proof |\n|---|---|---|---|---|\n"
OPEN = "\n## Not yet proven\n\n| id | requirement | section | why |\n|---|---|---|---|\n"
TEST = """class A : public QObject
{
    void helper();
private Q_SLOTS:
    void works_data();
    void works()
    {
    }
    /* void commented(); */
    void init();
private:
    void alsoNoTest();
};
void A::works() {}
"""
FILES = {
    "tests/a/tst_a.cpp": TEST,
    "tests/a/CMakeLists.txt": "foreach(subject a b)\nadd_test(NAME tst_${subject})\nendforeach()\n",
    "tests/a/tst_b.cpp": "int main() { return wholeSuite(); }\n",
    "tests/b/tst_lost.cpp": TEST,
    "tests/b/CMakeLists.txt": "foreach(rule one two)\n    add_test(NAME tree_${rule} COMMAND x)\nendforeach()\n"
                              "foreach(rule four)\n    add_test(NAME other_${rule} COMMAND x)\nendforeach()\n"
                              "add_test(NAME plain COMMAND y)\nadd_test(NAME tst_script COMMAND z)\n",
    "engine/testing/contract.cpp": 'ContractFamilyEntry{"runs", makeRunContract},\n',
    "engine/testing/families/runs.cpp": TEST,
    "engine/testing/families/unlisted.cpp": TEST,
}


class CheckRequirements(unittest.TestCase):
    def violations(self, table):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**FILES, checkrequirements.TABLE: table}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(checkrequirements.violations(root))

    def proven_by(self, proof):
        return not self.violations(HEAD + f"| A-1 | it works | s | | {proof} |\n")

    def test_every_kind_of_proof_is_found(self):
        for proof in ("`tst_a::works`", "`runs::works`", "`tree_two`", "`other_four`", "`plain`", "`tst_script`", "`tst_b`", "`tst_a::works` `plain`"):
            self.assertTrue(self.proven_by(proof), proof)

    def test_what_is_no_test_is_no_proof(self):
        for proof in ("`tst_a::nothing`", "`tst_a`", "`tst_lost`", "`tst_none`", "`tst_script::works`", "`tst_a::helper`", "`tst_a::alsoNoTest`", "`tst_a::works_data`",
                      "`tst_a::init`", "`tst_a::commented`", "`tst_b::works`", "`tst_lost::works`", "`runs::nothing`",
                      "`unlisted::works`", "`walks::works`", "`tree_three`", "`tree_four`", "`tst_a::works` `tree_three`"):
            self.assertFalse(self.proven_by(proof), proof)

    def test_a_row_without_a_proof_is_found(self):
        self.assertFalse(self.proven_by(""))
        self.assertFalse(self.proven_by("by review"))
        self.assertFalse(self.proven_by("`plain` and by review"))

    def test_an_id_is_there_once(self):
        row = "| A-1 | it works | s | | `plain` |\n"
        self.assertTrue(self.violations(HEAD + row + row))
        self.assertTrue(self.violations(HEAD + row + OPEN + "| A-1 | more | s | nobody knows how |\n"))

    def test_what_is_not_proven_needs_its_reason(self):
        row = "| A-1 | it works | s | | `plain` |\n"
        self.assertFalse(self.violations(HEAD + row + OPEN + "| N-1 | more | s | nobody knows how |\n"))
        self.assertTrue(self.violations(HEAD + row + OPEN + "| N-1 | more | s | |\n"))

    def test_a_broken_table_is_found(self):
        self.assertTrue(self.violations("no table\n"))
        self.assertTrue(self.violations("| id | proof |\n|---|---|\n| A-1 | `plain` |\n"))
        self.assertTrue(self.violations(HEAD + "| A-1 | a cell | too | few |\n"))


if __name__ == "__main__":
    unittest.main()

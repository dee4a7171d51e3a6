"""Checks that the documents name files, functions and planted faults that exist."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "crates/sibp/src"
LINK = re.compile(r"(?:\]\(|src=\")([^)\s\"#]+)")


def pages():
    """All Markdown files under version control, links as what they lead to."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted({(ROOT / line).resolve() for line in listed.stdout.splitlines()})


def equation_rows(text):
    """(paper, [files], [functions]) for each row of the equation table."""
    table = text.split("<!-- table: equations -->")[1].split("<!-- end: equations -->")[0]
    for line in table.strip().splitlines()[2:]:
        paper, _, files, functions = (cell.strip() for cell in line.strip("|").split("|"))
        yield paper, files, re.findall(r"`([^`]+)`", files), re.findall(r"`([^`]+)`", functions)


class Documents(unittest.TestCase):
    def test_equation_table_names_what_exists(self):
        rows = list(equation_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")))
        self.assertGreater(len(rows), 20)
        for paper, cell, files, functions in rows:
            if cell == "planned":
                continue
            with self.subTest(paper=paper, files=files):
                self.assertTrue(files and functions, "a row names a file and a function, or says planned")
                text = "".join((SOURCE / name).read_text(encoding="utf-8") for name in files)
                for function in functions:
                    # assertRegex would print the files whole.
                    self.assertTrue(re.search(rf"\bfn {function}\b", text), f"there is no fn {function}")

    def test_every_equation_has_a_row(self):
        papers = " ".join(row[0] for row in equation_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")))
        covered = set()
        for first, last in re.findall(r"Eq\. (\d+)(?:-(\d+))?", papers):
            covered |= set(range(int(first), int(last or first) + 1))
        self.assertEqual(covered, set(range(1, 19)))

    def test_links_lead_somewhere(self):
        for page in pages():
            for target in LINK.findall(page.read_text(encoding="utf-8")):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page.name} links to {target}")

    def test_every_planted_fault_has_a_row(self):
        listed = (SOURCE / "fault.rs").read_text(encoding="utf-8").split("\nfaults! {\n")[1].split("\n}\n")[0]
        faults = re.findall(r"^    (\w+),$", listed, re.MULTILINE)
        page = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
        section = page.split("### Planted faults\n")[1].split("\n## ")[0]
        rows = re.findall(r"^\| ([A-Z]\w+) \|", section, re.MULTILINE)
        self.assertGreater(len(faults), 50)
        self.assertEqual(rows, faults, "one row for each fault, in the order of fault.rs")

    def test_reliability_names_test_files_that_exist(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
        files = ["/" + line for line in listed.stdout.splitlines()]
        page = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`([\w/]+\.(?:rs|py))`", page))
        self.assertGreater(len(named), 15)
        for name in sorted(named):
            self.assertTrue(any(file.endswith("/" + name) for file in files), f"there is no {name}")


if __name__ == "__main__":
    unittest.main()

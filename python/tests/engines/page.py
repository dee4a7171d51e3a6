"""Runs the blocks of docs/cluster.md: shell blocks as `make test-docs` does, Python blocks by whom they need.

A Python block is run when it follows a line `<!-- test WHO -->`; those of one kind share their names.
"""

import os
import shutil
import sys
from contextlib import chdir
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/cluster.md"
sys.path.insert(0, str(ROOT / "scripts"))

from check_readme import marked_blocks, run_block


def python_blocks(kind):
    """The blocks of one kind, in order, as one program whose lines have the numbers of the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    program = [""] * len(lines)
    for at, line in enumerate(lines):
        if line.strip() == f"<!-- test {kind} -->":
            assert lines[at + 1] == "```python", f"line {at + 1}: the mark must stand just before a block of Python"
            end = lines.index("```", at)
            program[at + 2 : end] = lines[at + 2 : end]
    assert any(program), f"no block is marked for {kind}"
    return "\n".join(program)


def run_page(test, kind, binary, **names):
    """Runs the first shell block, on which others build, and then the Python blocks of a kind."""
    shutil.copytree(ROOT / "data", test.folder / "data")
    code, output = run_block(marked_blocks(PAGE.read_text(encoding="utf-8"))[0], test.folder, os.path.dirname(binary))
    test.assertEqual(code, 0, output)
    with chdir(test.folder):
        exec(compile(python_blocks(kind), str(PAGE), "exec"), names)
    return names

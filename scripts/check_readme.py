#!/usr/bin/env python3
"""Runs the shell blocks of Markdown files that follow a line `<!-- test -->`.

The blocks of one file run in order, each in its own bash, in one temporary folder that holds a copy of `data/`,
with the built `sibp` first on the path. A block fails when one of its commands does. The rest of that file is
then skipped, because later blocks use what earlier ones wrote.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MARK, OPEN, CLOSE = "<!-- test -->", "```sh", "```"


class Block(NamedTuple):
    line: int  # of the first command, from 1
    script: str


def marked_blocks(text):
    """The marked blocks in order. A mark without a block, or a block without an end, is a ValueError."""
    lines = text.splitlines()
    blocks = []
    at = 0
    while at < len(lines):
        if lines[at].strip() != MARK:
            at += 1
            continue
        start = next((i for i in range(at + 1, len(lines)) if lines[i].strip()), len(lines))
        if start == len(lines) or lines[start].strip() != OPEN:
            raise ValueError(f"line {at + 1}: {MARK} must stand just before a line {OPEN}")
        end = next((i for i in range(start + 1, len(lines)) if lines[i].strip() == CLOSE), None)
        if end is None:
            raise ValueError(f"line {start + 1}: the block has no end")
        blocks.append(Block(start + 2, "\n".join(lines[start + 1 : end]) + "\n"))
        at = end + 1
    return blocks


def run_block(block, folder, bin_dir, env=os.environ):
    """Runs one block; returns its exit code and everything it printed."""
    env = dict(env, PATH=f"{bin_dir}{os.pathsep}{env['PATH']}", NO_COLOR="1")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.script],
        cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )
    return done.returncode, done.stdout


def check_file(path, bin_dir):
    """(passed, failed, skipped) over the marked blocks of one file."""
    blocks = marked_blocks(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="sibp-readme-") as folder:
        shutil.copytree(ROOT / "data", Path(folder) / "data")
        for done, block in enumerate(blocks):
            began = time.monotonic()
            code, output = run_block(block, folder, bin_dir)
            place = f"{path}:{block.line}"
            if code:
                rest = len(blocks) - done - 1
                print(f"{place}: exit code {code}\n{block.script}--- printed:\n{output}", flush=True)
                return done, 1, rest
            print(f"{place}: ok ({time.monotonic() - began:.1f} s)", flush=True)
    return len(blocks), 0, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True, help="the built sibp command")
    parser.add_argument("files", type=Path, nargs="+")
    args = parser.parse_args()
    if not args.bin.is_file():
        sys.exit(f"{args.bin} is not there; build it with: cargo build --release --bin sibp")
    results = [check_file(path, args.bin.resolve().parent) for path in args.files]
    passed, failed, skipped = (sum(column) for column in zip(*results))
    if passed + failed == 0:
        sys.exit(f"no block is marked with {MARK}: nothing was checked")
    print(f"shell blocks: {passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes docs/results.md: runs `sibp reproduce` and joins the Markdown it wrote, each part below its command.

Results are kept in a folder, so that a page that was interrupted, or that gets a further part, does not start over.
Animals with Attributes may not be shipped; without `--data` their part is left out.
"""

import argparse
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ["table1", "table2", "table3"]
INTRODUCTION = """# Results

The experiments of the paper, run by one command each. Every part below is what its command printed; `AwA` stands for a
folder with Animals with Attributes (`sibp reproduce table1 --help` says what it holds), which may not be shipped.
`make results` writes the part of the shipped digits, `make results AWA=DIR` both.
"""


def runs(data, extra):
    """(title, folder, options as run, options as shown, names) of every part."""
    # Short chains, so that anybody can make this part in a few minutes.
    digits = ["--dataset", "digits", "--sweeps", "50"]
    parts = [("Handwritten digits", "digits", digits, digits, TABLES)]
    if data:
        parts.insert(0, ("Animals with Attributes", "awa", ["--data", data], ["--data", "AwA"], TABLES))
    return [(title, folder, real + extra, shown + extra, names) for title, folder, real, shown, names in parts]


def demoted(markdown):
    """The same with headings two levels lower."""
    return re.sub(r"^(#+ )", r"##\1", markdown, flags=re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="sibp", help="the command")
    parser.add_argument("--data", help="folder with Animals with Attributes")
    parser.add_argument("--keep", type=Path, default=ROOT / "results", help="folder for results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results.md", help="page to write")
    parser.add_argument("options", nargs="*", help="further options of `sibp reproduce`, after --")
    args = parser.parse_args()
    page = [INTRODUCTION]
    images = args.page.parent / "img"
    images.mkdir(parents=True, exist_ok=True)
    for title, folder, real, shown, names in runs(args.data, args.options):
        page.append(f"## {title}\n")
        out = args.keep / folder
        for name in names:
            subprocess.run([args.bin, "reproduce", name, "--out", str(out), *real], check=True, stdout=subprocess.DEVNULL)
            picture = f"{name}-{folder}.svg"
            shutil.copyfile(out / f"{name}.svg", images / picture)
            command = " ".join(["sibp reproduce", name, "--out", folder, *shown])
            markdown = demoted((out / f"{name}.md").read_text(encoding="utf-8"))
            heading, rest = markdown.split("\n", 1)
            page.append(f"{heading}\n\n```sh\n{command}\n```\n{rest.rstrip()}\n\n![{name}](img/{picture})\n")
    args.page.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()

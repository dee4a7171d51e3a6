#!/usr/bin/env python3
"""Writes the handbook's command reference from the command's own `--help`, one section a subcommand."""

import argparse
import os
import subprocess
from pathlib import Path

INTRO = """# Command reference

Which options does a subcommand have? This page is what `sibp COMMAND --help` prints, for every command; it is written by
`make docs` and never by hand.
"""


def help_of(binary, words):
    """What `--help` prints, as wide as a page."""
    env = dict(os.environ, COLUMNS="100", NO_COLOR="1")
    done = subprocess.run([binary, *words, "--help"], env=env, check=True, capture_output=True, text=True)
    return done.stdout.rstrip()


def subcommands(text):
    """The names listed under `Commands:`, without clap's own `help`."""
    names, inside = [], False
    for line in text.splitlines():
        if line == "Commands:":
            inside = True
        elif inside and (not line.startswith("  ") or not line.strip()):
            break
        elif inside and not line.startswith("   "):
            names.append(line.split()[0])
    return [name for name in names if name != "help"]


def sections(binary, words=()):
    """A section for a command, then those of its subcommands."""
    text = help_of(binary, words)
    title = " ".join(["sibp", *words])
    yield f"\n{'#' * min(2 + max(len(words) - 1, 0), 4)} {title}\n\n```text\n{text}\n```\n"
    for name in subcommands(text):
        yield from sections(binary, (*words, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.write_text(INTRO + "".join(sections(args.bin)), encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the same jobs with the command of a base commit and with that of the tree, and compares every byte they write.

    scripts/compare_bytes.py --base main
    scripts/compare_bytes.py --base-bin old/sibp --tree-bin new/sibp --only probit

Compared are exit code, stdout, stderr and every file that a job writes. Then each build reads the files of the other.
The jobs stand in compare/jobs.py. None fits the probit model to more than 20,000 objects without --schedule.
"""

import argparse
import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compare import builds, data, jobs

# What measures time, which no two runs have in common: where (a pattern of `stdout`, `stderr` or a file's name), what
# is found there, what is put in its place, and why.
TIMES = [
    (r"stdout|.*\.json", rb'"seconds":\s*[0-9.e-]+', b'"seconds": T', "summaries and kept results say how long it took"),
    (r"stdout|stderr|.*\.md", rb" *\b[0-9]+(\.[0-9])? (s|min|h)\b", b" T", "durations for people"),
    (r"stderr", rb" +time\n", b" time\n", "a table's column is as wide as its durations"),
    (r".*/fig[23]\.csv", rb",[0-9.]+\n", b",T\n", "the last column, seconds"),
]
SECONDS_ALLOWED = 300


@dataclass
class Did:
    """What a job did: exit code, and bytes by name (stdout, stderr and files that it wrote)."""

    code: int
    wrote: dict


class Side:
    """One build, with a folder of its own."""

    def __init__(self, program, start, folder):
        self.program, self.folder = program, folder
        shutil.copytree(start, folder)
        self.before = self.files()

    def files(self):
        found = {}
        for path in self.folder.rglob("*"):
            if path.is_file():
                stat = path.stat()
                found[str(path.relative_to(self.folder))] = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
        return found

    def run(self, line):
        words, out = split(line)
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
        environment["COLUMNS"] = "100"
        done = subprocess.run([*self.program, *words], cwd=self.folder, env=environment, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=SECONDS_ALLOWED)  # fmt: skip
        if out:
            (self.folder / out).write_bytes(done.stdout)
        after = self.files()
        wrote = {name: (self.folder / name).read_bytes() for name, mark in after.items() if self.before.get(name) != mark}
        self.before = after
        wrote |= {"stdout": done.stdout, "stderr": done.stderr}
        return Did(done.returncode, {name: without_times(name, content) for name, content in wrote.items()})


def split(line):
    """Words of a line, and the file that keeps its stdout."""
    words = shlex.split(line.removeprefix("! "))
    if len(words) > 2 and words[-2] == ">":
        return words[:-2], words[-1]
    return words, None


def without_times(name, content):
    for where, found, put, _ in TIMES:
        if re.fullmatch(where, name):
            content = re.sub(found, put, content)
    return content


def verdict(line, base, tree):
    """Why a job is not done alike, or None."""
    refused = line.startswith("! ")
    if base.code != tree.code:
        return f"exit code {tree.code} instead of {base.code}: {last_line(tree)}"
    if (base.code not in (1, 2)) if refused else base.code:
        return f"no job any more, exit code {base.code} on both sides: {last_line(base)}"
    names = sorted(name for name in base.wrote.keys() | tree.wrote.keys() if base.wrote.get(name) != tree.wrote.get(name))
    told = [name if name in base.wrote and name in tree.wrote else f"{name} (on one side only)" for name in names]
    return ", ".join(told) if names else None


def last_line(did):
    return (did.wrote["stderr"].decode(errors="replace").strip().splitlines() or ["(no message)"])[-1]


def prepare(program, lines, folder):
    """Runs lines with the base alone; a line `? COMMAND has: WORDS` must print these words."""
    for line in lines:
        command, _, words = line.removeprefix("? ").partition(" has: ")
        done = subprocess.run([*program, *shlex.split(command)], cwd=folder, capture_output=True, text=True)
        if done.returncode or words not in done.stdout:
            raise SystemExit(f"error: cannot prepare a job: {command}: {done.stdout[-300:]}{done.stderr}")


def run_group(group, programs, start, folder, keep):
    """[(line, why not alike or None)], in order."""
    folder.mkdir(parents=True)
    if group.first:
        shutil.copytree(start, folder / "start")
        start = folder / "start"
        prepare(programs[0], group.first, start)
    sides = [Side(program, start, folder / name) for program, name in zip(programs, ("base", "tree"), strict=True)]
    results = []
    for line in group.lines:
        did = [side.run(line) for side in sides]
        results.append((line, verdict(line, *did)))
    if keep and any(why for _, why in results):
        print(f"kept: {folder}", flush=True)
    return results


def crossed(group, whose):
    """The group whose jobs read the files that one side has written."""
    return jobs.Group(f"{group.name}, files of the {whose}", group.reads, [])


def run_all(groups, programs, start, folder, keep, workers):
    """Runs groups, then each build on the files of both; yields (group, results) as they come."""
    with ThreadPoolExecutor(workers) as pool:
        def run(group, place, start):
            return group, run_group(group, programs(group), start, place, keep)

        places = [folder / str(at) for at in range(len(groups))]
        first = [pool.submit(run, group, place, start) for group, place in zip(groups, places, strict=True)]
        second = []
        for done, group, place in zip(first, groups, places, strict=True):
            yield done.result()
            for whose in ("base", "tree") if group.reads else ():
                second.append(pool.submit(run, crossed(group, whose), place / f"files-of-{whose}", place / whose))
        for done in second:
            yield done.result()


def show(group, results, verbose):
    for line, why in results:
        print(f"{'DIFFERENT' if why else 'same'}  {group.name}: {line}" + (f"\n           {why}" if why else ""))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    builds.add_options(parser)
    parser.add_argument("--only", metavar="TEXT", default="", help="only groups of jobs whose name has this text")
    parser.add_argument("--list", action="store_true", help="print the jobs and run none")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the folders of the jobs below this new folder")
    parser.add_argument("--workers", type=int, default=2, help="groups that run at the same time [default: 2]")
    args = parser.parse_args()
    groups = [group for group in jobs.all_groups() if args.only in group.name]
    if args.list:
        print("\n".join(f"{group.name}: {line}" for group in groups for line in group.lines))
        return
    base, tree = (found["sibp"] for found in builds.both(args, {"sibp": None}))
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        data.make(folder / "data", args.tree / "data/digits")
        n_failed = n_passed = 0
        programs = lambda group: ([str(base)], [str(tree)])
        for group, results in run_all(groups, programs, folder / "data", folder / "jobs", args.keep, args.workers):
            show(group, results, args)
            n_failed += sum(1 for _, why in results if why)
            n_passed += sum(1 for _, why in results if not why)
    print(f"{n_passed} passed, {n_failed} failed")
    sys.exit(1 if n_failed or not n_passed else 0)


if __name__ == "__main__":
    main()

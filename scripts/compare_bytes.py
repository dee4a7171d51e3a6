#!/usr/bin/env python3
"""Runs the same jobs with the command of a base commit and with that of the tree, and compares every byte they write.

    scripts/compare_bytes.py --base main
    scripts/compare_bytes.py --base-bin old/sibp --tree-bin new/sibp --only probit
    scripts/compare_bytes.py --base main --python old/bin/python new/bin/python

Compared are exit code, stdout, stderr and every file that a job writes. Then each build reads the files of the other.
The jobs stand in compare/jobs.py.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compare import builds, data, jobs

# What measures time or names the build, which no two runs, or no two builds, have in common: where (stdout, stderr or a file, as a pattern), what is found
# there, what is put in its place, and why.
TIMES = [
    (r"stdout|.*\.json", rb'"seconds":\s*[0-9.e-]+', b'"seconds": T', "summaries and results say how long it took"),
    (r"stdout|stderr|.*\.md", rb" *\b[0-9]+(\.[0-9])? (s|min|h)\b", b" T", "durations for people"),
    (r"stderr", rb" +time\n", b" time\n", "a table's column is as wide as its durations"),
    (r".*/(fig[23]|table[123])\.csv", rb",[0-9.]+,[0-9a-f]{16}\n", b",T,B\n", "the last columns are seconds and build"),
    (r".*-about\.csv", rb"\n[0-9a-f]{16},", b"\nB,", "the first column is the build"),
    (r"stdout|.*\.md", rb"\b([Bb]uild) [0-9a-f]{16}\b", rb"\1 B", "pages name their build"),
    (r".*\.json", rb'"build":\s*"[0-9a-f]{16}"', b'"build":"B"', "kept results name their build"),
]
PYTHON_SIDE = Path(jobs.__file__).with_name("python_side.py")
# A job that takes longer hangs.
MOST_SECONDS = 300


@dataclass
class Did:
    """What a job did: its exit code, and bytes by name (stdout, stderr, and every file that it wrote)."""

    code: int
    wrote: dict


class Side:
    """A build with a folder of its own, which begins as a copy of `start`."""

    def __init__(self, program, start, folder):
        self.program, self.folder = program, folder
        shutil.copytree(start, folder)
        self.before = self.marks()

    def marks(self):
        """Something about every file that is another after it was written."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        stats = {str(path.relative_to(self.folder)): path.stat() for path in files}
        return {name: (stat.st_mtime_ns, stat.st_ino, stat.st_size) for name, stat in stats.items()}

    def run(self, line):
        words, out = split(line)
        done = call(self.program, words, self.folder)
        if out:
            (self.folder / out).write_bytes(done.stdout)
        before, self.before = self.before, self.marks()
        changed = [name for name, mark in self.before.items() if before.get(name) != mark]
        wrote = {name: (self.folder / name).read_bytes() for name in changed}
        wrote |= {"stdout": done.stdout, "stderr": done.stderr}
        return Did(done.returncode, {name: without_times(name, content) for name, content in wrote.items()})


def call(program, words, folder):
    """Runs a program in a folder; how it wraps text does not depend on where this script runs."""
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"COLUMNS": "100"}
    command = [*program, *words]
    return subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=MOST_SECONDS
    )


def split(line):
    """Words of a line, and the file that keeps its stdout."""
    words = shlex.split(line.removeprefix("! "))
    return (words[:-2], words[-1]) if len(words) > 2 and words[-2] == ">" else (words, None)


def without_times(name, content):
    for where, found, put, _ in TIMES:
        if re.fullmatch(where, name):
            content = re.sub(found, put, content)
    return content


def verdict(line, base, tree):
    """Why a job was not done alike, or None. A job that fails on both sides compares nothing, so it fails too."""
    if base.code != tree.code:
        return f"exit code {tree.code} instead of {base.code}: {last_line(tree if tree.code else base)}"
    if base.code not in ((1, 2) if line.startswith("! ") else (0,)):
        return f"exit code {base.code} on both sides: {last_line(base)}"
    names = sorted(base.wrote.keys() | tree.wrote.keys())
    found = [where_different(name, base.wrote.get(name), tree.wrote.get(name)) for name in names]
    return ", ".join(filter(None, found)) or None


def where_different(name, base, tree):
    if base == tree:
        return None
    if base is None or tree is None:
        return f"{name} (written by the {'tree' if base is None else 'base'} only)"
    same = len(os.path.commonprefix([base, tree]))
    return f"{name} (from byte {same} on, of {len(base)} and {len(tree)})"


def last_line(did):
    return (did.wrote["stderr"].decode(errors="replace").strip().splitlines() or ["(no message)"])[-1]


def prepare(program, lines, folder):
    """Runs lines with the base alone. `until FILE: COMMAND` kills the command as soon as the file is there, `stop at FILE: COMMAND` presses Ctrl-C; `must say:
    WORDS` is about what the line before has printed."""
    printed = b""
    for line in lines:
        if line.startswith("must say: "):
            if line.removeprefix("must say: ").encode() not in printed:
                raise RuntimeError(f"{line}: but it says {printed.decode()}")
        elif line.startswith("stop at "):
            file, command = line.removeprefix("stop at ").split(": ", 1)
            stop_when_there([*program, *shlex.split(command)], folder, folder / file)
        elif line.startswith("until "):
            file, command = line.removeprefix("until ").split(": ", 1)
            kill_when_there([*program, *shlex.split(command)], folder, folder / file)
        else:
            done = call(program, shlex.split(line), folder)
            printed = done.stdout
            if done.returncode:
                raise RuntimeError(f"{line}: {done.stderr.decode()}")


def heed_interrupts():
    """Lets Ctrl-C reach what is started from here, also where this script was started with it ignored, as in the background of
    a shell: that would be inherited, and a shell cannot even trap it then."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def stop_when_there(command, folder, file):
    """Presses Ctrl-C as soon as a run has a checkpoint, so that it leaves an unfinished model; tries again if it got to its
    end before. A time limit would depend on the machine: set-up alone may take longer, and nothing is written then."""
    for _ in range(10):
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            while not file.exists() and child.poll() is None:
                time.sleep(0.001)
            stopped = child.poll() is None
            if stopped:
                child.send_signal(signal.SIGINT)
        if stopped and not file.exists():
            return
    raise RuntimeError(f"{file.name} was not there in time: {' '.join(command)}")


def kill_when_there(command, folder, file):
    """Kills a run as soon as its checkpoint is there; tries again if it got to its end before."""
    for _ in range(10):
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            while not file.exists() and child.poll() is None:
                time.sleep(0.001)
            child.kill()
        if file.exists():
            return
    raise RuntimeError(f"{file.name} was not there in time: {' '.join(command)}")


def run_group(group, programs, start, folder):
    """[(line, why it was not done alike, or None)], in order."""
    folder.mkdir(parents=True)
    if group.first:
        start = shutil.copytree(start, folder / "start")
        prepare(programs[0], group.first, start)
    sides = [Side(program, start, folder / name) for program, name in zip(programs, ("base", "tree"), strict=True)]
    return [(line, verdict(line, *(side.run(line) for side in sides))) for line in group.lines]


def run_all(groups, programs, start, folder, workers):
    """Runs groups, then what reads files with both builds on the files of each; yields (group, results)."""
    with ThreadPoolExecutor(workers) as pool:

        def submit(group, start, place):
            of_kind = programs["python" if group.python else "command"]
            return group, pool.submit(run_group, group, of_kind, start, place)

        first = [(*submit(group, start, folder / str(at)), folder / str(at)) for at, group in enumerate(groups)]
        second = []
        for group, done, place in first:
            yield group, done.result()
            for whose in ("base", "tree") if group.reads else ():
                again = jobs.Group(f"{group.name}, files of the {whose}", group.reads, python=group.python)
                second.append(submit(again, place / whose, place / f"files-of-{whose}"))
        for group, done in second:
            yield group, done.result()


def show(group, results):
    for line, why in results:
        print(f"{'DIFFERENT' if why else 'same'}  {group.name}: {line}" + (f"\n    {why}" if why else ""))
    sys.stdout.flush()


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    builds.add_options(parser)
    parser.add_argument("--python", nargs=2, metavar=("BASE_PY", "TREE_PY"), help="interpreters with installed wheels")
    parser.add_argument("--only", metavar="TEXT", default="", help="only groups of jobs whose name has this text")
    parser.add_argument("--list", action="store_true", help="print the jobs and run none")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the folders of all jobs below this new folder")
    parser.add_argument("--workers", type=int, default=2, help="groups that run at the same time [default: 2]")
    return parser.parse_args()


def main():
    args = options()
    heed_interrupts()
    groups = [group for group in jobs.all_groups() if args.only in group.name]
    if args.list:
        print("\n".join(f"{group.name}: {line}" for group in groups for line in group.lines))
        return
    if not args.python:
        n_skipped = sum(len(group.lines) for group in groups if group.python)
        groups = [group for group in groups if not group.python]
        print(f"skipped: {n_skipped} jobs of the Python package, which need --python", flush=True)
    programs = {"command": [[str(side["sibp"])] for side in builds.both(args, {"sibp": None})]}
    programs["python"] = [[str(Path(python).absolute()), str(PYTHON_SIDE)] for python in args.python or ()]
    counts = {True: 0, False: 0}
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        data.make(folder / "data", args.tree / "data/digits")
        for group, results in run_all(groups, programs, folder / "data", folder / "jobs", args.workers):
            show(group, results)
            for _, why in results:
                counts[why is None] += 1
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] or not counts[True] else 0)


if __name__ == "__main__":
    main()

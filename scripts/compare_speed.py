#!/usr/bin/env python3
"""Alternates the programs of a base commit with those of the tree, and says how much more CPU time the tree needs.

    scripts/compare_speed.py --base main
    scripts/compare_speed.py --base main --rounds 15 --only search

Each round runs every job with both, in an order that changes from round to round. Printed are the median over rounds of
the ratio tree / base, with a 95 % interval by order statistics. The tree is slower when the median is above 1.03.
"""

import argparse
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from compare import builds, data

LIMIT = 1.03
FEWEST_ROUNDS = 9
N_OBJECTS, N_INPUTS, N_CODES, CODE_BYTES, N_QUERIES = 100_000, 64, 1_000_000, 8, 10_000
# What the probit model uses for 100,000 objects, in so many words: both sides then do the same work.
SCHEDULE = "rows,births:each=1,regressions:albert-chib*3,complements,weights,weight-scale,lapse,concentration,variances"
FIT = (
    "fit x.npy --labels y.npy --per-object 10 --start hyperplanes:32 --draws 1 --chains 1 --threads 1 --seed 1 --quiet "
    f"--schedule {SCHEDULE}"
)
SHORT, LONG = 1, 5
PROGRAMS = {"sibp": None, "row_speed": "sibp-experiments"}


@dataclass
class Job:
    """A program with its words, and the file it writes, which both sides must write alike."""

    name: str
    program: str
    words: str
    out: str = ""


JOBS = [
    Job("study row_speed", "row_speed", "--objects 10000 --per-object 15 --data DIGITS"),
    Job(f"fit, {SHORT} sweep", "sibp", f"{FIT} --sweeps {SHORT} -o m.sibp", "m.sibp"),
    Job(f"fit, {LONG} sweeps", "sibp", f"{FIT} --sweeps {LONG} -o m.sibp", "m.sibp"),
    Job("search", "sibp", "search codes.sibx queries.npy -k 10 --threads 1 -o ids.npy", "ids.npy"),
]
# What reading, preparing and writing cost drops out of the difference of two jobs.
DIFFERENCES = {f"{LONG - SHORT} sweeps alone": (f"fit, {LONG} sweeps", f"fit, {SHORT} sweep")}


def make_data(folder):
    """Objects of ten classes, inputs of one byte; codes and queries."""
    rng = random.Random(5)
    mask = int.from_bytes(bytes([31]) * N_INPUTS, "big")
    centres = [int.from_bytes(bytes(rng.choice((0, 24)) for _ in range(N_INPUTS)), "big") for _ in range(10)]
    noise = rng.randbytes(N_OBJECTS * N_INPUTS)

    def row(at):
        of_row = int.from_bytes(noise[at * N_INPUTS : (at + 1) * N_INPUTS], "big")
        return ((of_row & mask) + centres[at % 10]).to_bytes(N_INPUTS, "big")

    data.write_npy(folder / "x.npy", "|u1", (N_OBJECTS, N_INPUTS), b"".join(map(row, range(N_OBJECTS))))
    data.write_integers(folder / "y.npy", [at % 10 for at in range(N_OBJECTS)])
    for name, n in (("codes", N_CODES), ("queries", N_QUERIES)):
        data.write_npy(folder / f"{name}.npy", "|u1", (n, CODE_BYTES), rng.randbytes(n * CODE_BYTES))


def cpu_seconds(command, folder):
    """User and system time of a command and its threads."""

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return used() - before


def measure(jobs, sides, folder, rounds):
    """{job: [(seconds of the base, seconds of the tree)]}, and names of jobs whose files differ."""
    seconds, unlike = {job.name: [] for job in jobs}, set()
    for number in range(rounds):
        for job in jobs:
            took, wrote = [0.0, 0.0], [b"", b""]
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                words = job.words.replace("DIGITS", str(builds.ROOT / "data/digits")).split()
                took[side] = cpu_seconds([sides[side][job.program], *words], folder)
                wrote[side] = (folder / job.out).read_bytes() if job.out else b""
            seconds[job.name].append(tuple(took))
            unlike |= {job.name} if wrote[0] != wrote[1] else set()
            print(f"round {number + 1}: {job.name}: base {took[0]:.2f} s, tree {took[1]:.2f} s", flush=True)
    return seconds, unlike


def with_differences(seconds):
    """The same, with what is measured as a difference of two jobs."""
    found = dict(seconds)
    for name, (long, short) in DIFFERENCES.items():
        if long in seconds and short in seconds:
            pairs = zip(seconds[long], seconds[short], strict=True)
            found[name] = [(a[0] - b[0], a[1] - b[1]) for a, b in pairs]
    return found


def interval(ratios, level=0.95):
    """Order statistics that enclose the median with at least this probability, and the probability."""
    ordered, n = sorted(ratios), len(ratios)
    found = (ordered[0], ordered[-1], 1 - 2 * 0.5**n)
    outside = 0.0
    for at in range(n // 2):
        outside += 2 * math.comb(n, at) * 0.5**n
        if 1 - outside < level:
            break
        found = (ordered[at], ordered[n - 1 - at], 1 - outside)
    return found


def verdict(name, pairs):
    """A line of the table, and whether the tree is fast enough."""
    ratios = [tree / base if base > 0 else math.inf for base, tree in pairs]
    median, (low, high, level) = statistics.median(ratios), interval(ratios)
    fast = median <= LIMIT
    told = "fast enough" if fast else "SLOWER"
    base = statistics.median(base for base, _ in pairs)
    return f"| {name} | {base:.2f} s | {median:.3f} | {low:.3f} to {high:.3f} ({100 * level:.0f} %) | {told} |", fast


def machine():
    """What this machine is, in a line."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    facts = dict(map(str.strip, line.split(":", 1)) for line in text.splitlines() if ":" in line)
    flags = set(facts.get("flags", "").split())
    cores = sum(1 for line in text.splitlines() if line.startswith("processor"))
    told = ", ".join(f"{flag} {'yes' if flag in flags else 'no'}" for flag in ("avx2", "avx512f", "avx512_vpopcntdq"))
    load = Path("/proc/loadavg").read_text().split()[0] if text else "unknown"
    return f"{facts.get('model name', 'unknown CPU')}, {cores} cores, {told}; load at the start {load}"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    builds.add_options(parser)
    parser.add_argument("--rounds", type=int, default=FEWEST_ROUNDS, help=f"at least {FEWEST_ROUNDS}, the default")
    parser.add_argument("--only", metavar="TEXT", default="", help="only jobs whose name has this text")
    args = parser.parse_args()
    if args.rounds < FEWEST_ROUNDS:
        parser.error(f"{args.rounds} rounds say too little; take at least {FEWEST_ROUNDS}")
    return args


def main():
    args = options()
    jobs = [job for job in JOBS if args.only in job.name]
    needed = {job.program for job in jobs} | {"sibp"}
    sides = builds.both(args, {name: package for name, package in PROGRAMS.items() if name in needed})
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        make_data(folder)
        index = f"index build codes.npy --bits {8 * CODE_BYTES} --quiet -o codes.sibx".split()
        subprocess.run([sides[0]["sibp"], *index], cwd=folder, check=True)
        seconds, unlike = measure(jobs, sides, folder, args.rounds)
    print("\n| job | CPU time of the base | tree / base | interval | verdict |\n|---|---|---|---|---|")
    results = [verdict(name, pairs) for name, pairs in with_differences(seconds).items()]
    print("\n".join(line for line, _ in results))
    for name in sorted(unlike):
        print(f"{name}: base and tree write different files, so they do not do the same work")
    n_slow = sum(1 for _, fast in results if not fast)
    print(f"{len(results) - n_slow} passed, {n_slow + len(unlike)} failed")
    sys.exit(1 if n_slow or unlike or not results else 0)


if __name__ == "__main__":
    main()

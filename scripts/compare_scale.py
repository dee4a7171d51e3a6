#!/usr/bin/env python3
"""Times a sweep of `sibp fit` beside the study `scale`, on the same bytes: what is measured must be what people get.

    scripts/compare_scale.py
    scripts/compare_scale.py --objects 20000 --rounds 1 --threads 2 --programs target/release

The study writes its random clusters (64 inputs, 10 triplets an object) and times sweeps 5 to 24. The command fits the
same files twice, and the difference between 24 and 4 sweeps is the time of the same sweeps: set-up, reading and the kept
draw fall out. Both start from hyperplanes:32 with one chain, one kept draw and the same seed. Of several rounds the
quickest counts. The exit code is 1 where the clock tells a difference of more than 10 %.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FEW, MANY = 4, 24
ALLOWED = 0.1


def child_seconds():
    """Seconds that all children so far have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command):
    """Runs a command; seconds by the clock, and of computing."""
    began, computed = time.monotonic(), child_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began, child_seconds() - computed


def of_command(program, folder, n_objects, threads):
    """Seconds of fits of few and of many sweeps by `sibp fit`, each by the clock and of computing."""
    command = [program, "fit", folder / f"inputs-{n_objects}.npy", "--triplets", folder / f"triplets-{n_objects}.npy"]
    command += ["--preset", "hash", "--start", "hyperplanes:32", "--chains", "1", "--draws", "1", "--seed", "1", "--quiet"]
    # What follows the sweeps of the chain, a chain of as many more among it, is no part of them.
    command += ["--no-rehearsal", "--distil", "0"]
    # A checkpoint makes a draw and writes it, which is no part of a sweep.
    command += ["--threads", str(threads), "--checkpoint-every", "24h", "-o", folder / "model.sibp"]
    return [timed([*command, "--sweeps", str(sweeps)]) for sweeps in (FEW, MANY)]


def a_sweep(rounds, at):
    """Seconds a sweep by the quickest fit of each length, by the clock (`at` 0) or of computing (1)."""
    few, many = (min(fits[length][at] for fits in rounds) for length in (0, 1))
    return (many - few) / (MANY - FEW)


def table_row(printed):
    """The only row of a printed table, by the names of its columns."""
    lines = [line.strip("| ").split(" | ") for line in printed.splitlines() if line.startswith("| ")]
    names, values = lines
    return dict(zip(names, values))


def of_study(program, folder, n_objects, threads):
    """Seconds a sweep of the study, which leaves out the sweeps before the first counted one and the last."""
    command = [program, "--objects", str(n_objects), "--threads", str(threads), "--save", folder]
    command += ["--bits", "32", "--skip", str(FEW), "--sweeps", str(MANY + 1)]
    row = table_row(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return float(row["s a sweep"]), float(row["computing s a sweep"])


def build():
    """Builds the command and the study from this tree; the folder they are in."""
    command = ["cargo", "build", "--release", "--package", "sibp-cli", "--package", "sibp-experiments"]
    subprocess.run([*command, "--bin", "sibp", "--bin", "scale"], check=True, cwd=ROOT)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", type=Path, help="folder of sibp and scale; they are built from the tree otherwise")
    args = parser.parse_args()
    folder = args.programs or build()
    command, study = folder / "sibp", folder / "scale"
    print(f"{args.objects} objects, the quickest of {args.rounds} rounds\n")
    print("| threads | seconds a sweep | sibp fit | study | ratio |\n|---|---|---|---|---|")
    agrees = True
    with tempfile.TemporaryDirectory(prefix="compare-scale-") as name:
        folder = Path(name)
        for threads in args.threads:
            studied, fitted = [], []
            for _ in range(args.rounds):
                # The study first: it writes the files.
                studied.append(of_study(study, folder, args.objects, threads))
                fitted.append(of_command(command, folder, args.objects, threads))
            for at, kind in enumerate(("by the clock", "of computing")):
                ours, theirs = a_sweep(fitted, at), min(seconds[at] for seconds in studied)
                print(f"| {threads} | {kind} | {ours:.4f} | {theirs:.4f} | {ours / theirs:.3f} |", flush=True)
                agrees &= at > 0 or abs(ours / theirs - 1) <= ALLOWED
    sys.exit(0 if agrees else 1)


if __name__ == "__main__":
    main()

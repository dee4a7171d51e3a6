#!/usr/bin/env python3
"""Alternates our search with faiss-cpu in one run and prints ratios, at the machine's instruction level and below.

Makes its own virtual environment beside itself, builds the Rust side, and takes the fastest of several alternating
runs of both. One core unless said, and then seconds are those of computing, which a busy machine lengthens less. Every
ratio is also checked for equal distances. Both sides are held to the level of a row: ours as SIBP_LEVEL does, faiss as
FAISS_SIMD_LEVEL does. The lowest level of faiss counts bits by an instruction, and stands beside both of ours that lack
AVX2.

    python3 benches/search/bench.py [--quick] [--levels native,avx2,ssse3,portable] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VENV = HERE / ".venv"


def enter_environment():
    """Runs this script again inside the virtual environment, made on the first call."""
    python = VENV / "bin" / "python"
    if pathlib.Path(sys.prefix) == VENV:
        return
    wanted = (HERE / "requirements.txt").read_text()
    stamp = VENV / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(HERE / "requirements.txt")], check=True)
        stamp.write_text(wanted)
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(python, [str(python), __file__, *sys.argv[1:]])


class Ours:
    """The Rust process that answers commands."""

    def __init__(self):
        build = ["cargo", "build", "--release", "-q", "-p", "sibp-experiments", "--bin", "search_bench"]
        subprocess.run(build, cwd=ROOT, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        binary = target / "release" / "search_bench"
        self.process = subprocess.Popen([str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("the Rust side stopped")
        return json.loads(answer)

    def search(self, queries, k, level, **how):
        return self.ask(**{"do": "search", "threads": 1, "queries": queries, "k": k, "level": level, **how})


def timed(call):
    start = time.thread_time()
    distances, _ = call()
    return time.thread_time() - start, float(distances.astype("f8").sum())


def alternate(runs, rounds):
    """The fastest time of each of several functions, called in turn; and what each one found."""
    best = {name: float("inf") for name in runs}
    found = {}
    for _ in range(rounds):
        for name, run in runs.items():
            seconds, found[name] = run()
            best[name] = min(best[name], seconds)
    return best, found


def ours_run(ours, *args, **kwargs):
    def run():
        answer = ours.search(*args, **kwargs)
        return answer["seconds"], answer["distances"]

    return run


class Bench:
    def __init__(self, quick):
        import faiss
        import numpy

        self.faiss, self.numpy = faiss, numpy
        faiss.omp_set_num_threads(1)
        self.rounds = 3 if quick else 9
        self.random = numpy.random.default_rng(20240501)
        self.ours = Ours()
        self.machine = self.ours.ask(do="machine")
        self.best_of_faiss = faiss.SIMDConfig.get_level()
        self.folder = tempfile.TemporaryDirectory()
        self.rows = []

    def load(self, bits, n):
        """Random codes, on both sides."""
        self.bits, self.n = bits, n
        draw = lambda rows: self.random.integers(0, 256, (rows, bits // 8), dtype="u1")
        self.codes, self.queries = draw(n), draw(100)
        self.weights = self.random.uniform(0.5, 1.5, bits).astype("f4")
        folder = pathlib.Path(self.folder.name)
        self.codes.tofile(folder / "codes")
        self.queries.tofile(folder / "queries")
        self.ours.ask(
            do="load",
            bits=bits,
            codes=str(folder / "codes"),
            queries=str(folder / "queries"),
            weights=[float(w) for w in self.weights],
        )
        self.flat = self.faiss.IndexBinaryFlat(bits)
        self.flat.add(self.codes)

    def hold(self, level):
        """Holds both sides to an instruction level; `native` is the best that each has."""
        self.column = level
        self.level = self.machine["level"] if level == "native" else level
        none = self.faiss.SIMDLevel_NONE
        theirs = {"avx2": self.faiss.SIMDLevel_AVX2, "ssse3": none, "portable": none}
        self.faiss.SIMDConfig.set_level(theirs.get(level, self.best_of_faiss))

    def note(self, what, ours, theirs, must, aim=None, **more):
        ratio = theirs / ours
        self.rows.append({"level": self.column, "what": what, "bits": self.bits, "n": self.n, "ratio": ratio, "must": must, "aim": aim, **more})
        row = self.rows[-1]
        rates = "  ".join(f"{name} {value}" for name, value in more.items())
        verdict = "ok" if must is None or ratio >= must else "MISSED"
        goal = "" if must is None else f"must {must}" + (f", aim {aim}" if aim else "")
        print(f"{self.column:8} {what:34} {self.bits:4} bits n={self.n:<9} ratio {row['ratio']:7.2f}  {goal:22} {verdict:6} {rates}", flush=True)

    def against_flat(self, what, queries, k, must, aim=None, limit=None):
        """Ours and faiss flat on the same queries; distances must be equal."""
        runs = {
            "ours": ours_run(self.ours, queries, k, self.level),
            "faiss": lambda: timed(lambda: self.flat.search(self.queries[:queries], k)),
        }
        best, found = alternate(runs, self.rounds * (5 if queries == 1 else 1))
        if found["ours"] != found["faiss"]:
            sys.exit(f"{what}: distances differ: {found}")
        rate = {name: self.n * queries / seconds / 1e9 for name, seconds in best.items()}
        more = {"ours_G/s": round(rate["ours"], 2), "faiss_G/s": round(rate["faiss"], 2)}
        if limit:
            more["share_of_limit"] = f"{rate['ours'] / limit:.0%}"
        self.note(what, best["ours"], best["faiss"], must, aim, **more)

    def against_fast_scan(self, what, queries, must):
        """Weighted search against product quantisation of scaled bits, which is approximate."""
        floats = self.numpy.unpackbits(self.codes, axis=1).astype("f4") * self.numpy.sqrt(self.weights)
        index = self.faiss.IndexPQFastScan(self.bits, self.bits // 4, 4)
        index.train(floats[:20000])
        index.add(floats)
        asked = self.numpy.unpackbits(self.queries, axis=1).astype("f4") * self.numpy.sqrt(self.weights)
        runs = {
            "ours": ours_run(self.ours, queries, 10, self.level, weighted=True),
            "pq": lambda: timed(lambda: index.search(asked[:queries], 10)),
        }
        best, _ = alternate(runs, self.rounds * (5 if queries == 1 else 1))
        rates = {name: round(self.n * queries / seconds / 1e9, 2) for name, seconds in best.items()}
        self.note(what, best["ours"], best["pq"], must, **{"ours_G/s": rates["ours"], "pq_G/s": rates["pq"]})

    def ours_alone(self, what, fast, slow, must):
        """How much faster one of our own searches is than another."""
        # Many rounds: a second thread first has to wake an idle core.
        runs = {name: ours_run(self.ours, level=self.level, **how) for name, how in (("fast", fast), ("slow", slow))}
        best, _ = alternate(runs, 30 * self.rounds)
        self.note(what, best["fast"], best["slow"], must)


# Batch (must, aim) and one query (must) by level and width.
GOALS = {
    "native": {64: (8, 11, 3), 80: (25, 33, 1), 128: (5, 7, 1), 256: (3.5, 5, 1), 512: (3.5, 5, 1)},
    "avx2": {64: (8, 10, 1), 80: (25, 30, 1), 128: (5, 7, 1), 256: (4, 5, 1), 512: (4, 5, 1)},
    "ssse3": {64: (1, None, 1), 80: (1, None, 1), 128: (1, None, 1), 256: (1, None, 1), 512: (1, None, 1)},
    "portable": {64: (1, None, 1), 80: (1, None, 1), 128: (1, None, 1), 256: (1, None, 1), 512: (1, None, 1)},
}


def read_limit(bench):
    """Codes a second, in billions, at the rate at which a core reads so much memory."""
    mib = bench.n * bench.bits / 8 / 2**20
    nearest = min(bench.machine["bandwidth"], key=lambda row: abs(row["mib"] - mib))
    return nearest["gb_per_s"] / (bench.bits / 8)


def count_limit(bench):
    """Codes a second, in billions, if nothing but xor, count and add took time; AVX-512 only."""
    return bench.machine["strip_planes_per_s"] * 64 / (bench.bits / 8) / 1e9 if bench.column == "native" else None


def of_a_million(bench, bits):
    """The rows of a million codes at one level."""
    must, aim, one = GOALS[bench.column][bits]
    bench.against_flat("batch of 100, k=10", 100, 10, must, aim, limit=count_limit(bench))
    bench.against_flat("one query, k=10", 1, 10, one, limit=read_limit(bench))
    if bench.column in ("ssse3", "portable") or bits > 128:
        return
    bench.against_fast_scan("weighted against PQFastScan, batch", 100, 2 if bits == 64 else None)
    bench.against_fast_scan("weighted against PQFastScan, one", 1, None)
    if bench.column == "native":
        one_query = dict(queries=1, k=10)
        bench.ours_alone("one weighted / one plain, speed", dict(one_query, weighted=True), one_query, 0.75)
        if bits == 64:
            batch = dict(queries=100, k=10)
            # Threads share out work that computing takes, so both sides are timed by the clock.
            bench.ours_alone("two threads / one, batch", dict(batch, threads=2), dict(batch, clock=True), 1.7)
            bench.ours_alone("two threads / one, one query", dict(one_query, threads=2), dict(one_query, clock=True), None)


def of_other_numbers(bench, quick):
    """Fewer and more codes, at the machine's level."""
    bench.hold("native")
    bench.load(64, 10**5)
    bench.against_flat("batch of 100, k=100", 100, 100, 5)
    bench.load(64, 10**7)
    bench.against_flat("one query, k=10", 1, 10, 1.8, limit=read_limit(bench))
    if not quick:
        bench.against_flat("batch of 100, k=10", 100, 10, 8, 11, limit=count_limit(bench))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="fewer rounds")
    arguments.add_argument("--levels", default="native,avx2,ssse3,portable", help="instruction levels, with commas between")
    arguments.add_argument("--json", help="also write the rows to this file")
    arguments = arguments.parse_args()
    levels = arguments.levels.split(",")
    if unknown := set(levels) - set(GOALS):
        sys.exit(f"--levels: {unknown.pop()} is none of {', '.join(GOALS)}")
    bench = Bench(arguments.quick)
    reads = ", ".join(f"{row['mib']} MiB {row['gb_per_s']:.0f}" for row in bench.machine["bandwidth"])
    print(f"faiss {bench.faiss.__version__} ({bench.faiss.get_compile_options().strip()}), ours {bench.machine['level']}")
    print(f"one core reads, GB/s: {reads}")
    limit = bench.machine["strip_planes_per_s"] * 64 / 1e9
    print(f"limit of xor+count+add: {limit:.1f} G bytes/s; load {os.getloadavg()[0]:.1f}")
    for bits in GOALS["native"]:
        bench.load(bits, 10**6)
        for level in levels:
            bench.hold(level)
            of_a_million(bench, bits)
    if "native" in levels:
        of_other_numbers(bench, arguments.quick)
    if arguments.json:
        written = {"machine": bench.machine, "rows": bench.rows}
        pathlib.Path(arguments.json).write_text(json.dumps(written, indent=1) + "\n")
    missed = [row for row in bench.rows if row["must"] is not None and row["ratio"] < row["must"]]
    print(f"{len(bench.rows) - len(missed)} of {len(bench.rows)} rows reach their goal")


if __name__ == "__main__":
    enter_environment()
    main()

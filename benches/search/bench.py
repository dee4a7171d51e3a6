#!/usr/bin/env python3
"""Alternates our search with faiss-cpu in one run and prints ratios.

Makes its own virtual environment beside itself, builds the Rust side, and takes the fastest of several alternating
runs of both. One core unless said. Every ratio is also checked for equal distances.

    python3 benches/search/bench.py [--quick] [--json FILE]
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

    def search(self, queries, k, threads=1, weighted=False, level="best"):
        return self.ask(do="search", queries=queries, k=k, threads=threads, weighted=weighted, level=level)


def timed(call):
    start = time.perf_counter()
    distances, _ = call()
    return time.perf_counter() - start, float(distances.astype("f8").sum())


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

    def note(self, what, ours, theirs, must, aim=None, **more):
        ratio = theirs / ours
        self.rows.append({"what": what, "bits": self.bits, "n": self.n, "ratio": ratio, "must": must, "aim": aim, **more})
        row = self.rows[-1]
        rates = "  ".join(f"{name} {value}" for name, value in more.items())
        verdict = "ok" if must is None or ratio >= must else "MISSED"
        goal = "" if must is None else f"must {must}" + (f", aim {aim}" if aim else "")
        print(f"{what:34} {self.bits:4} bits n={self.n:<9} ratio {row['ratio']:7.2f}  {goal:22} {verdict:6} {rates}", flush=True)

    def against_flat(self, what, queries, k, must, aim=None, level="best", limit=None):
        """Ours and faiss flat on the same queries; distances must be equal."""
        runs = {
            "ours": ours_run(self.ours, queries, k, level=level),
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
            "ours": ours_run(self.ours, queries, 10, weighted=True),
            "pq": lambda: timed(lambda: index.search(asked[:queries], 10)),
        }
        best, _ = alternate(runs, self.rounds * (5 if queries == 1 else 1))
        rates = {name: round(self.n * queries / seconds / 1e9, 2) for name, seconds in best.items()}
        self.note(what, best["ours"], best["pq"], must, **{"ours_G/s": rates["ours"], "pq_G/s": rates["pq"]})

    def ours_alone(self, what, fast, slow, must):
        """How much faster one of our own searches is than another."""
        # Many rounds: a second thread first has to wake an idle core.
        best, _ = alternate({"fast": ours_run(self.ours, **fast), "slow": ours_run(self.ours, **slow)}, 30 * self.rounds)
        self.note(what, best["fast"], best["slow"], must)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="fewer rounds")
    arguments.add_argument("--json", help="also write the rows to this file")
    arguments = arguments.parse_args()
    bench = Bench(arguments.quick)
    machine = bench.ours.ask(do="machine")
    reads = ", ".join(f"{row['mib']} MiB {row['gb_per_s']:.0f}" for row in machine["bandwidth"])
    print(f"faiss {bench.faiss.__version__} ({bench.faiss.get_compile_options().strip()}), ours {machine['level']}")
    print(f"one core reads, GB/s: {reads}")
    print(f"limit of xor+count+add: {machine['strip_planes_per_s'] * 64 / 1e9:.1f} G bytes/s; load {os.getloadavg()[0]:.1f}")

    def read_limit():
        mib = bench.n * bench.bits / 8 / 2**20
        nearest = min(machine["bandwidth"], key=lambda row: abs(row["mib"] - mib))
        return nearest["gb_per_s"] / (bench.bits / 8)

    def count_limit():
        return machine["strip_planes_per_s"] * 64 / (bench.bits / 8) / 1e9 or None

    goals = {64: (8, 11, 3), 80: (25, 33, None), 128: (5, 7, None), 256: (3.5, 5, None)}
    for bits, (must, aim, one) in goals.items():
        bench.load(bits, 10**6)
        bench.against_flat("batch of 100, k=10", 100, 10, must, aim, limit=count_limit())
        bench.against_flat("one query, k=10", 1, 10, one, limit=read_limit())
        if bits <= 80:
            bench.against_flat("AVX2, batch of 100, k=10", 100, 10, {64: 3, 80: 10}[bits], {64: 5, 80: 15}[bits], "avx2")
        if bits <= 128:
            bench.against_fast_scan("weighted against PQFastScan, batch", 100, 2 if bits == 64 else None)
            bench.against_fast_scan("weighted against PQFastScan, one", 1, None)
            one_query = dict(queries=1, k=10)
            bench.ours_alone("one weighted / one plain, speed", dict(one_query, weighted=True), one_query, 0.75)
        if bits == 64:
            batch = dict(queries=100, k=10)
            bench.ours_alone("two threads / one, batch", dict(batch, threads=2), batch, 1.7)
            bench.ours_alone("two threads / one, one query", dict(one_query, threads=2), one_query, None)
    bench.load(64, 10**5)
    bench.against_flat("batch of 100, k=100", 100, 100, 5)
    bench.load(64, 10**7)
    bench.against_flat("one query, k=10", 1, 10, 1.8, limit=read_limit())
    if not arguments.quick:
        bench.against_flat("batch of 100, k=10", 100, 10, 8, 11, limit=count_limit())
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"machine": machine, "rows": bench.rows}, indent=1) + "\n")
    missed = [row for row in bench.rows if row["must"] is not None and row["ratio"] < row["must"]]
    print(f"{len(bench.rows) - len(missed)} of {len(bench.rows)} rows reach their goal")


if __name__ == "__main__":
    enter_environment()
    main()

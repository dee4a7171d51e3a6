#!/usr/bin/env python3
"""Prints how the installed Python package compares with the library and the command below it.

Times are the least of several turns that the two sides take by turns, so that a busy machine hurts both alike.
"""

import os

os.environ["SCIPY_ARRAY_API"] = "1"

import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np

import sibp
from sibp import _sampled

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("SIBP_BIN", str(ROOT / "target/release/sibp"))
TURNS = 7


def least(*works, turns=TURNS):
    """Least time of each work, taken by turns."""
    times = [[] for _ in works]
    for _ in range(turns):
        for work, taken in zip(works, times, strict=True):
            began = time.perf_counter()
            answer = work()
            taken.append(answer if isinstance(answer, float) else time.perf_counter() - began)
    return [min(taken) for taken in times]


def row(what, found, aim=""):
    print(f"| {what} | {found} | {aim} |", flush=True)


def checks():
    from sklearn.utils.estimator_checks import check_estimator

    short = {"sweeps": 10}
    for estimator in (
        sibp.SuperProbitIBP(**short), sibp.SuperGaussianIBP(**short), sibp.IBP(**short), sibp.SpectralHashing(n_bits=8),
        sibp.AttributeHash(), sibp.ITQ(), sibp.LSH(n_bits=16),
    ):  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, on_fail=None, on_skip=None)
        count = {status: sum(r["status"] == status for r in results) for status in ("passed", "failed", "skipped", "xfail")}
        words = ", ".join(f"{n} {status}" for status, n in count.items() if n or status == "passed")
        row(f"check_estimator, {type(estimator).__name__}", words, "all passed")


def transform(X, y):
    model = sibp.SuperProbitIBP(sweeps=60, random_state=0).fit(X[:300], y[:300])
    many = np.ascontiguousarray(np.resize(X, (100_000, X.shape[1])), dtype=np.float64)
    options = model._code_options()
    one, rust, all_of_them = least(
        lambda: model.set_params(n_jobs=1).transform(many),
        lambda: model.model_._seconds_of_library(many, options),
        lambda: model.set_params(n_jobs=None).transform(many),
    )
    words = f"{1e3 * one:.0f} ms, library {1e3 * rust:.0f} ms: {100 * (one / rust - 1):+.0f} %"
    row(f"transform of 100,000 x 64 to {model.n_bits_} bits, one thread", words, "at most +10 %")
    row("the same on all cores", f"{1e3 * all_of_them:.0f} ms")


def searches():
    """One query of a million codes, beside one of a single code: what is left is the call."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, size=(1_000_000, 8), dtype=np.uint8)
    many, single = sibp.HammingIndex(64), sibp.HammingIndex(64)
    many.add(codes)
    single.add(codes[:1])
    whole, call = least(lambda: many.search(codes[:1], k=10), lambda: single.search(codes[:1], k=1), turns=200)
    words = f"{1e6 * whole:.0f} us, of which the call {1e6 * call:.1f} us: {100 * call / (whole - call):+.1f} %"
    row("HammingIndex.search, one query of 1,000,000 x 64 bits", words, "at most +10 %")


def encoders():
    """Arrow batches in this process beside the command, both on one thread."""
    try:
        import pyarrow as pa
    except ImportError:
        print("skipped: pyarrow is not installed")
        return
    rng = np.random.default_rng(0)
    n, width = int(os.environ.get("SIBP_BENCH_ROWS", 1_000_000)), 128
    y = np.repeat(np.arange(10), 30)
    X = rng.normal(size=(300, width)) + 2 * rng.normal(size=(10, width))[y]
    few = {"sweeps": 3, "chains": 1, "per_object": 3, "unsupervised_bits": 64, "n_jobs": 1}
    model = sibp.SuperProbitIBP(input_transform="standardise,scale", random_state=0, **few).fit(X, y)
    many = rng.normal(size=(n, width)).astype(np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(many.ravel()), width)
    batches = pa.Table.from_arrays([column], ["x"]).to_batches(max_chunksize=10_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "x.npy", many)
        model.to_encoder().save(folder / "m.sibe")
        encoder = sibp.Encoder.load(folder / "m.sibe")
        words = "encode m.sibe x.npy --threads 1 -q -o c.npy".split()
        command = lambda: subprocess.run([BIN, *words], cwd=folder, check=True) and None
        found = []

        def arrow():
            found[:] = [encoder.encode_arrow(batch, "x") for batch in batches]

        ours, theirs = least(arrow, command, turns=3)
        codes = np.concatenate([np.frombuffer(b"".join(batch["code"].to_pylist()), np.uint8) for batch in found])
        same = "the same codes" if (codes == np.load(folder / "c.npy").ravel()).all() else "OTHER CODES"
        words = f"{n / ours / 1e6:.2f} M rows/s, command {n / theirs / 1e6:.2f} M rows/s: {100 * theirs / ours:.0f} %, {same}"
        row(f"sibp.Encoder on Arrow batches, {n:,} x {width} to {encoder.n_bits} bits, one thread", words, "at least 70 %")


def imports():
    env = {name: value for name, value in os.environ.items() if name != "SCIPY_ARRAY_API"}

    def python(code):
        subprocess.run([sys.executable, "-c", code], check=True, env=env)

    theirs = "import sklearn.base, sklearn.utils.multiclass, sklearn.utils.validation"
    codes = ["import numpy", "import sibp", theirs, "from sibp import SuperProbitIBP"]
    numpy, ours, sklearn, estimator = least(*[lambda code=code: python(code) for code in codes], turns=15)
    row("import sibp, over numpy's", f"{1e3 * (ours - numpy):.1f} ms", "at most 150 ms")
    words = f"{1e3 * (estimator - numpy):.0f} ms, of which scikit-learn {1e3 * (sklearn - numpy):.0f} ms"
    row("first estimator, over numpy's", words)


def fits(X, y):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "X.npy", X[:300])
        np.save(folder / "y.npy", y[:300])
        for kind, model in (("probit", sibp.SuperProbitIBP), ("gaussian", sibp.SuperGaussianIBP)):
            words = f"fit X.npy --labels y.npy --model {kind} --sweeps 60 --seed 1 -q -o m.sibp".split()
            command = lambda: subprocess.run([BIN, *words], cwd=folder, check=True, stderr=subprocess.DEVNULL) and None

            def python():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model(sweeps=60, random_state=1).fit(X[:300], y[:300]).save(folder / "p.sibp")

            ours, theirs = least(python, command)
            same = "the same bytes" if (folder / "m.sibp").read_bytes() == (folder / "p.sibp").read_bytes() else "OTHER BYTES"
            found = f"{ours:.2f} s, command {theirs:.2f} s: {100 * (ours / theirs - 1):+.0f} %, {same}"
            row(f"fit of 300 digits, {kind}, 60 sweeps", found, "within 5 %")


def interrupts(X, y):
    taken = []
    for n in (300, 1000):
        pressed = []
        reached = threading.Event()

        @contextmanager
        def watching(*_):
            yield lambda latest: reached.set() if latest[0][0] >= 3 else None

        def press():
            reached.wait()
            pressed.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press).start()
        with mock.patch.object(_sampled, "progress", watching), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sibp.SuperProbitIBP(sweeps=10**6, random_state=0).fit(X[:n], y[:n])
        taken.append(f"{1e3 * (time.perf_counter() - pressed[0]):.0f} ms with {n} digits")
    row("from Ctrl-C to a fitted model", ", ".join(taken), "at most 1 s")


def main():
    X, y = (np.load(ROOT / f"data/digits/{name}.npy") for name in ("features", "labels"))
    X = X.astype(np.float64)
    warnings.filterwarnings("ignore", message="y: ")
    print("| what | found | aim |\n|---|---|---|")
    transform(X, y)
    searches()
    encoders()
    imports()
    fits(X, y)
    interrupts(X, y)
    for wheel in Path(sys.argv[1]).glob("*.whl") if len(sys.argv) > 1 else ():
        row(f"size of {wheel.name}", f"{wheel.stat().st_size / 1e6:.1f} MB", "at most 8 MB")
    checks()


if __name__ == "__main__":
    main()

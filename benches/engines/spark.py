#!/usr/bin/env python3
"""Measures Spark with two executors of one core each beside the command (`make bench-spark`).

Encoding is end to end: Parquet is read, codes are written as Parquet. Both searches are of the same codes and are
compared. The table is printed as Markdown.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2] / "python/tests/engines"))

import sibp
from sessions import cluster

BIN = os.environ["SIBP_BIN"]
N_PARTS = 16


def timed(work):
    began = time.monotonic()
    done = work()
    return time.monotonic() - began, done


def command(folder, *words):
    return timed(lambda: subprocess.run([BIN, *map(str, words)], cwd=folder, check=True, capture_output=True))[0]


def parts(n_rows):
    return np.array_split(np.arange(n_rows), N_PARTS)


def encode(spark, folder, n_objects, n_inputs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_objects, n_inputs)).astype(np.float32)
    y = rng.integers(0, 10, 1000)
    sibp.SuperProbitIBP(sweeps=30, max_bits=64, random_state=0).fit(X[:1000] + 3 * rng.normal(size=(10, n_inputs))[y], y).save(
        folder / "m.sibp"
    )
    command(folder, "export", "m.sibp", "--to", "encoder", "-o", "m.sibe")
    np.save(folder / "x.npy", X)
    (folder / "objects").mkdir()
    for part, rows in enumerate(parts(n_objects)):
        features = pa.FixedSizeListArray.from_arrays(pa.array(X[rows].ravel()), n_inputs).cast(pa.list_(pa.float32()))
        pq.write_table(pa.table({"id": rows, "features": features}), folder / "objects" / f"{part}.parquet")
    results = [("encode", "the command, one thread", command(folder, "encode", "m.sibe", "x.npy", "-o", "a.npy", "--threads", 1))]
    results.append(("encode", "the command, two threads", command(folder, "encode", "m.sibe", "x.npy", "-o", "b.npy", "--threads", 2)))
    encoder = sibp.Encoder.load(folder / "m.sibe")
    batches = [batch for part in range(N_PARTS) for batch in pq.read_table(folder / f"objects/{part}.parquet").to_batches(10_000)]
    seconds, _ = timed(lambda: [encoder.encode_arrow(batch, "features") for batch in batches])
    results.append(("encode", "`sibp.Encoder` on Arrow batches, one thread", seconds))
    frame = spark.read.parquet(str(folder / "objects"))
    coded = sibp.spark.encode(frame, encoder).select("id", "code")
    for what in ("first", "again"):
        seconds, _ = timed(lambda: coded.write.mode("overwrite").parquet(str(folder / "out")))
        results.append(("encode", f"Spark, two executors, Parquet to Parquet, {what}", seconds))
    found = pq.read_table(folder / "out").sort_by("id")["code"].combine_chunks()
    codes = np.load(folder / "a.npy")
    assert b"".join(found.to_pylist()) == codes.tobytes(), "the codes differ"
    for what, how, seconds in results:
        print(f"| {what} {n_objects:,} x {n_inputs} | {how} | {seconds:.1f} s | {n_objects / seconds:,.0f} rows a second |", flush=True)


def search(spark, folder, n_codes, n_queries):
    rng = np.random.default_rng(1)
    codes, queries = (rng.integers(0, 256, (count, 8), dtype=np.uint8) for count in (n_codes, n_queries))
    np.save(folder / "codes.npy", codes)
    np.save(folder / "queries.npy", queries)
    (folder / "codes").mkdir()
    for part, rows in enumerate(parts(n_codes)):
        binary = pa.FixedSizeBinaryArray.from_buffers(pa.binary(8), len(rows), [None, pa.py_buffer(codes[rows].tobytes())])
        pq.write_table(pa.table({"id": rows, "code": binary.cast(pa.binary())}), folder / "codes" / f"{part}.parquet")
    words = ("search", "codes.npy", "queries.npy", "-k", 10, "-o", "ids.npy")
    label = f"search {n_codes:,} by {n_queries:,}"
    for threads in (1, 2):
        seconds = command(folder, *words, "--threads", threads, *(["--force"] if threads == 2 else []))
        print(f"| {label} | the command, {threads} thread{'s'[: threads - 1]} | {seconds:.1f} s | |", flush=True)
    stored = spark.read.parquet(str(folder / "codes"))
    for what in ("first", "again"):
        seconds, table = timed(lambda: sibp.spark.search(stored, queries, 10).toArrow())
        print(f"| {label} | Spark, two executors, {what} | {seconds:.1f} s | |", flush=True)
    found = table.sort_by([("query_id", "ascending"), ("rank", "ascending")])["id"].to_numpy().reshape(-1, 10)
    assert (found == np.load(folder / "ids.npy")).all(), "the neighbours differ"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--inputs", type=int, default=128)
    parser.add_argument("--codes", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=1000)
    args = parser.parse_args()
    spark = cluster(memory=2048, **{"spark.executor.memory": "2g"})
    print("| what | how | time | |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        encode(spark, Path(folder), args.objects, args.inputs)
    with tempfile.TemporaryDirectory() as folder:
        search(spark, Path(folder), args.codes, args.queries)
    spark.stop()


if __name__ == "__main__":
    main()

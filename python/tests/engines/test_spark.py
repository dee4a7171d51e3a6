"""Codes in a real Spark: what it encodes and finds is what the command does, also when executors are killed.

SIBP_ENGINES=long (`make test-spark`) takes 100,000 objects instead of 10,000.
"""

import doctest
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

try:
    import numpy as np
    import pyspark  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest(f"skipped: {error}") from None

sys.path.insert(0, str(Path(__file__).parents[1]))

from sessions import cluster, executors, why_not

if why_not():
    raise unittest.SkipTest(why_not())

import pyarrow as pa
import pyarrow.parquet as pq
from common import BIN, TestCase
from pyspark.errors import PySparkException
from pyspark.ml.linalg import DenseVector, SparseVector

import sibp
from page import run_page

N_OBJECTS = 100_000 if os.environ.get("SIBP_ENGINES") == "long" else 10_000
N_INPUTS, N_PARTS, K = 16, 8, 10


def setUpModule():
    """Starts Spark, fits a model, and asks the command for the codes of all objects."""
    global SPARK, X, CODES, FILES
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    FILES = Path(folder.name)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, N_OBJECTS)
    X = 3 * rng.normal(size=(5, N_INPUTS))[y] + rng.normal(size=(N_OBJECTS, N_INPUTS))
    np.save(FILES / "x.npy", X)
    model = sibp.SuperProbitIBP(sweeps=20, per_object=5, max_bits=64, random_state=0).fit(X[:200], y[:200])
    model.save(FILES / "m.sibp")
    for words in ("export m.sibp --to encoder -o m.sibe", "encode m.sibe x.npy -o codes.npy"):
        subprocess.run([BIN, *words.split()], cwd=FILES, check=True, capture_output=True)
    CODES = np.load(FILES / "codes.npy")
    SPARK = cluster()
    unittest.addModuleCleanup(SPARK.stop)


def binary(codes):
    return pa.array([code.tobytes() for code in codes], pa.binary())


class SparkCase(TestCase):
    def setUp(self):
        super().setUp()
        self.X, self.codes = X, CODES

    def parquet(self, ids):
        """The objects in as many files as there shall be partitions."""
        (self.folder / "objects").mkdir()
        for part, rows in enumerate(np.array_split(np.random.default_rng(1).permutation(N_OBJECTS), N_PARTS)):
            table = pa.table({"id": ids[rows], "features": list(self.X[rows])})
            pq.write_table(table, self.folder / "objects" / f"{part}.parquet")
        return SPARK.read.parquet(str(self.folder / "objects"))

    def coded(self, ids, rows=slice(None)):
        return SPARK.createDataFrame(pa.table({"id": pa.array(ids[rows]), "code": binary(self.codes[rows])}))

    def hits(self, frame):
        """(ids, distances), a row a query, by the order of query ids; ranks must count from 1."""
        table = frame.toArrow().sort_by([("query_id", "ascending"), ("rank", "ascending")])
        ranks = table["rank"].to_numpy().reshape(-1, K)
        self.assertTrue((ranks == np.arange(1, K + 1)).all())
        ids = np.array(table["id"].to_pylist()).reshape(-1, K)
        return ids, table["distance"].to_numpy().reshape(-1, K)


class Encode(SparkCase):
    def test_codes_and_neighbours_are_those_of_the_command_though_an_executor_is_killed(self):
        frame = self.parquet(np.arange(N_OBJECTS))
        self.assertGreaterEqual(frame.rdd.getNumPartitions(), N_PARTS // 2)
        codes = sibp.spark.encode(frame, FILES / "m.sibe", input_col="features", output_col="code")
        mark = self.folder / "mark"
        seen = self.marked(codes, str(mark))
        job = threading.Thread(target=lambda: seen.write.parquet(str(self.folder / "out")))
        job.start()
        while not mark.exists():
            self.assertTrue(job.is_alive(), "the job ended before its executor could be killed")
            time.sleep(0.05)
        victim = int(mark.read_text())
        self.assertIn(victim, executors())
        os.kill(victim, signal.SIGKILL)
        job.join()
        self.assertNotIn(victim, executors())

        found = pq.read_table(self.folder / "out").sort_by("id")
        attempts, wrote = found["attempt"].to_numpy(), set(found["executor"].to_pylist())
        print(f"{N_OBJECTS} objects, executors that wrote: {len(wrote)}, attempts: {sorted(set(attempts.tolist()))}")
        self.assertGreaterEqual(len(wrote), 2)
        self.assertGreater(attempts.max(), 0)
        self.equal(found["id"].to_numpy(), np.arange(N_OBJECTS))
        self.assertEqual(found["code"].combine_chunks(), binary(self.codes))

        np.save(self.folder / "queries.npy", self.codes[:200])
        self.command("search", FILES / "codes.npy", "queries.npy", "-k", K, "-o", "ids.npy", "--distances", "d.npy")
        stored = SPARK.read.parquet(str(self.folder / "out"))
        ids, distances = self.hits(sibp.spark.search(stored, self.codes[:200], K))
        self.equal(ids, np.load(self.folder / "ids.npy"))
        self.equal(distances, np.load(self.folder / "d.npy"))

    @staticmethod
    def marked(frame, mark):
        """Tells who wrote each row, and lets one task wait, in the middle of the stage, until its executor is gone."""

        def tell(batches):
            import os
            import time

            import psutil
            import pyarrow as pa
            from pyspark import TaskContext

            task = TaskContext.get()
            executor = next(parent.pid for parent in psutil.Process().parents() if "java" in parent.name())
            for batch in batches:
                if task.partitionId() == 3 and task.attemptNumber() == 0 and not os.path.exists(mark):
                    with open(mark + ".part", "w") as file:
                        file.write(str(executor))
                    os.rename(mark + ".part", mark)
                    while psutil.pid_exists(executor) and psutil.Process(executor).status() != psutil.STATUS_ZOMBIE:
                        time.sleep(0.05)
                    raise RuntimeError("the executor is gone")
                rows = len(batch)
                yield pa.RecordBatch.from_arrays(
                    [batch["id"], batch["code"], pa.array([task.attemptNumber()] * rows, pa.int32()),
                     pa.array([executor] * rows, pa.int64())],
                    names=["id", "code", "attempt", "executor"],
                )  # fmt: skip

        return frame.mapInArrow(tell, "id long, code binary, attempt int, executor long")

    def test_arrays_vectors_and_columns_give_the_same_codes(self):
        X = self.X[:50].copy()
        X[::2, 3:] = 0
        wanted = [code.tobytes() for code in sibp.Encoder.load(FILES / "m.sibe").encode(X)]
        dense = [(row, DenseVector(X[row])) for row in range(50)]
        mixed = [(row, SparseVector(N_INPUTS, np.flatnonzero(X[row]), X[row][np.flatnonzero(X[row])])) for row in range(50)]
        wide = [(row, *map(float, X[row])) for row in range(50)]
        names = [f"a.{column} `" for column in range(N_INPUTS)]
        frames = [
            (SPARK.createDataFrame([(row, X[row].tolist()) for row in range(50)], "id long, features array<double>"), {}),
            (SPARK.createDataFrame([(row, X[row].tolist()) for row in range(50)], "id long, f array<double>"), {"input_col": "f"}),
            (SPARK.createDataFrame(dense, ["id", "features"]), {}),
            (SPARK.createDataFrame(dense[:20] + mixed[20:], ["id", "features"]), {}),
            (SPARK.createDataFrame(wide, ["id", *names]), {"input_col": names}),
        ]
        data = (FILES / "m.sibe").read_bytes()
        for at, (frame, how) in enumerate(frames):
            for encoder in (data, sibp.Encoder.from_bytes(data)) if at == 0 else (data,):
                with self.subTest(at):
                    coded = sibp.spark.encode(frame, encoder, **how)
                    self.assertEqual(coded.columns, [*frame.columns, "code"])
                    rows = {row["id"]: bytes(row["code"]) for row in coded.collect()}
                    self.assertEqual([rows[row] for row in range(50)], wanted)
                    self.assertEqual(sibp.spark.encode(coded, encoder, **how).columns, [*frame.columns, "code"])

    def test_bad_rows_fail_by_name_or_go_to_a_column(self):
        rows = [(0, self.X[0].tolist()), (1, [1.0, 2.0]), (2, [float("nan")] * N_INPUTS), (3, None)]
        frame = SPARK.createDataFrame(rows, "id long, features array<double>")
        encoder = (FILES / "m.sibe").read_bytes()
        found = {row["id"]: row for row in sibp.spark.encode(frame, encoder, errors_col="why").collect()}
        self.assertEqual(bytes(found[0]["code"]), self.codes[0].tobytes())
        self.assertIsNone(found[0]["why"])
        for bad in (1, 2, 3):
            self.assertIsNone(found[bad]["code"])
            self.assertTrue(found[bad]["why"])
            with self.assertRaisesRegex(PySparkException, "row 0"):
                sibp.spark.encode(frame.where(f"id = {bad}"), encoder).collect()

    def test_mistakes_are_named(self):
        frame = SPARK.createDataFrame([(1, [1.0])], "id long, features array<double>")
        data = (FILES / "m.sibe").read_bytes()
        cases = [
            (lambda: sibp.spark.encode(frame, data, input_col="x"), ValueError, "input_col.*'x'"),
            (lambda: sibp.spark.encode(frame, 7), TypeError, "encoder"),
            (lambda: sibp.spark.encode(frame, b"seven"), ValueError, ""),
            (lambda: sibp.spark.encode(frame, data, errors_col="code"), ValueError, "errors_col"),
            (lambda: sibp.spark.search(frame, self.codes), ValueError, "codes.*'code'"),
            (lambda: sibp.spark.search(self.coded(np.arange(9), slice(9)), frame), ValueError, "queries.*'code'"),
            (lambda: sibp.spark.search(self.coded(np.arange(9), slice(9)), self.codes, 0), ValueError, "k"),
            (lambda: sibp.spark.search(self.coded(np.arange(9), slice(9)), self.codes.astype(int)), TypeError, "queries"),
        ]
        for at, (wrong, error, text) in enumerate(cases):
            with self.subTest(at), self.assertRaisesRegex(error, text):
                wrong()
        short = sibp.spark.search(self.coded(np.arange(9), slice(9)), self.codes[:, :1])
        with self.assertRaisesRegex(PySparkException, "codes of 1 bytes among codes of"):
            short.collect()


class Search(SparkCase):
    def setUp(self):
        super().setUp()
        self.index = sibp.HammingIndex(8 * self.codes.shape[1])

    def test_ids_may_be_texts_and_equal_distances_come_by_id(self):
        # Four codes for all objects: hundreds are equally near in every partition, and the first by id must be found.
        few = self.codes[:, :1] & 3
        self.assertGreater(len(np.unique(few)), 1)
        names = np.array([f"{'äZaé'[row % 4]}{row}" for row in range(N_OBJECTS)])
        order = np.array(sorted(range(N_OBJECTS), key=lambda row: names[row].encode()))
        index = sibp.HammingIndex(8)
        index.add(few[order])
        distances, rows = index.search(few[:30], K)
        codes = SPARK.createDataFrame(pa.table({"id": pa.array(names), "code": binary(few)})).repartition(7)
        ids, found = self.hits(sibp.spark.search(codes, few[:30], K))
        self.equal(ids, names[order][rows])
        self.equal(found, distances)

    def test_queries_may_be_a_frame_and_columns_have_any_name(self):
        ids = np.arange(N_OBJECTS) * 3 - 1000
        self.index.add(self.codes)
        distances, rows = self.index.search(self.codes[50:80], K)
        rename = {"id": "the id", "code": "the.code"}
        codes = self.coded(ids).withColumnsRenamed(rename).repartition(5)
        queries = self.coded(ids, slice(50, 80)).withColumnsRenamed(rename)
        found = sibp.spark.search(codes, queries, K, id_col="the id", code_col="the.code")
        self.assertEqual(found.columns, ["query_id", "id", "distance", "rank"])
        # No range of the whole answer is looked for, which would run the search twice.
        plan = found._jdf.queryExecution().executedPlan().toString()
        self.assertNotIn("rangepartitioning", plan)
        self.assertEqual(plan.count("MapInArrow"), 1)
        mine = self.hits(found)
        self.equal(mine[0], ids[rows])
        self.equal(mine[1], distances)

    def test_many_queries_go_in_blocks(self):
        self.index.add(self.codes[:3000])
        distances, rows = self.index.search(self.codes[:2500], K)
        codes = self.coded(np.arange(3000), slice(3000)).repartition(3)
        from sibp.spark import _search

        whole, _search.BLOCK_BYTES = _search.BLOCK_BYTES, 1000 * self.codes.shape[1]
        self.addCleanup(setattr, _search, "BLOCK_BYTES", whole)
        found = sibp.spark.search(codes, self.codes[:2500], K)
        self.assertEqual(found._jdf.queryExecution().executedPlan().toString().count("MapInArrow"), 3)
        mine = self.hits(found)
        self.equal(mine[0], rows)
        self.equal(mine[1], distances)

    def test_few_codes_no_codes_and_no_queries(self):
        few = self.coded(np.arange(3), slice(3)).repartition(8)
        found = sibp.spark.search(few, self.codes[:2], K).collect()
        self.assertEqual(sorted((row.query_id, row.rank) for row in found), [(q, r) for q in (0, 1) for r in (1, 2, 3)])
        self.assertEqual(sibp.spark.search(few.where("id > 5"), self.codes[:2], K).count(), 0)
        self.assertEqual(sibp.spark.search(few, self.codes[:0], K).count(), 0)
        self.assertEqual(sibp.spark.search(few, few.where("id > 5"), K).count(), 0)
        without = few.selectExpr("id", "CASE WHEN id = 1 THEN NULL ELSE code END AS code")
        self.assertEqual({row.id for row in sibp.spark.search(without, self.codes[:2], K).collect()}, {0, 2})


class Connect(SparkCase):
    def test_it_works_without_the_context_of_spark(self):
        """Through Spark Connect, in a process of its own: a process has one kind of session."""
        done = subprocess.run(
            [sys.executable, "-c", CONNECT, str(FILES)], capture_output=True, text=True, cwd=self.folder
        )
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
        self.assertIn("connect: the same", done.stdout)


CONNECT = """
import sys
import numpy as np
from pyspark.sql import SparkSession
import sibp

folder = sys.argv[1]
spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
assert "connect" in type(spark).__module__, type(spark)
X, codes = np.load(f"{folder}/x.npy")[:500], np.load(f"{folder}/codes.npy")[:500]
frame = spark.createDataFrame([(row, X[row].tolist()) for row in range(500)], "id long, features array<double>")
coded = sibp.spark.encode(frame.repartition(3), f"{folder}/m.sibe")
assert {row.id: bytes(row.code) for row in coded.collect()} == {row: codes[row].tobytes() for row in range(500)}
index = sibp.HammingIndex(8 * codes.shape[1])
index.add(codes)
wanted = index.search(codes[:20], 10)[1]
for queries in (codes[:20], coded.where("id < 20")):
    hits = sibp.spark.search(coded, queries, 10).collect()
    found = {(hit.query_id, hit["rank"]): hit.id for hit in hits}
    assert all(found[query, rank + 1] == wanted[query, rank] for query in range(20) for rank in range(10))
print("connect: the same")
spark.stop()
"""


class Fit(SparkCase):
    def test_chains_on_executors_give_the_model_of_one_place(self):
        start = sibp.SuperProbitIBP(sweeps=10, per_object=5)
        labels = np.arange(90) % 3
        objects = X[:90] + 5 * np.eye(3, N_INPUTS)[labels]
        triplets = sibp.triplets_from_labels(labels, objects, per_object=3, random_state=0)
        for teaching in ({"y": labels}, {"triplets": triplets}):
            with self.subTest(teaching.keys()):
                model = sibp.spark.fit(SPARK, objects, chains=3, estimator=start, random_state=4, **teaching)
                alone = sibp.SuperProbitIBP(sweeps=10, per_object=5, chains=3, random_state=4).fit(objects, **teaching)
                self.assertEqual(model.model_.to_bytes(), alone.model_.to_bytes())


class Examples(TestCase):
    def test_the_page(self):
        run_page(self, "spark", BIN, spark=SPARK)

    def test_everything_public_has_an_example(self):
        for name in sibp.spark.__all__:
            self.assertIn(">>> ", getattr(sibp.spark, name).__doc__)

    def test_examples_of_the_documentation(self):
        modules = [sibp.spark, *(sys.modules[f"sibp.spark.{name}"] for name in ("_encode", "_search", "_fit"))]
        for module in modules:
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                if test.examples:
                    with self.subTest(test.name):
                        test.globs["spark"] = SPARK
                        results = doctest.DocTestRunner().run(test)
                        self.assertEqual((results.failed, results.attempted > 0), (0, True))


if __name__ == "__main__":
    unittest.main()

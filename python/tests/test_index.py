"""Exact search, beside one written in numpy."""

import pickle
import threading

import numpy as np

import sibp
from common import TestCase


def brute_force(codes, queries, k):
    distances = (codes[None] != queries[:, None]).sum(axis=2)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


class HammingIndexTest(TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        self.bits = rng.integers(0, 2, size=(300, 37), dtype=np.uint8)
        self.asked = rng.integers(0, 2, size=(20, 37), dtype=np.uint8)
        self.codes, self.queries = np.packbits(self.bits, axis=1), np.packbits(self.asked, axis=1)
        self.index = sibp.HammingIndex(37)
        self.index.add(self.codes)

    def test_it_finds_what_numpy_finds(self):
        for k in (1, 10, 300):
            for n_threads in (None, 1, 3):
                distances, ids = self.index.search(self.queries, k, n_threads)
                expected = brute_force(self.bits, self.asked, k)
                self.equal(distances, expected[0])
                self.equal(ids, expected[1])
                self.assertEqual((distances.dtype, ids.dtype), (np.int32, np.int64))

    def test_weights_count_bits(self):
        weights = np.arange(37) / 8
        distances, ids = self.index.search(self.queries, 5, weights=weights)
        all_of_them = ((self.bits[None] != self.asked[:, None]) * weights).sum(axis=2)
        self.equal(distances, np.sort(all_of_them, axis=1)[:, :5])

    def test_more_than_are_stored_gives_all(self):
        distances, ids = self.index.search(self.queries, 1000)
        self.assertEqual(ids.shape, (20, 300))
        empty = sibp.HammingIndex(37)
        self.assertEqual(empty.search(self.queries, 5)[1].shape, (20, 0))
        self.assertEqual(self.index.search(self.queries[:0], 5)[1].size, 0)

    def test_the_largest_ids_are_those_of_the_command(self):
        for ids in ([3, 2**63, 2**64 - 1], np.array([3, 2**63, 2**64 - 1], dtype=np.uint64)):
            index = sibp.HammingIndex(37)
            index.add(self.codes[:3], ids=ids)
            self.assertEqual(index.ids.tolist(), [3, 2**63, 2**64 - 1])
            self.assertEqual(index.search(self.codes[2:3], 1)[1].tolist(), [[2**64 - 1]])
            self.assertEqual(pickle.loads(pickle.dumps(index)).ids.tolist(), [3, 2**63, 2**64 - 1])
            index.remove([2**64 - 1, 2**63])
            self.assertEqual((index.ids.tolist(), index.ids.dtype), ([3], np.int64))
        for wrong, text in ((-1, "-1 is negative"), (2**64, "too large")):
            with self.assertRaisesRegex(ValueError, f"^ids: .*{text}"):
                index.add(self.codes[:1], ids=[wrong])
        with self.assertRaisesRegex(TypeError, "^ids: .*whole numbers"):
            index.add(self.codes[:1], ids=[0.5])

    def test_ids_are_kept_and_codes_removed(self):
        index = sibp.HammingIndex(37)
        index.add(self.codes[:3], ids=[30, 20, 10])
        index.add(self.codes[3:4])
        self.equal(index.ids, [30, 20, 10, 31])
        index.remove([20])
        self.equal(index.ids, [30, 10, 31])
        self.equal(index.packed, self.codes[[0, 2, 3]])
        self.assertEqual(len(index), 3)
        self.assertEqual(index.search(self.codes[1:2], 1)[1].tolist() == [[20]], False)

    def test_more_bits_are_appended(self):
        index = sibp.HammingIndex(30)
        index.add(np.packbits(self.bits[:, :30], axis=1))
        index.extend(np.packbits(self.bits[:, 30:], axis=1), n_bits=7)
        self.equal(index.packed, self.codes)
        self.equal(index.search(self.queries, 9)[1], self.index.search(self.queries, 9)[1])

    def test_files_and_pickles_search_alike(self):
        self.index.save(self.folder / "codes.sibx")
        expected = self.index.search(self.queries, 7)
        for again in (sibp.HammingIndex.load(self.folder / "codes.sibx"), pickle.loads(pickle.dumps(self.index))):
            for found, wanted in zip(again.search(self.queries, 7), expected, strict=True):
                self.equal(found, wanted)
        info = self.command("index", "info", "codes.sibx", "--verify")
        self.assertIn("300", info)

    def test_many_threads_may_search_while_one_adds(self):
        found = []
        search = lambda: found.append(self.index.search(self.queries, 3)[0])
        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        self.index.add(self.codes)
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        self.assertEqual(len(self.index), 600)

    def test_mistakes_are_named(self):
        codes = self.codes
        cases = [
            (lambda: sibp.HammingIndex(0), ValueError, "n_bits"),
            (lambda: sibp.HammingIndex(5000), ValueError, "n_bits"),
            (lambda: sibp.HammingIndex("8"), TypeError, "n_bits"),
            (lambda: sibp.HammingIndex(True), TypeError, "n_bits"),
            (lambda: self.index.add(codes[:, :2]), ValueError, "codes"),
            (lambda: self.index.add(codes.astype(int)), TypeError, "codes"),
            (lambda: self.index.add(codes[0]), ValueError, "codes"),
            (lambda: self.index.add(np.full_like(codes, 255)), ValueError, "codes"),
            (lambda: self.index.add(codes, ids=[1]), ValueError, "ids"),
            (lambda: self.index.add(codes[:1], ids=[5]), ValueError, "ids"),
            (lambda: self.index.add(codes[:1], ids=[-5]), ValueError, "ids"),
            (lambda: self.index.add(codes[:1], ids=[1.5]), TypeError, "ids"),
            (lambda: self.index.remove([999]), ValueError, "ids"),
            (lambda: self.index.extend(codes[:5], 37), ValueError, "codes"),
            (lambda: self.index.extend(codes, 8), ValueError, "codes"),
            (lambda: self.index.extend(codes, 0), ValueError, "n_bits"),
            (lambda: self.index.search(codes[:, :1], 1), ValueError, "queries"),
            (lambda: self.index.search(codes, 0), ValueError, "k"),
            (lambda: self.index.search(codes, 1.5), TypeError, "k"),
            (lambda: self.index.search(codes, 1, weights=[1.0]), ValueError, "weights"),
            (lambda: self.index.search(codes, 1, weights=[-1.0] * 37), ValueError, "weights"),
            (lambda: self.index.search(codes, 1, weights=np.ones((37, 1))), ValueError, "weights"),
            (lambda: sibp.HammingIndex.load(self.folder / "none.sibx"), FileNotFoundError, "none.sibx"),
        ]
        for at, (wrong, error, argument) in enumerate(cases):
            with self.subTest(at), self.assertRaisesRegex(error, argument):
                wrong()
        self.assertEqual(len(self.index), 300)

    def test_ids_up_to_the_largest_number(self):
        index = sibp.HammingIndex(37)
        largest = 2**64 - 1
        index.add(self.codes[:3], ids=[largest, 0, 2**63])
        self.assertEqual(index.ids.tolist(), [largest, 0, 2**63])
        self.assertEqual(index.ids.dtype, np.uint64)
        self.assertEqual(index.search(self.codes[:1], 1)[1].tolist(), [[largest]])
        index.remove([largest, 2**63])
        self.assertEqual((index.ids.tolist(), index.ids.dtype), ([0], np.int64))
        for wrong in ([2**64], [-1], [1.5], [True], ["a", 1], [["a"]]):
            with self.subTest(wrong), self.assertRaisesRegex((TypeError, ValueError), "ids"):
                index.add(self.codes[:1], ids=np.array(wrong, dtype=object) if wrong == ["a", 1] else wrong)

    def test_ids_may_be_texts(self):
        names = np.array([f"näme {row}" for row in range(300)])
        index = sibp.HammingIndex(37)
        index.add(self.codes[:200], ids=names[:200])
        index.add(self.codes[200:], ids=names[200:])
        distances, ids = index.search(self.queries, 10)
        wanted = self.index.search(self.queries, 10)
        self.equal(distances, wanted[0])
        self.equal(ids, names[wanted[1]])
        self.equal(index.ids, names)
        index.save(self.folder / "named.sibx")
        for again in (sibp.HammingIndex.load(self.folder / "named.sibx"), pickle.loads(pickle.dumps(index))):
            self.equal(again.search(self.queries, 10)[1], ids)
        self.assertIn("näme 7", self.command("search", "named.sibx", "--id", "näme 7", "-k", "1"))
        some = index.search(self.queries, 5, among=["näme 3", "näme 9", "nobody"])[1]
        self.assertEqual(set(some.ravel().tolist()), {"näme 3", "näme 9"})
        index.remove(["näme 3"])
        self.assertEqual(len(index), 299)
        for wrong in (lambda: index.remove(["näme 3"]), lambda: index.add(self.codes[:1], ids=["näme 9"])):
            with self.assertRaisesRegex(ValueError, "ids.*näme"):
                wrong()
        with self.assertRaisesRegex(ValueError, "columns"):
            index.add(self.codes[:1])

    def test_a_radius_gives_all_within_it(self):
        everything = brute_force(self.bits, self.asked, 300)
        for radius in (0, 12, 15.5):
            distances, ids = self.index.search(self.queries, radius=radius)
            for query in range(20):
                near = everything[0][query] <= radius
                self.equal(ids[query], everything[1][query][near])
                self.equal(distances[query], everything[0][query][near])
        for wrong in ({"k": 3, "radius": 2}, {}, {"radius": -1}, {"radius": float("nan")}):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "radius"):
                self.index.search(self.queries, **wrong)

    def test_among_looks_only_at_some(self):
        some = np.arange(0, 300, 7)
        part = sibp.HammingIndex(37)
        part.add(self.codes[some], ids=some)
        for how in ({"k": 4}, {"k": 400}, {"radius": 14}, {"k": 4, "weights": np.arange(37)}):
            found = self.index.search(self.queries, among=np.append(some, 999), **how)
            for mine, wanted in zip(found, part.search(self.queries, **how), strict=True):
                for query in range(20):
                    self.equal(mine[query], wanted[query])

    def test_expected_distances_are_sums_over_probabilities(self):
        rng = np.random.default_rng(1)
        p, weights = rng.random((6, 37)).astype(np.float32), rng.random(37).astype(np.float32)
        cost = np.where(self.bits[None] == 1, 1 - p[:, None].astype(float), p[:, None]) * weights
        all_of_them = cost.sum(axis=2)
        distances, ids = self.index.search(p, 300, weights=weights, expected=True)
        np.testing.assert_allclose(distances, np.sort(all_of_them, axis=1), rtol=1e-5)
        np.testing.assert_allclose(distances, np.take_along_axis(all_of_them, ids, axis=1), rtol=1e-5)
        with self.assertRaisesRegex(ValueError, "queries"):
            self.index.search(p[:, :5], 3, expected=True)
        with self.assertRaisesRegex(ValueError, "queries"):
            self.index.search(p + 1, 3, expected=True)


class CodeIndexTest(TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(60, 5)) + np.repeat(np.eye(3, 5) * 6, 20, axis=0)
        self.y = np.repeat([0, 1, 2], 20)
        self.model = sibp.SuperProbitIBP(sweeps=20, per_object=5, random_state=0).fit(self.X, self.y)

    def test_a_saved_index_knows_its_model(self):
        names = [f"object {row}" for row in range(60)]
        index = self.model.index(self.X, ids=names)
        self.assertEqual(repr(index), f"<CodeIndex of 60 codes of {self.model.n_bits_} bits by SuperProbitIBP>")
        self.assertIn("made by " + index.hamming.encoder[:12], repr(index.hamming))
        index.save(self.folder / "codes.sibx")
        self.model.save(self.folder / "m.sibp")
        np.save(self.folder / "x.npy", self.X)
        again = sibp.CodeIndex.load(self.folder / "codes.sibx", sibp.load(self.folder / "m.sibp"))
        for mine, wanted in zip(again.kneighbors(self.X, 4), index.kneighbors(self.X, 4), strict=True):
            self.equal(mine, wanted)
        # The command makes the same index, and takes this one.
        self.command("search", "codes.sibx", "x.npy", "--model", "m.sibp", "-k", "1")
        (self.folder / "names.txt").write_text("\n".join(names))
        self.command("encode", "m.sibp", "x.npy", "--ids", "names.txt", "--quiet", "-o", "command.sibx")
        self.assertEqual((self.folder / "command.sibx").read_bytes(), (self.folder / "codes.sibx").read_bytes())
        self.command("encode", "m.sibp", "x.npy", "--ids", "names.txt", "--quiet", "-o", "codes.csv")
        self.command(
            "index", "build", "codes.csv", "--id-column", "id", "--keep", "bit0", "--quiet", "-o", "kept.sibx"
        )
        kept = sibp.HammingIndex.load(self.folder / "kept.sibx")
        self.assertEqual(kept.columns, ["bit0"])
        first = str(self.model.transform(self.X)[7, 0])
        self.assertEqual(kept.about(["object 7"]), [{"bit0": first}])
        self.equal(pickle.loads(pickle.dumps(kept)).ids, names)

    def test_another_model_is_refused(self):
        self.model.index(self.X).save(self.folder / "codes.sibx")
        n_bits = self.model.n_bits_
        other = sibp.LSH(n_bits=n_bits, random_state=0).fit(self.X)
        with self.assertRaisesRegex(ValueError, "mean different things"):
            sibp.CodeIndex.load(self.folder / "codes.sibx", other)
        with self.assertRaisesRegex(ValueError, f"{n_bits + 1} bits"):
            wider = sibp.LSH(n_bits=n_bits + 1, random_state=0).fit(self.X)
            sibp.CodeIndex.load(self.folder / "codes.sibx", wider)

    def test_expected_radius_and_among_are_those_of_the_command(self):
        index = self.model.index(self.X)
        index.save(self.folder / "codes.sibx")
        self.model.save(self.folder / "m.sibp")
        np.save(self.folder / "x.npy", self.X)
        np.save(self.folder / "some.npy", np.arange(0, 60, 3))
        search = ["search", "codes.sibx", "x.npy", "--model", "m.sibp", "-o", "ids.npy"]
        self.command(*search, "--expected", "-k", "5", "--distances", "d.npy")
        distances, ids = index.kneighbors(self.X, 5, expected=True)
        self.equal(ids, np.load(self.folder / "ids.npy"))
        self.equal(distances, np.load(self.folder / "d.npy").astype(np.float32))
        self.command(*search, "-k", "5", "--among", "some.npy")
        self.equal(index.kneighbors(self.X, 5, among=np.arange(0, 60, 3))[1], np.load(self.folder / "ids.npy"))
        near = index.radius_neighbors(self.X[:4], 2)
        for distances, ids in zip(*near, strict=True):
            self.assertTrue((distances <= 2).all() and len(ids) == len(distances))
        lsh = sibp.LSH(n_bits=8, random_state=0).fit(self.X)
        with self.assertRaisesRegex(ValueError, "expected"):
            lsh.index(self.X).kneighbors(self.X, expected=True)

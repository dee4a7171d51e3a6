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

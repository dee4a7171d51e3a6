"""Checks that the shipped data are what their README files say."""

import csv
import hashlib
import unittest
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "data"
SPLITS = {"split5.csv": (5, 150), "split10.csv": (10, 300)}  # classes, objects a role


class ShippedData(unittest.TestCase):
    def test_checksums(self):
        sums = sorted(DATA.glob("*/SHA256SUMS"))
        self.assertEqual([s.parent.name for s in sums], ["digits", "fruit", "images6x6"])
        for listing in sums:
            listed = {}
            for line in listing.read_text().splitlines():
                digest, name = line.split()
                listed[name] = digest
                self.assertEqual(hashlib.sha256((listing.parent / name).read_bytes()).hexdigest(), digest, name)
            shipped = {f.name for f in listing.parent.iterdir()} - {"README.md", "SHA256SUMS"}
            self.assertEqual(shipped, set(listed))

    def test_digits(self):
        features, labels = np.load(DATA / "digits/features.npy"), np.load(DATA / "digits/labels.npy")
        self.assertEqual((features.shape, features.dtype, features.max()), ((1797, 64), np.uint8, 16))
        self.assertEqual((labels.shape, set(labels.tolist())), ((1797,), set(range(10))))

    def test_splits(self):
        labels = np.load(DATA / "digits/labels.npy")
        for name, (n_classes, n_objects) in SPLITS.items():
            with open(DATA / "digits" / name, newline="") as file:
                rows = list(csv.DictReader(file))
            for repeat in "01234":
                here = [r for r in rows if r["repeat"] == repeat]
                train = {int(r["row"]) for r in here if r["role"] == "train"}
                test = {int(r["row"]) for r in here if r["role"] == "test"}
                self.assertEqual((len(train), len(test), train & test), (n_objects, n_objects, set()))
                self.assertEqual(len({r["class_id"] for r in here}), n_classes)
                self.assertTrue(all(labels[int(r["row"])] == int(r["class_id"]) for r in here))

    def test_images(self):
        shapes = np.load(DATA / "images6x6/features_true.npy")
        for n in (100, 1000):
            x, z = np.load(DATA / f"images6x6/x{n}.npy"), np.load(DATA / f"images6x6/z{n}_true.npy")
            self.assertEqual((x.shape, z.shape), ((n, 36), (n, 4)))
            self.assertLess(abs((x - z @ shapes).std() - 0.5), 0.02)


if __name__ == "__main__":
    unittest.main()

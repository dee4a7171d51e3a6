"""Opens what `sibp` writes with numpy and safetensors, and compares search with a naive loop.

Run by `make test`, which sets SIBP_BIN to the built command.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from safetensors import safe_open

ROOT = Path(__file__).resolve().parents[2]
N_TRAIN, N_QUERIES = 120, 20


def sibp(*args, cwd):
    """Runs the command; returns what it wrote to stdout, or raises with what it said."""
    done = subprocess.run([os.environ["SIBP_BIN"], *map(str, args)], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"sibp {' '.join(map(str, args))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def neighbours(line):
    """(ids, distances) of one line of `sibp search --json`."""
    found = json.loads(line)["neighbours"]
    return [n["id"] for n in found], [n["distance"] for n in found]


class FilesOpenElsewhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="sibp-interop-")
        cls.addClassCleanup(scratch.cleanup)
        cls.dir = Path(scratch.name)
        features = np.load(ROOT / "data/digits/features.npy")
        labels = np.load(ROOT / "data/digits/labels.npy")
        np.save(cls.dir / "x.npy", features[:N_TRAIN].astype(np.float32))
        np.save(cls.dir / "y.npy", labels[:N_TRAIN].astype(np.int64))
        np.save(cls.dir / "q.npy", np.asfortranarray(features[N_TRAIN : N_TRAIN + N_QUERIES].astype(">f8")))
        sibp("fit", "x.npy", "--labels", "y.npy", "--model", "gaussian", "--preset", "hash",
             "--seed", 1, "--sweeps", 20, "--chains", 2, "-o", "m.sibp", cwd=cls.dir)
        sibp("encode", "m.sibp", "x.npy", "-o", "codes.npy", cwd=cls.dir)
        sibp("encode", "m.sibp", "q.npy", "-o", "queries.npy", cwd=cls.dir)
        sibp("encode", "m.sibp", "x.npy", "--format", "bits", "-o", "bits.npy", cwd=cls.dir)

    def test_packed_codes_are_numpy_packbits(self):
        packed, bits = np.load(self.dir / "codes.npy"), np.load(self.dir / "bits.npy")
        self.assertEqual((packed.dtype, bits.dtype), (np.uint8, np.uint8))
        self.assertEqual(bits.shape[0], N_TRAIN)
        self.assertGreater(bits.shape[1], 0)
        self.assertLessEqual(bits.max(), 1)
        np.testing.assert_array_equal(np.packbits(bits, axis=1), packed)

    def test_model_opens_in_safetensors(self):
        with safe_open(self.dir / "m.sibp", framework="numpy") as model:
            self.assertTrue(model.metadata(), "the model carries no metadata")
            names = list(model.keys())
            self.assertTrue(names, "the model carries no tensors")
            for name in names:
                values = model.get_tensor(name)
                if values.dtype.kind == "f":
                    self.assertTrue(np.isfinite(values).all(), name)

    def test_search_equals_a_naive_loop(self):
        k = 7
        lines = sibp("search", "codes.npy", "queries.npy", "-k", k, "--json", cwd=self.dir).splitlines()
        codes, queries = np.load(self.dir / "codes.npy"), np.load(self.dir / "queries.npy")
        self.assertEqual(len(lines), N_QUERIES)
        for line, query in zip(lines, queries):
            distances = np.unpackbits(codes ^ query, axis=1).sum(axis=1)
            nearest = np.argsort(distances, kind="stable")[:k]  # ties by ascending id
            ids, found = neighbours(line)
            self.assertEqual(ids, nearest.tolist())
            self.assertEqual(found, distances[nearest].tolist())


if __name__ == "__main__":
    unittest.main()

"""Small data and helpers that the tests share."""

import os
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import sibp

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("SIBP_BIN", str(ROOT / "target/release/sibp"))


def blobs(n_classes=3, per_class=20, n_inputs=4, seed=0):
    """Classes that lie far apart."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), per_class)
    centres = 6 * rng.normal(size=(n_classes, n_inputs))
    return centres[y] + rng.normal(size=(len(y), n_inputs)), y


def estimators():
    """Every estimator, with runs as short as the tests need."""
    return [
        sibp.SuperProbitIBP(sweeps=10, per_object=5),
        sibp.SuperGaussianIBP(sweeps=10, per_object=5),
        sibp.IBP(sweeps=10),
        sibp.DDIBP(sweeps=10),
        sibp.SpectralHashing(n_bits=8),
        sibp.AttributeHash(),
        sibp.ITQ(),
        sibp.LSH(n_bits=16),
        sibp.SDH(n_bits=16),
        sibp.HCSDH(n_bits=16),
    ]


def models():
    """Those that run chains."""
    return [estimator for estimator in estimators() if hasattr(estimator, "sweeps")]


class TestCase(unittest.TestCase):
    """A test with a folder of its own, in which words about small classes and few codes are kept quiet."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.filterwarnings("ignore", message="y: .* objects have fewer than")
        warnings.simplefilter("ignore", sibp.CodeWarning)

    def command(self, *words):
        """Runs the sibp command in the test's folder; its output."""
        done = subprocess.run([BIN, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def equal(self, first, second):
        np.testing.assert_array_equal(first, second)

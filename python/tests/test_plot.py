"""Plots, drawn without a screen."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np

import sibp
from common import TestCase, blobs

X, Y = blobs()


class Plots(TestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(plt.close, "all")

    def test_codes_are_grouped_by_label_and_ordered_by_owners(self):
        codes = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
        ax = sibp.plot.plot_codes(codes, [1, 0, 1, 0])
        self.equal(ax.images[0].get_array(), [[1, 0, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0]])
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], ["0", "1"])
        self.assertEqual(len(ax.lines), 1)

    def test_a_line_a_chain(self):
        model = sibp.IBP(sweeps=15, chains=3, random_state=0).fit(X)
        axes = sibp.plot.plot_trace(model, ["n_bits", "log_joint"])
        for name, ax in zip(["n_bits", "log_joint"], axes, strict=True):
            self.assertEqual(len(ax.lines), 3)
            self.equal(ax.lines[1].get_ydata(), model.traces_[1][name])

    def test_retrieval_is_perfect_for_codes_that_are_classes(self):
        codes = np.eye(3, dtype=int)[Y]
        _, ax = plt.subplots()
        self.assertIs(sibp.plot.plot_retrieval(codes, Y, codes, Y, most=20, label="ours", ax=ax), ax)
        self.equal(ax.lines[0].get_ydata(), np.ones(20))
        sibp.plot.plot_retrieval(codes, Y, codes, Y, most=60, ax=ax)
        np.testing.assert_allclose(ax.lines[1].get_ydata()[-1], 1 / 3)

    def test_mistakes_are_named(self):
        model = sibp.IBP(sweeps=5).fit(X)
        cases = [
            (lambda: sibp.plot.plot_codes([0, 1]), "codes"),
            (lambda: sibp.plot.plot_codes([[0, 1]], [1, 2]), "y"),
            (lambda: sibp.plot.plot_trace(model, ["bits"]), "names"),
            (lambda: sibp.plot.plot_trace(model, ["n_bits"], axes=[]), "axes"),
            (lambda: sibp.plot.plot_retrieval([[0, 1]], [0], [[0]], [0]), "codes, queries"),
        ]
        for wrong, argument in cases:
            with self.assertRaisesRegex(ValueError, f"^{argument}: "):
                wrong()

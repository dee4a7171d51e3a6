"""Triplet arrays of metric-learn and cblearn go straight in, and ours go out.

These packages need an older scikit-learn and numpy, so they have an environment of their own; that it works there
also shows the oldest versions that the package supports.
"""

import unittest
import warnings

import cblearn.datasets
import cblearn.embedding
import metric_learn
import numpy as np
import sklearn

import sibp


def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return 6 * rng.normal(size=(3, 4))[y] + rng.normal(size=(60, 4)), y


class TripletPackages(unittest.TestCase):
    def setUp(self):
        print(f"numpy {np.__version__}, scikit-learn {sklearn.__version__}")
        self.X, self.y = blobs()
        self.model = sibp.SuperProbitIBP(sweeps=30, random_state=0)

    def test_triplets_of_metric_learn(self):
        T = metric_learn.constraints.Constraints(self.y).generate_knntriplets(self.X, 3, 3)
        self.model.fit(self.X, triplets=T)
        self.assertGreater(self.model.score_triplets(self.X, T), 0.9)
        # Their learner takes the same array: anchor, near, far.
        theirs = metric_learn.SCML(preprocessor=self.X, n_basis=20, max_iter=500, output_iter=500, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers = theirs.fit(T).predict(T)
        self.assertGreater(np.mean(answers == 1), 0.9)

    def test_our_triplets_go_to_metric_learn(self):
        T = sibp.triplets_from_labels(self.y, per_object=5, random_state=0)
        theirs = metric_learn.SCML(preprocessor=self.X, n_basis=20, max_iter=500, output_iter=500, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers = theirs.fit(T).predict(T)
        self.assertGreater(np.mean(answers == 1), 0.9)

    def test_triplets_of_cblearn(self):
        # In the order of answers, the second object is the nearer one.
        T = cblearn.datasets.make_random_triplets(self.X, size=1500, result_format="list-order", random_state=0)
        distances = np.linalg.norm(self.X[T[:, :1]] - self.X[T[:, 1:]], axis=2)
        self.assertTrue((distances[:, 0] <= distances[:, 1]).all())
        self.model.fit(self.X, triplets=T)
        self.assertGreater(self.model.score_triplets(self.X, T), 0.75)

    def test_our_triplets_go_to_cblearn(self):
        T = sibp.triplets_from_labels(self.y, per_object=5, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            embedding = cblearn.embedding.SOE(n_components=2, random_state=0).fit_transform(T)
        self.assertEqual(embedding.shape, (60, 2))

    def test_codes_of_an_older_numpy(self):
        codes = self.model.fit(self.X, self.y).transform(self.X)
        self.assertEqual(codes.shape, (60, self.model.n_bits_))
        self.assertEqual(self.model.set_params(n_neighbors=3).score(self.X, self.y), 1.0)

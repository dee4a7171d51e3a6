"""Every mistake is a ValueError or TypeError that names the argument."""

import numpy as np

import sibp
from common import TestCase, blobs, estimators

X, Y = blobs()
T = sibp.triplets_from_labels(Y, per_object=3, random_state=0)
H = (X[:, :2] > 0).astype(np.uint8)


def with_value(array, value):
    changed = array.copy()
    changed[3, 1] = value
    return changed


def probit(**parameters):
    return sibp.SuperProbitIBP(**{"sweeps": 3, "per_object": 3, "random_state": 0} | parameters)


class WrongArguments(TestCase):
    def refused(self, cases):
        for at, (wrong, error, words) in enumerate(cases):
            with self.subTest(at, words=words), self.assertRaisesRegex(error, words):
                wrong()

    def test_inputs(self):
        for estimator in estimators():
            fitted = estimator.fit(X, Y)
            for method in (lambda A: estimator.fit(A, Y), fitted.transform, fitted.packed, fitted.index):
                self.refused(
                    [
                        (lambda: method(with_value(X, np.nan)), ValueError, "X.*NaN.*row 3, column 1"),
                        (lambda: method(with_value(X, np.inf)), ValueError, "X.*infinity.*row 3, column 1"),
                        (lambda: method(X[0]), ValueError, "Expected 2D array"),
                        (lambda: method(X[None]), ValueError, "dim 3"),
                        (lambda: method(X[:0]), ValueError, "0 sample"),
                        (lambda: method(X[:, :0]), ValueError, "0 feature"),
                        (lambda: method(X.astype(complex)), ValueError, "Complex"),
                        (lambda: method([["a", "b"]] * len(X)), ValueError, "could not convert"),
                    ]
                )
            fitted = estimator.fit(X, Y)
            for method in (fitted.transform, fitted.packed, fitted.index):
                self.refused([(lambda: method(X[:, :3]), ValueError, "X has 3 features")])

    def test_a_value_far_down_is_named_by_its_row(self):
        many = np.tile(X, (50, 1))
        many[2345, 2] = np.nan
        model = sibp.LSH(random_state=0).fit(X)
        self.refused([(lambda: model.transform(many), ValueError, "row 2345, column 2")])

    def test_the_first_of_several_is_named_on_any_number_of_threads(self):
        many = np.tile(X, (50, 1))
        many[511::512] = np.nan
        for n_threads in (1, 2, 5):
            model = sibp.LSH(random_state=0, n_jobs=n_threads).fit(X)
            for _ in range(20):
                self.refused([(lambda: model.transform(many), ValueError, "row 511, column 0")])

    def test_labels(self):
        self.refused(
            [
                (lambda: probit().fit(X, Y[:-1]), ValueError, "^y: 59 labels for 60"),
                (lambda: probit().fit(X, np.zeros(60, int)), ValueError, "^y: .*one class"),
                (lambda: probit().fit(X, np.arange(60)), ValueError, "^y: .*alone in its class"),
                (lambda: probit().fit(X, X[:, 0]), ValueError, "^y: .*continuous"),
                (lambda: probit().fit(X, np.stack([Y, Y], axis=1)), ValueError, "^y: "),
                (lambda: probit().fit(X, np.array([1, "a"] * 30, dtype=object)), (TypeError, ValueError), "^y: "),
                (lambda: probit().fit(X, np.where(Y == 0, np.nan, Y)), ValueError, "^y: .*NaN"),
                (lambda: probit().fit(X, Y).score(X, Y[:-1]), ValueError, "^y: "),
                (lambda: probit().fit(X, Y).score(X, None), ValueError, "^y: "),
                (lambda: probit().fit(X, triplets=T).predict(X), ValueError, "^y: "),
                (lambda: sibp.AttributeHash().fit(X), ValueError, "^y: "),
                (lambda: sibp.AttributeHash().fit(X, H[:5]), ValueError, "^y: "),
                (lambda: sibp.AttributeHash().fit(X, H + 1), ValueError, "^y: row 1, column 0: 2 is no bit"),
            ]
        )

    def test_triplets(self):
        out_of_range, negative, twice = T.copy(), T.copy(), T.copy()
        out_of_range[5, 2], negative[6, 0], twice[7, 1] = 60, -1, twice[7, 0]
        fits = [lambda array: probit().fit(X, triplets=array)]
        fits += [lambda array: sibp.SuperGaussianIBP(sweeps=3).fit(X, triplets=array)]
        model = probit().fit(X, Y)
        fits += [lambda array: model.score_triplets(X, array)]
        for fit in fits:
            self.refused(
                [
                    (lambda: fit(out_of_range), ValueError, "^triplets: row 5: far is object 60"),
                    (lambda: fit(negative), ValueError, "^triplets: row 6: anchor is object -1"),
                    (lambda: fit(twice), ValueError, "^triplets: triplet 7.*twice"),
                    (lambda: fit(T[:, :2]), ValueError, "^triplets: .*three columns"),
                    (lambda: fit(T[0]), ValueError, "^triplets: "),
                    (lambda: fit(T[:0]), ValueError, "^triplets: there are none"),
                    (lambda: fit(T.astype(float)), TypeError, "^triplets: .*whole numbers"),
                    (lambda: fit(np.full((1, 3), 2**63, dtype=np.uint64)), ValueError, "^triplets: .*too large"),
                    (lambda: fit([[1, 2, 3], [1]]), ValueError, "^triplets: "),
                ]
            )

    def test_given_bits(self):
        model = probit().fit(X, Y, given_bits=H)
        plain = probit().fit(X, Y)
        self.refused(
            [
                (lambda: probit().fit(X, Y, given_bits=H[:-1]), ValueError, "^given_bits: 59 rows"),
                (lambda: probit().fit(X, Y, given_bits=H + 1), ValueError, "^given_bits: row"),
                (lambda: probit().fit(X, Y, given_bits=H * 0.5), ValueError, "^given_bits: row"),
                (lambda: probit().fit(X, Y, given_bits=H.astype(str)), TypeError, "^given_bits: "),
                (lambda: probit().fit(X, Y, given_bits=H[:, 0]), ValueError, "^given_bits: "),
                (lambda: probit().fit(X, Y, given_bits=H[:, :0]), ValueError, "^given_bits: "),
                (lambda: probit().fit(X, Y, given_bits=np.tile(H, 31)), ValueError, "^given_bits: .*transposed"),
                (lambda: model.transform(X), ValueError, "^given_bits: .*fitted with 2"),
                (lambda: model.transform(X, H[:-1]), ValueError, "^given_bits: "),
                (lambda: model.transform(X, H[:, :1]), ValueError, "^given_bits: "),
                (lambda: model.predict(X), ValueError, "^given_bits: "),
                (lambda: model.index(X), ValueError, "^given_bits: "),
                (lambda: model.predict_bits(X), ValueError, "^given_bits: "),
                (lambda: plain.transform(X, H), ValueError, "^given_bits: .*without"),
                (lambda: plain.packed(X, given=H), TypeError, "given"),
                (lambda: sibp.LSH().fit(X).packed(X, given_bits=H), TypeError, "given_bits"),
            ]
        )

    def test_parameters(self):
        cases = [
            ({"preset": "best"}, ValueError),
            ({"preset": 3}, TypeError),
            ({"code": None}, TypeError),
            ({"effort": "most"}, ValueError),
            ({"effort": None}, TypeError),
            ({"sweeps": 0}, ValueError),
            ({"sweeps": 1.5}, TypeError),
            ({"sweeps": True}, TypeError),
            ({"chains": -1}, ValueError),
            ({"chains": 5000}, ValueError),
            ({"draws": 0}, ValueError),
            ({"per_object": 0}, ValueError),
            ({"n_neighbors": 0}, ValueError),
            ({"scheme": "pairs"}, ValueError),
            ({"near": "near"}, ValueError),
            ({"far": "far"}, ValueError),
            ({"input_transform": "centr"}, ValueError),
            ({"input_transform": 3}, TypeError),
            ({"start": "coins"}, ValueError),
            ({"start": 20}, TypeError),
            ({"schedule": "rows,sleep"}, ValueError),
            ({"schedule": "columns:births=1:complements=1"}, ValueError),
            ({"pseudo_weight": -1.0}, ValueError),
            ({"pseudo_weight": np.nan}, ValueError),
            ({"pseudo_weight": "1"}, TypeError),
            ({"lapse": 2.0}, ValueError),
            ({"lapse": (1.0,)}, ValueError),
            ({"lapse": (-1.0, 1.0)}, ValueError),
            ({"weights": 0.0}, ValueError),
            ({"weights": (1.0, None)}, TypeError),
            ({"code": "all"}, ValueError),
            ({"encoder": "ridge"}, ValueError),
            ({"random_state": -1}, ValueError),
            ({"random_state": 2**64}, ValueError),
            ({"random_state": "0"}, ValueError),
            ({"n_jobs": 0}, ValueError),
            ({"n_jobs": 1.0}, TypeError),
            ({"time_limit": 0}, ValueError),
            ({"time_limit": "1s"}, TypeError),
        ]
        for parameters, error in cases:
            (name,) = parameters
            with self.subTest(parameters), self.assertRaisesRegex(error, name):
                probit(**parameters).fit(X, Y)
        self.refused(
            [
                (lambda: sibp.SpectralHashing(n_bits=0).fit(X), ValueError, "^n_bits"),
                (lambda: sibp.SpectralHashing(input_transform=None).fit(X), TypeError, "^input_transform"),
                (lambda: sibp.LSH(n_bits=2.0).fit(X), TypeError, "^n_bits"),
                (lambda: sibp.LSH(input_transform="x").fit(X), ValueError, "^input_transform"),
                (lambda: sibp.ITQ(n_bits=5).fit(X), ValueError, "^n_bits"),
                (lambda: sibp.SDH(n_bits=0).fit(X, Y), ValueError, "^n_bits"),
                (lambda: sibp.SDH().fit(X), ValueError, "^y: .*labels"),
                (lambda: sibp.SDH().fit(X, Y[:5]), ValueError, "^y: 5 labels"),
                (lambda: sibp.SDH().fit(X, np.zeros(len(X), int)), ValueError, "^y: .*one class"),
                (lambda: sibp.HCSDH(n_bits=1).fit(X, np.arange(len(X)) % 3), ValueError, "^n_bits: .*2 bits or more"),
                (lambda: sibp.SpectralHashing().fit(np.ones((5, 2))), ValueError, "^X: all 5 objects are equal"),
            ]
        )

    def test_distances(self):
        def ddibp(y=None, **parameters):
            return lambda: sibp.DDIBP(sweeps=3, **parameters).fit(X, y)

        self.refused(
            [
                (ddibp(distance="output"), ValueError, "^y: .*labels"),
                (ddibp(y=X[:, 0], distance="output"), ValueError, "^y: "),
                (ddibp(y=Y[:5], distance="output"), ValueError, "^y: "),
                (ddibp(distance="far"), ValueError, "^distance: "),
                (ddibp(distance=None), TypeError, "^distance: "),
                (ddibp(decay="linear"), ValueError, "^decay: "),
                (ddibp(decay="window:wide"), ValueError, "^decay: "),
                (ddibp(decay="exponential:0"), ValueError, "^decay: "),
                (ddibp(decay="logistic:1,-1"), ValueError, "^decay: "),
                (ddibp(decay="window:-1"), ValueError, "^decay: "),
                (ddibp(decay=None), TypeError, "^decay: "),
                (ddibp(start="coins:5"), ValueError, "^start: "),
                (ddibp(encoder="refit"), ValueError, "^encoder: "),
            ]
        )

    def test_questions(self):
        model = probit().fit(X, Y)
        self.refused(
            [
                (lambda: model.predict_preference(X[0], X[1], X[:2]), ValueError, "i, j, l"),
                (lambda: model.predict_preference("a", X[1], X[2]), ValueError, "i, j, l"),
                (lambda: model.predict_preference(X[0], X[1], X[2] * np.nan), ValueError, "X.*NaN"),
                (lambda: model.predict_preference(X[0, :2], X[1, :2], X[2, :2]), ValueError, "X has 2 features"),
            ]
        )

    def test_triplets_from_labels(self):
        make = sibp.triplets_from_labels
        self.refused(
            [
                (lambda: make([0, 0, 0]), ValueError, "^y: "),
                (lambda: make([[0, 1], [0, 1]]), ValueError, "^y: "),
                (lambda: make(Y, X[:5]), ValueError, "^y: "),
                (lambda: make(Y, near="nearest"), ValueError, "^X: "),
                (lambda: make(Y, with_value(X, np.nan)), ValueError, "X contains NaN"),
                (lambda: make(Y, scheme="x"), ValueError, "^scheme: "),
                (lambda: make(Y, per_object=0), ValueError, "^per_object: "),
                (lambda: make(Y, random_state=-1), ValueError, "^random_state: "),
            ]
        )

    def test_files(self):
        (self.folder / "broken.sibp").write_bytes(b"no model")
        model = sibp.IBP(sweeps=3).fit(X)
        self.refused(
            [
                (lambda: sibp.load(self.folder / "none.sibp"), FileNotFoundError, "none.sibp"),
                (lambda: sibp.load(self.folder / "broken.sibp"), ValueError, "broken.sibp"),
                (lambda: model.save(self.folder / "no folder" / "m.sibp"), FileNotFoundError, "no folder"),
            ]
        )

    def test_estimators_that_are_not_fitted(self):
        from sklearn.exceptions import NotFittedError

        for estimator in estimators():
            for use in ("transform", "packed", "index"):
                with self.subTest(type(estimator).__name__, use=use), self.assertRaises(NotFittedError):
                    getattr(estimator, use)(X)
            self.assertRaises(NotFittedError, estimator.save, self.folder / "m.sibp")
            self.assertFalse(hasattr(estimator, "n_bits_"))

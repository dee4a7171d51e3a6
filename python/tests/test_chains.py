"""Chains that run apart: by joblib, or one by one anywhere, and merged to the bytes of one run."""

import pickle
import unittest
import warnings
from unittest import mock

import joblib
import numpy as np

import sibp
from common import TestCase, blobs
from sibp import _chains, _sibp


def judged(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    triplets = np.array([rng.permutation(30)[:3] for _ in range(120)])
    swap = ((X[triplets[:, 0]] - X[triplets[:, 1]]) ** 2).sum(1) > ((X[triplets[:, 0]] - X[triplets[:, 2]]) ** 2).sum(1)
    triplets[swap] = triplets[swap][:, [0, 2, 1]]
    return X, triplets


def fits():
    """Estimators with what they are fitted to."""
    X, y = blobs()
    points, triplets = judged()
    holes = X.copy()
    holes[::9, 1] = np.nan
    short = {"sweeps": 8, "random_state": 3}
    return [
        (sibp.SuperProbitIBP(chains=3, per_object=5, **short), X, {"y": y}),
        (sibp.SuperProbitIBP(chains=2, per_object=5, max_bits=3, unsupervised_bits=0, **short), X, {"y": y}),
        (sibp.SuperProbitIBP(chains=2, per_object=5, missing="mean", distil=4, **short), holes, {"y": y}),
        (sibp.SuperProbitIBP(chains=2, per_object=5, missing="drop", distil=4, **short), holes, {"y": y}),
        (sibp.SuperGaussianIBP(chains=3, per_object=5, **short), X, {"y": y}),
        (sibp.SuperProbitIBP(chains=3, **short), points, {"triplets": triplets}),
        (sibp.SuperProbitIBP(chains=2, **short), None, {"triplets": triplets}),
        (sibp.IBP(chains=2, **short), X, {}),
    ]


class Merging(TestCase):
    def test_parts_give_the_bytes_of_one_run(self):
        for model, X, given in fits():
            with self.subTest(model=repr(model), given=list(given)):
                whole = model.fit(X, **given).model_.to_bytes()
                parts = [model.fit_chain(chain, X, **given) for chain in range(model.chains, 0, -1)]
                merged = sibp.merge(parts, X)
                self.assertIs(type(merged), type(model))
                self.assertEqual(merged.model_.to_bytes(), whole)

    def test_parts_are_those_of_the_command(self):
        X, y = blobs()
        np.save(self.folder / "x.npy", X)
        np.save(self.folder / "y.npy", y)
        model = sibp.SuperProbitIBP(sweeps=6, chains=2, random_state=3)
        for chain in (1, 2):
            (self.folder / f"p{chain}.sibp").write_bytes(model.fit_chain(chain, X, y))
            words = f"fit x.npy --labels y.npy --sweeps 6 --seed 3 --chain {chain}/2 -q -o c{chain}.sibp"
            self.command(*words.split())
        for chain in (1, 2):
            ours, theirs = (self.folder / f"{name}{chain}.sibp" for name in "pc")
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.command("merge", "p1.sibp", "p2.sibp", "-q", "-o", "m.sibp")
        merged = sibp.merge([self.folder / "p2.sibp", str(self.folder / "p1.sibp")])
        self.assertEqual(merged.model_.to_bytes(), (self.folder / "m.sibp").read_bytes())

    def test_what_does_not_belong_together_is_an_error(self):
        X, y = blobs()
        model = sibp.SuperProbitIBP(sweeps=4, chains=2, per_object=5, random_state=3)
        one, two = (model.fit_chain(chain, X, y) for chain in (1, 2))
        for parts, words in (
            ([one], "parts: chain 2 of 2 missing"),
            ([one, one, two], r"parts: part 0 \(chain 1\) and part 1 \(chain 1\) both hold chain 1"),
            ([one, model.set_params(random_state=4).fit_chain(2, X, y)], "part of another fit: its settings.seed is 4"),
            ([one, model.set_params(random_state=3).fit_chain(2, X + 1, y)], "digests.features"),
            ([one, model.fit(X, y).model_.to_bytes()], "part 1 is no part of a fit"),
            ([], "parts: there is nothing to merge"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                sibp.merge(parts)
        for parts in (one, [3], "p.sibp"):
            with self.assertRaisesRegex(TypeError, "parts: "):
                sibp.merge(parts)

    def test_chains_need_a_seed_and_a_number(self):
        X, y = blobs()
        with self.assertRaisesRegex(ValueError, "random_state: chains that run apart need the same whole number"):
            sibp.IBP(sweeps=3).fit_chain(1, X)
        model = sibp.IBP(sweeps=3, chains=2, random_state=0)
        with self.assertRaisesRegex(ValueError, "there is no chain 3: chains are 1 to 2"):
            model.fit_chain(3, X)
        with self.assertRaises(ValueError):
            model.fit_chain(0, X)
        self.assertFalse(hasattr(model, "model_"))

    def test_inputs_are_asked_for_where_one_code_stands_for_all_chains(self):
        X, triplets = judged()
        model = sibp.SuperProbitIBP(sweeps=6, chains=2, random_state=0)
        parts = [model.fit_chain(chain, X, triplets=triplets) for chain in (1, 2)]
        with self.assertRaisesRegex(ValueError, "X: one code of 128 bits is to stand for all chains"):
            sibp.merge(parts)
        with self.assertRaisesRegex(ValueError, "X: these are not the inputs"):
            sibp.merge(parts, X + 1)


class Hosting(TestCase):
    def test_backends_of_other_processes_host_chains(self):
        self.assertFalse(_chains.are_hosted())
        for backend, hosts in (("loky", True), ("multiprocessing", True), ("threading", False), ("sequential", False)):
            with joblib.parallel_config(backend=backend, n_jobs=2):
                self.assertEqual(_chains.are_hosted(), hosts, backend)
        with joblib.parallel_config(n_jobs=2):
            self.assertFalse(_chains.are_hosted())
        self.assertFalse(_chains.are_hosted())

    def test_hosted_chains_give_the_same_bytes(self):
        for model, X, given in fits():
            with self.subTest(model=repr(model), given=list(given)):
                alone = model.fit(X, **given).model_.to_bytes()
                with (
                    joblib.parallel_config(backend="loky", n_jobs=2),
                    mock.patch.object(_chains, "fit", wraps=_chains.fit) as hosted,
                ):
                    again = model.fit(X, **given).model_.to_bytes()
                self.assertEqual(hosted.call_count, 1)
                self.assertEqual(again, alone)

    def test_hosted_chains_are_as_many_as_the_data_ask_for(self):
        X = np.random.default_rng(0).uniform(-1, 1, size=(120, 2))
        y = (X**2).sum(1) < 0.5
        model = sibp.SuperProbitIBP(sweeps=4, random_state=0)
        alone = model.fit(X, y).model_
        self.assertEqual(len(alone.traces()), 8)
        with joblib.parallel_config(backend="loky", n_jobs=2):
            self.assertEqual(model.fit(X, y).model_.to_bytes(), alone.to_bytes())

    def test_the_seed_is_drawn_once(self):
        X, y = blobs()
        model = sibp.SuperProbitIBP(sweeps=5, chains=3, per_object=5)
        with joblib.parallel_config(backend="loky", n_jobs=2):
            model.fit(X, y)
        self.assertEqual(len(model.model_.traces()), 3)

    def test_the_default_number_of_chains_is_that_of_a_fit(self):
        X, triplets = judged()
        model = sibp.SuperProbitIBP(sweeps=2, random_state=0)
        with joblib.parallel_config(backend="loky", n_jobs=2):
            model.fit(X, triplets=triplets)
        self.assertEqual(len(model.model_.traces()), _sibp.chains_of("normal", True))

    def test_a_search_over_parameters_in_processes_hosts_no_chains_within(self):
        from sklearn.model_selection import GridSearchCV

        X, y = blobs()
        search = GridSearchCV(
            sibp.SuperProbitIBP(sweeps=4, per_object=5, random_state=0), {"chains": [1, 2]}, cv=2, n_jobs=2
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(X, y)
        self.assertEqual(len(search.cv_results_["params"]), 2)

    def test_what_cannot_be_hosted_says_so(self):
        X, y = blobs()
        model = sibp.SuperProbitIBP(sweeps=4, per_object=5, random_state=0)
        with joblib.parallel_config(backend="loky", n_jobs=2):
            with self.assertRaisesRegex(ValueError, "time_limit: chains that a backend of joblib hosts"):
                model.set_params(time_limit=100).fit(X, y)
            model.set_params(time_limit=None, warm_start=True).fit(X, y)
            with self.assertRaisesRegex(ValueError, "warm_start: "):
                model.set_params(sweeps=8).fit(X, y)

    def test_an_estimator_travels_with_its_parameters(self):
        X, y = blobs()
        model = pickle.loads(pickle.dumps(sibp.IBP(sweeps=4, chains=2, random_state=0)))
        parts = joblib.Parallel(n_jobs=2)(joblib.delayed(model.fit_chain)(chain, X) for chain in (1, 2))
        self.assertEqual(sibp.merge(parts).model_.to_bytes(), model.fit(X).model_.to_bytes())


if __name__ == "__main__":
    unittest.main()

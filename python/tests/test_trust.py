"""What a user relies on without looking: going on, words of warning, classes, missing values, explanations."""

import os
import signal
import threading
import warnings

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sibp
from common import TestCase, blobs, models
from sibp import _params, _progress, _sampled


def fitted(**settings):
    X, y = blobs()
    return sibp.SuperProbitIBP(**{"sweeps": 20, "per_object": 5, "random_state": 0, **settings}).fit(X, y)


class GoingOn(TestCase):
    def test_warm_start_goes_on_to_the_bytes_of_all_sweeps_at_once(self):
        X, y = blobs()
        for model in models():
            model.set_params(sweeps=12, random_state=0, warm_start=True).fit(X, y)
            model.set_params(sweeps=24).fit(X, y)
            whole = type(model)(**{**model.get_params(), "warm_start": False}).fit(X, y)
            self.assertEqual(model.model_.to_bytes(), whole.model_.to_bytes(), type(model).__name__)

    def test_warm_start_without_a_seed_keeps_that_of_the_first_fit(self):
        X, y = blobs()
        model = fitted(random_state=None, warm_start=True)
        seed = model.seed_
        self.assertEqual(model.set_params(sweeps=40).fit(X, y).seed_, seed)
        self.equal(model.model_.to_bytes(), fitted(random_state=seed, sweeps=40).model_.to_bytes())

    def test_without_warm_start_a_fit_starts_anew(self):
        X, y = blobs()
        model = fitted()
        model.set_params(random_state=1).fit(X, y)
        self.equal(model.model_.to_bytes(), fitted(random_state=1).model_.to_bytes())

    def test_too_few_sweeps_say_what_to_do(self):
        X, y = blobs()
        model = fitted(warm_start=True, draws=4)
        with self.assertRaisesRegex(ValueError, "from 20 to 25 sweeps.*at least 40 sweeps"):
            model.set_params(sweeps=25).fit(X, y)
        with self.assertWarnsRegex(UserWarning, "all sweeps were done already"):
            model.set_params(sweeps=20).fit(X, y)
        with self.assertRaisesRegex(ValueError, "cannot resume: digests.features"):
            model.set_params(sweeps=40).fit(X + 1, y)

    def test_a_fit_that_was_stopped_goes_on(self):
        X, y = blobs()
        model = sibp.IBP(sweeps=3000, random_state=0, time_limit=0.05, warm_start=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
        model.set_params(time_limit=None).fit(X)
        self.assertEqual(model.model_.to_bytes(), sibp.IBP(sweeps=3000, random_state=0).fit(X).model_.to_bytes())


class Words(TestCase):
    def test_fit_warns_in_the_words_of_the_command(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
        np.save(self.folder / "x.npy", X)
        np.save(self.folder / "y.npy", y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = sibp.SuperProbitIBP(sweeps=30, random_state=0).fit(X, y)
        said = [str(word.message) for word in caught if word.category is sibp.CodeWarning]
        self.assertTrue(any("no better than chance" in words for words in said), said)
        model.save(self.folder / "m.sibp")
        inspected = self.command("inspect", "m.sibp")
        for words in [*said, *model.warnings_]:
            self.assertIn(words, inspected)

    def test_disagreement_of_chains_is_told_with_what_it_means_for_a_search(self):
        X, y = blobs()
        models = [sibp.SuperProbitIBP(sweeps=30, per_object=5, random_state=seed) for seed in range(5)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = [model.fit(X, y).warnings_ for model in models]
        disagreeing = [words for words in found if any("R-hat" in word and "disagree" in word for word in words)]
        self.assertTrue(disagreeing, found)
        for words in disagreeing:
            self.assertEqual(sum(word.startswith("what this means for a search: codes come from one chain") for word in words), 1)
        self.assertFalse([word for word in caught if "R-hat" in str(word.message)])


class Classes(TestCase):
    def test_cross_validation_of_sorted_classes_is_stratified(self):
        X, y = load_wine(return_X_y=True)
        model = sibp.SuperProbitIBP(sweeps=20, per_object=10, random_state=0)
        pipeline = make_pipeline(StandardScaler(), model)
        self.assertTrue(is_classifier(model) and is_classifier(pipeline))
        self.assertFalse(is_classifier(sibp.IBP()))
        scores = cross_val_score(pipeline, X, y, cv=3)
        self.equal(scores, cross_val_score(pipeline, X, y, cv=StratifiedKFold(3)))
        self.assertGreater(scores.min(), 0.8)

    def test_shares_of_votes_agree_with_the_vote(self):
        X, y = blobs()
        for model in models():
            model.set_params(random_state=0).fit(X, np.array(["c", "a", "b"])[y])
            shares = model.predict_proba(X)
            self.assertEqual(shares.shape, (len(X), 3))
            np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
            self.equal(model.classes_[shares.argmax(axis=1)], model.predict(X))

    def test_shares_are_votes_by_hand(self):
        X, y = blobs(n_classes=2, per_class=8)
        model = sibp.SuperProbitIBP(sweeps=10, n_neighbors=5, random_state=0).fit(X, y)
        codes, stored = model.transform(X), model.codes_
        for code, shares in zip(codes, model.predict_proba(X), strict=True):
            distances = (stored != code).sum(axis=1)
            last = np.sort(distances)[4]
            nearer, tied = distances < last, distances == last
            votes = [(nearer & (y == c)).sum() + (tied & (y == c)).sum() / tied.sum() * (5 - nearer.sum()) for c in (0, 1)]
            np.testing.assert_allclose(shares, np.array(votes) / 5, atol=1e-12)

    def test_jobs_are_counted_as_scikit_learn_does(self):
        X, y = blobs()
        codes = fitted().transform(X)
        for n_jobs in (-1, None, 2, -2):
            self.equal(fitted(n_jobs=n_jobs).transform(X), codes)
        self.equal(sibp.LSH(random_state=0, n_jobs=-1).fit_transform(X), sibp.LSH(random_state=0).fit_transform(X))
        index = fitted().index(X)
        self.equal(index.hamming.search(index.hamming.packed, 3, -1)[1], index.hamming.search(index.hamming.packed, 3)[1])
        self.assertEqual([_params.threads("n_jobs", n) for n in (None, -1, 3)], [0, 0, 3])
        self.assertGreaterEqual(_params.threads("n_jobs", -1000), 1)
        with self.assertRaisesRegex(ValueError, "n_jobs: 0"):
            fitted(n_jobs=0)


class MissingValues(TestCase):
    def holed(self):
        X, y = blobs()
        X[3, 1] = X[17, 0] = X[40, 3] = np.nan
        return X, y

    def test_missing_values_are_filled_as_the_command_does(self):
        X, y = self.holed()
        np.save(self.folder / "x.npy", X)
        np.save(self.folder / "y.npy", y)
        for rule in ("mean", "median", "drop"):
            model = sibp.SuperProbitIBP(sweeps=12, per_object=5, random_state=0, missing=rule).fit(X, y)
            line = f"fit x.npy --labels y.npy --sweeps 12 --per-object 5 --seed 0 --missing {rule} --quiet --force -o m.sibp"
            self.command(*line.split())
            self.assertEqual(model.model_.to_bytes(), (self.folder / "m.sibp").read_bytes(), rule)

    def test_objects_to_encode_are_filled_alike(self):
        X, y = self.holed()
        model = sibp.SuperProbitIBP(sweeps=12, per_object=5, random_state=0, missing="mean").fit(X, y)
        whole = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        self.equal(model.transform(X), model.transform(whole))
        self.equal(model.predict(X), model.predict(whole))
        model.save(self.folder / "m.sibp")
        self.equal(sibp.load(self.folder / "m.sibp").transform(X), model.transform(X))

    def test_missing_values_are_refused_by_default_and_rows_without_them_stay(self):
        X, y = self.holed()
        with self.assertRaisesRegex(ValueError, "NaN"):
            sibp.SuperProbitIBP(sweeps=5).fit(X, y)
        model = sibp.SuperProbitIBP(sweeps=12, per_object=5, random_state=0, missing="drop").fit(X, y)
        self.assertEqual(len(model.codes_), len(X) - 3)
        with self.assertRaisesRegex(ValueError, "NaN"):
            model.transform(X)
        with self.assertRaisesRegex(ValueError, "missing: 'zero' is unknown"):
            sibp.IBP(missing="zero").fit(X)

    def test_triplets_about_objects_that_are_left_out_go_too(self):
        X, y = self.holed()
        T = sibp.triplets_from_labels(y, per_object=3, random_state=0)
        kept = ~np.isnan(X).any(axis=1)
        whole = kept[T].all(axis=1)
        settings = {"sweeps": 10, "chains": 2, "random_state": 0}
        model = sibp.SuperProbitIBP(**settings, missing="drop").fit(X, triplets=T)
        alone = sibp.SuperProbitIBP(**settings).fit(X[kept], triplets=(np.cumsum(kept) - 1)[T[whole]])
        self.equal(model.codes_, alone.codes_)


class Explaining(TestCase):
    def test_bits_that_differ_come_first_with_names_of_inputs_and_ids(self):
        X, y = blobs(n_classes=2)
        frame = pd.DataFrame(X, columns=["red", "green", "blue", "size"], index=[f"o{row}" for row in range(len(X))])
        model = sibp.SuperProbitIBP(sweeps=20, per_object=5, random_state=0).fit(frame, y)
        why = model.explain(frame, "o0", "o39")
        codes = model.transform(frame)
        self.assertEqual(why["distance"], (codes[0] != codes[39]).sum())
        self.assertGreater(why["distance"], 0)
        self.assertEqual([bit["agrees"] for bit in why["bits"]], [False] * why["distance"] + [True] * (model.n_bits_ - why["distance"]))
        first = why["bits"][0]
        self.assertIn(first["drivers"][0][0], frame.columns)
        self.assertTrue(all(codes[frame.index.get_loc(owner), first["bit"]] for owner in first["owners"]))
        self.assertEqual(model.explain(frame, 0, 39)["distance"], why["distance"])
        with self.assertRaisesRegex(ValueError, "b: there is no object with the id 'o99'"):
            model.explain(frame, "o0", "o99")
        with self.assertRaisesRegex(ValueError, "a: there is no row 99"):
            model.explain(frame, 99, 0)

    def test_the_explanation_is_that_of_the_command(self):
        X, y = blobs()
        model = fitted()
        np.save(self.folder / "x.npy", X)
        model.save(self.folder / "m.sibp")
        import json

        said = json.loads(self.command("explain", "m.sibp", "x.npy", "0", "59", "--json"))
        found = model.explain(X, 0, 59)
        self.assertEqual([bit["bit"] for bit in found["bits"]], [bit["bit"] for bit in said["bits"]])
        self.assertEqual(found["weighted"], said["weighted"])


class Growing(TestCase):
    def test_extended_codes_begin_with_the_old_ones_and_are_those_of_the_command(self):
        X, y = blobs(n_classes=6, per_class=15)
        old = y < 3
        model = sibp.SuperProbitIBP(sweeps=20, per_object=5, random_state=0).fit(X[old], y[old])
        grown = model.extend(X[~old], y[~old], remember=(X[old], y[old]), sweeps=40, chains=5, random_state=0)
        self.equal(grown.transform(X)[:, : model.n_bits_], model.transform(X))
        self.assertEqual(grown.n_bits_, model.n_bits_ + grown.report_["added"])
        self.assertGreater(grown.report_["added"], 0)
        self.assertEqual(len(grown.weights_), grown.n_bits_)
        for name, values in (("x", X), ("new", X[~old])):
            np.save(self.folder / f"{name}.npy", values)
        np.save(self.folder / "labels.npy", y[~old])
        np.save(self.folder / "old.npy", X[old])
        model.save(self.folder / "m.sibp")
        line = "extend m.sibp new.npy --labels labels.npy --remember old.npy --sweeps 40 --seed 0 --quiet -o c.sibh"
        self.command(*line.split())
        by_command = sibp.load(self.folder / "c.sibh")
        self.equal(by_command.transform(X), grown.transform(X))
        self.equal(by_command.weights_, grown.weights_)
        grown.save(self.folder / "again.sibh")
        again = sibp.load(self.folder / "again.sibh").extend(X, y, sweeps=20, chains=2, random_state=1)
        self.equal(again.transform(X)[:, : grown.n_bits_], grown.transform(X))

    def test_tuning_sets_what_was_left_open(self):
        X, y = blobs(n_classes=2, per_class=15)
        model = sibp.SuperProbitIBP(input_transform="standardise", lapse=0.05, sweeps=10, random_state=0)
        self.assertIs(model.tune(X, y), model)
        self.assertEqual((model.input_transform, model.lapse), ("standardise", 0.05))
        best = max(model.tuning_, key=lambda trial: (trial["score"], trial["agreement"]))
        self.assertEqual((model.pseudo_weight, model.per_object), (best["pseudo_weight"], best["per_object"]))
        self.assertEqual({trial["per_object"] for trial in model.tuning_}, {10, 30, 60})
        self.assertGreater(model.fit(X, y).score(X, y), 0.9)

    def test_ctrl_c_ends_tuning(self):
        # A shell ignores Ctrl-C for what it runs in the background, and Python then leaves it ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before or signal.SIG_DFL)
        X, y = blobs(n_classes=4, per_class=100)
        model = sibp.SuperProbitIBP(random_state=0)
        timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        self.addCleanup(timer.cancel)
        with self.assertRaises(KeyboardInterrupt):
            model.tune(X, y)
        self.assertIsNone(model.input_transform)


class Progress(TestCase):
    def test_the_bar_counts_the_sweeps_that_the_fit_does(self):
        X, y = blobs(n_classes=2, per_class=600, n_inputs=2)
        X = np.column_stack([X, X**2, X[:, :1] * X[:, 1:]])
        radius = (X[:, :2] - X[:, :2].mean(axis=0)) ** 2
        y = (radius.sum(axis=1) < np.median(radius.sum(axis=1))).astype(int)
        seen = []
        from contextlib import contextmanager
        from unittest import mock

        @contextmanager
        def watching(*_):
            yield lambda latest, sweeps: seen.append((max(sweep for sweep, *_ in latest), sweeps))

        with mock.patch.object(_sampled, "progress", watching):
            model = sibp.SuperProbitIBP(random_state=0).fit(X, y)
        done = len(model.traces_[0]["log_joint"])
        self.assertEqual({sweeps for _, sweeps in seen}, {done})
        self.assertEqual(seen[-1][0], done)
        self.assertIn(f"{2 * done}/{2 * done} sweeps", _progress.line([(done, 8, 1.0, 0.0)] * 2, done, 1.0, True))

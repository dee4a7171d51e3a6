"""Estimators among scikit-learn's own: pipelines, searches, clones, frames."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sibp
from common import TestCase, blobs, estimators, models


class InScikitLearn(TestCase):
    def test_a_pipeline_passes_codes_on(self):
        X, y = blobs()
        probit = sibp.SuperProbitIBP(sweeps=20, per_object=5, random_state=0)
        pipeline = make_pipeline(StandardScaler(), probit, LogisticRegression())
        self.assertEqual(pipeline.fit(X, y).score(X, y), 1.0)
        self.assertEqual(len(pipeline[:-1].get_feature_names_out()), pipeline[1].n_bits_)

    def test_triplets_reach_a_step_of_a_pipeline(self):
        X, y = blobs()
        T = sibp.triplets_from_labels(y, per_object=5, random_state=0)
        pipeline = make_pipeline(StandardScaler(), sibp.SuperProbitIBP(sweeps=20, random_state=0))
        codes = pipeline.fit_transform(X, superprobitibp__triplets=T)
        self.equal(codes, pipeline[1].transform(pipeline[0].transform(X)))

    def test_a_grid_is_searched_by_votes_of_neighbours(self):
        X, y = blobs()
        model = sibp.SuperProbitIBP(sweeps=10, per_object=5, random_state=0)
        search = GridSearchCV(model, {"preset": ["hash", "paper"], "n_neighbors": [1, 3]}, cv=StratifiedKFold(2))
        search.fit(X, y)
        self.assertEqual(len(search.cv_results_["params"]), 4)
        self.assertEqual(search.best_score_, max(search.cv_results_["mean_test_score"]))
        self.assertGreater(search.best_score_, 0.9)

    def test_chains_run_under_joblib(self):
        X, y = blobs()
        model = sibp.IBP(sweeps=10, n_neighbors=3, random_state=0)
        alone = cross_val_score(model, X, y, cv=StratifiedKFold(2))
        self.equal(cross_val_score(model, X, y, cv=StratifiedKFold(2), n_jobs=2), alone)

    def test_the_plain_model_stands_before_a_regression(self):
        X, _ = blobs()
        target = X @ [1.0, 2.0, 3.0, 4.0]
        pipeline = make_pipeline(sibp.IBP(sweeps=20, random_state=0), Ridge()).fit(X, target)
        self.assertFalse(hasattr(pipeline[0], "classes_"))
        self.assertGreater(pipeline.score(X, target), 0.5)

    def test_clones_pickles_and_copies_encode_alike(self):
        X, y = blobs()
        for estimator in estimators():
            if "random_state" in estimator.get_params():
                estimator.set_params(random_state=3)
            with self.subTest(type(estimator).__name__):
                codes = estimator.fit(X, y).transform(X)
                self.assertEqual(codes.dtype, np.uint8)
                self.assertEqual(codes.shape, (len(X), estimator.n_bits_))
                for again in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
                    self.equal(again.transform(X), codes)
                self.equal(clone(estimator).fit(X, y).transform(X), codes)

    def test_pickles_keep_labels_as_they_were(self):
        X, y = blobs(2)
        for names in (["a", "b"], [1.0, 2.0], [False, True], [7, -3]):
            labels = np.array(names)[y]
            model = sibp.IBP(sweeps=5, n_neighbors=1).fit(X, labels)
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual(again.predict(X[:1]).dtype, labels.dtype)
            self.equal(again.classes_, np.unique(labels))


    def test_given_bits_are_routed_through_a_cross_validation(self):
        X, y = blobs()
        H = (X[:, :2] > 0).astype(np.uint8)
        with config_context(enable_metadata_routing=True):
            model = sibp.SuperProbitIBP(sweeps=10, per_object=5, n_neighbors=3, random_state=0)
            model.set_fit_request(given_bits=True).set_score_request(given_bits=True)
            found = cross_validate(
                model, X, y, params={"given_bits": H}, cv=StratifiedKFold(2), return_estimator=True, error_score="raise"
            )
        self.assertEqual([part.n_given_bits_ for part in found["estimator"]], [2, 2])
        self.assertGreater(found["test_score"].min(), 0.9)


class Frames(TestCase):
    def test_frames_give_the_codes_of_arrays(self):
        X, y = blobs()
        names = [f"input {at}" for at in range(X.shape[1])]
        frames = [pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)]
        for estimator in models():
            estimator.set_params(random_state=0)
            codes = clone(estimator).fit(X, y).transform(X)
            for frame in frames:
                with self.subTest(type(estimator).__name__, frame=type(frame)):
                    fitted = clone(estimator).fit(frame, y)
                    self.equal(fitted.transform(frame), codes)
                    self.assertEqual(list(fitted.feature_names_in_), names)
        series = clone(estimator).fit(frames[0], pd.Series(y)).transform(frames[0])
        self.equal(series, codes)

    def test_names_of_inputs_go_to_the_file_and_come_back(self):
        X, y = blobs()
        frame = pd.DataFrame(X, columns=list("abcd"))
        model = sibp.IBP(sweeps=5, random_state=0).fit(frame, y)
        model.save(self.folder / "m.sibp")
        self.assertEqual(list(sibp.load(self.folder / "m.sibp").feature_names_in_), list("abcd"))
        with self.assertRaisesRegex(ValueError, "feature names"):
            model.transform(frame[list("dcba")])

    def test_a_hash_keeps_the_names_of_inputs_too(self):
        X, _ = blobs()
        frame = pd.DataFrame(X, columns=list("abcd"))
        sibp.ITQ(random_state=0).fit(frame).save(self.folder / "h.sibh")
        again = sibp.load(self.folder / "h.sibh")
        self.assertEqual(list(again.feature_names_in_), list("abcd"))
        with self.assertRaisesRegex(ValueError, "feature names"):
            again.transform(frame[list("dcba")])
        again.transform(frame)

    def test_set_output_is_respected(self):
        X, y = blobs()
        for estimator in estimators():
            codes = estimator.fit(X, y).transform(X)
            names = list(estimator.get_feature_names_out())
            self.assertEqual(len(names), estimator.n_bits_)
            for kind, frame in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
                with self.subTest(type(estimator).__name__, kind=kind):
                    found = estimator.set_output(transform=kind).transform(X)
                    self.assertIsInstance(found, frame)
                    self.assertEqual(list(found.columns), names)
                    self.equal(found.to_numpy(), codes)
            estimator.set_output(transform="default")

"""What people's judgements bring: presets, links, distilled codes, judges, objects without inputs."""

import json
import pickle
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
from sklearn.exceptions import ConvergenceWarning

import sibp
import sibp._sibp
from common import TestCase, blobs
from sibp import _sampled

X, Y = blobs(per_class=8)
T = sibp.triplets_from_labels(Y, per_object=4, random_state=0)
IDS = np.array([f"object {i}" for i in range(len(X))])
LABELS = {"y": Y}
TRIPLETS = {"triplets": T}


def probit(**parameters):
    few = {"sweeps": 5, "chains": 2, "per_object": 3, "distil": 8, "random_state": 0}
    return sibp.SuperProbitIBP(**few | parameters)


def settings(model):
    return json.loads(model.model_.settings)


class Refusals(TestCase):
    def refused(self, cases):
        for at, (wrong, error, words) in enumerate(cases):
            with self.subTest(at, words=words), self.assertRaisesRegex(error, words):
                wrong()


class Defaults(TestCase):
    def test_the_preset_is_the_one_that_suits_the_teacher(self):
        for data, preset, other in ((LABELS, "hash", "judgements"), (TRIPLETS, "judgements", "hash")):
            suited = probit().fit(X, **data).model_.to_bytes()
            self.assertEqual(suited, probit(preset=preset).fit(X, **data).model_.to_bytes())
            self.assertNotEqual(suited, probit(preset=other).fit(X, **data).model_.to_bytes())

    def test_the_effort_is_the_one_that_suits_the_teacher(self):
        # What the library says is what is run; nothing is stopped before its first sweep, and nothing rehearsed.
        for data, by_triplets, sweeps, chains in ((LABELS, False, 500, 2), (TRIPLETS, True, 150, 12)):
            self.assertEqual(sibp._sibp.chains_of("normal", by_triplets), chains)
            model = probit(sweeps=None, chains=None, time_limit=1e-6)
            with self.assertWarnsRegex(ConvergenceWarning, f"of {sweeps} sweeps"):
                model.fit(X, **data)
            run = settings(model)["run"]
            self.assertEqual((run["sweeps"], run["chains"]), (sweeps, chains))
        with self.assertWarnsRegex(ConvergenceWarning, "of 500 sweeps"):
            model = sibp.IBP(time_limit=1e-6).fit(X)
        self.assertEqual(len(model.traces_), 2)

    def test_the_bar_counts_the_sweeps_that_are_run(self):
        for data, sweeps in ((LABELS, 500), (TRIPLETS, 150)):
            seen = []

            @contextmanager
            def watching(*_):
                yield lambda latest, sweeps: seen.append(sweeps)

            with mock.patch.object(_sampled, "progress", watching), self.assertWarns(ConvergenceWarning):
                probit(sweeps=None, time_limit=1e-6).fit(X, **data)
            self.assertEqual(set(seen), {sweeps})


class Links(Refusals):
    def test_links_are_those_of_the_model(self):
        found = {link: settings(probit(link=link).fit(X, **TRIPLETS))["model"]["preference"] for link in ("ratio", "logistic", "logistic:0.25")}
        self.assertNotIn("link", found["ratio"])
        self.assertIn("log_normal", found["logistic"]["link"]["logistic"])
        self.assertEqual(found["logistic:0.25"]["link"], {"logistic": {"fixed": 0.25}})
        gaussian = sibp.SuperGaussianIBP(sweeps=3, per_object=3, link="logistic").fit(X, Y)
        self.assertIn("link", settings(gaussian)["model"]["preference"])

    def test_wrong_links(self):
        self.refused(
            [
                (lambda: probit(link="probit").fit(X, Y), ValueError, "^link: 'probit' is no link; write ratio, logistic"),
                (lambda: probit(link="logistic:x").fit(X, Y), ValueError, "^link: "),
                (lambda: probit(link="logistic:-1").fit(X, Y), ValueError, "^link: the slope is -1"),
                (lambda: probit(link=1).fit(X, Y), TypeError, "^link: "),
            ]
        )

    def test_arviz_has_the_slope(self):
        self.assertIn("slope", probit(sweeps=20).fit(X, **TRIPLETS).to_arviz().posterior)


class Distilled(Refusals):
    def test_it_is_made_where_triplets_teach(self):
        self.assertIsNone(settings(probit(distil=None).fit(X, **LABELS))["distilled"])
        self.assertIsNone(settings(probit(distil=0).fit(X, **TRIPLETS))["distilled"])
        self.assertIn(settings(probit(distil=None).fit(X, **TRIPLETS))["distilled"], range(100, 129))
        for data in (LABELS, TRIPLETS):
            self.assertIn(settings(probit(distil=7).fit(X, **data))["distilled"], range(1, 8))
        self.assertIsNone(settings(sibp.SuperGaussianIBP(sweeps=3, chains=1).fit(X, **TRIPLETS))["distilled"])

    def test_it_is_the_code_that_suits(self):
        model = probit(distil=7).fit(X, **TRIPLETS)
        self.assertEqual(model.code, "suited")
        suited = model.transform(X)
        self.equal(model.set_params(code="distil").transform(X), suited)
        self.assertEqual(model.n_bits_, settings(model)["distilled"])
        best = model.set_params(code="map").transform(X)
        self.assertNotEqual(best.shape, suited.shape)
        plain = probit(distil=0).fit(X, **TRIPLETS)
        self.equal(plain.transform(X), best)
        with self.assertRaisesRegex(ValueError, "^code: .*distil=BITS"):
            plain.set_params(code="distil").transform(X)

    def test_wrong_numbers(self):
        self.refused(
            [
                (lambda: probit(distil=-1).fit(X, Y), ValueError, "^distil: -1 is less than 0"),
                (lambda: probit(distil=1.5).fit(X, Y), TypeError, "^distil: "),
                (lambda: sibp.SuperGaussianIBP(sweeps=3, distil=8).fit(X, Y), ValueError, "^distil: the model gaussian"),
            ]
        )


def by_two_judges(n_answers=600, seed=0):
    """Answers about classes by one who never errs, and by one who tosses coins."""
    rng = np.random.default_rng(seed)
    answers = T[rng.integers(0, len(T), n_answers)]
    careless = np.arange(n_answers) % 2 == 1
    turned = careless & (rng.random(n_answers) < 0.5)
    answers[turned] = answers[turned][:, [0, 2, 1]]
    return answers, np.where(careless, "coin", "sage")


class Judges(Refusals):
    def setUp(self):
        super().setUp()
        import warnings

        warnings.filterwarnings("ignore", message="triplets: ")
        self.answers, self.judges = by_two_judges()

    def test_the_careless_are_found_out(self):
        model = probit(sweeps=60).fit(X, triplets=self.answers, judges=self.judges)
        lapses = model.judge_lapses_
        self.assertEqual(list(lapses), ["sage", "coin"])
        self.assertLess(lapses["sage"], 0.2)
        self.assertGreater(lapses["coin"], 0.6)
        drawn = [draw["tensors"]["judge_lapses"] for draws in model.draws_ for draw in draws]
        np.testing.assert_allclose(list(lapses.values()), np.mean(drawn, axis=0))
        self.assertEqual(pickle.loads(pickle.dumps(model)).judge_lapses_, lapses)

    def test_names_of_any_kind(self):
        expected = probit().fit(X, triplets=self.answers, judges=self.judges).judge_lapses_
        number = {"sage": 4, "coin": 2}
        for judges, back in (
            (self.judges.tolist(), str),
            (self.judges.astype(object), str),
            (pd.Series(self.judges, index=np.arange(600)[::-1]), str),
            (pl.Series(self.judges), str),
            ([number[name] for name in self.judges], number.get),
            (np.array([number[name] for name in self.judges]), number.get),
            ([(name, 1) for name in self.judges], lambda name: (name, 1)),
        ):
            found = probit().fit(X, triplets=self.answers, judges=judges).judge_lapses_
            self.assertEqual(found, {back(name): lapse for name, lapse in expected.items()})

    def test_a_column_of_a_frame_says_who_it_was(self):
        expected = probit().fit(X, triplets=self.answers, judges=self.judges).model_.to_bytes()
        columns = dict(zip(("anchor", "near", "far"), self.answers.T, strict=True)) | {"Judge": self.judges}
        for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
            self.assertEqual(probit().fit(X, triplets=frame).model_.to_bytes(), expected)
        other = probit().fit(X, triplets=pd.DataFrame(columns), judges=["x"] * 600)
        self.assertEqual(list(other.judge_lapses_), ["x"])

    def test_without_rates_of_their_own_there_are_none(self):
        judged = {"triplets": self.answers, "judges": self.judges}
        self.assertEqual(probit().fit(X, Y).judge_lapses_, {})
        self.assertEqual(probit().fit(X, triplets=self.answers).judge_lapses_, {})
        self.assertEqual(probit(lapse=0.1).fit(X, **judged).judge_lapses_, {})
        self.assertEqual(probit(preset="hash").fit(X, **judged).judge_lapses_, {})
        model = probit().fit(X, **judged)
        self.assertEqual(len(model.judge_lapses_), 2)
        self.assertEqual(model.fit(X, Y).judge_lapses_, {})

    def test_the_gaussian_model_has_judges_too(self):
        model = sibp.SuperGaussianIBP(sweeps=5, chains=1, random_state=0)
        self.assertEqual(list(model.fit(X, triplets=self.answers, judges=self.judges).judge_lapses_), ["sage", "coin"])

    def test_wrong_judges(self):
        def fit(judges, **data):
            return lambda: probit().fit(X, **{"triplets": T[:3], "judges": judges} | data)

        frame = pd.DataFrame(T[:3], columns=["anchor", "near", "far"]).assign(judge=["a", None, "b"])
        self.refused(
            [
                (fit(["a", "b"]), ValueError, "^judges: 2 names for 3 triplets"),
                (fit("abc"), TypeError, "^judges: 'abc' is no list"),
                (fit(3), TypeError, "^judges: 3 is no list"),
                (fit(["a", None, "b"]), ValueError, "^judges: triplet 1 has none"),
                (fit([1.0, 2.0, np.nan]), ValueError, "^judges: triplet 2 has none"),
                (fit([["a"], ["b"], ["c"]]), TypeError, "^judges: triplet 0: "),
                (fit([1, "1", 2]), TypeError, "^judges: 1 and '1' cannot be told apart"),
                (fit(None, triplets=frame), ValueError, "^judges: triplet 1 has none"),
                (fit(["a"], triplets=None, y=Y), ValueError, "^judges: .*give triplets too"),
            ]
        )


class WithoutInputs(Refusals):
    def test_objects_are_known_by_row_or_id(self):
        order = list(dict.fromkeys(T.ravel()))
        by_row = probit(sweeps=30).fit(None, triplets=T)
        by_id = probit(sweeps=30).fit(None, triplets=IDS[T])
        self.assertEqual((by_row.n_features_in_, by_id.n_features_in_), (0, 0))
        self.assertFalse(hasattr(by_row, "feature_names_in_"))
        self.assertEqual(by_row.codes_.shape, (len(X), by_row.n_bits_))
        self.assertEqual(by_id.model_.ids, IDS[order].tolist())
        self.assertIsNone(by_row.model_.ids)
        # In the order of first appearance, unless ids say which.
        same = np.empty(len(order), int)
        same[order] = np.arange(len(order))
        self.equal(by_id.codes_, probit(sweeps=30).fit(None, triplets=same[T]).codes_)
        listed = probit(sweeps=30).fit(None, triplets=IDS[T], ids=IDS)
        self.equal(listed.codes_, by_row.codes_)
        self.assertEqual(listed.model_.ids, IDS.tolist())
        self.equal(probit(sweeps=30).fit_transform(None, triplets=T), by_row.codes_)
        frame = pd.DataFrame(IDS[T], columns=["anchor", "near", "far"])
        self.assertEqual(probit(sweeps=30).fit(None, triplets=frame).model_.to_bytes(), by_id.model_.to_bytes())

    def test_questions_about_training_objects(self):
        model = probit(sweeps=40).fit(None, triplets=IDS[T])
        found = model.predict_preference(*IDS[T].T)
        self.assertEqual(found.shape, (len(T),))
        self.assertGreater(np.mean(found > 0.5), 0.9)
        np.testing.assert_allclose(found + model.predict_preference(*IDS[T[:, [0, 2, 1]]].T), 1)
        one = model.predict_preference(*IDS[T[0]])
        self.assertIsInstance(one, float)
        self.assertEqual(one, found[0])
        row = {name: at for at, name in enumerate(model.model_.ids)}
        rows = np.vectorize(row.get)(IDS[T])
        self.equal(model.predict_preference(*rows.T), found)
        near, far = ((model.codes_[rows[:, 0]] != model.codes_[rows[:, at]]).sum(axis=1) for at in (1, 2))
        self.assertEqual(model.score_triplets(None, IDS[T]), np.mean(near < far))
        self.assertGreater(model.score_triplets(None, IDS[T]), 0.9)

    def test_files_and_pickles_keep_them(self):
        model = probit().fit(None, triplets=IDS[T])
        model.save(self.folder / "m.sibp")
        asked = model.predict_preference(*IDS[T].T)
        for again in (sibp.load(self.folder / "m.sibp"), pickle.loads(pickle.dumps(model))):
            self.assertEqual(again.n_features_in_, 0)
            self.equal(again.codes_, model.codes_)
            self.equal(again.predict_preference(*IDS[T].T), asked)
            self.assertEqual(again.fit(None, triplets=IDS[T]).model_.to_bytes(), model.model_.to_bytes())

    def test_a_fit_with_inputs_follows(self):
        model = probit().fit(pd.DataFrame(X, columns=list("abcd")), triplets=T)
        model.fit(None, triplets=T)
        self.assertFalse(hasattr(model, "feature_names_in_"))
        self.assertEqual(model.fit(X, triplets=T).transform(X).shape[0], len(X))

    def test_what_needs_inputs_says_so(self):
        model = probit().fit(None, triplets=T)
        large = np.array([[5, 7, 1_000_000_007], [7, 5, 1_000_000_007]])
        without = "^X: the model was fitted without inputs"
        self.refused(
            [
                (lambda: model.transform(X), ValueError, without),
                (lambda: model.packed(X), ValueError, without),
                (lambda: model.index(X), ValueError, without),
                (lambda: model.predict_bits(X), ValueError, without),
                (lambda: model.score_triplets(X, T), ValueError, without),
                (lambda: model.predict_preference(0, 1, 2, X=X), ValueError, without),
                (lambda: probit().fit(None), ValueError, "^X: inputs are needed"),
                (lambda: probit().fit(None, Y), ValueError, "^X: inputs are needed"),
                (lambda: probit().fit(None, Y, triplets=T), ValueError, "^y: "),
                (lambda: probit().fit(None, triplets=T, given_bits=X > 0), ValueError, "^given_bits: "),
                (lambda: probit(input_transform="centre").fit(None, triplets=T), ValueError, "^input_transform: "),
                (lambda: sibp.SuperGaussianIBP(sweeps=3).fit(None, triplets=T), ValueError, "^X: the model gaussian"),
                (lambda: probit().fit(None, triplets=T - 1), ValueError, "^triplets: row 0: anchor is object -1"),
                (lambda: probit().fit(None, triplets=large), ValueError, "^triplets: .*only 3 are mentioned; give ids"),
                (lambda: probit().fit(None, triplets=T, ids=IDS[:5]), ValueError, "^triplets: row .* but there are 5"),
                (lambda: probit().fit(None, triplets=IDS[T], ids=IDS[:5]), ValueError, "^triplets: row .* is no id"),
                (lambda: probit().fit(None, triplets=[["a", "b", None]]), ValueError, "^triplets: row 0: far is missing"),
                (lambda: model.predict_preference(0, 1, 99), ValueError, "^triplets: row 0: far is object 99"),
                (lambda: model.predict_preference("a", "b", "c"), ValueError, "^triplets: objects are named by ids"),
                (lambda: model.predict_preference(0, 1, 2, given_bits=[0]), ValueError, "^given_bits: "),
            ]
        )


class TrainingObjects(TestCase):
    def test_ids_and_single_rows_without_inputs_are_training_objects(self):
        model = probit(sweeps=20).fit(X, triplets=IDS[T], ids=IDS)
        expected = model.predict_preference(*(X[T[:, at]] for at in range(3)))
        self.equal(model.predict_preference(*IDS[T].T), expected)
        self.assertEqual(model.predict_preference(*T[0].tolist()), expected[0])
        self.assertEqual(model.score_triplets(None, IDS[T]), model.score_triplets(X, T))
        # Rows of mixed frames are inputs, though numpy takes them for objects.
        mixed = [X[row].astype(object) for row in T[0]]
        self.assertEqual(model.predict_preference(*mixed), expected[0])

    def test_given_bits_of_training_objects_are_known(self):
        H = (X[:, :2] > 0).astype(np.uint8)
        model = probit().fit(X, triplets=T, given_bits=H)
        self.assertEqual(model.predict_preference(0, 1, 20), model.predict_preference(0, 1, 20, H, X=X))


class Files(TestCase):
    def setUp(self):
        super().setUp()
        import warnings

        warnings.filterwarnings("ignore", message="triplets: ")
        np.save(self.folder / "X.npy", X)
        self.answers, self.judges = by_two_judges(200)

    def write(self, names):
        rows = [",".join([*map(str, names[row]), judge]) for row, judge in zip(self.answers, self.judges, strict=True)]
        (self.folder / "t.csv").write_text("\n".join(["anchor,near,far,judge", *rows]) + "\n")

    def command_fit(self, *words):
        self.command("fit", *words, "--triplets", "t.csv", "--seed", 0, "--sweeps", 5, "--chains", 2, "-q", "-o", "c.sibp")
        return (self.folder / "c.sibp").read_bytes()

    def test_the_command_writes_the_same_bytes(self):
        self.write(np.arange(len(X)))
        judged = {"triplets": self.answers, "judges": self.judges}
        for words, parameters in (
            ((), {"distil": None}),
            (("--preset", "judgements", "--distil", 9), {"preset": "judgements", "distil": 9}),
            (("--link", "logistic:0.5", "--distil", 0), {"link": "logistic:0.5", "distil": 0}),
            (
                ("--preset", "paper", "--link", "logistic", "--distil", 8),
                {"preset": "paper", "link": "logistic"},
            ),
        ):
            with self.subTest(words):
                model = probit(**parameters).fit(X, **judged)
                self.assertEqual(self.command_fit("X.npy", *words), model.model_.to_bytes())
        self.write(IDS)
        model = probit().fit(None, triplets=IDS[self.answers], judges=self.judges)
        self.assertEqual(self.command_fit("--distil", 8), model.model_.to_bytes())
        again = sibp.load(self.folder / "c.sibp")
        self.equal(again.predict_preference(*IDS[T].T), model.predict_preference(*IDS[T].T))

    def test_loaded_models_have_their_parameters_and_fit_again_alike(self):
        judged = {"triplets": self.answers, "judges": self.judges}
        numbered = judged | {"judges": np.where(self.judges == "coin", 3, 5)}
        for data, parameters, restored in (
            (judged, {"distil": None}, {"link": "logistic", "distil": 128}),
            (numbered, {}, {"link": "logistic", "distil": 8}),
            (judged, {"preset": "hash"}, {"link": "ratio"}),
            (judged, {"link": "logistic:0.125", "distil": 0}, {"link": "logistic:0.125", "distil": 0}),
            (LABELS, {"distil": None}, {"link": "ratio", "distil": None}),
            (LABELS, {"link": "logistic", "distil": 6}, {"link": "logistic", "distil": 6}),
        ):
            with self.subTest(parameters=parameters):
                model = probit(**parameters).fit(X, **data)
                model.save(self.folder / "m.sibp")
                again = sibp.load(self.folder / "m.sibp")
                self.assertIsNone(again.preset)
                self.assertEqual({name: getattr(again, name) for name in restored}, restored)
                self.assertEqual(again.judge_lapses_, model.judge_lapses_)
                self.assertEqual(again.fit(X, **data).model_.to_bytes(), model.model_.to_bytes())

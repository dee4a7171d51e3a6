"""Triplets may name objects by ids: those given, or the index of a DataFrame."""

import numpy as np
import pandas as pd
import polars as pl

import sibp
from common import TestCase, blobs

X, Y = blobs()
T = sibp.triplets_from_labels(Y, per_object=3, random_state=0)
IDS = np.array([f"object {i}" for i in range(len(X))])
FRAME = pd.DataFrame(X, columns=list("abcd"), index=IDS)


def probit():
    return sibp.SuperProbitIBP(sweeps=5, chains=2, distil=8, random_state=0)


class Fits(TestCase):
    def test_ids_and_rows_give_the_same_model(self):
        by_row = probit().fit(X, triplets=T).model_.to_bytes()
        table = pd.DataFrame({"far": IDS[T[:, 2]], "note": "x", "Anchor": IDS[T[:, 0]], "near": IDS[T[:, 1]]})
        for triplets in (IDS[T], IDS[T].astype(object), IDS[T].tolist(), table, pl.DataFrame(table.to_dict("list"))):
            self.assertEqual(probit().fit(X, triplets=triplets, ids=IDS).model_.to_bytes(), by_row)
            self.assertEqual(probit().fit(X, triplets=triplets, ids=IDS.tolist()).model_.to_bytes(), by_row)
        named = probit().fit(FRAME, triplets=T).model_.to_bytes()
        self.assertEqual(probit().fit(FRAME, triplets=IDS[T]).model_.to_bytes(), named)
        self.assertEqual(probit().fit(FRAME, triplets=table).model_.to_bytes(), named)
        self.equal(probit().fit_transform(FRAME, triplets=table), probit().fit_transform(FRAME, triplets=T))

    def test_ids_that_are_given_come_before_the_index(self):
        others = IDS[::-1].copy()
        by_row = probit().fit(FRAME, triplets=len(X) - 1 - T).model_.to_bytes()
        self.assertEqual(probit().fit(FRAME, triplets=IDS[T], ids=others).model_.to_bytes(), by_row)

    def test_whole_numbers_stay_row_numbers(self):
        by_row = probit().fit(X, triplets=T).model_.to_bytes()
        turned = np.arange(len(X))[::-1]
        for triplets in (T, T.astype(object), pd.DataFrame(T, columns=["anchor", "near", "far"])):
            self.assertEqual(probit().fit(X, triplets=triplets, ids=turned).model_.to_bytes(), by_row)
        swapped = pd.DataFrame(T[:, ::-1], columns=["far", "near", "anchor"])
        self.assertEqual(probit().fit(X, triplets=swapped).model_.to_bytes(), by_row)


class Questions(TestCase):
    def test_scores_and_preferences_by_id(self):
        model = probit().fit(X, triplets=T)
        score = model.score_triplets(X, T)
        self.assertEqual(model.score_triplets(X, IDS[T], ids=IDS), score)
        self.assertEqual(
            sibp.LSH(n_bits=8, random_state=0).fit(FRAME).score_triplets(FRAME, IDS[T[:9]]),
            sibp.LSH(n_bits=8, random_state=0).fit(X).score_triplets(X, T[:9]),
        )
        asked = T[:20]
        expected = model.predict_preference(*(X[asked[:, at]] for at in range(3)))
        for ids in (IDS, None):
            found = model.predict_preference(*(asked.T if ids is None else IDS[asked].T), X=X, ids=ids)
            np.testing.assert_allclose(found, expected, rtol=1e-9)
        one = model.predict_preference(*IDS[asked[0]], X=X, ids=IDS)
        self.assertIsInstance(one, float)
        self.assertAlmostEqual(one, expected[0])


class Mistakes(TestCase):
    def refused(self, attempts):
        for attempt, text in attempts:
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                attempt()

    def test_unknown_ids_are_named_with_their_row(self):
        wrong = IDS[T].astype(object)
        wrong[7, 1] = "nobody"
        model = probit().fit(X, triplets=T)
        unknown = "^triplets: row 7: near is 'nobody', which is no id"
        self.refused(
            [
                (lambda: probit().fit(X, triplets=wrong, ids=IDS), unknown),
                (lambda: probit().fit(FRAME, triplets=wrong), unknown),
                (lambda: model.score_triplets(X, wrong, ids=IDS), unknown),
                (lambda: model.predict_preference(*wrong.T, X=X, ids=IDS), unknown),
                (lambda: probit().fit(X, triplets=IDS[T]), "^triplets: objects are named by ids that nothing explains"),
                (lambda: probit().fit(X, triplets=[["a", 0, 1]], ids=IDS), "^triplets: row 0: anchor is 'a'"),
                (lambda: probit().fit(X, triplets=IDS[T][:, :2], ids=IDS), "^triplets: .*three columns"),
            ]
        )

    def test_ids_must_fit_the_objects(self):
        twice = IDS.copy()
        twice[9] = twice[4]
        model = probit().fit(X, triplets=T)
        self.refused(
            [
                (lambda: probit().fit(X, triplets=T, ids=IDS[:-1]), "^ids: 59 ids for 60 objects"),
                (lambda: probit().fit(X, triplets=T, ids=twice), "^ids: 'object 4' stands in row 4 and again in row 9"),
                (lambda: probit().fit(FRAME.set_axis(twice), triplets=IDS[T]), "^ids: 'object 4' stands in row 4"),
                (lambda: probit().fit(X, triplets=T, ids=[IDS, IDS]), "^ids: the shape"),
                (lambda: model.predict_preference(X[0], X[1], X[2], ids=IDS), "^ids: .*give X too"),
                (lambda: model.predict_preference(0, 1, 60, X=X), "^triplets: row 0: far is object 60"),
                (lambda: model.predict_preference([0, 1], 1, 2, X=X), "^i, j, l: the shapes"),
            ]
        )

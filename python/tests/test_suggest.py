"""Questions to ask next."""

import pandas as pd

import sibp
from common import TestCase, blobs

X, Y = blobs(per_class=6)
T = sibp.triplets_from_labels(Y, per_object=2, random_state=0)
IDS = [f"object {i}" for i in range(len(X))]


def questions(triplets):
    """What is asked, whichever way it was answered."""
    return {(int(a), *sorted((int(n), int(f)))) for a, n, f in triplets}


class Suggestions(TestCase):
    def setUp(self):
        super().setUp()
        self.model = sibp.SuperProbitIBP(sweeps=10, random_state=0).fit(X, triplets=T)

    def test_kinds_and_shapes(self):
        asked, kinds = self.model.suggest_triplets(40, answered=T, random_state=1, return_kinds=True)
        self.assertEqual((asked.shape, kinds.shape), ((40, 3), (40,)))
        counts = {kind: int((kinds == kind).sum()) for kind in ("informative", "control", "repeat")}
        self.assertEqual(counts, {"informative": 31, "control": 6, "repeat": 3})
        known = questions(T)
        self.assertEqual(questions(asked[kinds == "repeat"]) - known, set())
        self.assertEqual(questions(asked[kinds != "repeat"]) & known, set())
        self.assertEqual(len(questions(asked)), 40)

    def test_seeds_and_training_objects(self):
        first = self.model.suggest_triplets(10, random_state=3)
        self.equal(first, self.model.suggest_triplets(10, X, random_state=3))
        self.assertTrue((first != self.model.suggest_triplets(10, random_state=4)).any())
        self.assertEqual(len(self.model.suggest_triplets(10, X[:4] + 0.1)), 10)

    def test_pools_and_ids(self):
        pool = [(0, 1, 7), (1, 8, 2), (2, 9, 3)]
        asked = self.model.suggest_triplets(10, pool=pool, random_state=0)
        self.assertEqual(questions(asked), questions(pool))
        frame = pd.DataFrame(X, index=IDS)
        named = [[IDS[a], IDS[n], IDS[f]] for a, n, f in pool]
        self.equal(self.model.suggest_triplets(10, frame, pool=named, random_state=0), asked)

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(ValueError, "n: "):
            self.model.suggest_triplets(0)
        with self.assertRaisesRegex(ValueError, "triplets: row 0: far is object 99"):
            self.model.suggest_triplets(5, answered=[(0, 1, 99)])
        with self.assertRaisesRegex(ValueError, "answered already"):
            self.model.suggest_triplets(5, pool=T, answered=T)
        with self.assertRaisesRegex(ValueError, "give X too"):
            self.model.suggest_triplets(5, ids=IDS)



"""Inputs of any layout and type give the same result, and those that can be read in place are."""

import numpy as np

import sibp
from common import TestCase, blobs


def layouts(X):
    """The same small whole numbers in every way numpy can hold them."""
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, ::3] = X
    backwards = X[::-1].copy()
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "fortran": np.asfortranarray(X),
        "strided": wide[::2, ::3],
        "negative strides": backwards[::-1],
        "float32": X.astype(np.float32),
        "float16": X.astype(np.float16),
        "int64": X.astype(np.int64),
        "int8": X.astype(np.int8),
        "read-only": read_only,
        "big-endian": X.astype(">f8"),
        "big-endian int": X.astype(">i4"),
        "list": X.tolist(),
    }


class Layouts(TestCase):
    def setUp(self):
        super().setUp()
        X, self.y = blobs()
        # Whole numbers, so that no type loses anything; whole numbers know no -0.
        self.X = np.clip(np.round(X), -100, 100) + 0.0

    def test_every_layout_gives_the_same_model(self):
        whole = sibp.SuperProbitIBP(sweeps=5, per_object=5, random_state=0).fit(self.X, self.y)
        bytes_of = whole.model_.to_bytes()
        for name, X in layouts(self.X).items():
            with self.subTest(name):
                model = sibp.SuperProbitIBP(sweeps=5, per_object=5, random_state=0).fit(X, self.y)
                self.assertEqual(model.model_.to_bytes(), bytes_of)
                self.equal(whole.transform(X), whole.transform(self.X))

    def test_every_layout_gives_the_same_hash(self):
        whole = sibp.LSH(n_bits=20, random_state=0).fit(self.X)
        for name, X in layouts(self.X).items():
            with self.subTest(name):
                self.equal(sibp.LSH(n_bits=20, random_state=0).fit(X).packed(X), whole.packed(self.X))

    def test_bits_and_triplets_of_every_type(self):
        H = (self.X[:, :2] > 0).astype(np.uint8)
        T = sibp.triplets_from_labels(self.y, per_object=3, random_state=0)
        model = sibp.SuperProbitIBP(sweeps=5, chains=2, distil=8, random_state=0).fit(self.X, triplets=T, given_bits=H)
        bytes_of = model.model_.to_bytes()
        for bits in (H.astype(bool), H.astype(float), np.asfortranarray(H), H.tolist()):
            for triplets in (T.astype(np.int32), T.astype(np.uint8), T.astype(">i8"), np.asfortranarray(T), T.tolist()):
                again = sibp.SuperProbitIBP(sweeps=5, chains=2, distil=8, random_state=0)
                again.fit(self.X, triplets=triplets, given_bits=bits)
                self.assertEqual(again.model_.to_bytes(), bytes_of)

    def test_inputs_that_can_be_read_in_place_are_not_copied(self):
        model = sibp.LSH(n_bits=8, random_state=0).fit(self.X)
        self.assertTrue(np.shares_memory(model._inputs(self.X, reset=False), self.X))

    def test_inputs_are_left_as_they_were(self):
        before = self.X.copy()
        sibp.IBP(sweeps=3, random_state=0).fit(self.X).transform(self.X)
        self.equal(self.X, before)

    def test_codes_do_not_depend_on_how_many_rows_come_at_once(self):
        X, y = blobs(3, 500)
        for model in (sibp.SuperProbitIBP(sweeps=5, per_object=3, random_state=0), sibp.IBP(sweeps=5, random_state=0)):
            codes = model.fit(X[::10], y[::10]).transform(X)
            self.equal(np.vstack([model.transform(part) for part in np.array_split(X, 7)]), codes)
            self.equal(np.packbits(codes, axis=1), model.packed(X))
            self.equal(model.set_params(n_jobs=3).transform(X), codes)

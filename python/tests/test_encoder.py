"""Encoders that leave their model: the same codes, from numpy and Arrow, wherever they are."""

import pickle
import subprocess
import sys
import unittest

import numpy as np
import pyarrow as pa

import sibp
from common import ROOT, TestCase, blobs, models


def fitted(**options):
    X, y = blobs()
    return X, sibp.SuperProbitIBP(sweeps=15, per_object=5, random_state=0, **options).fit(X, y)


class Codes(TestCase):
    def test_they_are_those_of_the_model(self):
        X, y = blobs()
        for model in models():
            if isinstance(model, sibp.DDIBP):
                model.set_params(encoder="best-code")
            model.set_params(random_state=0).fit(X, y)
            encoder = model.to_encoder()
            with self.subTest(type(model).__name__):
                self.equal(encoder.encode(X), model.packed(X))
                self.equal(encoder.encode(X, n_jobs=None), model.packed(X))
                self.assertEqual(encoder.fingerprint, model._fingerprint())
                self.assertEqual((encoder.n_bits, encoder.n_inputs), (model.n_bits_, 4))
                self.assertEqual(encoder.n_bytes, -(-model.n_bits_ // 8))
                self.equal(encoder.weights, model.model_.weights(model._code_options()))
        for hash in (sibp.LSH(n_bits=9, random_state=0), sibp.ITQ(n_bits=3, random_state=0)):
            self.equal(hash.fit(X).to_encoder().encode(X), hash.packed(X))

    def test_files_and_pickles_and_the_command_agree(self):
        X, model = fitted()
        encoder = model.to_encoder()
        encoder.save(self.folder / "m.sibe")
        model.save(self.folder / "m.sibp")
        np.save(self.folder / "x.npy", X)
        self.command("export", "m.sibp", "--to", "encoder", "-o", "n.sibe")
        self.assertEqual((self.folder / "m.sibe").read_bytes(), (self.folder / "n.sibe").read_bytes())
        self.command("encode", "m.sibe", "x.npy", "-o", "codes.npy")
        self.equal(np.load(self.folder / "codes.npy"), encoder.encode(X))
        for again in (
            sibp.Encoder.load(self.folder / "m.sibe"),
            sibp.Encoder.load(self.folder / "m.sibp"),
            pickle.loads(pickle.dumps(encoder)),
            sibp.Encoder.from_bytes(encoder.to_bytes()),
        ):
            self.assertEqual(again, encoder)
            self.assertEqual(hash(again), hash(encoder))
            self.equal(again.encode(X), encoder.encode(X))
        self.assertIn("n_inputs=4", repr(encoder))

    def test_codes_can_be_searched_in_an_index_of_the_model(self):
        X, model = fitted()
        index = model.index(X)
        self.equal(index.kneighbors(X[:3], 4)[1], index.hamming.search(model.to_encoder().encode(X[:3]), 4)[1])

    def test_damaged_bytes_are_errors(self):
        data = bytearray(fitted()[1].to_encoder().to_bytes())
        for at in range(0, len(data), 7):
            data[at] ^= 4
            with self.assertRaises(ValueError):
                sibp.Encoder.from_bytes(bytes(data))
            data[at] ^= 4
        with self.assertRaises(OSError):
            sibp.Encoder.load(self.folder / "none.sibe")

    def test_it_needs_no_scikit_learn(self):
        _, model = fitted()
        model.to_encoder().save(self.folder / "m.sibe")
        code = "import sys, sibp, numpy; print(sibp.Encoder.load('m.sibe').encode(numpy.zeros((2, 4))).shape[0], 'sklearn' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["2", "False"])

    def test_what_cannot_leave_its_model_says_so(self):
        X, y = blobs()
        with self.assertRaisesRegex(ValueError, "links .* cannot leave its model: choose best-code"):
            sibp.DDIBP(sweeps=5, random_state=0).fit(X, y).to_encoder()

    def test_given_bits_are_told(self):
        X, y = blobs()
        bits = (np.arange(len(X) * 2).reshape(-1, 2) % 3 == 0).astype(np.uint8)
        model = sibp.SuperProbitIBP(sweeps=10, per_object=5, random_state=0).fit(X, y, given_bits=bits)
        encoder = model.to_encoder()
        self.assertEqual(encoder.n_given_bits, 2)
        self.equal(encoder.encode(X, given_bits=bits), model.packed(X, given_bits=bits))
        with self.assertRaisesRegex(ValueError, "given_bits: "):
            encoder.encode(X)
        with self.assertRaisesRegex(ValueError, "given_bits: "):
            encoder.encode(X, given_bits=bits[1:])
        with self.assertRaisesRegex(ValueError, "given_bits: codes begin with 2"):
            encoder.encode_arrow(pa.record_batch({"x": list(X)}), "x")


class Arrays(TestCase):
    def setUp(self):
        super().setUp()
        self.X, self.model = fitted()
        self.encoder = self.model.to_encoder()

    def test_float32_and_integers_are_read_as_they_are(self):
        single = self.X.astype(np.float32)
        self.equal(self.encoder.encode(single), self.model.packed(single.astype(np.float64)))
        whole = self.X.astype(np.int16)
        self.equal(self.encoder.encode(whole), self.model.packed(whole.astype(np.float64)))
        self.equal(self.encoder.encode(np.asfortranarray(self.X)), self.encoder.encode(self.X))
        self.assertEqual(self.encoder.encode(self.X[:0]).shape, (0, self.encoder.n_bytes))

    def test_mistakes_are_named(self):
        broken = np.tile(self.X, (20, 1))
        broken[700, 2] = np.nan
        with self.assertRaisesRegex(ValueError, r"row 700, column 2"):
            self.encoder.encode(broken)
        with self.assertRaisesRegex(ValueError, "3 columns, but the model was fitted to 4"):
            self.encoder.encode(self.X[:, :3])
        with self.assertRaisesRegex(ValueError, "X: the shape is"):
            self.encoder.encode(self.X[0])
        with self.assertRaisesRegex(TypeError, "X: the dtype is"):
            self.encoder.encode(self.X.astype(str))
        with self.assertRaisesRegex(ValueError, "n_jobs"):
            self.encoder.encode(self.X, n_jobs=0)
        with self.assertRaisesRegex(ValueError, "input_col"):
            self.encoder.encode(self.X, input_col="x")
        with self.assertRaisesRegex(TypeError, "model.to_encoder"):
            sibp.Encoder(b"")

    def test_missing_values_are_filled_in_where_there_is_a_rule(self):
        X, y = blobs()
        holes = X.copy()
        holes[::7, 1] = np.nan
        model = sibp.SuperProbitIBP(sweeps=10, per_object=5, missing="mean", random_state=0).fit(holes, y)
        self.equal(model.to_encoder().encode(holes), model.packed(holes))
        lists = pa.array([[None if np.isnan(v) else v for v in row] for row in holes.tolist()], pa.list_(pa.float64()))
        found = model.to_encoder().encode_arrow(pa.record_batch({"x": lists}), "x")
        self.assertEqual(found["code"].to_pylist(), [bytes(code) for code in model.packed(holes)])

    def test_frames_are_read_by_the_names_of_their_columns(self):
        import pandas as pd

        X, y = blobs()
        frame = pd.DataFrame(X, columns=list("abcd"))
        model = sibp.SuperProbitIBP(sweeps=10, per_object=5, random_state=0).fit(frame, y)
        encoder = model.to_encoder()
        self.assertEqual(encoder.input_names, list("abcd"))
        self.equal(encoder.encode(frame[list("dcba")]), model.packed(frame))
        table = pa.table({"id": np.arange(len(X))} | {name: frame[name].to_numpy() for name in "cadb"})
        self.equal(encoder.encode(table), model.packed(frame))
        with self.assertRaisesRegex(ValueError, "'b' that the model was fitted to is missing"):
            encoder.encode(frame[list("acd")])


class Arrow(TestCase):
    def setUp(self):
        super().setUp()
        self.X, self.model = fitted()
        self.encoder = self.model.to_encoder()
        self.codes = [bytes(code) for code in self.model.packed(self.X)]

    def columns(self):
        flat = pa.array(self.X.ravel())
        rows = self.X.tolist()
        return {
            "fixed": pa.FixedSizeListArray.from_arrays(flat, 4),
            "list": pa.array(rows, pa.list_(pa.float64())),
            "large": pa.array(rows, pa.large_list(pa.float64())),
        }

    def test_every_kind_of_list_gives_the_same_codes(self):
        for kind, column in self.columns().items():
            with self.subTest(kind):
                batch = pa.record_batch({"id": np.arange(len(self.X)), "x": column})
                found = self.encoder.encode_arrow(batch, "x", "bits")
                self.assertIsInstance(found, pa.RecordBatch)
                self.assertEqual(found.schema.names, ["id", "x", "bits"])
                self.assertEqual(found.schema.field("bits").type, pa.binary())
                self.assertEqual(found["bits"].to_pylist(), self.codes)
                self.equal(self.encoder.encode(batch, input_col="x"), self.model.packed(self.X))
                # A part of a batch begins in the middle of its values.
                part = self.encoder.encode_arrow(batch.slice(7, 11), "x")
                self.assertEqual(part["code"].to_pylist(), self.codes[7:18])
                table = pa.Table.from_batches([batch.slice(0, 9), batch.slice(9)])
                found = self.encoder.encode_arrow(table, "x")
                self.assertIsInstance(found, pa.Table)
                self.assertEqual(found["code"].to_pylist(), self.codes)
                self.assertEqual(self.encoder.encode_arrow(batch.slice(0, 0), "x").num_rows, 0)

    def test_columns_of_numbers_are_put_together(self):
        names = list("abcd")
        batch = pa.record_batch({name: self.X[:, at] for at, name in enumerate(names)})
        self.assertEqual(self.encoder.encode_arrow(batch, names)["code"].to_pylist(), self.codes)
        single = pa.record_batch({name: self.X[:, at].astype(np.float32) for at, name in enumerate(names)})
        self.equal(self.encoder.encode(single, input_col=names), self.encoder.encode(self.X.astype(np.float32)))
        for wrong, words in ((names[:3], "3 columns"), (["a", "b", "c", "z"], "'z'"), (None, "several columns")):
            with self.assertRaisesRegex(ValueError, f"input_col: .*{words}"):
                self.encoder.encode_arrow(batch, wrong)
        with self.assertRaisesRegex(TypeError, "a: it holds string"):
            self.encoder.encode_arrow(pa.record_batch({"a": ["x"], "b": [1], "c": [1], "d": [1]}), names)

    def test_what_is_wrong_with_a_row_is_an_error_or_goes_to_a_column(self):
        rows = [None if row == 3 else list(x) for row, x in enumerate(self.X.tolist())]
        rows[5] = rows[5][:2]
        rows[8][1] = float("nan")
        rows[9][0] = None
        rows[10][3] = float("inf")
        batch = pa.record_batch({"x": pa.array(rows, pa.list_(pa.float64()))})
        for wanted in (batch, pa.Table.from_batches([batch])):
            found = self.encoder.encode_arrow(wanted, "x", errors="error")
            told = {row: text for row, text in enumerate(found["error"].to_pylist()) if text is not None}
            self.assertEqual(
                told,
                {
                    3: "there are no inputs (null)",
                    5: "2 inputs instead of 4",
                    8: "input 1 is NaN",
                    9: "input 0 is NaN",
                    10: "input 3 is infinite",
                },
            )
            codes = found["code"].to_pylist()
            self.assertEqual([row for row, code in enumerate(codes) if code is None], list(told))
            self.assertEqual([code or self.codes[row] for row, code in enumerate(codes)], self.codes)
        with self.assertRaisesRegex(ValueError, "x: row 3: there are no inputs"):
            self.encoder.encode_arrow(batch, "x")
        late = pa.record_batch({"x": pa.array([rows[0]] * 4 + [rows[8]], pa.list_(pa.float64()))})
        with self.assertRaisesRegex(ValueError, "row 4, column 1"):
            self.encoder.encode_arrow(late, "x")
        found = self.encoder.encode_arrow(batch.slice(0, 3), "x", errors="error")
        self.assertEqual(found["error"].to_pylist(), [None] * 3)
        with self.assertRaisesRegex(ValueError, "errors: 'code' is the column of the codes"):
            self.encoder.encode_arrow(batch, "x", errors="code")

    def test_fixed_lists_with_nulls_and_of_another_width(self):
        flat = pa.array(self.X[:6].ravel())
        fixed = pa.FixedSizeListArray.from_arrays(flat, 4, mask=pa.array([False, True, False, False, True, False]))
        found = self.encoder.encode_arrow(pa.record_batch({"x": fixed}).slice(1), "x", errors="why")
        expected = [None if row in (1, 4) else self.codes[row] for row in range(1, 6)]
        self.assertEqual(found["code"].to_pylist(), expected)
        narrow = pa.FixedSizeListArray.from_arrays(flat, 3)
        with self.assertRaisesRegex(ValueError, "x: row 0: 3 inputs instead of 4"):
            self.encoder.encode_arrow(pa.record_batch({"x": narrow}), "x")

    def test_frames_of_polars_hand_their_columns_over(self):
        import polars

        frame = polars.DataFrame({"x": self.X.tolist()})
        self.assertEqual(self.encoder.encode_arrow(frame, "x")["code"].to_pylist(), self.codes)

    def test_an_older_column_of_that_name_is_replaced(self):
        batch = pa.record_batch({"code": ["old"] * len(self.X), "x": self.columns()["fixed"]})
        found = self.encoder.encode_arrow(batch, "x")
        self.assertEqual((found.schema.names, found["code"].to_pylist()), (["code", "x"], self.codes))


class Page(TestCase):
    def test_marked_blocks_of_the_page_run(self):
        """In one script, as later blocks use what earlier ones made."""
        text = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
        blocks = [block.split("```")[0] for block in text.split("<!-- test python -->\n```python\n")[1:]]
        self.assertGreater(len(blocks), 2)
        (self.folder / "page.py").write_text("\n".join(blocks), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "page.py"], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("[None, 'input 1 is NaN']", done.stdout)


if __name__ == "__main__":
    unittest.main()

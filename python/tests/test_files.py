"""Python and the command write and read the same files."""

import hashlib
import json
import pickle

import numpy as np

import sibp
from common import ROOT, TestCase, blobs, models

DIGITS = ROOT / "data/digits"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class SameFiles(TestCase):
    def setUp(self):
        super().setUp()
        self.X, self.y = blobs()
        np.save(self.folder / "X.npy", self.X)
        np.save(self.folder / "y.npy", self.y)
        self.T = sibp.triplets_from_labels(self.y, per_object=4, random_state=5)
        np.savetxt(self.folder / "t.csv", self.T, "%d", ",", header="anchor,near,far", comments="")

    def command_fit(self, *options):
        self.command("fit", "X.npy", "--seed", 7, "--sweeps", 20, "-q", "-o", "command.sibp", *options)

    def same(self, model, *options, **data):
        self.command_fit(*options)
        model.set_params(sweeps=20, random_state=7).fit(self.X, **data).save(self.folder / "python.sibp")
        self.assertEqual(digest(self.folder / "python.sibp"), digest(self.folder / "command.sibp"))

    def test_fits_give_the_same_bytes_as_the_command(self):
        probit, gaussian, ibp = sibp.SuperProbitIBP, sibp.SuperGaussianIBP, sibp.IBP
        labels = ("--labels", "y.npy", "--per-object", 5)
        y = {"y": self.y}
        self.same(probit(per_object=5), *labels, **y)
        self.same(probit("paper", per_object=5, chains=3, draws=4), *labels, "--preset", "paper", "--chains", 3, "--draws", 4, **y)
        self.same(probit(), "--triplets", "t.csv", triplets=self.T)
        self.same(probit(), "--triplets", "t.csv", "--labels", "y.npy", triplets=self.T, **y)
        self.same(gaussian(per_object=5), "--model", "gaussian", *labels, **y)
        self.same(ibp(), "--model", "ibp")
        self.same(ibp(input_transform="pca:2"), "--model", "ibp", "--transform", "pca:2", "--labels", "y.npy", **y)

    def test_many_objects_get_the_same_schedule_as_from_the_command(self):
        rng = np.random.default_rng(3)
        self.y = rng.integers(0, 4, 25_000)
        self.X = np.column_stack([self.y, rng.normal(size=25_000)]).astype(float)
        np.save(self.folder / "X.npy", self.X)
        np.save(self.folder / "y.npy", self.y)
        few = ("--labels", "y.npy", "--per-object", 2, "--chains", 1, "--start", "hyperplanes:3", "--draws", 1)
        few += ("--transform", "standardise,scale")
        self.command("fit", "X.npy", "--seed", 7, "--sweeps", 2, "-q", "-o", "command.sibp", *few)
        model = sibp.SuperProbitIBP(sweeps=2, per_object=2, chains=1, start="hyperplanes:3", draws=1, random_state=7)
        model.set_params(input_transform="standardise,scale")
        model.fit(self.X, self.y).save(self.folder / "python.sibp")
        self.assertEqual(digest(self.folder / "python.sibp"), digest(self.folder / "command.sibp"))
        self.assertIn("births:each=4", json.loads(model.model_.settings)["schedule"])

    def test_given_bits_are_predicted_by_the_hash_in_a_model(self):
        np.save(self.folder / "targets.npy", (self.X[:, :2] > 0).astype(np.uint8))
        self.command("hash", "fit", "X.npy", "--method", "attributes", "--targets", "targets.npy", "-o", "h.sibh", "-q")
        self.command_fit("--labels", "y.npy", "--per-object", 5, "--given-bits", "h.sibh")
        self.command("encode", "command.sibp", "X.npy", "--format", "bits", "-o", "bits.npy", "-q")
        model = sibp.load(self.folder / "command.sibp")
        np.testing.assert_array_equal(model.transform(self.X), np.load(self.folder / "bits.npy"))

    def test_linked_fits_give_the_same_bytes_as_the_command(self):
        ddibp, labels = ("--model", "ddibp"), ("--labels", "y.npy")
        self.same(sibp.DDIBP(), *ddibp)
        self.same(sibp.DDIBP(), *ddibp, *labels, y=self.y)
        self.same(sibp.DDIBP(distance="output"), *ddibp, *labels, "--distance", "output", y=self.y)
        for decay in ("window", "logistic", "exponential:0.7", "window:3", "logistic:2,0.5"):
            self.same(sibp.DDIBP(decay=decay, start="links:5"), *ddibp, "--decay", decay, "--start", "links:5")

    def test_every_setting_means_what_it_means_to_the_command(self):
        model = sibp.SuperProbitIBP(
            per_object=3, scheme="product", near="nearest", far="impostor", start="coins:7", pseudo_weight=2.5,
            lapse=(1.0, 50.0), weights=(2.0, 3.0), schedule="rows,births:each=2,regressions:elliptical,weights,lapse",
            input_transform="standardise",
        )  # fmt: skip
        self.same(
            model, "--labels", "y.npy", "--per-object", 3, "--scheme", "product", "--near", "nearest",
            "--far", "impostor", "--start", "coins:7", "--pseudo-weight", 2.5, "--lapse", "beta:1,50",
            "--weights", "gamma:2,3", "--schedule", model.schedule, "--transform", "standardise", y=self.y,
        )  # fmt: skip

    def test_text_labels_and_names_of_inputs(self):
        names = np.array(["beech", "ash", "oak"])[self.y]
        text = "\n".join(["a,b,c,d,tree"] + [f"{','.join(map(repr, row))},{name}" for row, name in zip(self.X.tolist(), names, strict=True)])
        (self.folder / "X.csv").write_text(text + "\n")
        self.command("fit", "X.csv", "--label-column", "tree", "--seed", 7, "--sweeps", 20, "-q", "-o", "command.sibp")
        import pandas as pd

        frame = pd.DataFrame(self.X, columns=list("abcd"))
        model = sibp.SuperProbitIBP(sweeps=20, random_state=7).fit(frame, names)
        model.save(self.folder / "python.sibp")
        self.assertEqual(digest(self.folder / "python.sibp"), digest(self.folder / "command.sibp"))

    def test_triplets_from_labels_are_those_of_the_command(self):
        self.command("triplets", "from-labels", "y.npy", "--per-object", 4, "--seed", 5, "-o", "made.csv")
        self.equal(np.loadtxt(self.folder / "made.csv", delimiter=",", skiprows=1, dtype=int), self.T)

    def test_models_of_the_command_encode_and_vote_alike(self):
        gaussian = ("best-code", "ridge", "least-squares", "gibbs")
        cases = [
            ((), ("refit", "drawn")),
            (("--model", "gaussian"), gaussian),
            (("--model", "ibp"), gaussian),
            (("--model", "ddibp"), ("links", *gaussian)),
            (("--model", "ddibp", "--distance", "output"), ("links", *gaussian)),
        ]
        for options, encoders in cases:
            self.command_fit("--labels", "y.npy", *options)
            model = sibp.load(self.folder / "command.sibp")
            for encoder in encoders:
                for code in ("map", "last", "concatenate"):
                    words = ("--encoder", encoder, "--code", code)
                    self.command("encode", "command.sibp", "X.npy", "-q", "-o", "codes.npy", *words)
                    self.equal(model.set_params(encoder=encoder, code=code).packed(self.X), np.load(self.folder / "codes.npy"))
            model.set_params(encoder=None, code="map")
            lines = self.command("predict", "command.sibp", "X.npy", "-k", 5, "--json").splitlines()
            predicted = model.set_params(n_neighbors=5).predict(self.X)
            self.equal(predicted, [int(json.loads(line)["label"]) for line in lines])

    def test_preferences_are_those_of_the_command(self):
        self.command_fit("--triplets", "t.csv")
        model = sibp.load(self.folder / "command.sibp")
        # Objects of the fit, with their learned bits, and others.
        for inputs in (self.X, self.X + 0.125):
            np.save(self.folder / "asked.npy", inputs)
            lines = self.command("prefer", "command.sibp", "asked.npy", "--triplets", "t.csv", "--json").splitlines()
            i, j, l = (inputs[self.T[:, column]] for column in range(3))
            self.equal(model.predict_preference(i, j, l), [json.loads(line)["probability"] for line in lines])
            self.assertEqual(model.predict_preference(i[0], j[0], l[0]), json.loads(lines[0])["probability"])

    def test_loaded_models_have_their_parameters_and_fit_again_alike(self):
        linked = [sibp.DDIBP(sweeps=10, distance="output"), *(sibp.DDIBP(sweeps=10, decay=decay) for decay in ("window", "logistic"))]
        for model in [*models(), *linked]:
            model.set_params(random_state=3).fit(self.X, self.y)
            model.save(self.folder / "m.sibp")
            again = sibp.load(self.folder / "m.sibp")
            with self.subTest(type(model).__name__):
                self.assertIs(type(again), type(model))
                self.equal(again.classes_, model.classes_)
                self.assertEqual(again.n_features_in_, 4)
                before = again.model_.to_bytes()
                self.assertEqual(before, model.model_.to_bytes())
                self.assertEqual(again.fit(self.X, self.y).model_.to_bytes(), before)
                self.assertEqual(pickle.loads(pickle.dumps(again)).model_.to_bytes(), before)

    def test_given_bits_go_the_same_way(self):
        H = (self.X[:, :2] > 0).astype(np.uint8)
        np.save(self.folder / "h.npy", H)
        self.command_fit("--labels", "y.npy", "--given-bits", "h.npy")
        model = sibp.SuperProbitIBP(sweeps=20, random_state=7).fit(self.X, self.y, given_bits=H)
        # Only the name of their source differs: a file, an array.
        for ours, theirs in zip(model.draws_, sibp.load(self.folder / "command.sibp").draws_, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                self.equal(a["bits"], b["bits"])
                self.equal(a["tensors"]["given_weights"], b["tensors"]["given_weights"])
        model.save(self.folder / "m.sibp")
        self.command("encode", "m.sibp", "X.npy", "--given-bits", "h.npy", "-q", "-o", "codes.npy")
        self.equal(model.packed(self.X, given_bits=H), np.load(self.folder / "codes.npy"))

    def test_an_unfinished_fit_can_be_resumed_by_the_command(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sibp.IBP(sweeps=20, random_state=7, time_limit=1e-6).fit(self.X)
        self.assertFalse(model.model_.finished)
        model.save(self.folder / "m.sibp")
        self.command("fit", "X.npy", "--model", "ibp", "--seed", 7, "--sweeps", 20, "--resume", "-q", "-o", "m.sibp")
        self.command_fit("--model", "ibp")
        self.assertEqual(digest(self.folder / "m.sibp"), digest(self.folder / "command.sibp"))

    def test_digits_of_the_readme(self):
        X, y = np.load(DIGITS / "features.npy")[:200], np.load(DIGITS / "labels.npy")[:200]
        np.save(self.folder / "X.npy", X)
        np.save(self.folder / "y.npy", y)
        self.command_fit("--labels", "y.npy")
        model = sibp.SuperProbitIBP(sweeps=20, random_state=7).fit(X, y)
        self.assertEqual(model.model_.to_bytes(), (self.folder / "command.sibp").read_bytes())


class SameHashes(TestCase):
    def test_hashes_give_the_same_bytes_as_the_command(self):
        X, y = blobs()
        np.save(self.folder / "X.npy", X)
        np.save(self.folder / "y.npy", y)
        np.save(self.folder / "bits.npy", (y[:, None] == np.arange(3)).astype(np.uint8))
        hashes = {
            "spectral": (sibp.SpectralHashing(n_bits=6), ("--bits", 6)),
            "itq": (sibp.ITQ(n_bits=3, random_state=4), ("--bits", 3, "--seed", 4)),
            "lsh": (sibp.LSH(n_bits=9, random_state=4), ("--bits", 9, "--seed", 4)),
            "attributes": (sibp.AttributeHash(), ("--targets", "bits.npy")),
            "sdh": (sibp.SDH(n_bits=9, random_state=4), ("--labels", "y.npy", "--bits", 9, "--seed", 4)),
            "hcsdh": (sibp.HCSDH(n_bits=8, random_state=4), ("--labels", "y.npy", "--bits", 8, "--seed", 4)),
        }
        for method, (hash, options) in hashes.items():
            with self.subTest(method):
                self.command("hash", "fit", "X.npy", "--method", method, *options, "-q", "-o", "command.sibh")
                hash.fit(X, y).save(self.folder / "python.sibh")
                self.assertEqual(digest(self.folder / "python.sibh"), digest(self.folder / "command.sibh"))
                self.command("hash", "encode", "python.sibh", "X.npy", "-q", "-o", "codes.npy")
                again = sibp.load(self.folder / "command.sibh")
                self.assertIs(type(again), type(hash))
                self.equal(again.packed(X), np.load(self.folder / "codes.npy"))
                self.assertEqual(pickle.loads(pickle.dumps(hash)).hash_.to_bytes(), hash.hash_.to_bytes())

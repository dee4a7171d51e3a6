"""What fitted models say: codes, given bits, draws, preferences, ArviZ."""

import numpy as np

import sibp
from common import TestCase, blobs, models

X, Y = blobs()
# Starts without bits, and nothing gives birth to one.
NO_BITS = {"start": "coins:0", "schedule": "concentration"}


class Codes(TestCase):
    def test_unseen_objects_find_their_class(self):
        train, test = np.arange(60) % 2 == 0, np.arange(60) % 2 == 1
        for model in models():
            model.set_params(sweeps=100, n_neighbors=3, random_state=0)
            with self.subTest(type(model).__name__):
                self.assertGreater(model.fit(X[train], Y[train]).score(X[test], Y[test]), 0.9)

    def test_the_index_votes_as_predict_does(self):
        model = sibp.SuperProbitIBP(sweeps=20, per_object=5, n_neighbors=1, random_state=0).fit(X, Y)
        self.equal(model.index(X).kneighbors(X, n_neighbors=1)[0], np.zeros((60, 1)))
        distances = (model.transform(X)[:, None] != model.codes_).sum(axis=2)
        nearest = [list(Y[row == row.min()]) for row in distances]
        self.equal(model.predict(X), [max(sorted(set(labels)), key=labels.count) for labels in nearest])
        self.equal(model.index(X).kneighbors(X[:3], 2, return_distance=False), model.index(X).kneighbors(X[:3], 2)[1])

    def test_the_order_of_training_objects_does_not_sway_votes(self):
        # One bit: all objects of a side are equally near.
        native, side = sibp._sibp.HammingIndex, np.repeat([0, 1], 10)
        classes = np.r_[np.repeat([0, 1], [4, 6]), np.repeat([2, 0], [3, 7])].astype(np.uint32)
        for order in (np.arange(20), np.arange(20)[::-1]):
            index = native(1)
            index.add(np.packbits(side[order][:, None].astype(np.uint8), axis=1))
            queries = np.packbits(np.array([[0], [1]], np.uint8), axis=1)
            for k in (1, 3, 10):
                self.equal(index.vote(queries, classes[order], k), [1, 0])

    def test_codes_of_the_training_objects(self):
        for model in models():
            model.set_params(random_state=0).fit(X, Y)
            with self.subTest(type(model).__name__):
                kept = [draw["bits"] for draws in model.draws_ for draw in draws]
                # After the learned bits there may be unsupervised ones.
                self.assertTrue(any(np.array_equal(model.codes_[:, : bits.shape[1]], bits) for bits in kept))
                codes = model.transform(X)
                self.equal(model.transform(X), codes)
                self.equal(model.fit_transform(X, Y), codes)

    def test_chains_side_by_side(self):
        settings = {"sweeps": 10, "chains": 3, "per_object": 5, "random_state": 0, "unsupervised_bits": 0}
        model = sibp.SuperProbitIBP(**settings).fit(X, Y)
        alone = model.n_bits_
        codes = model.transform(X)
        model.set_params(code="concatenate")
        self.assertGreater(model.n_bits_, alone)
        self.assertEqual(model.transform(X).shape, (60, model.n_bits_))
        self.assertEqual(len(model.weights_), model.n_bits_)
        whole = model.transform(X)
        self.assertTrue(any((whole[:, at : at + alone] == codes).all() for at in range(model.n_bits_ - alone + 1)))

    def test_bits_of_the_inputs_alone_fill_codes_up(self):
        settings = {"sweeps": 10, "per_object": 5, "random_state": 0}
        n_learned = sibp.SuperProbitIBP(unsupervised_bits=0, **settings).fit(X, Y).n_bits_
        for n_bits, total in ((None, min(n_learned + 96, 128)), (7, n_learned + 7)):
            model = sibp.SuperProbitIBP(unsupervised_bits=n_bits, **settings).fit(X, Y)
            self.assertEqual(model.n_bits_, total)
            self.assertEqual(model.transform(X).shape, (60, model.n_bits_))

    def test_probabilities_of_bits_are_cut_at_one_half(self):
        H = (X[:, :2] > 0).astype(np.uint8)
        for code in ("map", "concatenate"):
            model = sibp.SuperProbitIBP(sweeps=10, per_object=5, code=code, random_state=0).fit(X, Y, given_bits=H)
            found = model.predict_bits(X, given_bits=H)
            self.equal(found > 0.5, model.transform(X, given_bits=H))
            self.equal(found[:, :2], H)

    def test_given_bits_come_first_and_stay(self):
        H = (X[:, :2] > 0).astype(np.uint8)
        for model in models()[:2]:
            codes = model.fit_transform(X, Y, given_bits=H)
            self.equal(codes[:, :2], H)
            self.assertEqual((codes.shape[1], model.n_given_bits_), (model.n_bits_, 2))
            changed = model.transform(X, given_bits=1 - H)
            self.equal(changed[:, :2], 1 - H)
            self.equal(changed[:, 2:], codes[:, 2:])
            self.equal(model.index(X, given_bits=H).kneighbors(X[:4], 1, given_bits=H[:4])[0], np.zeros((4, 1)))
            probability = model.predict_preference(X[0], X[1], X[40], given_bits=(H[0], H[1], H[40]))
            self.assertTrue(0 < probability < 1)

    def test_a_model_without_bits_says_so(self):
        model = sibp.IBP(sweeps=3, **NO_BITS)
        with self.assertWarnsRegex(UserWarning, "no bits"):
            model.fit(np.zeros((30, 2)))
        self.assertEqual(model.n_bits_, 0)
        for encoder in (None, "ridge", "least-squares", "gibbs"):
            model.set_params(encoder=encoder)
            self.assertEqual(model.transform(np.zeros((3, 2))).shape, (3, 0))
            self.assertEqual(model.codes_.shape, (30, 0))
        with self.assertRaisesRegex(ValueError, "no bits"):
            model.index(np.zeros((3, 2)))
        with self.assertRaisesRegex(ValueError, "NaN"):
            model.transform(np.full((3, 2), np.nan))

    def test_without_bits_all_objects_vote(self):
        model = sibp.IBP(sweeps=3, n_neighbors=5, **NO_BITS)
        with self.assertWarnsRegex(UserWarning, "no bits"):
            model.fit(np.zeros((30, 2)), ["a"] * 3 + ["b"] * 27)
        self.equal(model.predict(np.zeros((2, 2))), ["b", "b"])

    def test_linked_bits_are_shared_within_classes_alone_where_others_are_out_of_reach(self):
        # With a window on output distances no link leaves a class, so no bit does.
        model = sibp.DDIBP(distance="output", decay="window", sweeps=10, random_state=0).fit(X, Y)
        self.assertGreater(model.n_bits_, 0)
        for bit in model.codes_.T:
            self.assertEqual(len(set(Y[bit == 1])), 1)

    def test_given_bits_stay_where_no_bit_is_learned(self):
        H = (X[:, :2] > 0).astype(np.uint8)
        for kind in (sibp.SuperProbitIBP, sibp.SuperGaussianIBP):
            model = kind(sweeps=3, **NO_BITS).fit(X, triplets=[[0, 1, 50]], given_bits=H)
            self.equal(model.transform(X, given_bits=H), H)
            self.assertEqual(model.index(X, given_bits=H).hamming.n_bits, 2)


class Effort(TestCase):
    def test_sweeps_end_where_held_out_agreement_is_flat(self):
        model = sibp.SuperGaussianIBP(effort="quick", per_object=8, random_state=0).fit(X, Y)
        self.assertEqual(len(model.traces_), 1)
        self.assertIn(len(model.traces_[0]["n_bits"]), (62, 125))
        self.assertGreater(model.held_out_agreement_, 0.5)
        # Going on changes nothing, as its own rehearsal said how far to go.
        before = model.model_.to_bytes()
        with self.assertWarnsRegex(UserWarning, "all sweeps were done already"):
            model.set_params(warm_start=True).fit(X, Y)
        self.assertEqual(model.model_.to_bytes(), before)


class Draws(TestCase):
    def test_draws_and_traces_have_the_shapes_of_the_run(self):
        for model in models():
            model.set_params(sweeps=20, chains=3, draws=4, random_state=0).fit(X, Y)
            with self.subTest(type(model).__name__):
                self.assertEqual([len(draws) for draws in model.draws_], [4, 4, 4])
                for draws, trace in zip(model.draws_, model.traces_, strict=True):
                    self.assertTrue(all(len(column) == 20 for column in trace.values()))
                    for draw in draws:
                        self.assertEqual(draw["bits"].shape, (60, len(draw["weights"])))
                        self.assertEqual(trace["n_bits"][draw["sweep"] - 1], len(draw["weights"]))
                        self.assertEqual(trace["concentration"][draw["sweep"] - 1], draw["scalars"]["concentration"])
                # Densities in different numbers of dimensions are not compared.
                self.assertEqual(set(model.diagnostics_), set(model.traces_[0]) - {"log_joint"})

    def test_preferences_lean_to_the_class(self):
        model = sibp.SuperProbitIBP(sweeps=50, per_object=10, random_state=0).fit(X, Y)
        near, far = model.predict_preference(X[:10], X[10:20], X[20:30]), model.predict_preference(X[:10], X[20:30], X[10:20])
        self.assertEqual(near.shape, (10,))
        self.assertTrue((near > 0.5).all())
        np.testing.assert_allclose(near + far, 1)
        raw = model.predict_preference(X[:10], X[10:20], X[20:30], calibrated=False)
        factor = np.log(near / (1 - near)) / np.log(raw / (1 - raw))
        np.testing.assert_allclose(factor, factor[0])
        self.assertNotAlmostEqual(factor[0], 1)

    def test_score_triplets_counts_by_distance(self):
        model = sibp.SuperProbitIBP(sweeps=20, per_object=5, random_state=0).fit(X, Y)
        T = sibp.triplets_from_labels(Y, per_object=5, random_state=1)
        unseen = X + 0.125
        for inputs, codes in ((unseen, model.transform(unseen)), (X, model.codes_)):
            codes = codes.astype(int)
            near, far = (abs(codes[T[:, 0]] - codes[T[:, at]]).sum(axis=1) for at in (1, 2))
            self.assertEqual(model.score_triplets(inputs, T), np.mean(near < far))

    def test_training_objects_have_their_learned_bits_in_any_order(self):
        # Inputs that tell nothing: only learned bits know what the triplets said.
        noise = np.random.default_rng(0).normal(size=(60, 3))
        T = sibp.triplets_from_labels(Y, per_object=8, random_state=1)
        model = sibp.SuperProbitIBP(sweeps=60, chains=1, random_state=0).fit(noise, triplets=T)
        order = np.random.default_rng(1).permutation(60)[:40]
        among = T[np.isin(T, order).all(axis=1)]
        place = np.argsort(order)[np.searchsorted(np.sort(order), among)]
        learned = model.codes_[order].astype(int)
        self.assertTrue((model.codes_ != model.transform(noise)).any())
        near, far = (abs(learned[place[:, 0]] - learned[place[:, at]]).sum(axis=1) for at in (1, 2))
        self.assertEqual(model.score_triplets(noise[order], place), np.mean(near < far))
        options = model._code_options()
        whole = model.model_.preferences(noise, among, options)
        self.equal(model.model_.preferences(noise[order], place, options), whole)
        self.equal(model.predict_preference(*(noise[among[:, at]] for at in range(3))), whole)
        # Of two training objects with the same inputs, nobody knows which one is meant.
        twins = noise.copy()
        twins[1] = twins[0]
        model.fit(twins, triplets=T)
        self.equal(model.model_.training_rows(twins[:4]), [-1, -1, 2, 3])
        self.equal(model.model_.training_rows(twins), np.arange(60))


class ToArviz(TestCase):
    def test_groups_summary_and_plot(self):
        import arviz
        import matplotlib

        matplotlib.use("agg")
        for model in models():
            model.set_params(sweeps=40, chains=2, random_state=0).fit(X, Y)
            data = model.to_arviz(X)
            with self.subTest(type(model).__name__):
                self.assertEqual(set(data.groups()), {"posterior", "sample_stats", "observed_data"})
                self.equal(data.posterior["n_bits"], [trace["n_bits"][20:] for trace in model.traces_])
                self.equal(data.sample_stats["lp"], [trace["log_joint"][20:] for trace in model.traces_])
                self.equal(data.observed_data["inputs"], X)
                self.equal(data.observed_data["label"], Y)
                summary = arviz.summary(data)
                self.assertIn("n_bits", summary.index)
                self.assertIn("r_hat", summary.columns)
                self.assertEqual(len(arviz.plot_trace(data, var_names=["n_bits"])), 1)

    def test_chains_of_different_length_are_cut(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sibp.IBP(sweeps=10**8, chains=3, n_jobs=1, time_limit=0.4).fit(X)
        n = min(len(trace["n_bits"]) for trace in model.traces_)
        self.assertEqual(model.to_arviz().posterior.sizes["draw"], n - n // 2)

    def test_inputs_of_another_shape_are_refused(self):
        model = sibp.IBP(sweeps=10).fit(X)
        with self.assertRaisesRegex(ValueError, "^X: "):
            model.to_arviz(X[:5])

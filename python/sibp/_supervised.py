"""What the models that learn from triplets share."""

from __future__ import annotations

import json
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from sibp import _arrays, _judgements, _missing, _params, _sibp
from sibp._base import labels
from sibp._sampled import SampledModel
from sibp._table import FAR, NEAR, PRESETS, SCHEMES, default


class SupervisedModel(SampledModel):
    """A model that learns from labels or triplets."""

    _supervised = True

    tuning_: list[dict[str, Any]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # So that cross-validation is stratified; labels are not needed, as triplets teach too.
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        return tags

    preset: str | None
    scheme: str
    per_object: int
    near: str
    far: str
    link: str | None
    pseudo_weight: float | None
    lapse: float | tuple[float, float] | None
    weights: float | tuple[float, float] | None
    distil: int | None
    max_bits: int | None
    unsupervised_bits: int | None

    def __init__(
        self,
        preset: str | None = None,
        *,
        effort: str = "normal",
        sweeps: int | None = None,
        chains: int | None = None,
        draws: int | None = None,
        input_transform: str | None = None,
        missing: str | None = None,
        scheme: str = "paired",
        per_object: int = 30,
        near: str = "random",
        far: str = "random",
        start: str | None = None,
        link: str | None = None,
        pseudo_weight: float | None = None,
        lapse: float | tuple[float, float] | None = None,
        weights: float | tuple[float, float] | None = None,
        schedule: str | None = None,
        distil: int | None = None,
        max_bits: int | None = None,
        unsupervised_bits: int | None = None,
        code: str = "suited",
        encoder: str | None = None,
        n_neighbors: int = 15,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        _params.choice("preset", self.preset, PRESETS, optional=True)
        _params.text("link", self.link)
        _params.count("distil", self.distil, optional=True, least=0)
        _params.count("max_bits", self.max_bits, optional=True)
        _params.count("unsupervised_bits", self.unsupervised_bits, optional=True, least=0)
        _params.choice("scheme", self.scheme, SCHEMES)
        _params.choice("near", self.near, NEAR)
        _params.choice("far", self.far, FAR)
        _params.count("per_object", self.per_object)
        return options | {
            "preset": self.preset,
            "link": self.link,
            "distil": None if self.distil is None else int(self.distil),
            "max_bits": None if self.max_bits is None else int(self.max_bits),
            "unsupervised_bits": None if self.unsupervised_bits is None else int(self.unsupervised_bits),
            "pseudo_weight": _params.number("pseudo_weight", self.pseudo_weight),
            "lapse": _params.number_or_prior("lapse", self.lapse, "Beta"),
            "weights": _params.number_or_prior("weights", self.weights, "Gamma"),
            "from_labels": {
                "scheme": self.scheme,
                "per_object": int(self.per_object),
                "near": self.near,
                "far": self.far,
            },
        }

    @property
    def held_out_agreement_(self) -> float | None:
        """Share of held-out triplets that a fit without them agrees with; None where there are too few to hold out."""
        check_is_fitted(self)
        return self.model_.held_out_agreement

    @property
    def judge_lapses_(self) -> dict[Any, float]:
        """Posterior mean lapse rate of each judge by name; empty where judges have no rates of their own."""
        check_is_fitted(self)
        return dict(zip(self._judges or (), self.model_.judge_lapses(), strict=False))

    def fit(
        self,
        X: ArrayLike | None,
        y: ArrayLike | None = None,
        *,
        triplets: ArrayLike | None = None,
        given_bits: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        judges: ArrayLike | None = None,
    ) -> Self:
        """Learn codes from inputs and labels or triplets.

        Ctrl-C ends the run and keeps what was drawn; a second one discards it.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs), or None
            Without inputs the model (SuperProbitIBP only) learns from triplets alone, about the objects that they name
            or that ids lists; where triplets hold whole numbers, about the rows 0 to the largest.
        y : array, shape (n_objects,), optional
            Labels. Triplets are made from them unless there are some; `predict` needs them.
        triplets : array of int or of ids, shape (n_triplets, 3), optional
            Anchor, near, far: whole numbers are rows of X, anything else is an id. Anchor is more like near than like
            far. A DataFrame may have columns of these names among others.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            Bits that the objects already have. They help to explain triplets, never change, and come first.
        ids : array, shape (n_objects,), optional
            What triplets call the objects. By default the index of X, if X is a DataFrame.
        judges : array, shape (n_triplets,), optional
            Who gave each triplet: names, numbers, anything that can be a key. By default the column `judge` of
            triplets, if it is a DataFrame with one. Answers of careless judges then count less (`judge_lapses_`).

        Returns
        -------
        self
            Without y and triplets it is fitted to X alone, with a warning.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> T = [[0, 1, 3], [1, 2, 4], [2, 0, 5], [3, 4, 0], [4, 5, 1], [5, 3, 2]]
        >>> model = SuperProbitIBP(sweeps=30, random_state=0).fit(X, triplets=T)
        >>> model.score_triplets(X, T)
        1.0
        >>> named = [["ant", "bee", "cow"], ["bee", "ant", "dog"], ["cow", "dog", "ant"], ["dog", "cow", "bee"]]
        >>> model = SuperProbitIBP(sweeps=30, random_state=0)
        >>> len(model.fit(X[[0, 1, 3, 4]], triplets=named, ids=["ant", "bee", "cow", "dog"]).codes_)
        4
        >>> model = model.fit(None, triplets=named, judges=["Ann", "Bob", "Ann", "Bob"])
        >>> model.predict_preference("ant", "bee", "cow") > 0.5
        True
        >>> sorted(model.judge_lapses_)
        ['Ann', 'Bob']
        """
        judged = _judgements.read(X, triplets, judges, ids)
        for name, value in (("y", y), ("given_bits", given_bits)):
            if X is None and value is not None:
                raise ValueError(f"{name}: this needs the inputs of the objects; give X too")
        if y is None and judged is None:
            text = f"{type(self).__name__} learns from labels or triplets; without them it is fitted to X alone"
            warnings.warn(text, UserWarning, stacklevel=2)
        return self._fit(X, y, judged, given_bits)

    def tune(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        triplets: ArrayLike | None = None,
        given_bits: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> Self:
        """Choose `input_transform`, `pseudo_weight`, `lapse` and `per_object` by held-out objects, as `sibp fit --tune`.

        Those that are not at their default stay as they are. The parameters are set; nothing is fitted, so that `fit`
        follows. Ctrl-C ends it, and leaves the parameters as they were.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array, shape (n_objects,), optional
            Labels.
        triplets : array of int or of ids, shape (n_triplets, 3), optional
            Anchor, near, far, instead of labels.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
        ids : array, shape (n_objects,), optional
            What triplets call the objects. By default the index of X, if X is a DataFrame.

        Returns
        -------
        self
            `tuning_` holds all that was tried: the parameters, the `score` by which the best was chosen (with labels the
            accuracy of 15 neighbours, with triplets the agreement), the `agreement` with triplets, `n_bits`, `seconds`.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([0, 1], 20)
        >>> X = rng.normal(size=(40, 2)) + 3 * y[:, None]
        >>> model = SuperProbitIBP(input_transform="standardise", pseudo_weight=10, lapse=0.05, random_state=0)
        >>> model.tune(X, y).per_object in (10, 30, 60)  # what was left open
        True
        """
        if y is None and triplets is None:
            raise ValueError("y: labels or triplets are needed to choose by")
        options = self._options()
        inputs = self._inputs(X, reset=True)
        judged = _judgements.read(X, triplets, None, ids)
        if self.missing is not None:
            inputs, y, judged, given_bits, _ = _missing.settled(self.missing, inputs, y, judged, given_bits)
        names = ("input_transform", "pseudo_weight", "lapse", "per_object")
        best, trials = _sibp.tune(
            inputs,
            options,
            [getattr(self, name) != default(name, type(self).__name__) for name in names],
            labels=None if y is None or judged is not None else labels(y, len(inputs))[1:],
            triplets=None if judged is None else judged.rows,
            given_bits=None if given_bits is None else _arrays.bits("given_bits", given_bits),
            threads=self._threads(),
        )
        self.tuning_ = trials
        self.set_params(**{name: trials[best][name] for name in names})
        return self

    def fit_transform(
        self,
        X: ArrayLike | None,
        y: ArrayLike | None = None,
        *,
        triplets: ArrayLike | None = None,
        given_bits: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        judges: ArrayLike | None = None,
    ) -> NDArray[np.uint8]:
        """Learn codes and give those of X, or of the training objects without X; see `fit` and `transform`.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> codes = SuperProbitIBP(sweeps=30, per_object=2, random_state=0).fit_transform(X, [0, 0, 0, 1, 1, 1])
        >>> len(codes)
        6
        """
        fitted = self.fit(X, y, triplets=triplets, given_bits=given_bits, ids=ids, judges=judges)
        return self.codes_ if X is None else fitted.transform(X, given_bits=given_bits)

    def predict_preference(
        self,
        i: ArrayLike,
        j: ArrayLike,
        l: ArrayLike,  # noqa: E741 the paper's letter
        given_bits: Any = None,
        *,
        calibrated: bool = True,
        X: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> Any:
        """Probability that object i is more like j than like l (Eq. 18), averaged over all kept draws and the objects' bits.

        Objects that the model was fitted to are recognised by their inputs, and have the bits that were learned for them;
        where several training objects have the same inputs, their bits are averaged over as those of unseen objects are.

        Parameters
        ----------
        i, j, l : array, shape (n_inputs,) or (n_questions, n_inputs)
            Inputs of the three objects of each question. With X: which objects of X, by row number or id, one or
            n_questions of them. Ids or single row numbers without X are training objects; so is everything for a model
            that was fitted without inputs.
        given_bits : three arrays of 0 and 1, shape (n_given_bits,) or (n_questions, n_given_bits), optional
            Those of i, j and l, for a model that was fitted with given bits. With X: one array, of all its objects.
            Those of training objects are known.
        calibrated : bool, default=True
            Recalibrate by what the fit found on triplets that it held out. Without it, probabilities by a likelihood with
            a pseudo-weight are much closer to one half than the share of triplets that turn out true.
        X : array, shape (n_objects, n_inputs), optional
            Objects that i, j and l name.
        ids : array, shape (n_objects,), optional
            What i, j and l call the objects of X. By default the index of X, if X is a DataFrame.

        Returns
        -------
        probability : float, or array of shape (n_questions,)

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> T = [[0, 1, 3], [1, 2, 4], [2, 0, 5], [3, 4, 0], [4, 5, 1], [5, 3, 2]]
        >>> model = SuperProbitIBP(sweeps=30, random_state=0).fit(X, triplets=T)
        >>> model.predict_preference(X[0], X[1], X[3]) > 0.5
        True
        >>> model.predict_preference("ant", "bee", "cow", X=X[[0, 1, 3]], ids=["ant", "bee", "cow"]) > 0.5
        True
        """
        check_is_fitted(self)
        if X is None and ids is not None:
            raise ValueError("ids: they name objects of X; give X too")
        if X is not None or self.n_features_in_ == 0 or _judgements.are_names((i, j, l)):
            found = self._preferences_among(X, (i, j, l), given_bits, calibrated, ids)
            return float(found[0]) if np.ndim(i) == 0 else found
        try:
            parts = [np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in (i, j, l)]
        except (TypeError, ValueError) as error:
            raise ValueError(f"i, j, l: inputs are needed: {error}") from None
        if len({part.shape for part in parts}) != 1:
            raise ValueError(f"i, j, l: the shapes differ: {', '.join(str(part.shape) for part in parts)}")
        n = len(parts[0])
        bits = None
        if given_bits is not None:
            bits = _arrays.bits("given_bits", np.vstack([np.atleast_2d(part) for part in given_bits]))
        found = self.model_.preferences(
            self._inputs(np.vstack(parts), reset=False),
            np.arange(3 * n, dtype=np.int64).reshape(3, n).T.copy(),
            self._code_options(),
            given_bits=bits,
            calibrated=calibrated,
            threads=self._threads(),
        )
        return float(found[0]) if np.ndim(i) == 1 else found

    def suggest_triplets(
        self,
        n: int,
        X: ArrayLike | None = None,
        answered: ArrayLike | None = None,
        pool: ArrayLike | None = None,
        random_state: Any = None,
        *,
        given_bits: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        return_kinds: bool = False,
    ) -> Any:
        """The questions to ask next: is the first object more like the second than like the third?

        Most are those on whose answers the draws of the model contradict each other most (BALD); 15 % are random, by which
        models can be compared fairly; 7 % were answered before, where there are answers. Which of the two objects stands
        second is random.

        Parameters
        ----------
        n : int
            Number of questions; fewer come back where there are fewer.
        X : array, shape (n_objects, n_inputs), optional
            Objects to ask about. By default those that the model was fitted to.
        answered : array of int or of ids, shape (n_triplets, 3), optional
            Triplets already answered: they only come again as repeats.
        pool : array of int or of ids, shape (n_questions, 3), optional
            Questions that can be asked. By default all.
        random_state : int, RandomState or None
            A whole number is the command's --seed.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            Those of X, for a model that was fitted with given bits.
        ids : array, shape (n_objects,), optional
            What answered and pool call the objects of X. By default the index of X, if X is a DataFrame.
        return_kinds : bool, default=False
            Whether to return the kinds too.

        Returns
        -------
        questions : array of int, shape (n, 3)
            Rows of X, or of the training objects.
        kinds : array of str, shape (n,), with return_kinds=True
            "informative", "control" or "repeat".

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> T = [[0, 1, 3], [1, 2, 4], [2, 0, 5], [3, 4, 0], [4, 5, 1], [5, 3, 2]]
        >>> model = SuperProbitIBP(sweeps=30, random_state=0).fit(X, triplets=T)
        >>> model.suggest_triplets(10, answered=T, random_state=0).shape
        (10, 3)
        """
        check_is_fitted(self)
        _params.count("n", n)
        if X is None and ids is not None:
            raise ValueError("ids: they name objects of X; give X too")
        known = None if X is None else _arrays.ids_of(X, ids)
        asked, kinds = self.model_.suggest(
            int(n),
            _params.seed(random_state),
            x=None if X is None else self._inputs(X, reset=False),
            answered=None if answered is None else _arrays.triplets(answered, known),
            pool=None if pool is None else _arrays.triplets(pool, known),
            given_bits=None if given_bits is None else _arrays.bits("given_bits", given_bits),
            threads=self._threads(),
        )
        return (asked, np.array(kinds)) if return_kinds else asked

    def _preferences_among(
        self,
        X: ArrayLike | None,
        asked: tuple[ArrayLike, ArrayLike, ArrayLike],
        given_bits: ArrayLike | None,
        calibrated: bool,
        ids: ArrayLike | None,
    ) -> NDArray[np.float64]:
        """Preferences between objects of X, or training objects, by row or id; none but those are encoded."""
        parts = [np.atleast_1d(np.asarray(part)) for part in asked]
        if len({part.shape for part in parts}) != 1 or parts[0].ndim != 1:
            raise ValueError(
                f"i, j, l: the shapes are {', '.join(str(part.shape) for part in parts)}; name as many each"
            )
        named = np.stack(parts, axis=1)
        if X is None:
            if given_bits is not None:
                raise ValueError("given_bits: those of training objects are known; leave them out")
            among = self._among_training(named)
            options, threads = self._code_options(), self._threads()
            return self.model_.preferences(None, among, options, calibrated=calibrated, threads=threads)
        rows = _arrays.triplets(named, _arrays.ids_of(X, ids))
        inputs = self._inputs(X, reset=False)
        _arrays.check_rows(rows, len(inputs))
        used, places = np.unique(rows, return_inverse=True)
        bits = None if given_bits is None else _arrays.bits("given_bits", given_bits)
        if bits is not None and len(bits) != len(inputs):
            raise ValueError(f"given_bits: {len(bits)} rows for {len(inputs)} objects")
        return self.model_.preferences(
            inputs[used],
            np.ascontiguousarray(places.reshape(rows.shape), dtype=np.int64),
            self._code_options(),
            given_bits=None if bits is None else bits[used],
            calibrated=calibrated,
            threads=self._threads(),
        )

    def _among_training(self, triplets: ArrayLike) -> NDArray[np.int64]:
        """Triplets over the rows of the training objects."""
        rows = _arrays.triplets(triplets, self._ids)
        _arrays.check_rows(rows, int(json.loads(self.model_.settings)["n_objects"]))
        return rows

    def _asked(
        self, X: ArrayLike | None, triplets: ArrayLike, ids: ArrayLike | None, given: dict[str, ArrayLike | None]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Training objects have the bits that were learned for them; without X, triplets are about these alone."""
        check_is_fitted(self)
        if X is None:
            if ids is not None:
                raise ValueError("ids: they name objects of X; give X too")
            return self._among_training(triplets), self.model_.codes(self._code_options(), packed=True)
        asked, codes = super()._asked(X, triplets, ids, given)
        rows = self.model_.training_rows(self._inputs(X, reset=False))
        known = rows >= 0
        codes[known] = self.model_.codes(self._code_options(), packed=True)[rows[known]]
        return asked, codes

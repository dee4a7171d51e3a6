"""What all models share: chains, draws, codes of unseen objects, votes of the nearest."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from sibp import _arrays, _chains, _judgements, _missing, _params, _sibp
from sibp._base import CodeEstimator, labels
from sibp._progress import progress
from sibp._table import CODES, EFFORTS, MISSING, default
from sibp._warnings import CodeWarning

if TYPE_CHECKING:
    import arviz

# Encoders that draw bits, with random numbers that belong to an object's place in X.
DRAWING_ENCODERS = ("gibbs", "links")


class SampledModel(CodeEstimator):
    """A model that chains were run for."""

    # Name in files and commands, and the encoders that suit it, its default first.
    _kind: ClassVar[str]
    _encoders: ClassVar[tuple[str, ...]]
    # Whether triplets teach it.
    _supervised: ClassVar[bool] = False

    effort: str
    sweeps: int | None
    chains: int | None
    draws: int | None
    input_transform: str | None
    start: str | None
    schedule: str | None
    code: str
    encoder: str | None
    n_neighbors: int
    random_state: Any
    missing: str | None
    time_limit: float | None
    warm_start: bool
    verbose: int
    model_: _sibp.Model
    # What triplets called the training objects, and who gave them.
    _ids: Sequence[Any] | None = None
    _judges: list[Any] | None = None
    # The chain that is run alone, where others run elsewhere.
    _chain: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing in ("mean", "median")
        tags.non_deterministic = (self.encoder or self._encoders[0]) in DRAWING_ENCODERS
        return tags

    def _options(self) -> dict[str, Any]:
        """Checks the parameters and gives what decides the draws."""
        _params.count("n_neighbors", self.n_neighbors)
        _params.choice("effort", self.effort, EFFORTS)
        for name in ("sweeps", "chains", "draws"):
            _params.count(name, getattr(self, name), optional=True)
        for name in ("input_transform", "start", "schedule"):
            _params.text(name, getattr(self, name))
        _params.threads("n_jobs", self.n_jobs)
        _params.choice("missing", self.missing, MISSING, optional=True)
        limit = _params.number("time_limit", self.time_limit)
        if limit is not None and limit <= 0:
            raise ValueError(f"time_limit: {limit} is not above 0 seconds")
        self._code_options()
        # What only some models have a parameter for is at its default for the others.
        elsewhere = (
            *("preset", "link", "distil", "max_bits", "unsupervised_bits"),
            *("pseudo_weight", "lapse", "weights", "distance", "decay"),
        )
        return {name: default(name) for name in elsewhere} | {
            "kind": self._kind,
            "input_transform": self.input_transform,
            "start": self.start,
            "schedule": self.schedule,
            "seed": _params.seed(self.random_state),
            "effort": self.effort,
            "sweeps": None if self.sweeps is None else int(self.sweeps),
            "chains": None if self.chains is None else int(self.chains),
            "draws": None if self.draws is None else int(self.draws),
            "from_labels": {name: default(name) for name in ("scheme", "per_object", "near", "far")},
        }

    def _code_options(self) -> dict[str, Any]:
        _params.choice("code", self.code, CODES)
        _params.choice("encoder", self.encoder, self._encoders, optional=True)
        return {"encoder": self.encoder, "code": self.code, "seed": 0}

    def _fit(
        self,
        X: ArrayLike | None,
        y: ArrayLike | None,
        judged: _judgements.Judged | None = None,
        given_bits: ArrayLike | None = None,
    ) -> Self:
        options = self._options()
        if self._chain is not None and not isinstance(self.random_state, Integral):
            raise ValueError("random_state: chains that run apart need the same whole number")
        earlier = self.model_ if self.warm_start and hasattr(self, "model_") else None
        if earlier is not None and not isinstance(self.random_state, Integral):
            # Another seed would be another fit.
            options["seed"] = self.seed_
        inputs = self._no_inputs() if X is None else self._inputs(X, reset=True)
        filling: _missing.Filling | None = None
        if inputs is not None and self.missing is not None:
            inputs, y, judged, given_bits, filling = _missing.settled(self.missing, inputs, y, judged, given_bits)
        classes, named = None, None
        if y is not None and inputs is not None:
            classes, names, class_of = labels(y, len(inputs))
            named = (names, class_of)
        rows, judges, ids = (None, None, None) if judged is None else judged
        # Ids of objects with inputs are the caller's own affair: they decide nothing that the file is asked for.
        texts = None if X is not None or ids is None else list(_judgements.texts(ids, "ids").values())
        known = None if judges is None else _judgements.texts(judges, "judges")
        input_names = getattr(self, "feature_names_in_", None)
        given: dict[str, Any] = {
            "labels": named,
            "ids": texts,
            "triplets": rows,
            "judges": None if judges is None or known is None else [known[name] for name in judges],
            "given_bits": None if given_bits is None else _arrays.bits("given_bits", given_bits),
            "input_names": None if input_names is None else [str(name) for name in input_names],
            "filling": filling,
        }
        if self._chain is None and _chains.are_hosted():
            if self.time_limit is not None or earlier is not None:
                name = "time_limit" if earlier is None else "warm_start"
                raise ValueError(f"{name}: chains that a backend of joblib hosts run from beginning to end")
            model, words = _chains.fit(inputs, options, given, self._threads(), self.verbose)
            end = "finished"
        else:
            with progress(self.verbose, self._supervised) as show:
                model, end, words = _sibp.Model.fit(
                    inputs,
                    options,
                    **given,
                    earlier=earlier,
                    chain=self._chain,
                    threads=self._threads(),
                    time_limit=self.time_limit,
                    on_progress=show,
                )
        # First of all: a warning may be an error to somebody, and hours of sampling must not be lost to it.
        self._adopt(model, classes, ids, None if known is None else list(known))
        for word in words:
            warnings.warn(word, UserWarning, stacklevel=3)
        if end == "unchanged":
            text = "warm_start: all sweeps were done already, so that nothing changed; ask for at least twice as many"
            warnings.warn(text, UserWarning, stacklevel=3)
        self._warn_of_end(end)
        if self.n_bits_ and self._chain is None:
            for word in self.model_.code_warnings(self._code_options()):
                warnings.warn(word, CodeWarning, stacklevel=3)
        return self

    def fit_chain(self, chain: int, X: ArrayLike | None, y: ArrayLike | None = None, **given: Any) -> bytes:
        """Run only one of the chains, so that each can run on its own machine.

        Parameters
        ----------
        chain : int
            Which one, from 1 to `chains`.
        X, y, **given
            As for `fit`; the same for every chain, as is `random_state`, a whole number.

        Returns
        -------
        part : bytes
            `sibp.merge` makes one model of all parts; they are what `sibp fit --chain` writes to files.

        Examples
        --------
        >>> import numpy as np, sibp
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> model = sibp.IBP(sweeps=10, chains=2, random_state=0)
        >>> parts = [model.fit_chain(chain, X) for chain in (1, 2)]  # anywhere, in any order
        >>> bool((sibp.merge(parts).transform(X) == model.fit(X).transform(X)).all())
        True
        """
        _params.count("chain", chain)
        # Models of triplets alone take no X; what each takes beside it is its own affair.
        part: Any = clone(self)
        part._chain = int(chain)
        part.fit(X, y, **given)
        if not part.model_.finished:
            raise ValueError("time_limit: the chain did not do all its sweeps; a part is of use when it is whole")
        data: bytes = part.model_.to_bytes()
        return data

    def _adopt(
        self,
        model: _sibp.Model,
        classes: NDArray[Any] | None,
        ids: Sequence[Any] | None = None,
        judges: list[Any] | None = None,
    ) -> None:
        self.model_ = model
        self._ids, self._judges = ids, judges
        self.seed_ = int(json.loads(model.settings)["run"]["seed"])
        if classes is not None:
            self.classes_ = classes
        elif hasattr(self, "classes_"):
            del self.classes_

    def _warn_of_end(self, end: str) -> None:
        if end not in ("finished", "unchanged"):
            done = min(len(trace["log_joint"]) for trace in self.model_.traces())
            why = "by the time limit" if end == "time-limit" else "by Ctrl-C"
            sweeps = json.loads(self.model_.settings)["run"]["sweeps"]
            text = f"stopped {why} after {done} of {sweeps} sweeps; what was drawn is kept"
            warnings.warn(text, ConvergenceWarning, stacklevel=4)
        if self.n_bits_ == 0:
            text = "the model has no bits, so codes are empty; there may be nothing to explain, or too few sweeps"
            warnings.warn(text, ConvergenceWarning, stacklevel=4)

    def _no_inputs(self) -> None:
        """Says that the objects have no inputs."""
        self.n_features_in_ = 0
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _inputs(self, X: ArrayLike, *, reset: bool, least: int = 1) -> NDArray[np.float64]:
        if not reset and self.n_features_in_ == 0:
            text = "the model was fitted without inputs, so it knows its training objects alone; codes_ has their codes"
            raise ValueError(f"X: {text}")
        inputs = super()._inputs(X, reset=reset, least=least)
        filling = None if reset else self.model_.filling
        return inputs if filling is None or not filling[1] else _missing.filled(inputs, filling[1])

    def _encode(self, X: NDArray[np.float64], packed: bool, **given: ArrayLike | None) -> NDArray[np.uint8]:
        bits = given.pop("given_bits", None)
        if given:
            raise TypeError(f"unknown argument: {', '.join(given)}")
        return self.model_.encode(
            X,
            self._code_options(),
            given_bits=None if bits is None else _arrays.bits("given_bits", bits),
            packed=packed,
            threads=self._threads(),
        )

    def transform(self, X: ArrayLike, given_bits: ArrayLike | None = None) -> NDArray[np.uint8]:
        """Compute the codes of objects, seen or unseen.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits; they come first in the codes.

        Returns
        -------
        codes : array of uint8, shape (n_objects, n_bits_)
            0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import IBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> codes = IBP(sweeps=20, random_state=0).fit_transform(X)
        >>> codes.dtype
        dtype('uint8')
        """
        check_is_fitted(self)
        return self._encode(self._inputs(X, reset=False), packed=False, given_bits=given_bits)

    def _fingerprint(self) -> str:
        return self.model_.fingerprint(self._code_options())

    def _expected(self, X: ArrayLike, **given: ArrayLike | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._probabilities(X, **{"given_bits": None, **given}), self.weights_

    def _probabilities(self, X: ArrayLike, given_bits: ArrayLike | None) -> NDArray[np.float64]:
        check_is_fitted(self)
        bits = None if given_bits is None else _arrays.bits("given_bits", given_bits)
        return self.model_.probabilities(self._inputs(X, reset=False), self._code_options(), given_bits=bits)

    def predict(self, X: ArrayLike, given_bits: ArrayLike | None = None) -> NDArray[Any]:
        """Let the `n_neighbors` nearest training objects vote on a label.

        Where several are as far as the last of them, all of these share the places that are left. Most votes win, then
        the smaller sum of distances, then the class that comes first.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        y : array, shape (n_objects,)

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import IBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> y = np.repeat(["a", "b", "c"], 10)
        >>> IBP(sweeps=20, n_neighbors=3, random_state=0).fit(X, y).predict(X[::10]).tolist()
        ['a', 'b', 'c']
        """
        codes, classes, index = self._voters(X, given_bits)
        if index is None:
            return self.classes_[np.full(len(codes), np.bincount(classes).argmax())]
        return self.classes_[index.vote(codes, classes, self.n_neighbors, self._threads())]

    def predict_proba(self, X: ArrayLike, given_bits: ArrayLike | None = None) -> NDArray[np.float64]:
        """Share of the votes of the `n_neighbors` nearest training objects that each class gets.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        shares : array, shape (n_objects, n_classes)
            In the order of `classes_`; rows sum to 1. The largest is that of `predict`: where it decided between equal
            votes, its class has the last digit more.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import IBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> y = np.repeat(["a", "b", "c"], 10)
        >>> IBP(sweeps=20, n_neighbors=3, random_state=0).fit(X, y).predict_proba(X[:1]).tolist()
        [[1.0, 0.0, 0.0]]
        """
        codes, classes, index = self._voters(X, given_bits)
        n_classes = len(self.classes_)
        if index is None:
            return np.tile(np.bincount(classes, minlength=n_classes) / len(classes), (len(codes), 1))
        shares = index.tally(codes, classes, self.n_neighbors, n_classes, self._threads())
        # Equal votes are decided as `predict` does.
        tied = np.flatnonzero((shares == shares.max(axis=1, keepdims=True)).sum(axis=1) > 1)
        if len(tied):
            winners = index.vote(codes[tied], classes, self.n_neighbors, self._threads())
            shares[tied, winners] = np.nextafter(shares[tied, winners], 2.0)
        return shares

    def _voters(
        self, X: ArrayLike, given_bits: ArrayLike | None
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint32], _sibp.HammingIndex | None]:
        """Codes of X, classes of the training objects, and their codes to search; None where all are equally near."""
        check_is_fitted(self)
        _params.count("n_neighbors", self.n_neighbors)
        known = self.model_.labels
        if known is None:
            raise ValueError("y: the model was fitted without labels, so its neighbours have none to vote for")
        codes = self._encode(self._inputs(X, reset=False), packed=True, given_bits=given_bits)
        if self.n_bits_ == 0:
            return codes, known[1], None
        index = _sibp.HammingIndex(self.n_bits_)
        index.add(self.model_.codes(self._code_options(), packed=True))
        return codes, known[1], index

    def explain(
        self, X: ArrayLike, a: Any, b: Any, *, ids: ArrayLike | None = None, given_bits: ArrayLike | None = None
    ) -> dict[str, Any]:
        """Explain why two objects are near or far: the bits that agree and differ, and what drives each.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
            Objects, including the two; bits are described by their correlation with inputs over all of these.
        a, b : int or id
            The two objects: rows of X, or ids.
        ids : array, shape (n_objects,), optional
            What the objects are called. By default the index of X, if X is a DataFrame.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        why : dict
            `distance` (bits that differ), `weighted` (the sum of their weights) and `bits`, a dict each, those that
            differ first: the number of the `bit`, whether it `agrees`, whether `a` and `b` have it, its
            `probabilities` for them (None where the model knows none), its `weight`, the `share` of objects that have
            it, its `drivers` (name or number of an input, and correlation) and `owners` (ids or rows of objects that
            are surest to have it).

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([0, 1], 30)
        >>> X = rng.normal(size=(60, 3)) + [[0, 6, 0]] * y[:, None]
        >>> model = SuperProbitIBP(sweeps=40, per_object=10, unsupervised_bits=0, random_state=0).fit(X, y)
        >>> why = model.explain(X, 0, 59)
        >>> why["bits"][0]["drivers"][0][0]  # the column that tells the classes apart
        1
        """
        check_is_fitted(self)
        known = _arrays.ids_of(X, ids)
        inputs = self._inputs(X, reset=False)
        pair = [_arrays.row_of(name, object, known, len(inputs)) for name, object in (("a", a), ("b", b))]
        bits = None if given_bits is None else _arrays.bits("given_bits", given_bits)
        found = self.model_.explain(inputs, pair, self._code_options(), given_bits=bits)
        names = getattr(self, "feature_names_in_", None)
        for bit in found["bits"]:
            if names is not None:
                bit["drivers"] = [(str(names[at]), correlation) for at, correlation in bit["drivers"]]
            if known is not None:
                bit["owners"] = [known[row] for row in bit["owners"]]
        return found

    def _portable(self) -> _sibp.Encoder:
        return self.model_.encoder(self._code_options())

    def _growing(self) -> _sibp.Hash:
        return self.model_.to_hash(self._code_options())

    def _extended_by(self) -> str | None:
        return str(json.loads(self.model_.settings)["input_transform"])

    @property
    def warnings_(self) -> list[str]:
        """What `sibp inspect` warns of, in the same words."""
        check_is_fitted(self)
        return self.model_.warnings(self._code_options())

    def score(self, X: ArrayLike, y: ArrayLike, given_bits: ArrayLike | None = None) -> float:
        """Share of objects whose label `predict` finds.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array, shape (n_objects,)
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional

        Returns
        -------
        accuracy : float

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import IBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> y = np.repeat(["a", "b", "c"], 10)
        >>> IBP(sweeps=20, n_neighbors=3, random_state=0).fit(X, y).score(X, y)
        1.0
        """
        if y is None:
            raise ValueError("y: labels are needed; score_triplets asks for triplets instead")
        truth = np.asarray(y)
        predicted = self.predict(X, given_bits=given_bits)
        if truth.shape != predicted.shape:
            raise ValueError(f"y: the shape is {truth.shape} for {len(predicted)} objects; give one label each")
        return float(np.mean(truth == predicted))

    @property
    def n_bits_(self) -> int:
        """Number of bits of a code: given, learned (their number is inferred) and unsupervised ones."""
        return len(self.weights_)

    @property
    def n_given_bits_(self) -> int:
        """Number of given bits, which come first in a code."""
        check_is_fitted(self)
        return self.model_.n_given_bits

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Weight of each bit, shape (n_bits_,)."""
        check_is_fitted(self)
        return self.model_.weights(self._code_options())

    @property
    def codes_(self) -> NDArray[np.uint8]:
        """Learned codes of the training objects, shape (n_objects, n_bits_); `predict` searches among them."""
        check_is_fitted(self)
        return self.model_.codes(self._code_options())

    @property
    def draws_(self) -> list[list[dict[str, Any]]]:
        """The kept draws of every chain: sweep, bits, weights, scalars and tensors by name."""
        check_is_fitted(self)
        return self.model_.draws()

    @property
    def traces_(self) -> list[dict[str, NDArray[np.float64]]]:
        """The numbers of every sweep, for each chain: number of bits, log likelihood, log joint, hyper-parameters."""
        check_is_fitted(self)
        return self.model_.traces()

    @property
    def diagnostics_(self) -> dict[str, tuple[float | None, float | None]]:
        """(R-hat, effective draws) of every traced number; None where no measure is defined."""
        check_is_fitted(self)
        return self.model_.diagnostics()

    def to_arviz(self, X: ArrayLike | None = None) -> arviz.InferenceData:
        """Hand the draws to ArviZ.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs), optional
            Training inputs, which the model does not keep, to stand among the observed data.

        Returns
        -------
        data : arviz.InferenceData
            Groups `posterior` (number of bits and hyper-parameters, the last half of the sweeps), `sample_stats`
            (log joint as `lp`, log likelihood, share of triplets satisfied) and `observed_data` (labels, inputs).

        Examples
        --------
        >>> import arviz, numpy as np
        >>> from sibp import IBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> data = IBP(sweeps=40, random_state=0).fit(X).to_arviz(X)
        >>> sorted(data.posterior.data_vars)
        ['concentration', 'feature_variance', 'n_bits', 'noise_variance']
        """
        check_is_fitted(self)
        from sibp._arviz import to_arviz

        return to_arviz(self.model_, X)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a `.sibp` file, which the command reads too; `sibp.load` reads it back.

        Examples
        --------
        >>> import tempfile, numpy as np, sibp
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> model = sibp.IBP(sweeps=20, random_state=0).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/m.sibp")
        ...     again = sibp.load(f"{folder}/m.sibp")
        >>> bool((again.transform(X) == model.transform(X)).all())
        True
        """
        check_is_fitted(self)
        self.model_.save(path)

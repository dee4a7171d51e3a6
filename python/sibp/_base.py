"""Gives every estimator what they share: checks of inputs, codes, search, votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from sibp import _arrays, _judgements, _params, _sibp
from sibp._encoder import Encoder
from sibp._index import CodeIndex, HammingIndex
from sibp._table import default

if TYPE_CHECKING:
    from sibp._extended import ExtendedCodes


def labels(y: ArrayLike, n_objects: int) -> tuple[NDArray[Any], list[str], NDArray[np.uint32]]:
    """Classes in order, their names for the model file, and the class of every object."""
    try:
        flat = column_or_1d(y, warn=True)
        check_classification_targets(flat)
    except ValueError as error:
        raise ValueError(f"y: {error}") from None
    if len(flat) != n_objects:
        raise ValueError(f"y: {len(flat)} labels for {n_objects} objects; give one each")
    if flat.dtype.kind == "O" and len({type(label) for label in flat}) > 1:
        raise TypeError("y: labels of different types cannot be told apart in a file; give one type")
    classes, class_of = np.unique(flat, return_inverse=True)
    return classes, [str(label) for label in classes.tolist()], class_of.astype(np.uint32)


class CodeEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Something that gives binary codes to objects."""

    n_jobs: int | None
    n_features_in_: int

    def _keep(self, given: dict[str, Any]) -> None:
        """Keeps what a constructor was given, unchanged and unchecked as scikit-learn asks."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.n_bits_

    @property
    def n_bits_(self) -> int:
        """Number of bits of a code."""
        raise NotImplementedError

    def _fingerprint(self) -> str:
        """What the bits mean."""
        raise NotImplementedError

    def _expected(self, X: ArrayLike, **given: ArrayLike | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities of bits, and the weight of each bit."""
        raise ValueError(f"expected: {type(self).__name__} knows no probabilities of bits; only probit models do")

    def _encode(self, X: NDArray[np.float64], packed: bool, **given: ArrayLike | None) -> NDArray[np.uint8]:
        raise NotImplementedError

    def _inputs(self, X: ArrayLike, *, reset: bool, least: int = 1) -> NDArray[np.float64]:
        """Inputs as C-contiguous float64, without a copy where they are that already."""
        # Finite or not is seen when the values are read, without another pass over them.
        found: NDArray[np.float64] = validate_data(
            self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False, ensure_min_samples=least
        )
        return found

    def transform(self, X: ArrayLike) -> NDArray[np.uint8]:
        """Compute the codes of objects.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)

        Returns
        -------
        codes : array of uint8, shape (n_objects, n_bits_)
            0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> LSH(n_bits=12, random_state=0).fit(X).transform(X[:3]).shape
        (3, 12)
        """
        check_is_fitted(self)
        return self._encode(self._inputs(X, reset=False), packed=False)

    def packed(self, X: ArrayLike, **given: ArrayLike | None) -> NDArray[np.uint8]:
        """Compute the packed codes of objects, as `HammingIndex` and faiss read them.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        codes : array of uint8, shape (n_objects, ceil(n_bits_ / 8))

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> hash = LSH(n_bits=12, random_state=0).fit(X)
        >>> bool((np.packbits(hash.transform(X), axis=1) == hash.packed(X)).all())
        True
        """
        check_is_fitted(self)
        return self._encode(self._inputs(X, reset=False), packed=True, **given)

    def index(self, X: ArrayLike, *, ids: ArrayLike | None = None, **given: ArrayLike | None) -> CodeIndex:
        """Make the codes of objects searchable.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        ids : array of int or str, shape (n_objects,), optional
            What the objects are called; by default their rows.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        index : CodeIndex
            Its `kneighbors(X_new)` finds rows of X, or their ids.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> distances, ids = LSH(n_bits=12, random_state=0).fit(X).index(X).kneighbors(X[:1], n_neighbors=3)
        >>> distances.shape
        (1, 3)
        """
        codes = self.packed(X, **given)
        if not self.n_bits_:
            raise ValueError("the model has no bits, so there is nothing to search")
        hamming = HammingIndex(self.n_bits_)
        hamming.add(codes, ids)
        hamming._native.encoder = self._fingerprint()
        return CodeIndex(self, hamming)

    def to_encoder(self) -> Encoder:
        """The part of the model that computes codes, to be taken to where the objects are.

        Returns
        -------
        encoder : Encoder
            Its codes are those of `packed`. It takes a few kilobytes (and the anchors, where inputs are similarity to anchors), is pickled by its bytes and needs no scikit-learn.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([0, 1], 30)
        >>> X = rng.normal(size=(60, 3)) + 6 * y[:, None]
        >>> model = SuperProbitIBP(sweeps=20, per_object=10, random_state=0).fit(X, y)
        >>> bool((model.to_encoder().encode(X) == model.packed(X)).all())
        True
        """
        check_is_fitted(self)
        return Encoder(self._portable())

    def _portable(self) -> _sibp.Encoder:
        """What gives the codes, as the native part holds it."""
        return self._growing().encoder()

    def score_triplets(
        self, X: ArrayLike | None, triplets: ArrayLike, *, ids: ArrayLike | None = None, **given: ArrayLike | None
    ) -> float:
        """Share of triplets whose near object differs from the anchor in fewer bits than the far one.

        Models that learn from triplets recognise the objects that they were fitted to by their inputs, and give them the
        bits that were learned for them; others are encoded.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs), or None
            None for the training objects of a model that learns from triplets.
        triplets : array of int or of ids, shape (n_triplets, 3)
            Anchor, near, far: whole numbers are rows of X, anything else is an id.
        ids : array, shape (n_objects,), optional
            What triplets call the objects. By default the index of X, if X is a DataFrame.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        share : float
            Between 0 and 1; equal distances count against.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.array([[0.0], [0.1], [9.0]])
        >>> LSH(n_bits=8, random_state=0).fit(X).score_triplets(X, [[0, 1, 2]])
        1.0
        """
        asked, codes = self._asked(X, triplets, ids, given)
        if not len(asked):
            raise ValueError("triplets: there are none")
        return _sibp.triplet_agreement(asked, codes, self.n_bits_)

    def _asked(
        self, X: ArrayLike | None, triplets: ArrayLike, ids: ArrayLike | None, given: dict[str, ArrayLike | None]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Triplets by rows, and the codes of those rows."""
        if X is None:
            raise ValueError("X: the inputs of the objects are needed")
        return _arrays.triplets(triplets, _arrays.ids_of(X, ids)), self.packed(X, **given)

    def extend(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        triplets: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        given_bits: ArrayLike | None = None,
        remember: tuple[ArrayLike, ArrayLike] | None = None,
        sweeps: int = 200,
        chains: int = 5,
        memory: int = 1000,
        random_state: Any = None,
    ) -> ExtendedCodes:
        """Learn further bits that new objects need, after the old ones, which do not change, as `sibp extend` does.

        Each chain leaves out a fifth of the new objects. Nothing is added unless the bits raise agreement with triplets
        about these.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
            New objects.
        y : array, shape (n_objects,), optional
            Their labels.
        triplets : array of int or of ids, shape (n_triplets, 3), optional
            Anchor, near, far, instead of labels.
        ids : array, shape (n_objects,), optional
            What triplets call the objects. By default the index of X, if X is a DataFrame.
        given_bits : array of 0 and 1, shape (n_objects, n_bits_), optional
            Old bits of the new objects, where they are known and need not be predicted.
        remember : (X, y), optional
            Inputs and labels of old objects, so that new bits keep them in mind.
        sweeps, chains : int
            Of the chains that propose bits.
        memory : int, default=1000
            Largest number of objects that are remembered for the next extension.
        random_state : int, RandomState, Generator or None
            A whole number is the command's --seed.

        Returns
        -------
        codes : ExtendedCodes
            Fitted; `report_` tells how many bits were added and what they bring. They can be extended again.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([0, 1, 2], 20)
        >>> X = rng.normal(size=(60, 4)) + 5 * np.eye(3, 4)[y]
        >>> old = LSH(n_bits=2, random_state=0).fit(X)
        >>> new = old.extend(X, y, sweeps=30, chains=2, random_state=0)
        >>> bool((new.transform(X)[:, :2] == old.transform(X)).all())
        True
        """
        check_is_fitted(self)
        from sibp._extended import ExtendedCodes

        if y is None and triplets is None:
            raise ValueError("y: new bits are learned from labels or triplets; give some")
        for name, value in (("sweeps", sweeps), ("chains", chains), ("memory", memory)):
            _params.count(name, value, least=0 if name == "memory" else 1)
        inputs = self._inputs(X, reset=False)
        judged = _judgements.read(X, triplets, None, ids)
        old = None
        if remember is not None:
            first = self._inputs(remember[0], reset=False)
            old = (first, labels(remember[1], len(first))[1:])
        options = {
            "preset": None,
            "pseudo_weight": None,
            "lapse": None,
            "weights": None,
            "input_transform": self._extended_by(),
            "seed": _params.seed(random_state),
            "sweeps": int(sweeps),
            "chains": int(chains),
            "memory": int(memory),
            "from_labels": {name: default(name) for name in ("scheme", "per_object", "near", "far")},
        }
        hash, report = self._growing().extend(
            inputs,
            options,
            labels=None if y is None or judged is not None else labels(y, len(inputs))[1:],
            triplets=None if judged is None else judged.rows,
            given_bits=None if given_bits is None else _arrays.bits("given_bits", given_bits),
            remember=old,
            threads=self._threads(),
        )
        return ExtendedCodes._of(hash, report, self)

    def _growing(self) -> _sibp.Hash:
        """The bits, as something that can be extended."""
        raise NotImplementedError

    def _extended_by(self) -> str | None:
        """The transform of inputs before further bits are learned; None for the default."""
        return None

    def _threads(self) -> int:
        return _params.threads("n_jobs", self.n_jobs)

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the codes; see the subclasses."""
        raise NotImplementedError

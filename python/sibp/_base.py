"""Gives every estimator what they share: checks of inputs, codes, search, votes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from sibp import _arrays, _sibp
from sibp._index import CodeIndex, HammingIndex


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

    n_threads: int | None
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
        """Give codes to objects.

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
        """Give packed codes to objects, as `HammingIndex` and faiss read them.

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

    def _threads(self) -> int:
        return 0 if self.n_threads is None else int(self.n_threads)

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the codes; see the subclasses."""
        raise NotImplementedError

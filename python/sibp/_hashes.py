"""The classic codes as estimators."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from sibp import _arrays, _params, _sibp
from sibp._base import CodeEstimator, labels
from sibp._table import documented


class HashEstimator(CodeEstimator):
    """What the classic codes share."""

    _method: ClassVar[str]

    input_transform: str
    hash_: _sibp.Hash

    def _fit_hash(self, X: NDArray[np.float64], **settings: Any) -> list[int]:
        if not isinstance(self.input_transform, str):
            raise TypeError(f"input_transform: {self.input_transform!r} is no text")
        _params.threads("n_jobs", self.n_jobs)
        names = getattr(self, "feature_names_in_", None)
        self.hash_, unsettled = _sibp.Hash.fit(
            X,
            self._method,
            input_transform=self.input_transform,
            input_names=None if names is None else [str(name) for name in names],
            **settings,
        )
        return unsettled

    def _encode(self, X: NDArray[np.float64], packed: bool, **given: ArrayLike | None) -> NDArray[np.uint8]:
        if given:
            raise TypeError(f"unknown argument: {', '.join(given)}")
        return self.hash_.encode(X, packed=packed, threads=self._threads())

    def _fingerprint(self) -> str:
        return self.hash_.fingerprint()

    def _growing(self) -> _sibp.Hash:
        return self.hash_

    @property
    def n_bits_(self) -> int:
        """Number of bits of a code."""
        check_is_fitted(self)
        return self.hash_.n_bits

    def save(self, path: str | PathLike[str]) -> None:
        """Write the hash to a `.sibh` file, which the command reads too; `sibp.load` reads it back.

        Examples
        --------
        >>> import tempfile, numpy as np, sibp
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sibp.ITQ(random_state=0).fit(X).save(f"{folder}/itq.sibh")
        """
        check_is_fitted(self)
        self.hash_.save(path)


@documented
class SpectralHashing(HashEstimator):
    """Signs of smooth waves along principal directions (Weiss, Torralba & Fergus 2009).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import SpectralHashing
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> SpectralHashing(n_bits=6).fit_transform(X).shape
    (50, 6)
    """

    _method = "spectral"

    n_bits: int

    def __init__(self, n_bits: int = 32, *, input_transform: str = "centre", n_jobs: int | None = None) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Find the directions and waves of X.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : ignored

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SpectralHashing
        >>> SpectralHashing(n_bits=6).fit(np.random.default_rng(0).normal(size=(50, 4))).n_bits_
        6
        """
        _params.count("n_bits", self.n_bits)
        self._fit_hash(self._inputs(X, reset=True, least=2), n_bits=int(self.n_bits))
        return self


@documented
class ITQ(HashEstimator):
    """Rotated principal directions (Gong & Lazebnik 2011).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import ITQ
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> ITQ(random_state=0).fit_transform(X).shape
    (50, 4)
    """

    _method = "itq"

    n_bits: int | None
    random_state: Any

    def __init__(
        self,
        n_bits: int | None = None,
        *,
        input_transform: str = "centre",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Find directions and rotation of X.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : ignored

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import ITQ
        >>> ITQ(n_bits=3, random_state=0).fit(np.random.default_rng(0).normal(size=(50, 4))).n_bits_
        3
        """
        _params.count("n_bits", self.n_bits, optional=True)
        X = self._inputs(X, reset=True, least=2)
        n_bits = X.shape[1] if self.n_bits is None else int(self.n_bits)
        self._fit_hash(X, n_bits=n_bits, seed=_params.seed(self.random_state))
        return self


@documented
class LSH(HashEstimator):
    """Random hyperplanes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import LSH
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> LSH(n_bits=64, random_state=0).fit_transform(X).shape
    (50, 64)
    """

    _method = "lsh"

    n_bits: int
    random_state: Any

    def __init__(
        self,
        n_bits: int = 64,
        *,
        input_transform: str = "centre",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Draw hyperplanes for X.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : ignored

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> LSH(n_bits=9, random_state=0).fit(np.random.default_rng(0).normal(size=(50, 4))).n_bits_
        9
        """
        _params.count("n_bits", self.n_bits)
        seed = _params.seed(self.random_state)
        self._fit_hash(self._inputs(X, reset=True), n_bits=int(self.n_bits), seed=seed)
        return self


@documented
class AttributeHash(HashEstimator):
    """One logistic regression for each bit that people gave (Lampert, Nickisch & Harmeling 2009).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import AttributeHash
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> Y = [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> AttributeHash().fit(X, Y).transform([[0.5], [8.5]])
    array([[0, 1],
           [1, 1]], dtype=uint8)
    """

    _method = "attributes"

    def __init__(self, *, input_transform: str = "centre", n_jobs: int | None = None) -> None:
        self._keep(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn to predict bits.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array of 0 and 1, shape (n_objects, n_bits), or labels, shape (n_objects,)
            Labels become one bit a class.

        Returns
        -------
        self

        Examples
        --------
        >>> from sibp import AttributeHash
        >>> AttributeHash().fit([[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"]).n_bits_
        2
        """
        if y is None:
            raise ValueError(
                "y: requires y to be passed, but the target y is None: attributes are learned from bits that people gave"
            )
        X = self._inputs(X, reset=True)
        unsettled = self._fit_hash(X, targets=self._targets(y, len(X)))
        if unsettled:
            text = f"bits whose regression did not settle: {unsettled}; a scale step in input_transform helps"
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        return self

    @staticmethod
    def _targets(y: ArrayLike, n_objects: int) -> NDArray[np.uint8]:
        given = np.asarray(y)
        if given.ndim == 2 and given.shape[1] > 1:
            return _arrays.bits("y", given)
        classes, _, class_of = labels(given, n_objects)
        one_hot: NDArray[np.uint8] = (class_of[:, None] == np.arange(len(classes))).astype(np.uint8)
        return one_hot


class LabelledHash(HashEstimator):
    """What the codes that learn from labels share."""

    n_bits: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _fit_labels(self, X: ArrayLike, y: ArrayLike | None, **settings: Any) -> Self:
        if y is None:
            raise ValueError("y: requires y to be passed, but the target y is None: these codes learn from labels")
        _params.count("n_bits", self.n_bits)
        X = self._inputs(X, reset=True)
        _, names, class_of = labels(y, len(X))
        self._fit_hash(X, n_bits=int(self.n_bits), labels=(names, class_of), **settings)
        return self


@documented
class SDH(LabelledHash):
    """Codes that predict classes and are predicted by inputs (Shen, Shen, Liu & Shen 2015).

    The hash is linear in its inputs; the authors' kernel map is an `input_transform`, "anchors:1000".

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import SDH
    >>> y = np.repeat([0, 1], 25)
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) + 5 * y[:, None]
    >>> SDH(n_bits=16, random_state=0).fit_transform(X, y).shape
    (50, 16)
    """

    _method = "sdh"

    random_state: Any

    def __init__(
        self,
        n_bits: int = 64,
        *,
        input_transform: str = "centre",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn codes of classes, and to predict them from X.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array of labels, shape (n_objects,)

        Returns
        -------
        self

        Examples
        --------
        >>> from sibp import SDH
        >>> SDH(n_bits=8, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"]).n_bits_
        8
        """
        return self._fit_labels(X, y, seed=_params.seed(self.random_state))


@documented
class HCSDH(LabelledHash):
    """Rows of a Hadamard matrix for classes, predicted by inputs (Koutaki, Shirai & Ambai 2018).

    The hash is linear in its inputs; the authors' kernel map is an `input_transform`, "anchors:1000".

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import HCSDH
    >>> y = np.repeat([0, 1], 25)
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) + 5 * y[:, None]
    >>> HCSDH(n_bits=16, random_state=0).fit_transform(X, y).shape
    (50, 16)
    """

    _method = "hcsdh"

    random_state: Any

    def __init__(
        self,
        n_bits: int = 64,
        *,
        input_transform: str = "centre",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Give classes their codes, and learn to predict them from X.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array of labels, shape (n_objects,)

        Returns
        -------
        self

        Examples
        --------
        >>> from sibp import HCSDH
        >>> HCSDH(n_bits=8, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"]).n_bits_
        8
        """
        return self._fit_labels(X, y, seed=_params.seed(self.random_state))

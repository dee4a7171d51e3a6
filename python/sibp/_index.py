"""Searches binary codes exactly by Hamming distance."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sibp import _arrays
from sibp._params import count
from sibp._sibp import HammingIndex as _Native

if TYPE_CHECKING:
    from sibp._base import CodeEstimator


class HammingIndex:
    """Exact search among packed codes.

    Parameters
    ----------
    n_bits : int
        Bits of a code, 1 to 4096.

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import HammingIndex
    >>> codes = np.packbits([[0, 0, 1], [1, 1, 1], [0, 1, 1]], axis=1)
    >>> index = HammingIndex(n_bits=3)
    >>> index.add(codes)
    >>> distances, ids = index.search(codes[:1], k=2)
    >>> distances, ids
    (array([[0, 1]], dtype=int32), array([[0, 2]]))
    """

    def __init__(self, n_bits: int) -> None:
        count("n_bits", n_bits)
        self._native = _Native(int(n_bits))

    @property
    def n_bits(self) -> int:
        """Bits of a code."""
        return self._native.n_bits

    @property
    def ids(self) -> NDArray[np.int64]:
        """Id of every code, in the order in which they were added."""
        return self._native.ids

    @property
    def packed(self) -> NDArray[np.uint8]:
        """The codes, packed, in the same order."""
        return self._native.packed

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<HammingIndex of {len(self)} codes of {self.n_bits} bits>"

    def add(self, codes: ArrayLike, ids: ArrayLike | None = None) -> None:
        """Add packed codes.

        Parameters
        ----------
        codes : array of uint8, shape (n_codes, ceil(n_bits / 8))
            As numpy's packbits makes them: bit 0 is the highest bit of byte 0.
        ids : array of int, shape (n_codes,), optional
            Distinct numbers from 0; by default those that follow the largest so far.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[7], [9]], dtype=np.uint8), ids=[40, 2])
        >>> index.ids
        array([40,  2])
        """
        numbers = None if ids is None else _arrays.whole_numbers("ids", ids, 1)
        self._native.add(_arrays.packed("codes", codes), numbers)

    def remove(self, ids: ArrayLike) -> None:
        """Remove codes by id; when one is unknown, none is removed.

        Parameters
        ----------
        ids : array of int, shape (n_ids,)

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[7], [9]], dtype=np.uint8))
        >>> index.remove([0])
        >>> len(index)
        1
        """
        self._native.remove(_arrays.whole_numbers("ids", ids, 1))

    def extend(self, codes: ArrayLike, n_bits: int) -> None:
        """Append bits to every stored code; the bits that were there stay as they are.

        Parameters
        ----------
        codes : array of uint8, shape (len(index), ceil(n_bits / 8))
            The new bits, packed, in the order of `ids`.
        n_bits : int
            How many bits are new.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(3)
        >>> index.add(np.packbits([[0, 0, 1], [1, 1, 1]], axis=1))
        >>> index.extend(np.packbits([[1, 1], [0, 1]], axis=1), n_bits=2)
        >>> np.unpackbits(index.packed, axis=1, count=index.n_bits).tolist()
        [[0, 0, 1, 1, 1], [1, 1, 1, 0, 1]]
        """
        count("n_bits", n_bits)
        self._native.extend(_arrays.packed("codes", codes), int(n_bits))

    def search(
        self, queries: ArrayLike, k: int, n_threads: int | None = None, *, weights: ArrayLike | None = None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Find the nearest codes of every query, equal distances by id.

        Parameters
        ----------
        queries : array of uint8, shape (n_queries, ceil(n_bits / 8))
        k : int
            How many; all where fewer are stored.
        n_threads : int, optional
            All cores by default.
        weights : array of float, shape (n_bits,), optional
            Count a bit that differs by its weight instead of by 1.

        Returns
        -------
        distances : array of int32 (float32 with weights), shape (n_queries, min(k, len(index)))
        ids : array of int64, same shape

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[0b0], [0b1], [0b111]], dtype=np.uint8))
        >>> distances, ids = index.search(np.array([[0b11]], dtype=np.uint8), k=2)
        >>> ids
        array([[1, 2]])
        """
        count("k", k)
        found = None if weights is None else np.ascontiguousarray(weights, dtype=np.float32)
        if found is not None and found.ndim != 1:
            raise ValueError(f"weights: the shape is {found.shape}; give one number a bit")
        return self._native.search(_arrays.packed("queries", queries), int(k), n_threads, weights=found)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index to a `.sibx` file, which the command reads too.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[7], [9]], dtype=np.uint8))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/codes.sibx")
        """
        self._native.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> HammingIndex:
        """Open a `.sibx` file; it is searched where it lies.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[7], [9]], dtype=np.uint8))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/codes.sibx")
        ...     again = HammingIndex.load(f"{folder}/codes.sibx")
        ...     len(again)
        2
        """
        index = cls.__new__(cls)
        index._native = _Native.load(path)
        return index


class CodeIndex:
    """A `HammingIndex` over the codes of objects, asked by inputs: what `model.index(X)` returns.

    Attributes
    ----------
    hamming : HammingIndex
        The codes; ids are rows of X.

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import LSH
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> index = LSH(n_bits=16, random_state=0).fit(X).index(X)
    >>> distances, ids = index.kneighbors(X[:2], n_neighbors=1)
    >>> ids.tolist()
    [[0], [1]]
    """

    def __init__(self, estimator: CodeEstimator, hamming: HammingIndex) -> None:
        self._estimator = estimator
        self.hamming = hamming

    def __len__(self) -> int:
        return len(self.hamming)

    def kneighbors(
        self, X: ArrayLike, n_neighbors: int = 15, return_distance: bool = True, **given: ArrayLike | None
    ) -> Any:
        """Find the nearest stored objects of every row of X.

        Parameters
        ----------
        X : array, shape (n_queries, n_inputs)
        n_neighbors : int
        return_distance : bool
        given_bits : array of 0 and 1, shape (n_queries, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        distances : array of int32, shape (n_queries, n_neighbors), if return_distance
        ids : array of int64, same shape
            Rows of the X that the index was made from.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> index = LSH(n_bits=16, random_state=0).fit(X).index(X)
        >>> index.kneighbors(X[:3], n_neighbors=2, return_distance=False).shape
        (3, 2)
        """
        queries = self._estimator.packed(X, **given)
        distances, ids = self.hamming.search(queries, n_neighbors, self._estimator.n_threads)
        return (distances, ids) if return_distance else ids

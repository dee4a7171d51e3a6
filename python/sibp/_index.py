"""Searches binary codes exactly by Hamming distance."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sibp import _arrays
from sibp._params import count, threads
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
    def ids(self) -> NDArray[Any]:
        """Id of every code, in the order in which they were added: int64, uint64 where one is larger, or str."""
        return self._known_by(self._native.ids)

    @property
    def encoder(self) -> str | None:
        """Fingerprint of what made the codes, if it is known; codes of another one mean something else."""
        return self._native.encoder

    @property
    def columns(self) -> list[str]:
        """Names of the texts that the command stored with the codes (`sibp encode --keep`); see `about`."""
        return self._native.columns[int(self._native.is_named) :]

    @property
    def packed(self) -> NDArray[np.uint8]:
        """The codes, packed, in the same order."""
        return self._native.packed

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        made_by = "" if self.encoder is None else f" made by {self.encoder[:12]}"
        return f"<HammingIndex of {len(self)} codes of {self.n_bits} bits{made_by}>"

    def add(self, codes: ArrayLike, ids: ArrayLike | None = None) -> None:
        """Add packed codes.

        Parameters
        ----------
        codes : array of uint8, shape (n_codes, ceil(n_bits / 8))
            As numpy's packbits makes them: bit 0 is the highest bit of byte 0.
        ids : array of int or str, shape (n_codes,), optional
            Distinct numbers from 0 to 2**64 - 1; by default those that follow the largest so far. Or distinct texts,
            for all codes of the index.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[7], [9]], dtype=np.uint8), ids=[40, 2])
        >>> index.ids
        array([40,  2])
        """
        found = _arrays.packed("codes", codes)
        if ids is None:
            self._native.add(found)
        elif (names := _arrays.texts("ids", ids)) is not None:
            self._native.add(found, names=names)
        else:
            self._native.add(found, _arrays.id_numbers("ids", ids))

    def remove(self, ids: ArrayLike) -> None:
        """Remove codes by id; when one is unknown, none is removed.

        Parameters
        ----------
        ids : array of int or str, shape (n_ids,)

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
        self._native.remove(self._numbers(ids, "ids"))

    def about(self, ids: ArrayLike) -> list[dict[str, str]]:
        """The texts that were stored with codes, by the names of their columns.

        Parameters
        ----------
        ids : array of int or str, shape (n_ids,)

        Examples
        --------
        >>> from sibp import HammingIndex
        >>> HammingIndex(8).about([])
        []
        """
        first = int(self._native.is_named)
        rows = self._native.texts_of(self._numbers(ids, "ids"))
        return [dict(zip(self.columns, row[first:], strict=True)) for row in rows]

    def _numbers(self, ids: ArrayLike, argument: str, *, known: bool = True) -> NDArray[np.uint64]:
        """The numbers under which codes are stored; texts that are not stored are refused, or left out."""
        names = _arrays.texts(argument, ids)
        if names is None:
            return _arrays.id_numbers(argument, ids)
        numbers = self._native.numbers_of(names)
        if known and None in numbers:
            raise ValueError(f"{argument}: {names[numbers.index(None)]!r} is not in the index")
        return np.array([number for number in numbers if number is not None], dtype=np.uint64)

    def _known_by(self, numbers: NDArray[np.uint64]) -> NDArray[Any]:
        """What users call codes."""
        if self._native.is_named:
            names = [row[0] for row in self._native.texts_of(numbers.ravel())]
            return np.array(names, dtype=str).reshape(numbers.shape)
        if numbers.size and numbers.max() > np.iinfo(np.int64).max:
            return numbers
        return numbers.view(np.int64)

    def extend(self, codes: ArrayLike, n_bits: int) -> None:
        """Append bits to every stored code; the existing bits do not change.

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
        self,
        queries: ArrayLike,
        k: int | None = None,
        n_threads: int | None = None,
        *,
        weights: ArrayLike | None = None,
        radius: float | None = None,
        among: ArrayLike | None = None,
        expected: bool = False,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Find the codes nearest to every query, equal distances by id.

        Parameters
        ----------
        queries : array of uint8, shape (n_queries, ceil(n_bits / 8))
            With `expected`: probabilities of bits, shape (n_queries, n_bits).
        k : int, optional
            How many; all if fewer are stored.
        n_threads : int, optional
            All cores by default and for -1.
        weights : array of float, shape (n_bits,), optional
            Count a bit that differs by its weight instead of by 1.
        radius : float, optional
            Find all codes at this distance or nearer, instead of k.
        among : array of int or str, optional
            Search only the codes with these ids; ids that are not stored are left out.
        expected : bool
            Queries are probabilities of bits: a stored 1 costs (1 - p) times the bit's weight, a stored 0 costs p times it.

        Returns
        -------
        distances : array of int32 (float32 with weights or expected), shape (n_queries, min(k, len(index)))
            With `radius`: an array of such arrays, one a query, since they differ in length.
        ids : array of int64, uint64 or str, same shape

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import HammingIndex
        >>> index = HammingIndex(8)
        >>> index.add(np.array([[0b0], [0b1], [0b111]], dtype=np.uint8))
        >>> distances, ids = index.search(np.array([[0b11]], dtype=np.uint8), k=2)
        >>> ids
        array([[1, 2]])
        >>> index.search(np.array([[0b11]], dtype=np.uint8), radius=1)[1][0]
        array([1, 2])
        """
        if (k is None) == (radius is None):
            raise ValueError("k: say how many neighbours, or how near by radius")
        if k is not None:
            count("k", k)
        counted = None if weights is None else np.ascontiguousarray(weights, dtype=np.float32)
        if counted is not None and counted.ndim != 1:
            raise ValueError(f"weights: the shape is {counted.shape}; give one number a bit")
        asked: dict[str, Any] = {"queries": None}
        if expected:
            asked["probabilities"] = self._probabilities(queries)
        else:
            asked["queries"] = _arrays.packed("queries", queries)
        some = None if among is None else self._numbers(among, "among", known=False)
        distances, numbers, offsets = self._native.search(
            k=int(k or 0), radius=radius, n_threads=threads("n_threads", n_threads), weights=counted, among=some, **asked
        )
        whole = distances if expected or counted is not None else distances.astype(np.int32)
        if radius is not None:
            return _rows(whole, offsets), _rows(self._known_by(numbers), offsets)
        n_queries = len(offsets) - 1
        shape = (n_queries, len(numbers) // max(n_queries, 1))
        return whole.reshape(shape), self._known_by(numbers.reshape(shape))

    def _probabilities(self, queries: ArrayLike) -> NDArray[np.float32]:
        rows = np.ascontiguousarray(queries, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.n_bits:
            raise ValueError(f"queries: the shape is {rows.shape}; give a probability for each of {self.n_bits} bits")
        return rows

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
        """Open a `.sibx` file; it is searched in place.

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


def _rows(values: NDArray[Any], offsets: NDArray[np.uint64]) -> NDArray[Any]:
    """Rows of different lengths as an array of arrays."""
    rows = np.empty(len(offsets) - 1, dtype=object)
    for at in range(len(rows)):
        rows[at] = values[int(offsets[at]) : int(offsets[at + 1])]
    return rows


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

    def __repr__(self) -> str:
        return f"<CodeIndex of {len(self)} codes of {self.hamming.n_bits} bits by {type(self._estimator).__name__}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the codes to a `.sibx` file, which the command reads too; it knows which model made them.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from sibp import LSH, CodeIndex
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> model = LSH(n_bits=16, random_state=0).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.index(X).save(f"{folder}/codes.sibx")
        ...     CodeIndex.load(f"{folder}/codes.sibx", model)
        <CodeIndex of 50 codes of 16 bits by LSH>
        """
        self.hamming.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], estimator: CodeEstimator) -> CodeIndex:
        """Open a `.sibx` file, to be asked by inputs; codes of another model are refused.

        Parameters
        ----------
        path : str or path
        estimator : a fitted model or hash
            What made the codes.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from sibp import LSH, CodeIndex
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> model = LSH(n_bits=16, random_state=0).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.index(X).save(f"{folder}/codes.sibx")
        ...     CodeIndex.load(f"{folder}/codes.sibx", LSH(n_bits=16, random_state=1).fit(X))
        Traceback (most recent call last):
        ValueError: estimator: it is another one than made the codes: their bits mean different things
        """
        hamming = HammingIndex.load(path)
        if hamming.n_bits != estimator.n_bits_:
            raise ValueError(f"estimator: it makes codes of {estimator.n_bits_} bits, the index has {hamming.n_bits}")
        if hamming.encoder is not None and hamming.encoder != estimator._fingerprint():
            raise ValueError("estimator: it is another one than made the codes: their bits mean different things")
        return cls(estimator, hamming)

    def kneighbors(
        self,
        X: ArrayLike,
        n_neighbors: int = 15,
        return_distance: bool = True,
        *,
        expected: bool = False,
        among: ArrayLike | None = None,
        **given: ArrayLike | None,
    ) -> Any:
        """Find the nearest stored objects of every row of X.

        Parameters
        ----------
        X : array, shape (n_queries, n_inputs)
        n_neighbors : int
        return_distance : bool
        expected : bool
            Compare the probabilities of an object's bits instead of the bits, by the model's weights (probit models
            only).
        among : array of ids, optional
            Look only at these.
        given_bits : array of 0 and 1, shape (n_queries, n_given_bits), optional
            For a model that was fitted with given bits.

        Returns
        -------
        distances : array of int32 (float32 with expected), shape (n_queries, n_neighbors), if return_distance
        ids : array, same shape
            Rows of the X that the index was made from, or the ids that it was given.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> index = LSH(n_bits=16, random_state=0).fit(X).index(X)
        >>> index.kneighbors(X[:3], n_neighbors=2, return_distance=False).shape
        (3, 2)
        """
        distances, ids = self._search(X, expected, given, k=n_neighbors, among=among)
        return (distances, ids) if return_distance else ids

    def radius_neighbors(
        self,
        X: ArrayLike,
        radius: float,
        return_distance: bool = True,
        *,
        expected: bool = False,
        among: ArrayLike | None = None,
        **given: ArrayLike | None,
    ) -> Any:
        """Find all stored objects within a distance of every row of X.

        Parameters
        ----------
        X : array, shape (n_queries, n_inputs)
        radius : float
        return_distance : bool
        expected, among, given_bits
            As in `kneighbors`.

        Returns
        -------
        distances : array of arrays, shape (n_queries,), if return_distance
        ids : array of arrays, same shape
            Nearest first.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> index = LSH(n_bits=16, random_state=0).fit(X).index(X)
        >>> [len(ids) for ids in index.radius_neighbors(X[:2], 16, return_distance=False)]
        [50, 50]
        """
        distances, ids = self._search(X, expected, given, radius=radius, among=among)
        return (distances, ids) if return_distance else ids

    def _search(
        self, X: ArrayLike, expected: bool, given: dict[str, ArrayLike | None], **how: Any
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        if not expected:
            return self.hamming.search(self._estimator.packed(X, **given), n_threads=self._estimator.n_jobs, **how)
        rows, weights = self._estimator._expected(X, **given)
        return self.hamming.search(rows, n_threads=self._estimator.n_jobs, weights=weights, expected=True, **how)

"""Reads judgements: triplets, who gave each of them, and objects of which nothing but their names is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sibp import _arrays

# Rows up to the largest number that are taken without a look at how many of them are mentioned.
PLAUSIBLE_ROWS = 1_000_000


class Judged(NamedTuple):
    """Triplets over the rows of the objects."""

    rows: NDArray[np.int64]
    # Who gave each triplet.
    judges: list[Any] | None
    # What triplets call the objects.
    ids: Sequence[Any] | None

    def among(self, kept: NDArray[np.bool_]) -> Judged:
        """The judgements about the objects that are kept, which are numbered anew."""
        _arrays.check_rows(self.rows, len(kept))
        whole = np.asarray(kept[self.rows].all(axis=1))
        if not whole.any():
            raise ValueError('triplets: each mentions an object that lacks a value and is left out; try missing="mean"')
        rows = (np.cumsum(kept) - 1)[self.rows[whole]].astype(np.int64)
        judges = self.judges and [judge for judge, is_whole in zip(self.judges, whole, strict=True) if is_whole]
        ids = None if self.ids is None else [name for name, is_kept in zip(self.ids, kept, strict=True) if is_kept]
        return Judged(rows, judges, ids)


def read(X: Any, triplets: Any, judges: Any, ids: ArrayLike | None) -> Judged | None:
    """Judgements about the rows of X, or about objects without inputs; none without triplets."""
    if triplets is None:
        if X is None:
            raise ValueError("X: inputs are needed; objects without them need triplets")
        if judges is not None:
            raise ValueError("judges: they are who gave the triplets; give triplets too")
        _arrays.ids_of(X, ids)
        return None
    known = _arrays.ids_of(X, ids)
    if X is None and known is None:
        known = _arrays.mentioned(triplets)
    rows = _arrays.triplets(triplets, known)
    if not len(rows):
        raise ValueError("triplets: there are none; the model learns from them")
    if X is None and known is None:
        _check_numbers(rows)
    elif X is None and known is not None:
        _arrays.check_rows(rows, len(known))
    return Judged(rows, _judges(triplets, judges, len(rows)), known)


def texts(names: Sequence[Any], argument: str) -> dict[Any, str]:
    """The text of each name for the model file, in the order of first appearance."""
    found = {name: str(name) for name in dict.fromkeys(names)}
    first: dict[str, Any] = {}
    for name, text in found.items():
        if first.setdefault(text, name) is not name:
            raise TypeError(f"{argument}: {first[text]!r} and {name!r} cannot be told apart in a file; give one type")
    return found


def are_names(parts: Sequence[Any]) -> bool:
    """Whether all parts of a question are names or row numbers of objects rather than their inputs."""
    return all(np.ndim(part) == 0 or _is_text(part) for part in parts)


def _is_text(part: Any) -> bool:
    array = np.asarray(part)
    return array.dtype.kind in "UST" or (array.dtype.kind == "O" and any(isinstance(name, str) for name in array.flat))


def _check_numbers(rows: NDArray[np.int64]) -> None:
    """Refuses numbers that can hardly be rows, such as the keys of a database."""
    n_rows, n_mentioned = int(rows.max()) + 1, len(np.unique(rows))
    if n_rows > PLAUSIBLE_ROWS and n_mentioned < n_rows // 2:
        text = f"whole numbers are rows, but of {n_rows} rows only {n_mentioned} are mentioned; give ids as text"
        raise ValueError(f"triplets: {text}")


def _judges(triplets: Any, judges: Any, n_triplets: int) -> list[Any] | None:
    if judges is None:
        columns = {str(name).lower(): name for name in getattr(triplets, "columns", ())}
        if "judge" not in columns:
            return None
        judges = triplets[columns["judge"]]
    if isinstance(judges, str) or not hasattr(judges, "__iter__"):
        raise TypeError(f"judges: {judges!r} is no list of names; give one for each triplet")
    names = judges.tolist() if isinstance(judges, np.ndarray) else list(judges)
    if len(names) != n_triplets:
        raise ValueError(f"judges: {len(names)} names for {n_triplets} triplets; give one each")
    for at, name in enumerate(names):
        if name is None or name != name:
            raise ValueError(f"judges: triplet {at} has none; give one for each triplet, or none at all")
        try:
            hash(name)
        except TypeError:
            raise TypeError(f"judges: triplet {at}: {name!r} is no name") from None
    return names

"""Turns packed codes into the bit strings of PostgreSQL, and ids into its columns; bit 0 comes first in both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sibp import _arrays


def packed(argument: str, codes: ArrayLike, bits: int) -> NDArray[np.uint8]:
    """Packed codes of so many bits; what fills up the last byte must be 0."""
    rows = _arrays.packed(argument, codes)
    width = -(-bits // 8)
    if rows.shape[1] != width:
        raise ValueError(f"{argument}: rows have {rows.shape[1]} bytes; codes of {bits} bits have {width}")
    filling = np.uint8((1 << (8 * width - bits)) - 1)
    if len(wrong := np.flatnonzero(rows[:, -1] & filling)):
        raise ValueError(f"{argument}: row {wrong[0]} has bits beyond {bits}; those that fill up the last byte must be 0")
    return rows


def texts(rows: NDArray[np.uint8], bits: int) -> list[str]:
    """Codes as texts of 0 and 1."""
    digits = np.ascontiguousarray(np.unpackbits(rows, axis=1, count=bits) + np.uint8(ord("0")))
    return [text.decode() for text in digits.view(f"S{bits}").ravel().tolist()]


def ids(values: ArrayLike, kind: str, n_codes: int) -> NDArray[np.int64] | list[str]:
    """Distinct ids of the collection's kind, one a code."""
    names = _arrays.texts("ids", values)
    found: NDArray[np.int64] | list[str]
    if kind == "text":
        if names is None and np.size(np.asarray(values)):
            raise TypeError("ids: the collection's ids are texts, and these are numbers")
        found = names or []
        repeated = _first_repeated(found)
    else:
        if names is not None:
            raise TypeError("ids: the collection's ids are numbers, and these are texts")
        found = _bigints(values)
        repeated = _first_repeated(found.tolist()) if len(np.unique(found)) < len(found) else None
    if len(found) != n_codes:
        raise ValueError(f"ids: {len(found)} ids for {n_codes} codes")
    if repeated is not None:
        raise ValueError(f"ids: {repeated!r} stands there twice; ids must be unique")
    return found


def _bigints(values: ArrayLike) -> NDArray[np.int64]:
    numbers = _arrays.id_numbers("ids", values)
    if numbers.size and numbers.max() > np.iinfo(np.int64).max:
        raise ValueError(f"ids: {int(numbers.max())} is too large for bigint; make the collection with ids='text'")
    return numbers.astype(np.int64)


def _first_repeated(values: list[Any]) -> Any:
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None

"""Checks arrays and turns them into what the native part reads; mistakes are named by argument."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def bits(argument: str, values: ArrayLike) -> NDArray[np.uint8]:
    """A 0/1 matrix as bytes: booleans, integers or floats that are 0 or 1."""
    array = _plain(argument, values)
    if array.ndim != 2:
        raise ValueError(f"{argument}: the shape is {array.shape}; give one row an object, one column a bit")
    if array.dtype.kind not in "buif":
        raise TypeError(f"{argument}: the dtype is {array.dtype}; give 0 and 1")
    if array.dtype != np.uint8:
        wrong = np.argwhere(~((array == 0) | (array == 1)))
        if len(wrong):
            row, column = (int(at) for at in wrong[0])
            value = array[row, column].item()
            raise ValueError(f"{argument}: row {row}, column {column}: {value} is no bit; give 0 or 1")
    return np.ascontiguousarray(array, dtype=np.uint8)


def packed(argument: str, values: ArrayLike) -> NDArray[np.uint8]:
    """Packed codes: rows of uint8 as numpy's packbits makes them."""
    array = _plain(argument, values)
    if array.dtype != np.uint8:
        raise TypeError(f"{argument}: the dtype is {array.dtype}; packed codes are uint8, as numpy.packbits makes them")
    if array.ndim != 2:
        raise ValueError(f"{argument}: the shape is {array.shape}; give one row a code")
    return np.ascontiguousarray(array)


def whole_numbers(argument: str, values: ArrayLike, ndim: int) -> NDArray[np.int64]:
    """Whole numbers of any integer dtype as int64."""
    array = _plain(argument, values)
    if array.ndim != ndim:
        raise ValueError(f"{argument}: the shape is {array.shape}; {ndim} dimension(s) are needed")
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{argument}: the dtype is {array.dtype}; give whole numbers")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{argument}: {int(array.max())} is too large")
    return np.ascontiguousarray(array, dtype=np.int64)


def triplets(values: ArrayLike) -> NDArray[np.int64]:
    """Rows (anchor, near, far) of row numbers."""
    array = whole_numbers("triplets", values, 2)
    if array.shape[1] != 3:
        raise ValueError(f"triplets: the shape is {array.shape}; give three columns: anchor, near, far")
    return array


def _plain(argument: str, values: ArrayLike) -> NDArray[Any]:
    if values is None:
        raise TypeError(f"{argument}: an array is needed, not None")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{argument}: this is no array: {error}") from None

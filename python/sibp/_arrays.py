"""Checks arrays and turns them into what the native part reads; mistakes are named by argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

ROLES = ("anchor", "near", "far")


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


def texts(argument: str, values: ArrayLike) -> list[str] | None:
    """Ids that are texts; none where they are numbers."""
    array = _plain(argument, values)
    if array.dtype.kind not in "OUT" or not array.size or all(_is_whole(value) for value in array.flat):
        return None
    if array.ndim != 1:
        raise ValueError(f"{argument}: the shape is {array.shape}; 1 dimension(s) are needed")
    found: list[Any] = array.tolist()
    for row, value in enumerate(found):
        if not isinstance(value, str):
            raise TypeError(f"{argument}: row {row}: {value!r} is no text; give texts or whole numbers")
    return found


def id_numbers(argument: str, values: ArrayLike) -> NDArray[np.uint64]:
    """Ids that are numbers from 0 to 2**64 - 1."""
    # numpy makes floats of lists of numbers beyond 2**63.
    is_list = isinstance(values, (list, tuple))
    array = np.array(values, dtype=object) if is_list else _plain(argument, values)
    if array.ndim != 1:
        raise ValueError(f"{argument}: the shape is {array.shape}; 1 dimension(s) are needed")
    if array.dtype.kind not in "iu" and array.size and not all(_is_whole(value) for value in array.flat):
        raise TypeError(f"{argument}: the dtype is {array.dtype}; give whole numbers or texts")
    for limit in (array.min(), array.max()) if array.size else ():
        if not 0 <= int(limit) < 2**64:
            raise ValueError(f"{argument}: {int(limit)} is {'negative' if limit < 0 else 'too large'}")
    return np.ascontiguousarray(array, dtype=np.uint64)


def triplets(values: ArrayLike, ids: Sequence[Any] | None = None) -> NDArray[np.int64]:
    """Rows (anchor, near, far) of row numbers; whatever is no number is looked up among the ids."""
    array = _triples(values)
    if _holds_ids(array):
        return _rows_of(array, ids)
    return whole_numbers("triplets", array, 2)


def mentioned(values: ArrayLike) -> list[Any] | None:
    """What triplets call their objects, in the order of first appearance; none where they hold row numbers."""
    array = _triples(values)
    if not _holds_ids(array):
        return None
    seen: dict[Any, None] = {}
    for row, members in enumerate(array.tolist()):
        for role, member in enumerate(members):
            if member is None or member != member:
                raise ValueError(f"triplets: row {row}: {ROLES[role]} is missing")
            try:
                seen[member] = None
            except TypeError:  # A list, say, is nobody's id.
                raise ValueError(f"triplets: row {row}: {ROLES[role]} is {member!r}, which is no id") from None
    return list(seen)


def check_rows(rows: NDArray[np.int64], n_objects: int) -> None:
    """Refuses row numbers that are none of the objects."""
    wrong = np.argwhere((rows < 0) | (rows >= n_objects))
    if len(wrong):
        row, role = (int(at) for at in wrong[0])
        raise ValueError(f"triplets: row {row}: {ROLES[role]} is object {rows[row, role]}, but there are {n_objects}")


def ids_of(X: Any, ids: ArrayLike | None) -> Sequence[Any] | None:
    """The ids of the objects of X, if there is X: those given, or the index of a DataFrame; none for other arrays."""
    if ids is None:
        return X.index if hasattr(X, "iloc") else None
    array = _plain("ids", ids)
    if array.ndim != 1:
        raise ValueError(f"ids: the shape is {array.shape}; give one id an object")
    if X is not None and len(array) != len(X):
        raise ValueError(f"ids: {len(array)} ids for {len(X)} objects")
    known: list[Any] = array.tolist()
    _numbered(known)
    return known


def row_of(argument: str, name: Any, ids: Sequence[Any] | None, n_objects: int) -> int:
    """The row of one object: a whole number is one already, anything else is an id."""
    if _is_whole(name):
        if not 0 <= name < n_objects:
            raise ValueError(f"{argument}: there is no row {name}; rows are 0 to {n_objects - 1}")
        return int(name)
    if ids is None:
        raise ValueError(f"{argument}: {name!r} is no row number; give ids, or X as a DataFrame with them as its index")
    known = _numbered(ids)
    if name not in known:
        raise ValueError(f"{argument}: there is no object with the id {name!r}")
    return known[name]


def _triples(values: ArrayLike) -> NDArray[Any]:
    """Triplets as an array of whole numbers or of ids."""
    array = _plain("triplets", _roles(values))
    if array.ndim == 2 and array.shape[1] != 3:
        raise ValueError(f"triplets: the shape is {array.shape}; give three columns: anchor, near, far")
    if array.dtype.kind == "O" and array.size and all(_is_whole(value) for value in array.flat):
        return array.astype(np.int64)
    return array


def _holds_ids(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "OUST" and array.ndim == 2


def _roles(values: Any) -> Any:
    """The columns anchor, near and far of a DataFrame that names them, else the values as they are."""
    names = {str(name).lower(): name for name in getattr(values, "columns", ())}
    if not {"anchor", "near", "far"} <= names.keys():
        return values
    return np.column_stack([np.asarray(values[names[role]]) for role in ROLES])


def _rows_of(array: NDArray[Any], ids: Sequence[Any] | None) -> NDArray[np.int64]:
    if ids is None:
        text = "objects are named by ids that nothing explains; give ids, or X as a DataFrame with them as its index"
        raise ValueError(f"triplets: {text}")
    row_of = _numbered(ids)
    rows = np.empty(array.shape, dtype=np.int64)
    for row, members in enumerate(array.tolist()):
        for role, member in enumerate(members):
            try:
                rows[row, role] = row_of[member]
            except (KeyError, TypeError):  # TypeError: a list, say, is nobody's id.
                raise ValueError(f"triplets: row {row}: {ROLES[role]} is {member!r}, which is no id") from None
    return rows


def _numbered(ids: Sequence[Any]) -> dict[Any, int]:
    row_of: dict[Any, int] = {}
    for row, known in enumerate(ids):
        first = row_of.setdefault(known, row)
        if first != row:
            raise ValueError(f"ids: {known!r} stands in row {first} and again in row {row}; ids must be unique")
    return row_of


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _plain(argument: str, values: ArrayLike) -> NDArray[Any]:
    if values is None:
        raise TypeError(f"{argument}: an array is needed, not None")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{argument}: this is no array: {error}") from None

"""What is done about missing values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sibp import _judgements, _sibp

# A rule, and what stands for a missing value of each column; nothing where objects are left out.
Filling = tuple[str, list[float]]


def settled(
    rule: str,
    inputs: NDArray[np.float64],
    y: ArrayLike | None,
    judged: _judgements.Judged | None,
    given_bits: ArrayLike | None,
) -> tuple[NDArray[np.float64], ArrayLike | None, _judgements.Judged | None, ArrayLike | None, Filling]:
    """The data of a fit without missing values, and what is to be done about those of later objects."""
    if rule == "drop":
        return *_left(inputs, y, judged, given_bits), (rule, [])
    filling = (rule, _sibp.filling_values(inputs, rule))
    return filled(inputs, filling[1]), y, judged, given_bits, filling


def filled(inputs: NDArray[np.float64], values: Sequence[float]) -> NDArray[np.float64]:
    """Inputs with a number for each column where NaN was; the array itself where there is none."""
    missing = np.isnan(inputs)
    return np.where(missing, np.asarray(values), inputs) if missing.any() else inputs


def _left(
    inputs: NDArray[np.float64],
    y: ArrayLike | None,
    judged: _judgements.Judged | None,
    given_bits: ArrayLike | None,
) -> tuple[NDArray[np.float64], ArrayLike | None, _judgements.Judged | None, ArrayLike | None]:
    """What is left without the objects that lack a value."""
    kept = np.asarray(~np.isnan(inputs).any(axis=1))
    if not kept.any():
        raise ValueError('X: every row lacks a value, so that missing="drop" leaves none; try "mean"')
    if y is not None and len(np.asarray(y)) == len(kept):
        y = np.asarray(y)[kept]
    if given_bits is not None and len(np.asarray(given_bits)) == len(kept):
        given_bits = np.asarray(given_bits)[kept]
    return inputs[kept], y, None if judged is None else judged.among(kept), given_bits

"""Checks the parameters of estimators when they are used, as scikit-learn asks; mistakes are named by parameter."""

from __future__ import annotations

import os
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np


def choice(name: str, value: Any, allowed: Collection[str], *, optional: bool = False) -> None:
    """One of a few words."""
    if optional and value is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{name}: {value!r} is no text; choose among {', '.join(allowed)}")
    if value not in allowed:
        raise ValueError(f"{name}: {value!r} is unknown; choose among {', '.join(allowed)}")


def count(name: str, value: Any, *, optional: bool = False, least: int = 1) -> None:
    """A whole number of at least 1, or of another least value."""
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: {value!r} is no whole number")
    if value < least:
        raise ValueError(f"{name}: {value} is less than {least}")


def threads(name: str, value: Any) -> int:
    """Threads as scikit-learn counts them: None and -1 for all cores, -2 for all but one; 0 is the library's word for all."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: {value!r} is no whole number")
    if value == 0:
        raise ValueError(f"{name}: 0 threads cannot work; give None or -1 for all cores")
    asked = int(value)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return asked if asked > 0 else 0 if asked == -1 else max(1, cores + 1 + asked)


def text(name: str, value: Any) -> None:
    """A text or None; the library reads it."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}: {value!r} is no text")


def number(name: str, value: Any) -> float | None:
    """A finite number or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: {value!r} is no number")
    if not np.isfinite(float(value)):
        raise ValueError(f"{name}: {value} is not finite")
    return float(value)


def number_or_prior(name: str, value: Any, prior: str) -> float | tuple[float, float] | None:
    """A number for a fixed value, two numbers for a prior."""
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise ValueError(f"{name}: {value!r} does not hold the two numbers of a {prior} prior")
        first, second = (number(name, part) for part in value)
        if first is None or second is None:
            raise TypeError(f"{name}: {value!r} does not hold two numbers")
        return first, second
    return number(name, value)


def seed(random_state: Any) -> int:
    """A seed: a whole number as it is, as the command's --seed; anything else draws one."""
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise ValueError(f"random_state: {random_state!r} is no seed; give a whole number, a RandomState or None")
    if not 0 <= int(random_state) < 2**64:
        raise ValueError(f"random_state: {random_state} is not between 0 and 2**64 - 1")
    return int(random_state)

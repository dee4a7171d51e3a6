"""Runs the chains of a fit apart, on workers of joblib or anywhere, and merges them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import joblib
import numpy as np
from joblib import parallel
from numpy.typing import ArrayLike, NDArray

from sibp import _missing, _sibp

# Backends that share this process: there the native part's own threads are better.
_WITHIN = ("SequentialBackend", "ThreadingBackend")


def are_hosted() -> bool:
    """Whether somebody chose a backend of joblib whose workers are other processes."""
    config = getattr(getattr(parallel, "_backend", None), "config", {})
    chosen = config.get("backend")
    if chosen is None or chosen is parallel.default_parallel_config["backend"]:
        return False
    return not any(kind.__name__ in _WITHIN for kind in type(chosen).__mro__)


def fit(
    inputs: NDArray[np.float64] | None, options: dict[str, Any], given: dict[str, Any], threads: int, verbose: int
) -> tuple[_sibp.Model, list[str]]:
    """The model of all chains, each run by a worker; and what the first one warns of."""

    def run(chains: range) -> list[tuple[_sibp.Model, list[str]]]:
        work = [joblib.delayed(_part)(inputs, options, given, chain) for chain in chains]
        found = joblib.Parallel(verbose=max(0, verbose))(work)
        return [(_sibp.Model.from_bytes(part), words) for part, words in found]

    n_likely = options["chains"] or _sibp.chains_of(options["effort"], given["triplets"] is not None)
    found = run(range(1, n_likely + 1))
    # Where nobody set their number, a fit may choose more chains when it sees the data.
    _, n_chains = found[0][0].part or (1, n_likely)
    if n_chains > n_likely:
        found += run(range(n_likely + 1, n_chains + 1))
    parts = [(f"chain {chain}", part) for chain, (part, _) in enumerate(found, 1)]
    return _sibp.Model.merge(parts, x=inputs, threads=threads), found[0][1]


def _part(
    inputs: NDArray[np.float64] | None, options: dict[str, Any], given: dict[str, Any], chain: int
) -> tuple[bytes, list[str]]:
    """One chain, on one thread, as workers should."""
    if inputs is not None:
        # Workers may get a mapped file that nobody may write to.
        inputs = np.ascontiguousarray(inputs)
    part, _, words = _sibp.Model.fit(inputs, options, **given, chain=chain, threads=1)
    return part.to_bytes(), words


def merge(parts: Sequence[Any], X: ArrayLike | None = None, *, n_jobs: int | None = None) -> Any:
    """Merge chains that were run separately into one model, as `sibp merge` does.

    Parameters
    ----------
    parts : list of bytes, or of str or path
        What `fit_chain` gave, or the files of `sibp fit --chain`: all chains of one fit, in any order.
    X : array, shape (n_objects, n_inputs), optional
        The inputs of the fit, which are needed where one code is to stand for all chains: with `distil` or `max_bits`,
        and by default when learning from triplets or from the labels of few objects.
    n_jobs : int or None
        Threads; None for all cores.

    Returns
    -------
    estimator
        Fitted, as `load` gives it; saved, it has the bytes of one run of all chains.

    Examples
    --------
    >>> import numpy as np, sibp
    >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
    >>> model = sibp.IBP(sweeps=10, chains=3, random_state=0)
    >>> parts = [model.fit_chain(chain, X) for chain in (3, 1, 2)]
    >>> sibp.merge(parts).chains
    3
    """
    from sibp import _files, _params

    if isinstance(parts, (bytes, str)) or not isinstance(parts, Sequence):
        raise TypeError("parts: give a list of bytes or of files")
    named = [_named(place, part) for place, part in enumerate(parts)]
    inputs = None if X is None else np.ascontiguousarray(X, dtype=np.float64)
    if inputs is not None and named and (filling := named[0][1].filling) is not None:
        rule, values = filling
        inputs = inputs[~np.isnan(inputs).any(axis=1)] if rule == "drop" else _missing.filled(inputs, values)
    return _files._model(_sibp.Model.merge(named, x=inputs, threads=_params.threads("n_jobs", n_jobs)))


def _named(place: int, part: Any) -> tuple[str, _sibp.Model]:
    if isinstance(part, (bytes, bytearray, memoryview)):
        model = _sibp.Model.from_bytes(bytes(part))
        return f"part {place}" if model.part is None else f"part {place} (chain {model.part[0]})", model
    if isinstance(part, (str, PathLike)):
        return fspath(part), _sibp.Model.load(part)
    raise TypeError(f"parts: part {place} is {type(part).__name__}; give bytes or a file")

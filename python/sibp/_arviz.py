"""Hands draws to ArviZ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sibp import _sibp

if TYPE_CHECKING:
    import arviz


def to_arviz(model: _sibp.Model, X: ArrayLike | None) -> arviz.InferenceData:
    """Traces of the last half of the sweeps that all chains have done, with what was observed."""
    try:
        import arviz
    except ImportError:
        raise ImportError("to_arviz needs ArviZ: pip install 'sibp[arviz]'") from None
    traces = model.traces()
    n_sweeps = min(len(trace["log_joint"]) for trace in traces)
    late = slice(n_sweeps // 2, n_sweeps)
    columns = {name: np.stack([trace[name][late] for trace in traces]) for name in traces[0]}
    statistics = {"lp": columns.pop("log_joint")}
    statistics |= {name: columns.pop(name) for name in ("log_likelihood", "satisfied")}
    # A number that is fixed is no parameter; without triplets there is none to satisfy.
    posterior = {name: column for name, column in columns.items() if name == "n_bits" or np.ptp(column) > 0}
    settings = json.loads(model.settings)
    if settings["triplets"]["from"] == "none":
        del statistics["satisfied"]
    observed: dict[str, Any] = {}
    dims: dict[str, list[str]] = {}
    named = model.labels
    if named is not None:
        observed["label"] = named[1].astype(np.int64)
        dims["label"] = ["object"]
    if X is not None:
        inputs = np.asarray(X, dtype=np.float64)
        expected = (settings["n_objects"], settings["n_inputs"])
        if inputs.shape != expected:
            raise ValueError(f"X: the shape is {inputs.shape}, but the model was fitted to {expected}")
        observed["inputs"] = inputs
        dims["inputs"] = ["object", "input"]
    data: arviz.InferenceData = arviz.from_dict(
        posterior=posterior, sample_stats=statistics, observed_data=observed or None, dims=dims
    )
    return data

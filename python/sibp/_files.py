"""Loads models and hashes from files that Python or the command wrote."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sibp import _extended, _hashes, _models, _sibp
from sibp._base import CodeEstimator
from sibp._sampled import SampledModel

_MODELS: dict[str, type[SampledModel]] = {
    model._kind: model for model in (_models.SuperProbitIBP, _models.SuperGaussianIBP, _models.IBP, _models.DDIBP)
}
_HASHES: dict[str, type[_hashes.HashEstimator]] = {
    hash._method: hash
    for hash in (
        _hashes.SpectralHashing,
        _hashes.ITQ,
        _hashes.LSH,
        _hashes.AttributeHash,
        _hashes.SDH,
        _hashes.HCSDH,
    )
}
# The numbers of each decay, in the order of the command's --decay.
_DECAYS = {"exponential": ("rate",), "window": ("width",), "logistic": ("centre", "scale")}


def load(path: str | PathLike[str]) -> Any:
    """Load a model (`.sibp`) or a hash (`.sibh`), written by `save` or by the command.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    estimator
        Fitted, with the parameters that the file tells. Labels come back as whole numbers where all of them are,
        else as text; pickles keep them as they were.

    Examples
    --------
    >>> import tempfile, numpy as np, sibp
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sibp.LSH(n_bits=8, random_state=0).fit(X).save(f"{folder}/h.sibh")
    ...     sibp.load(f"{folder}/h.sibh").n_bits_
    8
    """
    try:
        return _model(_sibp.Model.load(path))
    except ValueError as error:
        try:
            return _hash(_sibp.Hash.load(path))
        except ValueError:
            raise error from None


def _model(model: _sibp.Model) -> CodeEstimator:
    settings = json.loads(model.settings)
    run, kind = settings["run"], settings["model"]["kind"]
    if kind not in _MODELS:
        raise ValueError(f"the model {kind!r} has no estimator; use the command sibp")
    estimator = _MODELS[kind](
        sweeps=run["sweeps"],
        chains=run["chains"],
        draws=run["draws"],
        input_transform=settings["input_transform"],
        start=_start(settings["model"]["start"]),
        schedule=settings["schedule"],
        random_state=run["seed"],
    )
    if settings["distances"]:
        estimator.set_params(distance=settings["model"]["distance"], decay=_decay(settings["model"]["decay"]))
    if settings["supervised"]:
        estimator.set_params(**_supervised(settings), distil=_distil(settings, model.finished))
    named = model.labels
    judges = None if model.judges is None else _classes(model.judges).tolist()
    estimator._adopt(model, None if named is None else _classes(named[0]), model.ids, judges)
    estimator.n_features_in_ = settings["n_inputs"]
    if settings["input_names"] is not None:
        estimator.feature_names_in_ = np.array(settings["input_names"], dtype=object)
    return estimator


def _supervised(settings: dict[str, Any]) -> dict[str, Any]:
    preference = settings["model"]["preference"]
    found = {
        "pseudo_weight": preference["pseudo_weight"],
        "lapse": _number_or_prior(preference["lapse"], ("a", "b")),
        "weights": _number_or_prior(preference["weights"], ("shape", "rate")),
        "link": _link(preference.get("link", "ratio")),
    }
    if settings["triplets"]["from"] == "labels":
        options = settings["triplets"]["options"]
        far = "impostor" if options["far"] == "nearest-impostor" else options["far"]
        found |= {"scheme": options["scheme"], "per_object": options["per_object"], "near": options["near"], "far": far}
    return found


def _number_or_prior(value: dict[str, Any], names: tuple[str, str]) -> float | tuple[float, float]:
    if "fixed" in value:
        return float(value["fixed"])
    (prior,) = value.values()
    return float(prior[names[0]]), float(prior[names[1]])


def _link(link: str | dict[str, dict[str, float]]) -> str:
    if isinstance(link, str):
        return link
    (slope,) = link.values()
    return f"logistic:{slope['fixed']!r}" if "fixed" in slope else "logistic"


def _distil(settings: dict[str, Any], finished: bool) -> int | None:
    """The bits of the distilled code; 0 where triplets taught and none was made, none where none was due."""
    due = finished and settings["triplets"]["from"] == "given"
    return settings["distilled"] or (0 if due else None)


def _decay(decay: dict[str, dict[str, float]]) -> str:
    ((name, numbers),) = decay.items()
    return f"{name}:{','.join(repr(numbers[part]) for part in _DECAYS[name])}"


def _start(start: str | dict[str, int]) -> str:
    if isinstance(start, str):
        return start
    ((name, n_bits),) = start.items()
    return f"{name}:{n_bits}"


def _classes(names: list[str]) -> NDArray[Any]:
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    return np.array(numbers) if [str(number) for number in numbers] == names else np.array(names)


def _hash(hash: _sibp.Hash) -> CodeEstimator:
    ((method, input_transform, n_bits), *more) = hash.blocks
    if more or method not in _HASHES:
        return _extended.ExtendedCodes._of(hash, None)
    estimator = _HASHES[method](input_transform=input_transform)
    if method != "attributes":
        estimator.set_params(n_bits=n_bits)
    estimator.hash_ = hash
    estimator.n_features_in_ = hash.n_inputs
    if hash.input_names is not None:
        estimator.feature_names_in_ = np.array(hash.input_names, dtype=object)
    return estimator

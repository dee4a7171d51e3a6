"""Lists the parameters and attributes of all estimators once, and writes their documentation from it.

scikit-learn reads parameters from the signatures of constructors, and type checkers do too, so these are spelled out;
a test holds them equal to this table.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

SUPERVISED = ("SuperProbitIBP", "SuperGaussianIBP")
MODELS = (*SUPERVISED, "IBP", "DDIBP")
HASHES = ("SpectralHashing", "ITQ", "LSH", "AttributeHash", "SDH", "HCSDH")
ALL = (*MODELS, *HASHES)
TRIPLETS = (*SUPERVISED, "triplets_from_labels")

PRESETS = ("hash", "paper", "judgements", "open")
EFFORTS = ("quick", "normal", "best")
DISTANCES = ("input", "output")
SCHEMES = ("paired", "product")
NEAR = ("random", "nearest")
FAR = ("random", "impostor")
MISSING = ("mean", "median", "drop")
CODES = ("suited", "distil", "map", "last", "concatenate")
# The default of a model's encoders comes first.
PROBIT_ENCODERS: tuple[str, ...] = ("refit", "drawn")
GAUSSIAN_ENCODERS: tuple[str, ...] = ("best-code", "ridge", "least-squares", "gibbs")
LINKED_ENCODERS: tuple[str, ...] = ("links", *GAUSSIAN_ENCODERS)

RANDOM_STATE = "int, RandomState, Generator or None"


class Parameter(NamedTuple):
    """A parameter that some estimators have in common."""

    name: str
    kind: str
    default: Any
    of: tuple[str, ...]
    text: str

    def entry(self) -> str:
        """Its entry in a docstring."""
        words = json.dumps(self.default) if isinstance(self.default, str) else str(self.default)
        default = "" if self.default is None else f", default={words}"
        return _entry(self.name, self.kind + default, self.text)


class Attribute(NamedTuple):
    """An attribute that some estimators have after `fit`."""

    name: str
    kind: str
    of: tuple[str, ...]
    text: str

    def entry(self) -> str:
        """Its entry in a docstring."""
        return _entry(self.name, self.kind, self.text)


def _one_of(words: tuple[str, ...]) -> str:
    return "{" + ", ".join(json.dumps(word) for word in words) + "}"


# In the order of the constructors.
PARAMETERS = (
    Parameter(
        "preset",
        _one_of(PRESETS) + ", optional",
        None,
        SUPERVISED,
        "What the settings suit: codes for search, the exact likelihood of the paper, human answers, which contain "
        "errors, or codes that also serve classes not taught yet (64 bits unless `max_bits` is set, 40 of them "
        'unsupervised). By default "judgements" when learning from triplets, else "hash".',
    ),
    Parameter(
        "distance",
        _one_of(DISTANCES),
        "input",
        ("DDIBP",),
        "What distances are measured between: the transformed inputs, or the labels (0 within a class, 1 between), "
        "which `fit` then needs.",
    ),
    Parameter(
        "decay",
        "str",
        "exponential",
        ("DDIBP",),
        'How proximity falls with distance: "exponential:RATE", "window:WIDTH" or "logistic:CENTRE,SCALE", or the word '
        "alone for numbers that suit the data.",
    ),
    Parameter("n_bits", "int", 32, ("SpectralHashing",), "Bits of a code."),
    Parameter("n_bits", "int, optional", None, ("ITQ",), "At most one bit per input, which is the default."),
    Parameter("n_bits", "int", 64, ("LSH", "SDH", "HCSDH"), "Bits of a code."),
    Parameter(
        "effort",
        _one_of(EFFORTS),
        "normal",
        MODELS,
        "How much work a fit may do unless `chains` and `sweeps` are set: 1, 2 or 8 chains of at most 125, 500 or 2,000 "
        "sweeps; when learning from triplets, 4, 12 or 24 of at most 75, 150 or 600; from labels with similarity to anchors "
        "or many inputs, of 20, 20 or at most 80, and with at most 500 objects 1, 8 or 16.",
    ),
    Parameter(
        "sweeps",
        "int, optional",
        None,
        MODELS,
        "Sweeps of every chain. By default, supervised models stop when agreement with held-out triplets is flat; others, "
        "and all with a `time_limit`, do as many as the effort allows.",
    ),
    Parameter("chains", "int, optional", None, MODELS, "Number of chains, by default that of the effort."),
    Parameter(
        "draws",
        "int, optional",
        None,
        MODELS,
        "Draws that every chain keeps from its second half: 50 by default, 4 if the fit chose short chains.",
    ),
    Parameter(
        "input_transform",
        "str, optional",
        None,
        MODELS,
        "Transform of the inputs: none, centre, standardise, sqrt, scale, unit, single, pca:N, fourier:N, anchors:N, "
        "laplace:N, or several separated by commas. By default, probit takes the one that best predicts the classes of "
        'left-out objects, or that agrees best with triplets, and else "standardise,scale"; the others take "centre".',
    ),
    Parameter(
        "missing",
        _one_of(MISSING) + ", optional",
        None,
        MODELS,
        "What to do where X has NaN: use the mean or median of the column, also when objects are encoded; or the object "
        "is left out of the fit, with its label and all triplets about it. By default NaN is refused.",
    ),
    Parameter("input_transform", "str", "centre", HASHES, "Transform of the inputs, as for the models."),
    Parameter(
        "scheme",
        _one_of(SCHEMES),
        "paired",
        TRIPLETS,
        "Triplets from labels: join near and far objects one by one, or all with all.",
    ),
    Parameter("per_object", "int", 30, TRIPLETS, "Near and far objects for each object."),
    Parameter("near", _one_of(NEAR), "random", TRIPLETS, "Which objects of the same class are taken."),
    Parameter(
        "far",
        _one_of(FAR),
        "random",
        TRIPLETS,
        "Which objects of other classes are taken; impostors are the nearest of them.",
    ),
    Parameter(
        "start",
        "str, optional",
        None,
        MODELS,
        'Where chains start: "coins:BITS", "hyperplanes:BITS" or "prior"; for DDIBP "links:BITS" or "prior".',
    ),
    Parameter(
        "link",
        "str, optional",
        None,
        SUPERVISED,
        'How bits for and against a triplet become a probability: "ratio", "logistic" with a slope that is '
        'learned, or "logistic:SLOPE". By default that of the preset.',
    ),
    Parameter(
        "pseudo_weight",
        "float, optional",
        None,
        SUPERVISED,
        "Above 0, bits are rewarded for margin, not only for being right.",
    ),
    Parameter(
        "lapse",
        "float or (a, b), optional",
        None,
        SUPERVISED,
        "Lapse rate, or its Beta prior. With a prior and a logistic link, each judge has their own rate.",
    ),
    Parameter(
        "weights", "float or (shape, rate), optional", None, SUPERVISED, "Weight of every bit, or its Gamma prior."
    ),
    Parameter(
        "schedule", "str, optional", None, MODELS, "What a sweep does, as `sibp fit --print-schedule` prints it."
    ),
    Parameter(
        "distil",
        "int, optional",
        None,
        SUPERVISED,
        "Largest number of bits of one code that stands for all chains, 0 for none: by default 128 when learning from "
        "triplets, 64 for labels of at most 500 objects that chose similarity to anchors, unless `chains` or `max_bits` is "
        "set or there is one chain, else 0. SuperGaussianIBP makes none.",
    ),
    Parameter(
        "max_bits",
        "int, optional",
        None,
        SUPERVISED,
        "Largest number of bits of the code. If the best draw has more, the code is distilled from the bits of all "
        "chains.",
    ),
    Parameter(
        "unsupervised_bits",
        "int, optional",
        None,
        SUPERVISED,
        "Number of unsupervised bits, which are computed from the inputs only and come last in codes: they tell apart "
        "objects of one class, and classes that were never taught. By default, codes that were learned from the labels "
        "of 50 objects or more are filled up to 128 bits with at most 96 of them, or to `max_bits`; 0 for none.",
    ),
    Parameter(
        "code",
        _one_of(CODES),
        "suited",
        MODELS,
        "Which draws encode: all of them by the distilled code, the best kept draw of the best chain (map), its last, "
        'or the best of every chain side by side (concatenate). "suited" is the distilled code if there is one, else map.',
    ),
    Parameter(
        "encoder",
        _one_of(PROBIT_ENCODERS) + ", optional",
        None,
        ("SuperProbitIBP",),
        "How an unseen object gets its bits: by the most probable coefficients given the draw's bits (the default), or "
        "by those of the draw.",
    ),
    Parameter(
        "encoder",
        _one_of(GAUSSIAN_ENCODERS) + ", optional",
        None,
        ("SuperGaussianIBP", "IBP"),
        "How an unseen object gets its bits; the first by default.",
    ),
    Parameter(
        "encoder",
        _one_of(LINKED_ENCODERS) + ", optional",
        None,
        ("DDIBP",),
        'How an unseen object gets its bits; the first by default. "links" lets it link to training objects and draws '
        'its bits, as "gibbs" does: they depend on its place in X, so a different order of rows may give different bits. '
        'With output distances "links" draws its class too.',
    ),
    Parameter("n_neighbors", "int", 15, MODELS, "Voters of `predict`."),
    Parameter(
        "random_state",
        RANDOM_STATE,
        None,
        MODELS,
        "A whole number is the command's --seed: the same data, settings and seed give the same bytes.",
    ),
    Parameter("random_state", RANDOM_STATE, None, ("ITQ",), "Fixes the first rotation."),
    Parameter("random_state", RANDOM_STATE, None, ("LSH",), "Fixes the hyperplanes."),
    Parameter("random_state", RANDOM_STATE, None, ("SDH", "HCSDH"), "Fixes the first codes, or which rows of the matrix are taken."),
    Parameter("random_state", RANDOM_STATE, None, ("triplets_from_labels",), "Fixes which objects are taken."),
    Parameter(
        "n_jobs",
        "int, optional",
        None,
        ALL,
        "Threads: all cores by default and for -1, all but one for -2; results do not depend on it.",
    ),
    Parameter(
        "time_limit", "float, optional", None, MODELS, "Seconds after which the run stops and keeps what was drawn."
    ),
    Parameter(
        "warm_start",
        "bool",
        False,
        MODELS,
        "Whether another `fit` to the same data continues the chains of the last one instead of starting again: with at "
        "least twice as many `sweeps`, or after a fit that was stopped. The model is the same as from a single run of "
        "all sweeps.",
    ),
    Parameter("verbose", "int", 0, MODELS, "0 is silent; 1 shows a bar in a terminal or notebook."),
)

ATTRIBUTES = (
    Attribute("n_bits_", "int", ALL, "Bits of a code."),
    Attribute("n_given_bits_", "int", MODELS, "Number of bits that were given."),
    Attribute("weights_", "array, shape (n_bits_,)", MODELS, "Weight of each bit."),
    Attribute(
        "codes_",
        "array of uint8, shape (n_objects, n_bits_)",
        MODELS,
        "Codes of the training objects: the bits that were learned for them. `transform` may give them other "
        "bits, predicted from their inputs. Objects without inputs have only these.",
    ),
    Attribute("classes_", "array, shape (n_classes,)", MODELS, "With y only."),
    Attribute(
        "held_out_agreement_",
        "float or None",
        SUPERVISED,
        "Share of held-out triplets that a fit without them agrees with; None if there are too few, or the fit was stopped.",
    ),
    Attribute(
        "judge_lapses_",
        "dict",
        SUPERVISED,
        "Posterior mean lapse rate of each judge by name; empty if none are named, or if the lapse rate is fixed or "
        "the link is a ratio.",
    ),
    Attribute("draws_", "list of a list of dict for each chain", MODELS, "What the chains drew."),
    Attribute("traces_", "list of a dict for each chain", MODELS, "The numbers of every sweep."),
    Attribute("diagnostics_", "dict", MODELS, "R-hat and effective draws of every traced number."),
    Attribute(
        "warnings_",
        "list of str",
        MODELS,
        "The warnings of `sibp inspect`, in the same words: problems for a search with these codes, and where chains "
        "disagree, with what that means for a search.",
    ),
    Attribute("seed_", "int", MODELS, "The seed of the run, even if `random_state` was None."),
    Attribute("n_features_in_", "int", MODELS, "Inputs of an object; 0 if there are none."),
    Attribute("n_features_in_", "int", HASHES, "Inputs of an object."),
    Attribute("feature_names_in_", "array, shape (n_inputs,)", ALL, "If X has column names: frames with other names, or in another order, are then refused."),
)


def _entry(name: str, kind: str, text: str) -> str:
    return f"{name} : {kind}\n" + textwrap.fill(text, 112, initial_indent="    ", subsequent_indent="    ")


def parameters_of(name: str) -> dict[str, Parameter]:
    """The parameters of an estimator, in the order of its constructor."""
    return {parameter.name: parameter for parameter in PARAMETERS if name in parameter.of}


def default(name: str, of: str | None = None) -> Any:
    """The default of a parameter of an estimator, or of all that have it where they agree."""
    (found,) = {parameter.default for parameter in PARAMETERS if parameter.name == name and of in (None, *parameter.of)}
    return found


def attributes_of(name: str) -> dict[str, Attribute]:
    """The attributes of a fitted estimator."""
    return {attribute.name: attribute for attribute in ATTRIBUTES if name in attribute.of}


Documented = TypeVar("Documented", bound=Callable[..., Any])


def documented(thing: Documented) -> Documented:
    """Puts the entries of the table where the docstring of an estimator has {parameters} and {attributes}."""
    # Python leaves docstrings out when it is told to (-OO).
    if thing.__doc__ is not None:
        name = str(getattr(thing, "__name__"))
        for mark, found in (("parameters", parameters_of(name)), ("attributes", attributes_of(name))):
            entries = "\n".join(entry.entry() for entry in found.values())
            thing.__doc__ = thing.__doc__.replace(f"    {{{mark}}}", textwrap.indent(entries, "    "))
    return thing

"""The models of the paper as estimators. One more model is one more class with its `_kind`."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from sibp import _params
from sibp._sampled import SampledModel
from sibp._supervised import SupervisedModel

GAUSSIAN_ENCODERS: tuple[str, ...] = ("best-code", "ridge", "least-squares", "gibbs")
DISTANCES = ("input", "output")

_RUN = """
    sweeps, chains, draws : int
        Sweeps of every chain, number of chains, draws that each keeps from its last half. As the command's.
    input_transform : str, optional
        What is done to inputs first: none, centre, standardise, sqrt, scale, unit, single, pca:N, fourier:N, or several
        with commas. By default "standardise,scale" for probit, "centre" for the others.
    start : str, optional
        Where chains start: "coins:BITS", "hyperplanes:BITS" or "prior"; for DDIBP "links:BITS" or "prior".
    schedule : str, optional
        What a sweep does, as `sibp fit --print-schedule` prints it.
    code : {"map", "last", "concatenate"}
        Which draws encode: the best kept draw of the best chain, its last, or the best of every chain side by side."""

_TRIPLETS = """
    scheme : {"paired", "product"}
        Triplets from labels: join near and far objects one by one, or all with all.
    per_object : int
        Near and far objects for each object.
    near : {"random", "nearest"}
    far : {"random", "impostor"}
        Which objects of the same and of other classes are taken.
    pseudo_weight : float, optional
        Above 0, bits are rewarded for margin, not only for being right.
    lapse : float or (a, b), optional
        Lapse rate, or its Beta prior.
    weights : float or (shape, rate), optional
        Weight of every bit, or its Gamma prior."""

_USE = """
    n_neighbors : int
        Voters of `predict`.
    random_state : int, RandomState, Generator or None
        A whole number is the command's --seed: the same data, settings and seed give the same bytes.
    n_threads : int, optional
        All cores by default; results do not depend on it.
    time_limit : float, optional
        Seconds after which the run stops and keeps what was drawn.
    verbose : int
        0 is silent; 1 shows a bar in a terminal or notebook.

    Attributes
    ----------
    n_bits_, n_given_bits_ : int
        Bits of a code, and those of them that were given.
    weights_ : array, shape (n_bits_,)
    codes_ : array of uint8, shape (n_objects, n_bits_)
        Codes of the training objects: the bits that were learned for them. `transform` may give them others, by
        their inputs.
    classes_ : array, shape (n_classes,)
        With y only.
    draws_, traces_, diagnostics_
        What the chains drew, the numbers of every sweep, R-hat and effective draws.
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array, shape (n_inputs,)
        When X has names.
"""

_PRESET = """
    Parameters
    ----------
    preset : {"hash", "paper"}
        Codes that search well, or the paper's likelihood to the letter."""

_GAUSSIAN_ENCODER = """
    encoder : {"best-code", "ridge", "least-squares", "gibbs"}, optional
        How an unseen object gets its bits; the first by default."""


class SuperProbitIBP(SupervisedModel):
    __doc__ = f"""Super Probit IBP: the inputs predict the bits, and the bits explain the triplets.

    Codes for objects that it has not seen come straight from the model.
{_PRESET}{_RUN}
    encoder : {{"refit", "drawn"}}, optional
        How an unseen object gets its bits: by the most probable coefficients given the draw's bits (the default), or
        by those of the draw.{_TRIPLETS}{_USE}
    Examples
    --------
    >>> import numpy as np
    >>> from sibp import SuperProbitIBP
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["left", "right"], 30)
    >>> X = rng.normal(size=(60, 5)) + 4 * (y == "right")[:, None]
    >>> model = SuperProbitIBP(sweeps=50, per_object=10, random_state=0).fit(X, y)
    >>> model.predict([[0.0] * 5, [4.0] * 5]).tolist()
    ['left', 'right']
    """

    _kind = "probit"
    _encoders = ("refit", "drawn")

    def predict_bits(self, X: ArrayLike, given_bits: ArrayLike | None = None) -> Any:
        """Probability of every bit of every object.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits; they are certain.

        Returns
        -------
        probabilities : array, shape (n_objects, n_bits_)
            A code has the bits above one half.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import SuperProbitIBP
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> model = SuperProbitIBP(sweeps=30, per_object=2, random_state=0).fit(X, [0, 0, 0, 1, 1, 1])
        >>> bool(((model.predict_bits(X) > 0.5) == model.transform(X)).all())
        True
        """
        return self._probabilities(X, given_bits)


class SuperGaussianIBP(SupervisedModel):
    __doc__ = f"""Super Gaussian IBP: the bits explain both the inputs and the triplets.
{_PRESET}{_RUN}{_GAUSSIAN_ENCODER}{_TRIPLETS}{_USE}
    Examples
    --------
    >>> import numpy as np
    >>> from sibp import SuperGaussianIBP
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> X = rng.normal(size=(40, 3)) + 8 * y[:, None]
    >>> model = SuperGaussianIBP(sweeps=30, per_object=10, random_state=0).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    _kind = "gaussian"
    _encoders = GAUSSIAN_ENCODERS


class IBP(SampledModel):
    __doc__ = f"""Plain IBP: the bits explain the inputs; needs no labels or triplets.

    Parameters
    ----------{_RUN}{_GAUSSIAN_ENCODER}{_USE}
    Examples
    --------
    >>> import numpy as np
    >>> from sibp import IBP
    >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
    >>> IBP(sweeps=20, random_state=0).fit_transform(X).shape[0]
    30
    """

    _kind = "ibp"
    _encoders = GAUSSIAN_ENCODERS

    def __init__(
        self,
        *,
        sweeps: int = 500,
        chains: int = 2,
        draws: int = 50,
        input_transform: str | None = None,
        start: str | None = None,
        schedule: str | None = None,
        code: str = "map",
        encoder: str | None = None,
        n_neighbors: int = 15,
        random_state: Any = None,
        n_threads: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.sweeps = sweeps
        self.chains = chains
        self.draws = draws
        self.input_transform = input_transform
        self.start = start
        self.schedule = schedule
        self.code = code
        self.encoder = encoder
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_threads = n_threads
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn codes from inputs alone.

        Ctrl-C ends the run and keeps what was drawn; a second one gives it up.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array, shape (n_objects,), optional
            Labels, for `predict`; the codes do not depend on them. Targets that are no labels are not looked at.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import IBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> model = IBP(sweeps=20, random_state=0).fit(X)
        >>> model.n_features_in_
        3
        """
        is_label = y is not None and type_of_target(y, input_name="y") in ("binary", "multiclass")
        return self._fit(X, y if is_label else None)


class DDIBP(IBP):
    __doc__ = f"""Distance-dependent IBP: the bits explain the inputs, and objects that are near each other share them.

    A run takes at most 16,384 objects.

    Parameters
    ----------
    distance : {{"input", "output"}}
        What distances are taken between: the transformed inputs, or the labels (0 within a class, 1 between), which
        `fit` needs then.
    decay : str
        How proximity falls with distance: "exponential:RATE", "window:WIDTH" or "logistic:CENTRE,SCALE", or the word
        alone for numbers that suit the data.{_RUN}
    encoder : {{"links", "best-code", "ridge", "least-squares", "gibbs"}}, optional
        How an unseen object gets its bits; the first by default. "links" lets it link to training objects and draws
        its bits, as "gibbs" does: they depend on its place in X, so that another order of rows may give other bits.
        With output distances "links" draws its class too.{_USE}
    Examples
    --------
    >>> import numpy as np
    >>> from sibp import DDIBP
    >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
    >>> y = np.repeat(["a", "b", "c"], 10)
    >>> DDIBP(sweeps=20, n_neighbors=3, random_state=0).fit(X, y).predict(X[::10]).tolist()
    ['a', 'b', 'c']
    """

    _kind = "ddibp"
    _encoders = ("links", *GAUSSIAN_ENCODERS)

    def __init__(
        self,
        *,
        distance: str = "input",
        decay: str = "exponential",
        sweeps: int = 500,
        chains: int = 2,
        draws: int = 50,
        input_transform: str | None = None,
        start: str | None = None,
        schedule: str | None = None,
        code: str = "map",
        encoder: str | None = None,
        n_neighbors: int = 15,
        random_state: Any = None,
        n_threads: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            sweeps=sweeps,
            chains=chains,
            draws=draws,
            input_transform=input_transform,
            start=start,
            schedule=schedule,
            code=code,
            encoder=encoder,
            n_neighbors=n_neighbors,
            random_state=random_state,
            n_threads=n_threads,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.distance = distance
        self.decay = decay

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.distance == "output"
        return tags

    def _options(self) -> dict[str, Any]:
        _params.choice("distance", self.distance, DISTANCES)
        if not isinstance(self.decay, str):
            raise TypeError(f"decay: {self.decay!r} is no text")
        return super()._options() | {"distance": self.distance, "decay": self.decay}

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn codes from inputs, and from labels where distances are between classes.

        Ctrl-C ends the run and keeps what was drawn; a second one gives it up.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array, shape (n_objects,), optional
            Labels. distance="output" needs them; else they are for `predict`, and targets that are no labels are not
            looked at.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import DDIBP
        >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
        >>> y = np.repeat(["a", "b", "c"], 10)
        >>> model = DDIBP(distance="output", decay="window", sweeps=20, random_state=0).fit(X, y)
        >>> model.score(X, y)
        1.0
        """
        if self.distance != "output":
            return super().fit(X, y)
        if y is None:
            raise ValueError('y: distance="output" requires y to be passed, but the target y is None; give labels')
        return self._fit(X, y)

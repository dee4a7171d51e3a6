"""The models of the paper as estimators. One more model is one more class with its `_kind`."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from sibp import _params
from sibp._sampled import SampledModel
from sibp._supervised import SupervisedModel
from sibp._table import DISTANCES, GAUSSIAN_ENCODERS, LINKED_ENCODERS, PROBIT_ENCODERS, documented


@documented
class SuperProbitIBP(SupervisedModel):
    """Super Probit IBP: the inputs predict the bits, and the bits explain the triplets.

    Codes of unseen objects come directly from the model.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
    _encoders = PROBIT_ENCODERS

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


@documented
class SuperGaussianIBP(SupervisedModel):
    """Super Gaussian IBP: the bits explain both the inputs and the triplets.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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


@documented
class IBP(SampledModel):
    """Plain IBP: the bits explain the inputs; needs no labels or triplets.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
        effort: str = "normal",
        sweeps: int | None = None,
        chains: int | None = None,
        draws: int | None = None,
        input_transform: str | None = None,
        missing: str | None = None,
        start: str | None = None,
        schedule: str | None = None,
        code: str = "suited",
        encoder: str | None = None,
        n_neighbors: int = 15,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn codes from inputs alone.

        Ctrl-C ends the run and keeps what was drawn; a second one discards it.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array, shape (n_objects,), optional
            Labels, for `predict`; the codes do not depend on them. Targets that are not labels are ignored.

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


@documented
class DDIBP(IBP):
    """Distance-dependent IBP: the bits explain the inputs, and objects that are near each other share them.

    A run takes at most 16,384 objects.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
    _encoders = LINKED_ENCODERS

    distance: str
    decay: str

    def __init__(
        self,
        *,
        distance: str = "input",
        decay: str = "exponential",
        effort: str = "normal",
        sweeps: int | None = None,
        chains: int | None = None,
        draws: int | None = None,
        input_transform: str | None = None,
        missing: str | None = None,
        start: str | None = None,
        schedule: str | None = None,
        code: str = "suited",
        encoder: str | None = None,
        n_neighbors: int = 15,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

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

        Ctrl-C ends the run and keeps what was drawn; a second one discards it.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs)
        y : array, shape (n_objects,), optional
            Labels. distance="output" needs them; else they are for `predict`, and targets that are not labels are
            ignored.

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

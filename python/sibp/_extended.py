"""Codes that grew by `extend`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sibp import _sibp
from sibp._base import CodeEstimator
from sibp._hashes import HashEstimator


class ExtendedCodes(HashEstimator):
    """Codes that grew: old bits, followed by those that later objects needed.

    `extend` of any fitted estimator makes them, and they can be extended again; `sibp.load` reads those of the command.

    Parameters
    ----------
    n_jobs : int, optional
        Threads: all cores by default and for -1; results do not depend on it.

    Attributes
    ----------
    n_bits_ : int
        Bits of a code.
    weights_ : array, shape (n_bits_,)
        Weight of each bit: old bits got new ones with every extension.
    report_ : dict or None
        The last extension: bits `tried` and `added`; `agreement_before`, `agreement_proposed` and `agreement_after`
        with held-out triplets; `p` of the test that decided; objects `judged`, `objects` in all, `seconds`.

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import LSH
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 20)
    >>> X = rng.normal(size=(60, 4)) + 5 * np.eye(3, 4)[y]
    >>> codes = LSH(n_bits=2, random_state=0).fit(X).extend(X, y, sweeps=30, chains=2, random_state=0)
    >>> codes.n_bits_ == 2 + codes.report_["added"]
    True
    """

    _method = "extended"

    report_: dict[str, Any] | None

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self._keep(locals())

    @classmethod
    def _of(cls, hash: _sibp.Hash, report: dict[str, Any] | None, old: CodeEstimator | None = None) -> Self:
        codes = cls(n_jobs=None if old is None else old.n_jobs)
        codes.hash_, codes.report_ = hash, report
        codes.n_features_in_ = hash.n_inputs
        if hash.input_names is not None:
            codes.feature_names_in_ = np.array(hash.input_names, dtype=object)
        return codes

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Weight of each bit, shape (n_bits_,)."""
        check_is_fitted(self)
        return self.hash_.weights()

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Do not call this: codes grow by `extend`.

        Examples
        --------
        >>> from sibp import ExtendedCodes
        >>> ExtendedCodes().fit([[0.0]])
        Traceback (most recent call last):
        TypeError: ExtendedCodes are not fitted: extend a fitted estimator
        """
        raise TypeError("ExtendedCodes are not fitted: extend a fitted estimator")

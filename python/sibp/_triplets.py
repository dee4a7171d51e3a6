"""Makes triplets from labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from sibp import _params, _sibp
from sibp._base import labels
from sibp._table import FAR, NEAR, SCHEMES, documented


@documented
def triplets_from_labels(
    y: ArrayLike,
    X: ArrayLike | None = None,
    *,
    scheme: str = "paired",
    per_object: int = 30,
    near: str = "random",
    far: str = "random",
    random_state: Any = None,
) -> NDArray[np.int64]:
    """Make triplets from labels: objects of the same class are near, of other classes far.

    Parameters
    ----------
    y : array, shape (n_objects,)
        Labels.
    X : array, shape (n_objects, n_inputs), optional
        Needed where `near` or `far` looks at distances.
    {parameters}

    Returns
    -------
    triplets : array of int64, shape (n_triplets, 3)
        Rows anchor, near, far; the order that metric-learn and cblearn use.

    Examples
    --------
    >>> from sibp import triplets_from_labels
    >>> triplets_from_labels([0, 0, 1, 1], per_object=1, random_state=0).shape
    (4, 3)
    """
    _params.choice("scheme", scheme, SCHEMES)
    _params.choice("near", near, NEAR)
    _params.choice("far", far, FAR)
    _params.count("per_object", per_object)
    if X is None:
        if near == "nearest" or far == "impostor":
            raise ValueError("X: inputs are needed to say which objects are nearest")
        X = np.zeros((len(np.asarray(y)), 1))
    inputs: NDArray[np.float64] = check_array(X, dtype=np.float64, order="C", input_name="X")
    _, _, class_of = labels(y, len(inputs))
    options = {"scheme": scheme, "per_object": int(per_object), "near": near, "far": far}
    return _sibp.triplets_from_labels(inputs, class_of, options, _params.seed(random_state))

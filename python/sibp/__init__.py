"""Learns short binary codes from triplets: the Supervised Indian Buffet Process.

>>> import numpy as np
>>> from sibp import SuperProbitIBP
>>> rng = np.random.default_rng(0)
>>> y = np.repeat([0, 1], 30)
>>> X = rng.normal(size=(60, 5)) + 4 * y[:, None]
>>> model = SuperProbitIBP(sweeps=50, per_object=10, random_state=0).fit(X, y)
>>> codes = model.transform(X)  # 0 and 1, one row an object, one column a bit
>>> codes.shape == (60, model.n_bits_)
True
>>> distances, ids = model.index(X).kneighbors(X[:3], n_neighbors=5)
>>> ids.shape
(3, 5)

Estimators follow scikit-learn, which is imported when the first of them is used, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sibp._encoder import Encoder
from sibp._index import CodeIndex, HammingIndex
from sibp._sibp import __version__
from sibp._warnings import CodeWarning

if TYPE_CHECKING:
    from sibp._chains import merge as merge
    from sibp._extended import ExtendedCodes as ExtendedCodes
    from sibp._files import load as load
    from sibp._hashes import HCSDH as HCSDH
    from sibp._hashes import ITQ as ITQ
    from sibp._hashes import LSH as LSH
    from sibp._hashes import SDH as SDH
    from sibp._hashes import AttributeHash as AttributeHash
    from sibp._hashes import SpectralHashing as SpectralHashing
    from sibp._models import DDIBP as DDIBP
    from sibp._models import IBP as IBP
    from sibp._models import SuperGaussianIBP as SuperGaussianIBP
    from sibp._models import SuperProbitIBP as SuperProbitIBP
    from sibp._triplets import triplets_from_labels as triplets_from_labels

# Where each name that needs scikit-learn lives. One more estimator is one more line here and above.
_LAZY = {
    "AttributeHash": "sibp._hashes",
    "DDIBP": "sibp._models",
    "ExtendedCodes": "sibp._extended",
    "HCSDH": "sibp._hashes",
    "IBP": "sibp._models",
    "ITQ": "sibp._hashes",
    "LSH": "sibp._hashes",
    "SDH": "sibp._hashes",
    "SpectralHashing": "sibp._hashes",
    "SuperGaussianIBP": "sibp._models",
    "SuperProbitIBP": "sibp._models",
    "load": "sibp._files",
    "merge": "sibp._chains",
    "plot": "sibp.plot",
    "postgres": "sibp.postgres",
    "spark": "sibp.spark",
    "triplets_from_labels": "sibp._triplets",
}

__all__ = [
    "DDIBP",
    "HCSDH",
    "IBP",
    "ITQ",
    "LSH",
    "SDH",
    "AttributeHash",
    "CodeIndex",
    "CodeWarning",
    "Encoder",
    "ExtendedCodes",
    "HammingIndex",
    "SpectralHashing",
    "SuperGaussianIBP",
    "SuperProbitIBP",
    "__version__",
    "load",
    "merge",
    "triplets_from_labels",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'sibp' has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name])
    found = module if _LAZY[name] == f"sibp.{name}" else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})

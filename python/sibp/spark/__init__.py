"""Encodes and searches where the data lie in Spark, and runs chains there (`pip install 'sibp[spark]'`, PySpark 4).

>>> import numpy as np, sibp
>>> X = np.random.default_rng(0).normal(size=(50, 4))
>>> encoder = sibp.LSH(n_bits=16, random_state=0).fit(X).to_encoder()
>>> df = spark.createDataFrame([(row, X[row].tolist()) for row in range(50)], "id long, features array<double>")
>>> codes = sibp.spark.encode(df, encoder, input_col="features", output_col="code")
>>> hits = sibp.spark.search(codes, codes.where("id < 3"), k=2)
>>> [(hit.query_id, hit.id) for hit in hits.where("rank = 1").collect()]
[(0, 0), (1, 1), (2, 2)]

Data frames are lazy, and nothing needs the context of Spark, so all of it works through Spark Connect too. The executors
need sibp and pyarrow.
"""

from __future__ import annotations

try:
    import pyarrow as _pyarrow  # noqa: F401
    import pyspark as _pyspark  # noqa: F401
except ImportError:
    raise ImportError("Spark needs PySpark and pyarrow: pip install 'sibp[spark]'") from None

from sibp.spark._encode import encode
from sibp.spark._fit import fit
from sibp.spark._search import search

__all__ = ["encode", "fit", "search"]

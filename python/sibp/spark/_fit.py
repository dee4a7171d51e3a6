"""Runs the chains of a fit on the executors, a chain a task, and merges them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from numpy.typing import ArrayLike
from pyspark.sql import SparkSession

from sibp._params import count

if TYPE_CHECKING:
    from pyarrow import RecordBatch


def fit(
    spark: SparkSession,
    inputs: ArrayLike,
    triplets: ArrayLike | None = None,
    chains: int = 8,
    *,
    y: ArrayLike | None = None,
    estimator: Any = None,
    random_state: int = 0,
    **given: Any,
) -> Any:
    """Fit a model whose chains run on the executors; the same bytes as a fit of as many chains in one place.

    A chain that is lost with its executor is run again by Spark, with the same draws. The inputs travel with the tasks
    and must fit into the memory of an executor; for more objects, learn from a sample and `encode` the rest.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    inputs : array, shape (n_objects, n_inputs)
    triplets : array, shape (n_triplets, 3), optional
        Anchor, near and far.
    chains : int
        How many, each a task of its own.
    y : array, shape (n_objects,), optional
        Labels, instead of triplets or beside them.
    estimator : estimator, optional
        With what else is set; `SuperProbitIBP()` by default. Its `chains` and `random_state` are those given here.
    random_state : int
        Seed.
    **given
        What else `fit` of the estimator takes: `judges`, `ids`, `given_bits`.

    Returns
    -------
    estimator
        Fitted, as `sibp.load` gives it.

    Examples
    --------
    >>> import numpy as np, sibp
    >>> X = np.repeat(np.eye(3), 10, axis=0) * 5
    >>> model = sibp.spark.fit(spark, X, y=np.repeat([0, 1, 2], 10), chains=2, estimator=sibp.SuperProbitIBP(sweeps=10))
    >>> model.chains
    2
    """
    from sklearn.base import clone

    import sibp

    count("chains", chains)
    start = sibp.SuperProbitIBP() if estimator is None else clone(estimator)
    start.set_params(chains=int(chains), random_state=random_state, n_jobs=1)
    if triplets is not None:
        given["triplets"] = triplets
    tasks = spark.range(1, int(chains) + 1, 1, int(chains))
    parts = tasks.mapInArrow(_running(start, inputs, y, given), "chain long, part binary").toArrow()
    return sibp.merge(parts.sort_by("chain")["part"].to_pylist(), inputs)


def _running(start: Any, inputs: Any, y: Any, given: dict[str, Any]) -> Callable[[Iterator[Any]], Iterator[RecordBatch]]:
    """What a task does: it runs the chain of its number, on one thread."""

    def run_chains(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        for batch in batches:
            for chain in batch["id"].to_pylist():
                part = start.fit_chain(chain, inputs, y, **given)
                columns = [pa.array([chain], pa.int64()), pa.array([part], pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, names=["chain", "part"])

    return run_chains

"""Finds the nearest codes of a data frame: every partition its own, then the nearest of those."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from sibp import _arrays
from sibp._index import HammingIndex
from sibp._params import count
from sibp.spark._columns import check_there, quoted

if TYPE_CHECKING:
    from pyarrow import RecordBatch

# Queries travel with the tasks; more bytes than these go in blocks, each a pass over the codes.
BLOCK_BYTES = 32 << 20
# Hits of so many queries leave a partition at a time.
QUERIES_AT_A_TIME = 1024


def search(
    codes: DataFrame,
    queries: DataFrame | ArrayLike,
    k: int = 10,
    *,
    id_col: str = "id",
    code_col: str = "code",
) -> DataFrame:
    """Find the codes nearest to every query, exactly; equal distances by id.

    Every task searches its partition; of what they find, the k nearest of each query are taken. Queries are brought to the
    driver and sent with the tasks. `orderBy` on what is returned runs the search twice (Spark samples first): write or
    cache it before, or sort by `rank` within queries.

    Parameters
    ----------
    codes : pyspark.sql.DataFrame
        With a column of ids (whole numbers or texts, which are ordered by their bytes) and one of packed codes. Rows
        without a code (null) are left out.
    queries : pyspark.sql.DataFrame or array of uint8, shape (n_queries, n_bytes)
        A data frame with the same columns, or packed codes, which are known by their row numbers.
    k : int
        How many; all where there are fewer.
    id_col, code_col : str
        Names of the two columns.

    Returns
    -------
    hits : pyspark.sql.DataFrame
        Columns query_id, id, distance and rank, which counts from 1.

    Examples
    --------
    >>> import numpy as np, sibp
    >>> codes = spark.createDataFrame([(7, bytes([0])), (5, bytes([3])), (6, bytes([12]))], "id long, code binary")
    >>> hits = sibp.spark.search(codes, np.array([[1]], dtype=np.uint8), k=2)
    >>> [tuple(hit) for hit in hits.collect()]
    [(0, 5, 1, 1), (0, 7, 1, 2)]
    """
    count("k", k)
    check_there("codes", codes, [id_col, code_col])
    asked, known, kind = _queries(queries, id_col, code_col)
    fields = [
        StructField("query_id", kind),
        StructField("id", codes.schema[id_col].dataType),
        StructField("distance", IntegerType()),
    ]
    narrow = codes.select(F.col(quoted(id_col)).alias("id"), F.col(quoted(code_col)).alias("code"))
    step = max(1, BLOCK_BYTES // max(1, asked.shape[1]))
    found = None
    for first in range(0, max(1, len(asked)), step):
        block = _searching(asked[first : first + step], known.slice(first, step), int(k))
        part = narrow.mapInArrow(block, StructType(fields))
        found = part if found is None else found.unionAll(part)
    assert found is not None
    order = Window.partitionBy("query_id").orderBy("distance", "id")
    return found.withColumn("rank", F.row_number().over(order)).where(F.col("rank") <= int(k))


def _queries(queries: Any, id_col: str, code_col: str) -> tuple[NDArray[np.uint8], pa.Array, Any]:
    """Packed codes, what they are known by, and its type."""
    if not hasattr(queries, "toArrow"):
        rows = _arrays.packed("queries", queries)
        return rows, pa.array(np.arange(len(rows), dtype=np.int64)), LongType()
    check_there("queries", queries, [id_col, code_col])
    table = queries.select(
        F.col(quoted(id_col)).alias("id"), F.col(quoted(code_col)).cast(BinaryType()).alias("code")
    ).toArrow()
    ids, codes = _with_codes(table)
    return _matrix("queries", ids, codes), ids, queries.schema[id_col].dataType


def _searching(
    asked: NDArray[np.uint8], known: pa.Array, k: int
) -> Callable[[Iterator[RecordBatch]], Iterator[RecordBatch]]:
    """What a task does. Rows are put in the order of their ids first, so that equal distances come by id."""

    def search_batches(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        there = list(batches)
        if not there or not len(asked):
            return
        ids, codes = _with_codes(pa.Table.from_batches(there))
        if not len(ids):
            return
        order = pc.sort_indices(ids)
        ids = ids.take(order)
        rows = _matrix("codes", ids, codes.take(order))
        if rows.shape[1] != asked.shape[1]:
            raise ValueError(f"queries: codes of {asked.shape[1]} bytes among codes of {rows.shape[1]}")
        index = HammingIndex(8 * rows.shape[1])
        index.add(rows)
        for first in range(0, len(asked), QUERIES_AT_A_TIME):
            distances, found = index.search(asked[first : first + QUERIES_AT_A_TIME], k, n_threads=1)
            who = np.repeat(np.arange(first, first + len(found)), found.shape[1])
            columns = [known.take(pa.array(who)), ids.take(pa.array(found.ravel())), pa.array(distances.ravel())]
            yield pa.RecordBatch.from_arrays(columns, names=["query_id", "id", "distance"])

    return search_batches


def _with_codes(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Ids and codes of the rows that have a code, each in one piece."""
    some = table.filter(pc.is_valid(table["code"])) if table["code"].null_count else table
    return _one_piece(some["id"]), _one_piece(some["code"])


def _one_piece(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)


def _matrix(argument: str, ids: pa.Array, codes: pa.Array) -> NDArray[np.uint8]:
    """Packed codes of equal length as a matrix."""
    lengths = pc.binary_length(codes).to_numpy(zero_copy_only=False)
    if not len(lengths):
        return np.zeros((0, 0), dtype=np.uint8)
    if len(other := np.flatnonzero(lengths != lengths[0])):
        row = int(other[0])
        raise ValueError(f"{argument}: the code of {ids[row]} has {lengths[row]} bytes, that of {ids[0]} has {lengths[0]}")
    width = int(lengths[0])
    fixed = codes.cast(pa.binary(width))
    flat = np.frombuffer(fixed.buffers()[1], dtype=np.uint8, count=len(fixed) * width, offset=fixed.offset * width)
    return flat.reshape(len(fixed), width)

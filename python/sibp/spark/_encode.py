"""Gives codes to the rows of a data frame, where they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, StringType, StructField, StructType

from sibp._encoder import Encoder
from sibp.spark._columns import check_there

if TYPE_CHECKING:
    from pyarrow import RecordBatch


def encode(
    df: DataFrame,
    encoder: Encoder | bytes | str | PathLike[str],
    *,
    input_col: str | Sequence[str] = "features",
    output_col: str = "code",
    errors_col: str | None = None,
) -> DataFrame:
    """Add a column of packed codes; lazy, as everything in Spark.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    encoder : Encoder, bytes, str or path
        An encoder, its bytes, or its file (`.sibe`), which the driver reads and sends with the tasks.
    input_col : str or list of str
        A column of arrays or of vectors (`pyspark.ml.linalg`), or several columns of numbers.
    output_col : str
        The new column, of packed codes (binary): bit 0 is the highest bit of byte 0.
    errors_col : str, optional
        A new column of texts, for what is wrong with a row that cannot be encoded (a NaN, another number of inputs); its
        code is null. By default such a row fails the job.

    Returns
    -------
    df : pyspark.sql.DataFrame

    Examples
    --------
    >>> import numpy as np, sibp
    >>> encoder = sibp.LSH(n_bits=16, random_state=0).fit(np.eye(3)).to_encoder()
    >>> df = spark.createDataFrame([(1, 0.5, 2.0, 1.0), (2, 0.1, 0.2, 0.3)], "id long, a double, b double, c double")
    >>> codes = sibp.spark.encode(df, encoder, input_col=["a", "b", "c"])
    >>> [len(row.code) for row in codes.collect()]
    [2, 2]
    """
    data = _bytes_of(encoder)
    columns = [input_col] if isinstance(input_col, str) else list(input_col)
    check_there("input_col", df, columns)
    if errors_col is not None and errors_col == output_col:
        raise ValueError(f"errors_col: {errors_col!r} is the column of the codes")
    new = [StructField(output_col, BinaryType())]
    if errors_col is not None:
        new.append(StructField(errors_col, StringType()))
    replaced = {field.name for field in new}
    kept = [at for at, field in enumerate(df.schema.fields) if field.name not in replaced]
    source, inputs = _inputs(df, columns)
    schema = StructType([*(df.schema.fields[at] for at in kept), *new])
    return source.mapInArrow(_encoding(data, inputs, kept, schema.names, errors_col is not None), schema)


def _inputs(df: DataFrame, columns: list[str]) -> tuple[DataFrame, str | list[str]]:
    """The frame with columns called by their numbers, since Spark reads dots in names, and those that hold the inputs."""
    numbered = df.toDF(*(_plain(at) for at in range(len(df.columns))))
    places = [_plain(df.columns.index(column)) for column in columns]
    kind = df.schema[columns[0]].dataType
    if len(columns) == 1 and isinstance(kind, VectorUDT):
        return numbered.withColumn("inputs", vector_to_array(F.col(places[0]))), "inputs"
    return numbered, places[0] if len(columns) == 1 and isinstance(kind, ArrayType) else places


def _plain(at: int) -> str:
    return f"column{at}"


def _encoding(
    data: bytes, inputs: str | list[str], kept: list[int], names: list[str], errors: bool
) -> Callable[[Iterator[RecordBatch]], Iterator[RecordBatch]]:
    """What a task does: the encoder comes with it as bytes, and works on one thread."""

    def encode_batches(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        here = Encoder.from_bytes(data)
        wanted = [*map(_plain, kept), "code", *(["error"] if errors else [])]
        for batch in batches:
            coded = here.encode_arrow(batch, inputs, "code", errors="error" if errors else None)
            yield coded.select(wanted).rename_columns(names)

    return encode_batches


def _bytes_of(encoder: Any) -> bytes:
    if isinstance(encoder, bytes):
        return Encoder.from_bytes(encoder).to_bytes()
    if isinstance(encoder, Encoder):
        return encoder.to_bytes()
    if isinstance(encoder, (str, PathLike)):
        return Encoder.load(fspath(encoder)).to_bytes()
    raise TypeError(f"encoder: {encoder!r} is neither an Encoder nor its bytes or its file")

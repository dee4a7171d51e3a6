"""Gives codes to the rows of a data frame, where they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from sibp._encoder import Encoder
from sibp.spark._columns import check_there, quoted

if TYPE_CHECKING:
    from pyarrow import RecordBatch

# What holds a vector as an array while it is encoded.
PLAIN = "__sibp_inputs"


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
    names = {field.name for field in new}
    kept = [field for field in df.schema.fields if field.name not in names]
    source = df
    inputs: str | list[str] = columns[0] if len(columns) == 1 and _is_nested(df, columns[0]) else columns
    if len(columns) == 1 and df.schema[columns[0]].dataType.typeName() == "udt":
        source, inputs = df.withColumn(PLAIN, vector_to_array(F.col(quoted(columns[0])))), PLAIN
    return source.mapInArrow(
        _encoding(data, inputs, output_col, errors_col, [field.name for field in kept]), StructType([*kept, *new])
    )


def _encoding(
    data: bytes, inputs: str | list[str], output_col: str, errors_col: str | None, kept: list[str]
) -> Callable[[Iterator[RecordBatch]], Iterator[RecordBatch]]:
    """What a task does: the encoder comes with it as bytes, and works on one thread."""

    def encode_batches(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        here = Encoder.from_bytes(data)
        wanted = [*kept, output_col] + ([] if errors_col is None else [errors_col])
        for batch in batches:
            yield here.encode_arrow(batch, inputs, output_col, errors=errors_col).select(wanted)

    return encode_batches


def _bytes_of(encoder: Any) -> bytes:
    if isinstance(encoder, bytes):
        return Encoder.from_bytes(encoder).to_bytes()
    if isinstance(encoder, Encoder):
        return encoder.to_bytes()
    if isinstance(encoder, (str, PathLike)):
        return Encoder.load(fspath(encoder)).to_bytes()
    raise TypeError(f"encoder: {encoder!r} is neither an Encoder nor its bytes or its file")


def _is_nested(df: DataFrame, column: str) -> bool:
    return str(df.schema[column].dataType.typeName()) == "array"

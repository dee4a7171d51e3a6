"""Names columns of data frames, whatever characters are in them."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame


def quoted(column: str) -> str:
    """A name as Spark takes it literally, dots included."""
    return "`" + column.replace("`", "``") + "`"


def check_there(argument: str, df: DataFrame, columns: Iterable[str]) -> None:
    """Refuses names that no column has."""
    for column in columns:
        if column not in df.columns:
            raise ValueError(f"{argument}: there is no column {column!r}; there are {', '.join(df.columns)}")

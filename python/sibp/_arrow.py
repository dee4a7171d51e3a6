"""Takes inputs out of Arrow columns, and puts codes into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

try:
    import pyarrow as pa
except ImportError as error:
    raise ImportError("Arrow columns need pyarrow: pip install 'sibp[arrow]'") from error

_Rows = NDArray[np.float64] | NDArray[np.float32]


class Found(NamedTuple):
    """A row of inputs for each object, and what is wrong with those that have none."""

    column: str
    rows: _Rows
    wrong: dict[int, str]


def batch_of(data: Any) -> pa.RecordBatch | pa.Table:
    """What hands over Arrow data, as a record batch or a table."""
    if isinstance(data, (pa.RecordBatch, pa.Table)):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    if hasattr(data, "__arrow_c_array__"):
        return pa.record_batch(data)
    raise TypeError(f"batch: {type(data).__name__} is no Arrow record batch or table")


def inputs(
    batch: pa.RecordBatch | pa.Table, columns: str | Sequence[str] | None, n_inputs: int, names: list[str] | None
) -> Found:
    """The inputs of every row."""
    chosen = _columns(batch, columns, names)
    if isinstance(chosen, str):
        return _of_lists(chosen, _whole(batch.column(_place(batch, chosen))), n_inputs)
    if len(chosen) != n_inputs:
        raise ValueError(f"input_col: {len(chosen)} columns, but the model was fitted to {n_inputs}")
    return _of_numbers(batch, chosen)


def raise_first(found: Found) -> None:
    """Refuses inputs of which a row is wrong."""
    if found.wrong:
        row = min(found.wrong)
        raise ValueError(f"{found.column}: row {row}: {found.wrong[row]}")


def with_codes(
    batch: pa.RecordBatch | pa.Table, codes: NDArray[np.uint8], name: str, errors: str | None, wrong: dict[int, str]
) -> pa.RecordBatch | pa.Table:
    """The batch with a column of codes, and of what is wrong with rows."""
    batch = _with(batch, name, _binary(codes, wrong))
    if errors is None:
        return batch
    texts = pa.nulls(len(codes), pa.string())
    if wrong:
        texts = pa.array([wrong.get(row) for row in range(len(codes))], pa.string())
    return _with(batch, errors, texts)


def _binary(codes: NDArray[np.uint8], wrong: dict[int, str]) -> pa.Array:
    n_rows, n_bytes = codes.shape
    kind, offset = (pa.binary(), np.int32) if codes.size <= np.iinfo(np.int32).max else (pa.large_binary(), np.int64)
    ends = np.arange(n_rows + 1, dtype=offset) * offset(n_bytes)
    valid = None
    if wrong:
        present = np.ones(n_rows, dtype=bool)
        present[list(wrong)] = False
        valid = pa.py_buffer(np.packbits(present, bitorder="little"))
    buffers = [valid, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(codes))]
    return pa.Array.from_buffers(kind, n_rows, buffers)


def _with(batch: pa.RecordBatch | pa.Table, name: str, column: pa.Array) -> pa.RecordBatch | pa.Table:
    at = batch.schema.get_field_index(name)
    field = pa.field(name, column.type)
    if at >= 0:
        return batch.set_column(at, field, column)
    return batch.append_column(field, column)


def _columns(
    batch: pa.RecordBatch | pa.Table, columns: str | Sequence[str] | None, names: list[str] | None
) -> str | list[str]:
    if isinstance(columns, str):
        is_list = _is_list(batch.schema.field(_place(batch, columns)).type)
        return columns if is_list else [columns]
    if columns is not None:
        return list(columns)
    if batch.num_columns == 1:
        only: str = batch.schema.names[0]
        return only if _is_list(batch.schema.field(0).type) else [only]
    if names is not None and all(name in batch.schema.names for name in names):
        return names
    raise ValueError("input_col: there are several columns; name the one of lists, or those of numbers")


def _place(batch: pa.RecordBatch | pa.Table, name: str) -> int:
    at: int = batch.schema.get_field_index(name)
    if at < 0:
        known = ", ".join(batch.schema.names)
        raise ValueError(f"input_col: there is no single column {name!r}; columns are {known}")
    return at


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _numbers(name: str, array: pa.Array) -> _Rows:
    """Numbers as float32 or float64; nulls are NaN."""
    if not _is_number(array.type):
        raise TypeError(f"{name}: it holds {array.type}; inputs are numbers, or lists of numbers")
    if array.type not in (pa.float32(), pa.float64()):
        array = array.cast(pa.float32() if array.type == pa.float16() else pa.float64(), safe=False)
    found: _Rows = array.to_numpy(zero_copy_only=False)
    return found


def _of_lists(name: str, array: pa.Array, n_inputs: int) -> Found:
    n_rows = len(array)
    if pa.types.is_fixed_size_list(array.type):
        width = array.type.list_size
        first, lengths = array.offset * width, np.full(n_rows, width)
        begins = first + np.arange(n_rows) * width
    else:
        offsets = array.offsets.to_numpy()
        begins, lengths = offsets[:-1], np.diff(offsets)
    valid = np.ones(n_rows, dtype=bool) if not array.null_count else array.is_valid().to_numpy(zero_copy_only=False)
    good = valid & (lengths == n_inputs)
    if good.all():
        # The usual case: all values lie one after the other, and need no copy.
        begin = int(begins[0]) if n_rows else 0
        values = _numbers(name, array.values.slice(begin, n_rows * n_inputs))
        return Found(name, values.reshape(n_rows, n_inputs), {})
    values = _numbers(name, array.values)
    rows = np.zeros((n_rows, n_inputs), dtype=values.dtype)
    rows[good] = values[begins[good][:, None] + np.arange(n_inputs)]
    wrong = {}
    for row in np.flatnonzero(~good).tolist():
        wrong[row] = f"{lengths[row]} inputs instead of {n_inputs}" if valid[row] else "there are no inputs (null)"
    return Found(name, rows, wrong)


def _of_numbers(batch: pa.RecordBatch | pa.Table, names: list[str]) -> Found:
    columns = [_numbers(name, _whole(batch.column(_place(batch, name)))) for name in names]
    single = all(column.dtype == np.float32 for column in columns)
    shape = (batch.num_rows, len(columns))
    rows: _Rows = np.empty(shape, dtype=np.float32) if single else np.empty(shape, dtype=np.float64)
    for at, column in enumerate(columns):
        rows[:, at] = column
    return Found("input_col", rows, {})


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        return whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    return whole

"""Loads objects with their codes, all or none of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from psycopg import Connection, sql

from sibp.postgres import _codes
from sibp.postgres._tables import Collection, collection, one

# Where rows arrive before they are told apart; it belongs to the session and goes with the transaction.
STAGE = sql.SQL("pg_temp.sibp_stage")
# The head of a file in the binary form of COPY, and its end.
HEAD, END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
ROWS_AT_A_TIME = 1 << 16


def load(
    conn: Connection[Any],
    ids: ArrayLike,
    codes: ArrayLike,
    *,
    name: str = "sibp",
    columns: Mapping[str, ArrayLike] | None = None,
    replace: bool = False,
    index: bool = True,
    memory: str | None = None,
) -> int:
    """Load objects with their codes: all of them or, where anything fails, none.

    What is stored already with the same code is left as it is, so a load that was cut off is simply repeated. Large loads
    may go in parts, each a call of its own.

    Parameters
    ----------
    conn : psycopg.Connection
    ids : array of int or str, shape (n_objects,)
    codes : array of uint8, shape (n_objects, ceil(bits / 8))
        Packed, as `encode` makes them: bit 0 is the highest bit of byte 0.
    name : str
        The collection.
    columns : mapping of str to array, optional
        Values of the collection's further columns.
    replace : bool
        Give objects that are stored with another code the new one (and new columns); without it they are an error.
    index : bool
        Build the index over codes if there is none. In parts, build it with the last: one build is much faster than
        adding code by code, and searches are exact as long as there is none.
    memory : str, optional
        Memory for the build, as in "1GB"; by default the server's `maintenance_work_mem`. A graph that does not fit is
        built several times slower.

    Returns
    -------
    new : int
        How many of the ids were not stored before.

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import postgres
    >>> postgres.create(conn, bits=8, columns={"colour": "text"})
    >>> codes = np.array([[7], [7], [9]], dtype=np.uint8)
    >>> postgres.load(conn, [1, 2, 3], codes, columns={"colour": ["red", "blue", "red"]})
    3
    >>> postgres.load(conn, [1, 2, 3], codes)
    0
    """
    with conn.transaction():
        into = collection(conn, name)
        into.own("load")
        rows = _codes.packed("codes", codes, into.bits)
        known = _codes.ids(ids, into.ids, len(rows))
        values = _values(into, columns or {}, len(rows))
        builds = index and _to_be_built(conn, into)
        stage(conn, into, known, rows, values)
        new = _store(conn, into, list(values), replace)
        if builds:
            build(conn, into, memory)
            _analyse(conn, into)
        conn.execute(sql.SQL("DROP TABLE {}").format(STAGE))
    return new


def stage(
    conn: Connection[Any],
    into: Collection,
    ids: NDArray[np.int64] | list[str],
    rows: NDArray[np.uint8],
    values: Mapping[str, list[Any]],
    bits: int | None = None,
) -> None:
    """Brings rows to the server, into a table of the session."""
    bits = into.bits if bits is None else bits
    further = sql.SQL("").join(sql.SQL(", {}").format(sql.Identifier(column)) for column in values)
    conn.execute(
        sql.SQL("CREATE TEMPORARY TABLE sibp_stage ON COMMIT DROP AS SELECT id, NULL::bit({}) AS code{} FROM {} WITH NO DATA")
        .format(sql.Literal(bits), further, into.table("object"))
    )
    with conn.cursor() as cursor:
        if isinstance(ids, list) or values:
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(STAGE)) as copy:
                known = ids if isinstance(ids, list) else ids.tolist()
                for row in zip(known, _codes.texts(rows, bits), *values.values(), strict=True):
                    copy.write_row(row)
        else:
            with cursor.copy(sql.SQL("COPY {} FROM STDIN (FORMAT binary)").format(STAGE)) as copy:
                copy.write(HEAD)
                for first in range(0, len(rows), ROWS_AT_A_TIME):
                    part = slice(first, first + ROWS_AT_A_TIME)
                    copy.write(_binary(ids[part], rows[part], bits))
                copy.write(END)
    conn.execute(sql.SQL("ANALYZE {}").format(STAGE))


def _binary(ids: NDArray[np.int64], rows: NDArray[np.uint8], bits: int) -> bytes:
    """Rows in the binary form of COPY: two fields, each with its length; a bit string has its number of bits first."""
    width = rows.shape[1]
    fields = [("fields", ">i2"), ("id_size", ">i4"), ("id", ">i8"), ("size", ">i4"), ("bits", ">i4"), ("code", "u1", (width,))]
    out = np.empty(len(rows), dtype=fields)
    out["fields"], out["id_size"], out["size"], out["bits"] = 2, 8, 4 + width, bits
    out["id"], out["code"] = ids, rows
    return out.tobytes()


def _store(conn: Connection[Any], into: Collection, columns: list[str], replace: bool) -> int:
    """From the stage into the tables; in one order, so that two loads wait for each other and never in a circle."""
    names = {"stage": STAGE, "code": into.table("code"), "object": into.table("object")}
    further = [sql.Identifier(column) for column in columns]
    conn.execute(
        sql.SQL("INSERT INTO {code} (code) SELECT DISTINCT code FROM {stage} ORDER BY code ON CONFLICT DO NOTHING")
        .format(**names)
    )
    if replace:
        sets = [sql.SQL("code_id = c.code_id"), *(sql.SQL("{0} = s.{0}").format(column) for column in further)]
        conn.execute(
            sql.SQL("UPDATE {object} o SET {sets} FROM {stage} s JOIN {code} c USING (code) WHERE o.id = s.id")
            .format(sets=sql.SQL(", ").join(sets), **names)
        )
    listed = sql.SQL("").join(sql.SQL(", {}").format(column) for column in further)
    added = conn.execute(
        sql.SQL(
            "INSERT INTO {object} (id, code_id{listed}) SELECT s.id, c.code_id{listed} FROM {stage} s "
            "JOIN {code} c USING (code) ORDER BY s.id ON CONFLICT (id) DO NOTHING"
        ).format(listed=listed, **names)
    ).rowcount
    _check(conn, names)
    return int(added)


def _check(conn: Connection[Any], names: Mapping[str, sql.Composable]) -> None:
    """Every row of the stage is stored with its code: another writer, or an earlier load, may have come first."""
    wrong = conn.execute(
        sql.SQL(
            "SELECT s.id FROM {stage} s LEFT JOIN {object} o USING (id) LEFT JOIN {code} c ON c.code_id = o.code_id "
            "WHERE c.code IS DISTINCT FROM s.code ORDER BY s.id LIMIT 1"
        ).format(**names)
    ).fetchone()
    if wrong is not None:
        raise ValueError(f"ids: {wrong[0]!r} is stored with another code already; replace=True gives it the new one")


def _to_be_built(conn: Connection[Any], into: Collection) -> bool:
    """Whether there is no index yet. Of several first loads one builds it; the others wait here."""
    if has_index(conn, into):
        return False
    conn.execute(sql.SQL("SELECT FROM {} FOR UPDATE").format(into.table("about")))
    return not has_index(conn, into)


def has_index(conn: Connection[Any], into: Collection) -> bool:
    """Whether codes are indexed. The catalogue is read as a table: to_regclass may answer from before a wait."""
    asked = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = %s AND relname = %s"
    return bool(one(conn, asked, [into.name, "code_hnsw"]))


def build(conn: Connection[Any], into: Collection, memory: str | None) -> None:
    """Builds the index over distinct codes."""
    if memory is not None:
        conn.execute("SELECT set_config('maintenance_work_mem', %s, true)", [memory])
    conn.execute(
        sql.SQL("CREATE INDEX code_hnsw ON {} USING hnsw (code {})")
        .format(into.table("code"), sql.Identifier(into.vector, "bit_hamming_ops"))
    )


def _analyse(conn: Connection[Any], into: Collection) -> None:
    """Tells the planner what came with a first load; later the server does so by itself."""
    tables = sql.SQL(", ").join(map(into.table, ("code", "object")))
    conn.execute(sql.SQL("ANALYZE (SKIP_LOCKED) {}").format(tables))


def _values(into: Collection, columns: Mapping[str, ArrayLike], n_objects: int) -> dict[str, list[Any]]:
    values = {}
    for column, given in columns.items():
        if column not in into.columns:
            there = ", ".join(into.columns) or "none"
            raise ValueError(f"columns: {into.name!r} has no column {column!r}; it has {there}")
        values[column] = given.tolist() if isinstance(given, np.ndarray) else list(given)  # type: ignore[arg-type]
        if len(values[column]) != n_objects:
            raise ValueError(f"columns: {column!r} has {len(values[column])} values for {n_objects} objects")
    return values

"""Appends bits to every stored code."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from psycopg import Connection, sql

from sibp._params import count
from sibp.postgres import _codes
from sibp.postgres._load import STAGE, build, has_index, stage
from sibp.postgres._tables import MOST_BITS, coded_view, collection

TABLES = ("about", "code", "object", "longer", "coded", "longer_pkey", "longer_code_key", "longer_code_id_seq")
# The longer codes come into a table of their own, which then takes the place of the other.
LENGTHEN = (
    "CREATE TABLE {longer} (code_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code bit({width}) NOT NULL UNIQUE)",
    """CREATE TEMPORARY TABLE sibp_longer ON COMMIT DROP AS SELECT o.id, (c.code || s.code)::bit({width}) AS code
       FROM {object} o JOIN {code} c USING (code_id) JOIN {stage} s ON s.id = o.id""",
    "INSERT INTO {longer} (code) SELECT DISTINCT code FROM pg_temp.sibp_longer ORDER BY code",
    "ALTER TABLE {object} DROP CONSTRAINT object_code_id_fkey",
    """UPDATE {object} o SET code_id = l.code_id FROM pg_temp.sibp_longer j JOIN {longer} l USING (code) WHERE o.id = j.id""",
    "DROP VIEW {coded}",
    "DROP TABLE {code}",
    "ALTER TABLE {longer} RENAME TO code",
    "ALTER INDEX {longer_pkey} RENAME TO code_pkey",
    "ALTER INDEX {longer_code_key} RENAME TO code_code_key",
    "ALTER SEQUENCE {longer_code_id_seq} RENAME TO code_code_id_seq",
    "ALTER TABLE {object} ADD CONSTRAINT object_code_id_fkey FOREIGN KEY (code_id) REFERENCES {code}",
    "UPDATE {about} SET bits = {width}",
    "DROP TABLE {stage}, pg_temp.sibp_longer",
)


def extend(
    conn: Connection[Any], ids: ArrayLike, codes: ArrayLike, bits: int, *, name: str = "sibp", memory: str | None = None
) -> None:
    """Append bits to the code of every object; the existing bits do not change.

    Others may search the shorter codes until the transaction ends; who writes waits. Rights that were granted on
    `code` and `coded` are to be granted again.

    Parameters
    ----------
    conn : psycopg.Connection
    ids : array of int or str, shape (n_objects,)
        Every object of the collection, in any order.
    codes : array of uint8, shape (n_objects, ceil(bits / 8))
        The new bits, packed.
    bits : int
        How many bits are new.
    name : str
        The collection.
    memory : str, optional
        Memory for the new index, as in `load`.

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import postgres
    >>> postgres.create(conn, bits=3)
    >>> postgres.load(conn, [1, 2], np.packbits([[0, 0, 1], [1, 1, 1]], axis=1))
    2
    >>> postgres.extend(conn, [1, 2], np.packbits([[1, 1], [0, 1]], axis=1), bits=2)
    >>> conn.execute("SELECT id, code::text FROM sibp.coded ORDER BY id").fetchall()
    [(1, '00111'), (2, '11101')]
    """
    count("bits", bits)
    with conn.transaction():
        whole = collection(conn, name)
        whole.own("extend")
        rows = _codes.packed("codes", codes, int(bits))
        if whole.bits + bits > MOST_BITS:
            raise ValueError(f"bits: {whole.bits} and {bits} are more than {MOST_BITS}")
        known = _codes.ids(ids, whole.ids, len(rows))
        names: dict[str, sql.Composable] = {table: whole.table(table) for table in TABLES} | {"stage": STAGE}
        names["width"] = sql.Literal(whole.bits + int(bits))
        conn.execute(sql.SQL("SELECT FROM {about} FOR UPDATE").format(**names))
        conn.execute(sql.SQL("LOCK TABLE {code}, {object} IN EXCLUSIVE MODE").format(**names))
        stage(conn, whole, known, rows, {}, int(bits))
        _check(conn, names)
        indexed = has_index(conn, whole)
        for statement in LENGTHEN:
            conn.execute(sql.SQL(statement).format(**names))
        conn.execute(coded_view(name, whole.columns))
        if indexed:
            build(conn, whole, memory)


def _check(conn: Connection[Any], names: dict[str, sql.Composable]) -> None:
    """The stage and the collection hold the same ids."""
    asked = "SELECT id FROM {{{}}} EXCEPT SELECT id FROM {{{}}} ORDER BY id LIMIT 1"
    for first, second, text in (("object", "stage", "has no new bits"), ("stage", "object", "is not stored")):
        row = conn.execute(sql.SQL(asked.format(first, second)).format(**names)).fetchone()
        if row is not None:
            raise ValueError(f"ids: {row[0]!r} {text}; give the new bits of every object")

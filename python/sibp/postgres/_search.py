"""Searches a collection: the nearest objects of every query, equal distances by id."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from psycopg import ClientCursor, Connection, sql
from psycopg.pq import TransactionStatus

from sibp._params import count
from sibp._warnings import CodeWarning
from sibp.postgres import _codes
from sibp.postgres._shards import answering, schema_of
from sibp.postgres._tables import Collection, collection

QUERIES_AT_A_TIME = 256
# pgvector takes no more.
MOST_EF = 1000

_Found = dict[int, list[tuple[Any, int]]]


def search(
    conn: Connection[Any],
    queries: ArrayLike,
    k: int,
    exact: bool = False,
    where: str | sql.Composable | None = None,
    *,
    params: Sequence[Any] | Mapping[str, Any] | None = None,
    name: str = "sibp",
    ef: int = 800,
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Find the nearest objects of every query, equal distances by id.

    As many as asked for are found as long as there are as many; otherwise there is a `CodeWarning`.

    Parameters
    ----------
    conn : psycopg.Connection
    queries : array of uint8, shape (n_queries, ceil(bits / 8))
        Packed codes.
    k : int
        How many.
    exact : bool
        Compare with every code instead of using the index: the same answer as `HammingIndex.search`.
    where : str or psycopg.sql.Composable, optional
        Condition in SQL on `id` and the collection's further columns. It is a part of the statement: put values that you
        did not write yourself into `params`, never into the text.
    params : sequence or mapping, optional
        Values of the placeholders (`%s`, `%(name)s`) of `where`.
    name : str
        The collection.
    ef : int
        How many candidates the index keeps, up to 1000: more of them find more and take longer. On shards it is what
        `attach` was told.

    Returns
    -------
    distances : array of int32, shape (n_queries, min(k, objects that there are))
    ids : array of int64 or str, same shape

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import postgres
    >>> postgres.create(conn, bits=8, columns={"colour": "text"})
    >>> codes = np.array([[0], [1], [3]], dtype=np.uint8)
    >>> postgres.load(conn, [1, 2, 3], codes, columns={"colour": ["red", "blue", "red"]})
    3
    >>> distances, ids = postgres.search(conn, codes[1:2], k=2, where="colour = %s", params=["red"])
    >>> distances, ids
    (array([[1, 1]], dtype=int32), array([[1, 3]]))
    """
    count("k", k)
    count("ef", ef)
    # With no transaction open, all parts of the answer come from one moment, and a condition cannot change anything.
    alone = conn.info.transaction_status == TransactionStatus.IDLE
    with conn.transaction():
        if alone:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        among = collection(conn, name)
        rows = _codes.packed("queries", queries, among.bits)
        condition = _condition(conn, where, params)
        with answering(conn, among):
            _settings(conn, ef)
            found = {} if exact else _ask(conn, among, rows, range(len(rows)), int(k), condition, exact=False)
            # An index may find fewer than there are; those are looked for without it.
            few = [row for row in range(len(rows)) if len(found.get(row, ())) < k]
            found |= _ask(conn, among, rows, few, int(k), condition, exact=True)
    return _arrays_of(found, len(rows), int(k), among)


def _settings(conn: Connection[Any], ef: int) -> None:
    settings = {
        "hnsw.ef_search": str(min(ef, MOST_EF)),
        "hnsw.iterative_scan": "strict_order",
        "jit": "off",
    }
    for setting, value in settings.items():
        conn.execute("SELECT set_config(%s, %s, true)", [setting, value])


def _condition(conn: Connection[Any], where: Any, params: Any) -> sql.Composable:
    """The condition with its values in place, on lines of its own so that a comment at its end hides nothing else."""
    if where is None:
        if params is not None:
            raise ValueError("params: they belong to the placeholders of where, which is not given")
        return sql.SQL("")
    if not isinstance(where, (str, sql.Composable)):
        raise TypeError(f"where: {where!r} is neither text nor psycopg.sql.Composable")
    return sql.SQL("WHERE (\n{}\n)").format(sql.SQL(ClientCursor(conn).mogrify(where, params)))


def _ask(
    conn: Connection[Any],
    among: Collection,
    rows: NDArray[np.uint8],
    asked: Sequence[int],
    k: int,
    condition: sql.Composable,
    *,
    exact: bool,
) -> _Found:
    found: _Found = {}
    for first in range(0, len(asked), QUERIES_AT_A_TIME):
        part = asked[first : first + QUERIES_AT_A_TIME]
        statement = nearest(among, rows[list(part)], k, condition, exact=exact)
        # Results in binary form take the protocol that refuses a second statement behind the first.
        with conn.cursor(binary=True) as cursor:
            for at, id_, distance in cursor.execute(statement):
                found.setdefault(part[at - 1], []).append((id_, int(distance)))
    return found


def nearest(
    among: Collection, rows: NDArray[np.uint8], k: int, condition: sql.Composable, *, exact: bool
) -> sql.Composed:
    """One statement for several queries. On shards each is asked for its k nearest, of which k are taken."""
    bits = sql.SQL("bit({})").format(sql.Literal(among.bits))
    asked = sql.SQL(", ").join(sql.SQL(f"B'{text}'") for text in _codes.texts(rows, among.bits))
    # The operator may use the index; the function never does.
    how = "{}.hamming_distance(code, asked.query)" if exact else "code OPERATOR({}.<~>) asked.query"
    distance = sql.SQL(how).format(sql.Identifier(among.vector))
    parts = [
        sql.SQL("(SELECT id, {} AS distance FROM {} {} ORDER BY {}, id LIMIT {})").format(
            distance, sql.Identifier(schema, "coded"), condition, distance, sql.Literal(k)
        )
        for schema in ([schema_of(among.name, shard) for shard in among.shards] or [among.name])
    ]
    best = parts[0]
    if len(parts) > 1:
        together = sql.SQL(" UNION ALL ").join(parts)
        best = sql.SQL("(SELECT * FROM ({}) every ORDER BY distance, id LIMIT {})").format(together, sql.Literal(k))
    return sql.SQL(
        "SELECT asked.n, best.id, best.distance FROM unnest(ARRAY[{}]::{}[]) WITH ORDINALITY AS asked (query, n) "
        "CROSS JOIN LATERAL {} AS best ORDER BY 1, 3, 2"
    ).format(asked, bits, best)


def _arrays_of(found: _Found, n_queries: int, k: int, among: Collection) -> tuple[NDArray[np.int32], NDArray[Any]]:
    lengths = {len(found.get(row, ())) for row in range(n_queries)} or {k}
    if len(lengths) > 1:
        raise RuntimeError("objects came or went while they were searched; search outside of a transaction, or in one that repeats reads")
    (length,) = lengths
    if length < k:
        warnings.warn(f"k: {k} objects were asked for, and there are {length}", CodeWarning, stacklevel=3)
    rows = [found.get(row, []) for row in range(n_queries)]
    shape = (n_queries, length)
    if among.shards:
        _once(rows)
    distances = np.array([distance for row in rows for _, distance in row], dtype=np.int32).reshape(shape)
    kind = np.int64 if among.ids == "bigint" else np.str_
    return distances, np.array([id_ for row in rows for id_, _ in row], dtype=kind).reshape(shape)


def _once(rows: list[list[tuple[Any, int]]]) -> None:
    for row in rows:
        ids = [id_ for id_, _ in row]
        if len(set(ids)) < len(ids):
            twice = next(id_ for id_ in ids if ids.count(id_) > 1)
            raise ValueError(f"ids: {twice!r} is stored on two shards; an object belongs on one")

"""Searches several servers as one, through postgres_fdw; a server that does not answer is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

from sibp._params import count
from sibp.postgres._tables import Collection, about_row, about_table, extension, find, identifier, make_schema, one

OF_USERS = ("user", "password", "passfile", "sslpassword")


class ShardError(RuntimeError):
    """A shard does not answer, so neither does the search: a part of an answer would pass for the whole.

    Examples
    --------
    >>> from sibp.postgres import ShardError
    >>> raise ShardError("north", "connection refused")
    Traceback (most recent call last):
        ...
    sibp.postgres._shards.ShardError: shard 'north' does not answer: connection refused
    """

    def __init__(self, shard: str, reason: str) -> None:
        super().__init__(f"shard {shard!r} does not answer: {reason}")
        self.shard = shard


def attach(
    conn: Connection[Any], shards: Mapping[str, str], *, name: str = "sibp", remote: str | None = None, ef: int = 800
) -> None:
    """Make a collection that lies on other servers, to be searched as one.

    Each shard holds a collection of its own, made by `create` and filled by `load` there; an object belongs on one of
    them. A search asks every shard for its k nearest and takes the k nearest of those.

    Parameters
    ----------
    conn : psycopg.Connection
        To the server that is asked; it holds no codes.
    shards : mapping of str to str
        Connection strings by names of your own: `{"north": "host=10.0.0.5 dbname=codes user=reader password=..."}`. They
        are those that this server uses, and are stored in it (the password for the current user alone).
    name : str
        The collection.
    remote : str, optional
        What it is called on the shards; the same by default.
    ef : int
        How many candidates the index of each shard keeps, up to 1000.

    Examples
    --------
    >>> from sibp import postgres
    >>> postgres.create(conn, bits=8, name="here")
    >>> conn.commit()
    >>> postgres.attach(conn, {"only": dsn}, name="everywhere", remote="here")
    """
    count("ef", ef)
    if not shards:
        raise ValueError("shards: there are none")
    with conn.transaction():
        if find(conn, identifier("name", name)) is not None:
            raise ValueError(f"name: {name!r} is there already")
        extension(conn)
        conn.execute("CREATE EXTENSION IF NOT EXISTS postgres_fdw")
        make_schema(conn, name)
        conn.execute(about_table(name))
        conn.execute(sql.SQL("CREATE TABLE {} (shard text PRIMARY KEY)").format(sql.Identifier(name, "shard")))
        layouts = {shard: _attach(conn, name, shard, dsn, remote or name, ef) for shard, dsn in shards.items()}
        first = next(iter(layouts))
        for shard, layout in layouts.items():
            if layout != layouts[first]:
                raise ValueError(f"shards: {shard!r} has {_words(layout)}, and {first!r} has {_words(layouts[first])}")
        conn.execute(about_row(name, *layouts[first]))


def _attach(conn: Connection[Any], name: str, shard: str, dsn: str, remote: str, ef: int) -> tuple[int, str]:
    """One shard: a server, a user of it, and its tables in a schema of their own. Bits and kind of ids that it has."""
    schema = identifier("shards", schema_of(name, identifier("shards", shard)))
    options = {key: str(value) for key, value in conninfo_to_dict(dsn).items() if value is not None}
    user = {key: options.pop(key) for key in OF_USERS if key in options}
    options["options"] = f"-c hnsw.iterative_scan=strict_order -c hnsw.ef_search={min(ef, 1000)} -c jit=off"
    # The limit goes to the shard where it is thought to save rows, so estimates must be the shard's own.
    options |= {"extensions": "vector", "async_capable": "true", "use_remote_estimate": "true"}
    conn.execute(
        sql.SQL("CREATE SERVER {} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({})").format(
            sql.Identifier(schema), _options(options)
        )
    )
    mapping = sql.SQL("CREATE USER MAPPING FOR CURRENT_USER SERVER {}").format(sql.Identifier(schema))
    conn.execute(mapping + sql.SQL(" OPTIONS ({})").format(_options(user)) if user else mapping)
    make_schema(conn, schema)
    missing = f"shards: {shard!r} has no collection {remote!r}; create makes one"
    try:
        conn.execute(
            sql.SQL("IMPORT FOREIGN SCHEMA {} LIMIT TO (about, coded) FROM SERVER {} INTO {}").format(
                sql.Identifier(remote), sql.Identifier(schema), sql.Identifier(schema)
            )
        )
        if one(conn, "SELECT to_regclass(%s)", [sql.Identifier(schema, "about").as_string(conn)]) is None:
            raise ValueError(missing)
        layout = conn.execute(sql.SQL("SELECT bits, ids FROM {}").format(sql.Identifier(schema, "about"))).fetchone()
    except psycopg.errors.FdwSchemaNotFound:
        raise ValueError(missing) from None
    except psycopg.OperationalError as error:
        raise ShardError(shard, str(error)) from error
    conn.execute(sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier(name, "shard"), sql.Literal(shard)))
    assert layout is not None
    return int(layout[0]), str(layout[1])


def schema_of(name: str, shard: str) -> str:
    """What the server, and the schema of its tables, are called here."""
    return f"{name}_{shard}"


def _options(options: Mapping[str, str]) -> sql.Composed:
    each = (sql.SQL("{} {}").format(sql.Identifier(key), sql.Literal(value)) for key, value in options.items())
    return sql.SQL(", ").join(each)


def _words(layout: tuple[int, str]) -> str:
    return f"codes of {layout[0]} bits and ids of type {layout[1]}"


@contextmanager
def answering(conn: Connection[Any], among: Collection) -> Iterator[None]:
    """Names the shard that ended a search."""
    if not among.shards:
        yield
        return
    try:
        with conn.transaction():
            yield
    except psycopg.OperationalError as error:
        raise ShardError(_silent(conn, among) or "?", str(error).strip()) from error


def _silent(conn: Connection[Any], among: Collection) -> str | None:
    """The first shard that does not answer, if one does not (and we still do)."""
    for shard in among.shards:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("SELECT bits FROM {}").format(sql.Identifier(schema_of(among.name, shard), "about")))
        except psycopg.Error:
            return shard
    return None

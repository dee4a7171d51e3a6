"""Lays out a collection in a schema of its own, and reads how one is laid out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql
from psycopg.errors import SyntaxError

from sibp._params import choice, count

FORMAT = 1
MOST_BITS = 4096
# What an id may be, and its column. Texts are compared by their bytes, whatever the database's language.
ID_TYPES = {"bigint": "bigint", "text": 'text COLLATE "C"'}
# Iterative scans, without which filtered searches end early.
OLDEST_PGVECTOR = (0, 8)


@dataclass(frozen=True)
class Collection:
    """How a collection is laid out."""

    name: str
    bits: int
    ids: str
    columns: tuple[str, ...]
    vector: str
    shards: tuple[str, ...]

    def table(self, table: str) -> sql.Identifier:
        """One of its tables, quoted."""
        return sql.Identifier(self.name, table)

    def own(self, what: str) -> None:
        """Refuses to change what lies on shards."""
        if self.shards:
            raise ValueError(f"name: {self.name!r} lies on shards ({', '.join(self.shards)}); {what} them one by one")


def create(
    conn: Connection[Any], bits: int, *, name: str = "sibp", ids: str = "bigint", columns: Mapping[str, str] | None = None
) -> None:
    """Make an empty collection; one that is there already and is laid out alike is left as it is.

    Parameters
    ----------
    conn : psycopg.Connection
    bits : int
        Bits of a code, 1 to 4096.
    name : str
        Schema that holds the collection.
    ids : {"bigint", "text"}
        What objects are known by. Texts are ordered by their bytes.
    columns : mapping of str to str, optional
        Further columns of objects, for `where`, with their types (without modifiers): `{"price": "numeric"}`.

    Examples
    --------
    >>> from sibp import postgres
    >>> postgres.create(conn, bits=64, name="shoes", ids="text", columns={"price": "numeric"})
    """
    count("bits", bits)
    if bits > MOST_BITS:
        raise ValueError(f"bits: {bits} is more than {MOST_BITS}")
    choice("ids", ids, ID_TYPES)
    identifier("name", name)
    wanted = {identifier("columns", column): kind for column, kind in (columns or {}).items()}
    if taken := {"id", "code", "code_id"} & wanted.keys():
        raise ValueError(f"columns: {taken.pop()!r} has another meaning here")
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(hashtext('sibp'), hashtext(%s))", [name])
        if (found := find(conn, name)) is not None:
            return _same(found, bits, ids, tuple(wanted))
        extension(conn)
        types = {column: _type(conn, column, kind) for column, kind in wanted.items()}
        make_schema(conn, name)
        for statement in _layout(name, int(bits), ids, types):
            conn.execute(statement)


def _layout(name: str, bits: int, ids: str, types: Mapping[str, str]) -> list[sql.Composed]:
    names = {table: sql.Identifier(name, table) for table in ("code", "object")}
    further = sql.SQL("").join(
        sql.SQL(", {} {}").format(sql.Identifier(column), sql.SQL(kind)) for column, kind in types.items()
    )
    width = sql.Literal(bits)
    return [
        about_table(name),
        about_row(name, bits, ids),
        sql.SQL(
            "CREATE TABLE {} (code_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code bit({}) NOT NULL UNIQUE)"
        ).format(names["code"], width),
        sql.SQL("CREATE TABLE {} (id {} PRIMARY KEY, code_id bigint NOT NULL REFERENCES {} {})").format(
            names["object"], sql.SQL(ID_TYPES[ids]), names["code"], further
        ),
        sql.SQL("CREATE INDEX object_code_id ON {} (code_id, id)").format(names["object"]),
        coded_view(name, types),
    ]


def coded_view(name: str, columns: Iterable[str]) -> sql.Composed:
    """The view of objects with their codes, which is what searches read."""
    shown = sql.SQL("").join(sql.SQL(", o.{}").format(sql.Identifier(column)) for column in columns)
    return sql.SQL("CREATE VIEW {} AS SELECT o.id, c.code{} FROM {} o JOIN {} c USING (code_id)").format(
        sql.Identifier(name, "coded"), shown, sql.Identifier(name, "object"), sql.Identifier(name, "code")
    )


def about_table(name: str) -> sql.Composed:
    """The table that says what the schema is."""
    return sql.SQL("CREATE TABLE {} (format integer NOT NULL, bits integer NOT NULL, ids text NOT NULL)").format(
        sql.Identifier(name, "about")
    )


def about_row(name: str, bits: int, ids: str) -> sql.Composed:
    """Its only row."""
    values = sql.SQL(", ").join(map(sql.Literal, (FORMAT, bits, ids)))
    return sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier(name, "about"), values)


def make_schema(conn: Connection[Any], name: str) -> None:
    """Makes a schema; one that is there already is taken, so that its owner may have made it for us."""
    if one(conn, "SELECT to_regnamespace(%s)", [sql.Identifier(name).as_string(conn)]) is None:
        conn.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))


def find(conn: Connection[Any], name: str) -> Collection | None:
    """A collection by name, if there is one."""
    about = sql.Identifier(name, "about")
    if one(conn, "SELECT to_regclass(%s)", [about.as_string(conn)]) is None:
        return None
    format_, bits, ids = conn.execute(sql.SQL("SELECT format, bits, ids FROM {}").format(about)).fetchone() or (0, 0, "")
    if format_ != FORMAT:
        raise ValueError(f"name: {name!r} has format {format_}; this version of sibp knows {FORMAT}")
    shards: tuple[str, ...] = ()
    if one(conn, "SELECT to_regclass(%s)", [sql.Identifier(name, "shard").as_string(conn)]) is not None:
        listed = conn.execute(sql.SQL("SELECT shard FROM {} ORDER BY shard").format(sql.Identifier(name, "shard")))
        shards = tuple(row[0] for row in listed)
    return Collection(name, bits, ids, _columns(conn, name), extension(conn), shards)


def collection(conn: Connection[Any], name: str) -> Collection:
    """A collection by name."""
    found = find(conn, identifier("name", name))
    if found is None:
        raise ValueError(f"name: there is no collection {name!r}; create makes one")
    return found


def extension(conn: Connection[Any]) -> str:
    """The schema in which pgvector lives; it is installed where it is missing."""
    asked = "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
    row = conn.execute(asked).fetchone()
    if row is None:
        conn.execute("CREATE EXTENSION vector")
        row = conn.execute(asked).fetchone()
    assert row is not None
    if tuple(int(part) for part in row[1].split(".")[:2]) < OLDEST_PGVECTOR:
        raise ValueError(f"pgvector {row[1]} is too old; 0.8 or later is needed")
    return str(row[0])


def identifier(argument: str, name: object) -> str:
    """A name that PostgreSQL takes as it is; it would cut longer ones."""
    if not isinstance(name, str):
        raise TypeError(f"{argument}: {name!r} is no text")
    if not name or "\0" in name or len(name.encode()) > 63:
        raise ValueError(f"{argument}: {name!r} is no name; give 1 to 63 bytes")
    return name


def one(conn: Connection[Any], query: str, values: list[Any]) -> Any:
    """The only value of the only row."""
    row = conn.execute(query, values).fetchone()
    return None if row is None else row[0]


def _columns(conn: Connection[Any], name: str) -> tuple[str, ...]:
    asked = """SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped
               AND attname NOT IN ('id', 'code_id') ORDER BY attnum"""
    return tuple(row[0] for row in conn.execute(asked, [sql.Identifier(name, "object").as_string(conn)]))


def _type(conn: Connection[Any], column: str, kind: str) -> str:
    """A type as the server writes it, which is safe to put into a statement."""
    found = None
    if "(" not in kind:
        with suppress(SyntaxError), conn.transaction():
            found = one(conn, "SELECT to_regtype(%s)::text", [kind])
    if found is None:
        raise ValueError(f"columns: {column!r}: {kind!r} is no type (give it without modifiers)")
    return str(found)


def _same(found: Collection, bits: int, ids: str, columns: tuple[str, ...]) -> None:
    is_, asked = (found.bits, found.ids, found.columns), (bits, ids, columns)
    for what, old, new in zip(("bits", "ids", "columns"), is_, asked, strict=True):
        if old != new:
            raise ValueError(f"{what}: {found.name!r} is there already, with {old!r} instead of {new!r}")

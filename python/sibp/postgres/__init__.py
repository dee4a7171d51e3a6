"""Keeps and searches codes in PostgreSQL with pgvector (`pip install 'sibp[postgres]'`).

A collection is a schema of the database: `code(code_id, code)` holds every distinct code once, `object(id, code_id, ...)`
who has it, and the view `coded(id, code, ...)` is both together. Learned codes repeat by design, and a graph index loses
recall where many entries are alike, so the index (HNSW) is over distinct codes.

>>> import numpy as np, sibp
>>> codes = np.array([[0b00000001], [0b00000011], [0b11110000]], dtype=np.uint8)
>>> sibp.postgres.create(conn, bits=8)
>>> sibp.postgres.load(conn, [10, 20, 30], codes)
3
>>> distances, ids = sibp.postgres.search(conn, codes[:1], k=2)
>>> ids
array([[10, 20]])

Every function works in one transaction, which is a part of yours where one is open already; commit it then.
"""

from __future__ import annotations

try:
    import psycopg as _psycopg  # noqa: F401
except ImportError:
    raise ImportError("PostgreSQL needs psycopg: pip install 'sibp[postgres]'") from None

from sibp.postgres._extend import extend
from sibp.postgres._load import load
from sibp.postgres._search import search
from sibp.postgres._shards import ShardError, attach
from sibp.postgres._tables import create

__all__ = ["ShardError", "attach", "create", "extend", "load", "search"]

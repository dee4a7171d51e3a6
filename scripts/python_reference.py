"""Fills in the handbook's Python reference what `sibp._table.documented` writes into docstrings when the package is imported.

The reference is made from the sources, which have `{parameters}` and `{attributes}` there. The table needs nothing but
Python, so that the package does not have to be built for it.
"""

import importlib.util
from pathlib import Path

import griffe

TABLE = Path(__file__).resolve().parent.parent / "python/sibp/_table.py"


def load_table():
    spec = importlib.util.spec_from_file_location("sibp_table", TABLE)
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    return table


class FromTable(griffe.Extension):
    def __init__(self):
        table = load_table()
        self.marks = {"{parameters}": table.parameters_of, "{attributes}": table.attributes_of}

    def on_instance(self, *, obj, **_):
        if obj.is_alias or obj.docstring is None:
            return
        for mark, found in self.marks.items():
            if mark in obj.docstring.value:
                entries = "\n".join(entry.entry() for entry in found(obj.name).values())
                obj.docstring.value = obj.docstring.value.replace(mark, entries)

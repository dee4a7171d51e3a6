#!/usr/bin/env python3
"""Counts the places outside the models that depend on which model it is: what a further model would have to change.

A place (a site) is a function, or a top-level item outside functions, that names one of the models: as a variant of an
enum that lists models, as a constant (`kind::PROBIT`), or as a string that is its name. Help and comments do not count.

    scripts/model_sites.py
    scripts/model_sites.py --max 30
"""

import argparse
import ast
import re
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from rust_source import sources

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("probit", "gaussian", "ibp", "ddibp")
CONSTANT = re.compile(rf"\b\w+::(?:{'|'.join(MODELS).upper()})\b")
# Folders of sources, and what their totals are called.
ROOTS = {
    "sibp": "crates/sibp/src",
    "sibp-cli": "crates/sibp-cli/src",
    "sibp-python": "crates/sibp-python/src",
    "sibp-paper": "crates/sibp-paper/src",
    "python": "python/sibp",
}
# What a model owns: it may name itself there. Files of tests are left out as well.
EXCLUDED = [
    ("crates/sibp/src/kernel/*", "a kernel is written for the states of its models"),
    ("crates/sibp/src/likelihood/*", "a likelihood is a part of its models"),
    ("crates/sibp/src/prior/*", "a prior is a part of its models"),
    ("crates/sibp/src/state/*", "settings and state of each model"),
    ("python/sibp/_models.py", "one estimator a model, which a further model adds to"),
    ("crates/sibp/src/verify/*", "checks of samplers are written model by model"),
    *((f"*/{name}{rest}", "named after a model: its own") for name in MODELS for rest in (".*", "_*", "/*")),
    *((f"*/_{name}{rest}", "named after a model: its own") for name in MODELS for rest in (".py", "_*")),
]


def excluded(path):
    return any(fnmatch(path, pattern) for pattern, _ in EXCLUDED)


def plain(name):
    """A variant's or string's name as models are spelled: `DdIbp` and `dd_ibp` are ddibp."""
    return name.lower().replace("_", "").replace("-", "")


def plain_token(token):
    """The model that a token names."""
    return plain(token.split("::")[-1].strip('"'))


def variants(code, start):
    """Names of the variants of the enum whose block begins at `start`."""
    depth, found, at = 0, [], start
    for match in re.finditer(r"[({\[]|[)}\]]|[A-Z]\w*", code[start:]):
        text = match[0]
        depth += (text in "({[") - (text in ")}]")
        if depth == 0:
            break
        if depth == 1 and text[0].isalpha():
            found.append((text, at + match.start()))
    return found


def enums_of_models(files):
    """{name: its variants that are models} of the enums that list models: at least three of them.

    Those that the registry's macro writes are known by name.
    """
    listed = {"Probit", "Gaussian", "Ibp", "DdIbp"}
    found = {"ModelKind": listed, "AnyModel": listed}
    for source in files.values():
        for match in re.finditer(r"\benum\s+(\w+)[^{;]*(?=\{)", source.code):
            of_models = {name for name, _ in variants(source.code, match.end()) if plain(name) in MODELS}
            if len(of_models) >= 3:
                found[match[1]] = of_models
    return found


def rust_mentions(source, enums):
    """(place, token) of everything in a file that names a model."""
    for name, of_models in enums.items():
        any_of = "|".join(sorted(of_models))
        names = {name, *re.findall(rf"\b{name}\s+as\s+(\w+)", source.code)}
        pattern = rf"\b(?:{'|'.join(sorted(names))})::(?:{any_of})\b"
        if re.search(rf"\buse\b[^;]*\b{name}::(?:\*|\{{)", source.code):
            pattern += rf"|(?<!:)\b(?:{any_of})\b"
        for match in re.finditer(pattern, source.code):
            yield match.start(), match[0]
        for match in re.finditer(rf"\benum\s+{name}\b[^{{;]*(?=\{{)", source.code):
            for variant, at in variants(source.code, match.end()):
                if variant in of_models:
                    yield at, variant
        yield from own_variants(source.code, name, any_of)
    for match in CONSTANT.finditer(source.code):
        yield match.start(), match[0]
    for at, text in source.strings:
        if text in MODELS:
            yield at, f'"{text}"'


def own_variants(code, name, any_of):
    """`Self::Variant` in the impl blocks of an enum, those of traits included."""
    for match in re.finditer(rf"\bimpl\b[^{{;]*\b{name}\b[^{{;]*\{{", code):
        target = match[0].split(" for ")[-1]
        if not re.search(rf"\b{name}\b", target):
            continue
        end = matching_brace(code, match.end() - 1)
        for inner in re.finditer(rf"\bSelf::(?:{any_of})\b", code[match.end() : end]):
            yield match.end() + inner.start(), inner[0]


def matching_brace(code, start):
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return at
    return len(code)


def rust_sites(files, enums):
    """{(path, line, name): tokens}"""
    found = {}
    for path, source in files.items():
        for at, token in sorted(rust_mentions(source, enums)):
            item = source.item_at(at)
            found.setdefault((path, source.line(item.start), item.name), []).append(token)
    return found


def python_sites(path, text):
    """The same of a Python file: a site is a function, a method, or else a class or statement of the file."""
    found = {}
    for line, name, node in python_items(ast.parse(text).body):
        for inner in ast.walk(node) if not isinstance(node, ast.ClassDef) else class_statements(node):
            if isinstance(inner, ast.Constant) and inner.value in MODELS:
                found.setdefault((path, line, name), []).append(f'"{inner.value}"')
    return found


def python_items(body, owner=""):
    """(line, name, node) of functions, methods, classes and other statements."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, owner + node.name, node
        elif not owner and not is_docstring(node):
            yield node.lineno, ast.unparse(node).split("\n")[0][:60], node
        if isinstance(node, ast.ClassDef):
            yield from python_items(node.body, f"{owner}{node.name}.")


def class_statements(node):
    """What stands in a class outside its methods and inner classes."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for statement in node.body:
        if not isinstance(statement, defined) and not is_docstring(statement):
            yield from ast.walk(statement)


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def all_sites(root):
    """{crate: {(path, line, name): tokens}}"""
    rust, of_crate = {}, {}
    for crate, folder in ROOTS.items():
        for path, source in sources(root / folder).items():
            name = path.relative_to(root).as_posix()
            of_crate[name] = crate
            rust[name] = source
    enums = enums_of_models(rust)
    found = {crate: {} for crate in ROOTS}
    counted = {name: source for name, source in rust.items() if not excluded(name)}
    for site, tokens in rust_sites(counted, enums).items():
        found[of_crate[site[0]]][site] = tokens
    for crate, folder in ROOTS.items():
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if not excluded(name):
                found[crate] |= python_sites(name, path.read_text(encoding="utf-8"))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", type=int, metavar="N", help="fail if there are more sites than this")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="DIR", help="where to look [default: this tree]")
    args = parser.parse_args()
    found = all_sites(args.tree.resolve())
    for sites in found.values():
        for (path, line, name), tokens in sorted(sites.items()):
            counts = ", ".join(f"{token} x{n}" if n > 1 else token for token, n in Counter(tokens).items())
            print(f"{path}:{line}: {name}: {counts}")
    for crate, sites in found.items():
        print(f"{crate}: {len(sites)}")
    total = sum(len(sites) for sites in found.values())
    several = sum(len(set(map(plain_token, tokens))) > 1 for sites in found.values() for tokens in sites.values())
    print(f"{several} of them name more than one model")
    print(f"{total} sites depend on which model it is" + (f"; at most {args.max} may" if args.max is not None else ""))
    sys.exit(1 if args.max is not None and total > args.max else 0)


if __name__ == "__main__":
    main()

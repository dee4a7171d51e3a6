#!/usr/bin/env python3
"""Checks that the library's modules import only from their own layer or from layers below, and never in a circle.

    scripts/layers.py            compares the sources with the table in ARCHITECTURE.md
    scripts/layers.py --print    prints who imports whom, as Markdown

The table stands between `<!-- table: layers -->` and `<!-- end: layers -->`. Its rows are `| n | modules | what for |`,
the lowest layer first; modules stand in backticks with commas between them. Imports in tests are not looked at.
"""

import argparse
import re
import sys
from pathlib import Path

from rust_source import sources

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "crates/sibp/src"
TABLE = re.compile(r"<!-- table: layers -->\n(.*?)<!-- end: layers -->", re.DOTALL)
PATH = re.compile(r"\b(?P<root>crate|super(?:\s*::\s*super)*)\s*::\s*")


def module_of(path, root):
    """The top-level module that a file belongs to; None for the crate's root."""
    first = path.relative_to(root).parts[0].removesuffix(".rs")
    return None if first in ("lib", "main") else first


def depth_of(path, root):
    """How many `super` lead from a file to the crate's root."""
    parts = path.relative_to(root).with_suffix("").parts
    return len(parts) - (parts[-1] == "mod")


def leaves(code, at):
    """First names of what a path that goes on at `at` leads to: several where it goes on with braces."""
    if code[at : at + 1] != "{":
        return re.findall(r"^\w+", code[at : at + 100])
    depth, names, fresh = 0, [], True
    for match in re.finditer(r"\w+|[{},]", code[at:]):
        text = match[0]
        depth += (text == "{") - (text == "}")
        if depth == 0:
            break
        if text in "{,":
            fresh = depth == 1
        elif fresh and depth == 1:
            names.append(text)
            fresh = False
    return names


def imports(source, depth):
    """(name below the crate's root, place) of every path from the root."""
    for match in PATH.finditer(source.code):
        n_up = match["root"].count("super")
        if match["root"] == "crate" or n_up == depth:
            for name in leaves(source.code, match.end()):
                yield name, match.start()


def reexports(source):
    """{name: module} of what the crate's root gives a second name."""
    found = {}
    for match in re.finditer(r"\buse\s+(?:crate::|self::)?(\w+)::([^;]+);", source.code):
        names = [part.split(" as ")[-1].split("::")[-1] for part in re.split(r"[{},]", match[2])]
        found |= {name.strip(): match[1] for name in names if name.strip()}
    return found


def dependencies(root):
    """{module: {module it imports from: [places]}}"""
    files = sources(root)
    modules = {module_of(path, root) for path in files} - {None}
    second = {}
    for path, source in files.items():
        second |= reexports(source) if module_of(path, root) is None else {}
    found = {module: {} for module in sorted(modules)}
    for path, source in files.items():
        module = module_of(path, root)
        for name, at in imports(source, depth_of(path, root)) if module else ():
            other = name if name in modules else second.get(name)
            if other in modules and other != module:
                found[module].setdefault(other, []).append(f"{path.relative_to(root)}:{source.line(at)}")
    return found


def components(graph):
    """Strongly connected components (Tarjan), what is imported before who imports it."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph[node]:
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def circles(graph):
    return [component for component in components(graph) if len(component) > 1]


def read_layers(text):
    """{module: layer} of the table; the order of the rows counts, not the numbers in them."""
    match = TABLE.search(text)
    if not match:
        raise ValueError("there is no table between <!-- table: layers --> and <!-- end: layers -->")
    layer_of = {}
    rows = [line for line in match[1].splitlines() if re.match(r"\|\s*\d+\s*\|", line)]
    for layer, row in enumerate(rows):
        for module in re.findall(r"`(\w+)`", row.split("|")[2]):
            if module in layer_of:
                raise ValueError(f"the module {module} stands in two layers")
            layer_of[module] = layer
    return layer_of


def problems(graph, layer_of):
    """Everything that breaks the rules, in words."""
    found = [f"the module {module} stands in no layer" for module in graph if module not in layer_of]
    found += [f"the table names {module}, which is no module" for module in layer_of if module not in graph]
    for module, others in graph.items():
        for other, places in sorted(others.items()):
            if layer_of.get(other, 0) > layer_of.get(module, len(graph)):
                found.append(f"{module} imports from {other}, which is in a layer above: {', '.join(places)}")
    return found + [f"modules import each other in a circle: {', '.join(circle)}" for circle in circles(graph)]


def page(graph):
    """Who imports whom; modules stand below those they import from as far as there is no circle."""
    level = {}
    for component in components(graph):
        below = [level[other] for module in component for other in graph[module] if other in level]
        level |= dict.fromkeys(component, 1 + max(below, default=0))
    lines = ["| level | module | imports from |", "|---|---|---|"]
    for module in sorted(graph, key=lambda module: (level[module], module)):
        others = ", ".join(f"`{other}`" for other in sorted(graph[module])) or "nothing"
        lines.append(f"| {level[module]} | `{module}` | {others} |")
    lines += ["", "Circles: " + ("none" if not circles(graph) else "")]
    for circle in circles(graph):
        lines.append(f"- {len(circle)} modules: " + ", ".join(f"`{module}`" for module in circle))
    return "\n".join(line.rstrip() for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="DIR", help="where to look [default: this tree]")
    parser.add_argument("--print", action="store_true", help="print who imports whom, and check nothing")
    args = parser.parse_args()
    graph = dependencies(args.tree / SOURCES)
    if args.print:
        print(page(graph))
        return
    try:
        layer_of = read_layers((args.tree / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    except ValueError as error:
        sys.exit(f"error: ARCHITECTURE.md: {error}")
    found = problems(graph, layer_of)
    n_layers = len(set(layer_of.values()))
    print("\n".join(found) if found else f"{len(graph)} modules in {n_layers} layers, no import upwards")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

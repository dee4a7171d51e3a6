"""Collects the licences of what is linked into a binary, whose authors ask to be named wherever it goes."""

from collections import defaultdict
from pathlib import Path

NAMES = ("licen", "copying", "notice", "unlicense", "copyright")


def linked(metadata, name):
    """The packages of others that a crate is linked with, by name and version: no tests, no build scripts."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    members = set(metadata["workspace_members"])
    waiting = [ident for ident in members if packages[ident]["name"] == name]
    seen = set(waiting)
    while waiting:
        for other in nodes[waiting.pop()]["deps"]:
            if other["pkg"] not in seen and any(kind["kind"] is None for kind in other["dep_kinds"]):
                seen.add(other["pkg"])
                waiting.append(other["pkg"])
    return sorted((packages[ident] for ident in seen - members), key=lambda p: (p["name"], p["version"]))


def texts_of(package):
    """The files in which a package states its licence."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(NAMES))
    return [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]


def notices(metadata, name):
    """The list of packages, then every text once, below the packages that have it."""
    packages = linked(metadata, name)
    owners = defaultdict(list)
    lines = ["This program is linked with the packages below; the texts of their licences follow.", ""]
    for package in packages:
        title = f"{package['name']} {package['version']}"
        lines.append(f"{title}: {package['license'] or 'see its text'}")
        for text in texts_of(package):
            owners[text].append(title)
    for text, titles in owners.items():
        lines += ["", "=" * 80, ", ".join(dict.fromkeys(titles)), "=" * 80, text]
    return "\n".join(lines) + "\n"

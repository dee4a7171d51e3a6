#!/usr/bin/env python3
"""Builds every package into a folder, installs each into a clean environment and runs its first example.

Crates by `cargo package`, the Python package as wheel (manylinux, confirmed by auditwheel) and as sources, the command as one
archive with manual pages and completions. `make dist` prepares the tools and calls this; docs/installing.md says what the
packages are for. The first thing that fails ends it.
"""

import argparse
import hashlib
import shutil
import tempfile
import time
from pathlib import Path

from release import build, trial
from release.place import ROOT, Place


def table(rows):
    """Lines of columns as wide as their widest cell."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def size_of(path):
    return f"{path.stat().st_size / 1e6:.2f} MB"


def tried(trial_of, *arguments):
    """Runs a trial in an empty folder; returns how long it took, in words."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sibp-trial-") as folder:
        trial_of(Path(folder), *arguments)
    return f"ran ({time.monotonic() - began:.0f} s)"


def crate_rows(place):
    """Packages of the crates: the library in a new project, the others installed together as the command."""
    paths = list(build.crates(place))
    needs = f"Rust {place.manifest['workspace']['package']['rust-version']}"
    with tempfile.TemporaryDirectory(prefix="sibp-crates-") as packages:
        folders = trial.unpacked_crates(paths, Path(packages))
        trial.packages_alone(place, folders)
        library = tried(lambda folder: trial.library(place, folders, folder))
        command = tried(lambda folder: trial.packaged_command(place, folders, folder))
    for path in paths:
        ran = library if path.name == f"sibp-{place.version}.crate" else f"{command} in the packaged command"
        yield path.name, size_of(path), needs, ran
    sources, page = ROOT / "crates/sibp-cli", ROOT / "README.md"
    install = tried(lambda folder: trial.installed_command(place, sources, page, folder, "--locked"))
    yield "cargo install --path crates/sibp-cli", "", needs, install


def python_rows(place):
    """The sources and the wheel, each in an environment of its own."""
    sources = build.sdist(place)
    yield sources.name, size_of(sources), "Rust, Python 3.11", tried(lambda folder: trial.python(sources, folder, place.env, place.version))
    wheel = build.wheel(place)
    tag = trial.audit(place, wheel)
    yield wheel.name, size_of(wheel), f"{tag} (auditwheel)", tried(lambda folder: trial.python(wheel, folder, place.env, place.version))


def archive_rows(place):
    """The archive of the command."""
    path, needs = build.archive(place)
    yield path.name, size_of(path), "glibc {}.{}".format(*needs), tried(lambda folder: trial.archive(path, folder, place.version))


def write_checksums(out):
    """SHA256SUMS of all packages, which `sha256sum -c` reads."""
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=Path, required=True, help="the folder with maturin, auditwheel and cargo-zigbuild")
    parser.add_argument("--target", type=Path, required=True, help="cargo's folder")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where packages go; what is there is removed")
    parser.add_argument("--allow-dirty", action="store_true", help="package what is not committed, too")
    args = parser.parse_args()
    # Not resolved: the interpreter of an environment is a link.
    place = Place(args.tools.absolute(), args.target.absolute(), args.out.absolute(), args.allow_dirty)
    shutil.rmtree(place.out, ignore_errors=True)
    place.out.mkdir(parents=True)
    rows = [("package", "size", "needs", "first example")]
    for part in (archive_rows, python_rows, crate_rows):
        rows += part(place)
    write_checksums(place.out)
    print(f"\nsibp {place.version}, in {place.out}\n\n{table(rows)}")


if __name__ == "__main__":
    main()

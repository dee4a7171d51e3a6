"""Tries packages as those who get them: installed into empty folders, with the first example of their README."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

from check_readme import marked_blocks, run_block
from release.place import GLIBC, ROOT, output_of, run

# What an example may find beside the package: no tools of the project, no settings of a user.
PATH = "/usr/local/bin:/usr/bin:/bin"


def first_block(text, language):
    """The first block of Markdown in a language; a page without one is a ValueError."""
    found = re.search(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"there is no block of {language}")
    return found[1]


def unpack(archive, folder):
    """Unpacks an archive that holds one folder, and returns that."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (inside,) = folder.iterdir()
    return inside


def clean_env(home):
    """The environment of somebody who has just come."""
    return {"HOME": str(home), "PATH": PATH, "LANG": "C.UTF-8"}


def shell_example(page, folder, bin_dir):
    """Runs the first marked shell block of a page in a folder, with the command of `bin_dir`."""
    block = marked_blocks(page.read_text(encoding="utf-8"))[0]
    code, printed = run_block(block, folder, bin_dir, clean_env(folder))
    if code:
        raise SystemExit(f"{page}:{block.line}: exit code {code}\n{block.script}--- printed:\n{printed}")


def page_example(page, folder, bin_dir):
    """Runs the first shell block of a page, which serves until it is ended, and opens what it serves."""
    env = clean_env(folder)
    env["PATH"] = f"{bin_dir}{os.pathsep}{env['PATH']}"
    words = ["bash", "-c", f"exec {first_block(page.read_text(encoding='utf-8'), 'sh')}"]
    with subprocess.Popen(words, cwd=folder, env=env, text=True, stdout=subprocess.PIPE) as server:
        try:
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            address = server.stdout.readline().strip()
            answer = browser.open(address, timeout=60).read()
        finally:
            server.terminate()
    if b"<html" not in answer:
        raise SystemExit(f"{address} is no page")


def check_version(binary, version):
    """The command is that of this version."""
    printed = output_of([binary, "--version"]).strip()
    if printed != f"sibp {version}":
        raise SystemExit(f"{binary} is {printed}, not {version}")


def archive(path, folder, version):
    """The archive alone: the first example of the README in it, with the data in it, where it was unpacked."""
    unpacked = unpack(path, folder)
    for inside in ("share/man/man1/sibp.1", "share/man/man1/sibp-fit.1", "share/bash-completion/completions/sibp"):
        if not (unpacked / inside).stat().st_size:
            raise SystemExit(f"{path}: {inside} is empty")
    name_no_folder(unpacked / "bin/sibp")
    check_version(unpacked / "bin/sibp", version)
    shell_example(unpacked / "README.md", unpacked, unpacked / "bin")


def name_no_folder(binary):
    """A binary that others run names neither the home of who built it nor the folder where it was built."""
    content = binary.read_bytes()
    for folder in {str(Path.home()) + "/.", str(ROOT)}:
        if folder.encode() in content:
            raise SystemExit(f"{binary} names {folder}, a folder of this machine")


def installed_command(place, sources, page, folder, *options):
    """`cargo install --path SOURCES` into a folder, then the first example of a page beside the data; where the command is."""
    words = ["cargo", "install", "--path", sources, "--root", folder / "installed", *place.profile, *options]
    run(words, cwd=folder, env=place.env)
    check_version(folder / "installed/bin/sibp", place.version)
    shutil.copytree(ROOT / "data", folder / "data")
    shell_example(page, folder, folder / "installed/bin")
    return folder / "installed/bin"


def siblings(name, folders):
    """Options of cargo for the packages that one depends on."""
    needed = tomllib.loads((folders[name] / "Cargo.toml").read_text(encoding="utf-8"))["dependencies"]
    return patches({other: path for other, path in folders.items() if other in needed})


def packages_alone(place, folders):
    """Compiles every package from what it holds, against the packages of the others."""
    for name, path in folders.items():
        words = ["cargo", "build", "--release", "--manifest-path", path / "Cargo.toml", *place.profile]
        run([*words, *siblings(name, folders)], cwd=path, env=place.env)


def packaged_command(place, folders, folder):
    """The packaged command with the other packages, as `cargo install` finds them; then the examples of all of them."""
    bin_dir = installed_command(place, folders["sibp-cli"], folders["sibp-cli"] / "README.md", folder, *siblings("sibp-cli", folders))
    shell_example(folders["sibp-paper"] / "README.md", folder, bin_dir)
    page_example(folders["sibp-page"] / "README.md", folder, bin_dir)


def unpacked_crates(crates, folder):
    """The folders of all packages, by the names of their crates."""
    found = {}
    for path in crates:
        (folder / path.stem).mkdir(parents=True)
        found[path.stem.rpartition("-")[0]] = unpack(path, folder / path.stem)
    return found


def patches(folders):
    """Options of cargo that take packages from these folders, as from a registry that has them."""
    return [f"--config=patch.crates-io.{name}.path={json.dumps(str(path))}" for name, path in folders.items()]


def library(place, folders, folder):
    """A new project that depends on the library by its version alone: the first example of its README."""
    (folder / "src").mkdir(parents=True)
    (folder / "src/main.rs").write_text(first_block((folders["sibp"] / "README.md").read_text(encoding="utf-8"), "rust"))
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "first-example"\nversion = "0.0.0"\nedition = "2024"\n\n'
        f'[dependencies]\nsibp = "={place.version}"\n'
    )
    # The same versions of dependencies, which are compiled already.
    shutil.copy(ROOT / "Cargo.lock", folder)
    only = patches({"sibp": folders["sibp"]})
    run(["cargo", "run", "--release", *place.profile, *only], cwd=folder, env=place.env)


def python(path, folder, env, version):
    """An environment with this package, and what it asks for, alone: the first example of its README."""
    interpreter = folder / "venv/bin/python"
    run([sys.executable, "-m", "venv", folder / "venv"])
    # Sources are compiled from nothing: in another folder of builds cargo takes them for those of the repository.
    run([interpreter, "-m", "pip", "install", "--quiet", path], cwd=folder, env=dict(env, CARGO_TARGET_DIR=str(folder / "target")))
    example = first_block((ROOT / "python/README.md").read_text(encoding="utf-8"), "python")
    (folder / "example.py").write_text(f"import sibp\nassert sibp.__version__ == {version!r}\n{example}")
    # Isolated: the folder of the sources is not looked into.
    run([interpreter, "-I", "example.py"], cwd=folder, env=clean_env(folder))
    if path.suffix == ".whl":
        (native,) = (folder / "venv").rglob("_sibp*.so")
        name_no_folder(native)


def glibc_of(tag):
    """(major, minor) of a platform tag `manylinux_2_28_x86_64`; of another kind of tag it is a ValueError."""
    found = re.fullmatch(r"manylinux_(\d+)_(\d+)_\w+", tag)
    if not found:
        raise ValueError(f"{tag} is no tag of manylinux")
    return int(found[1]), int(found[2])


def confirmed_tag(name, audited):
    """The tag in a wheel's name, if what auditwheel found allows it and it is not newer than GLIBC."""
    tag = Path(name).stem.rpartition("-")[2]
    if not glibc_of(audited) <= glibc_of(tag) <= GLIBC:
        raise ValueError(f"{name}: auditwheel says {audited}; the newest allowed is glibc {GLIBC}")
    return tag


def audit(place, wheel):
    """The wheel's tag, confirmed by auditwheel."""
    run([place.tools / "auditwheel", "show", wheel], env=dict(os.environ, COLUMNS="100"))
    return confirmed_tag(wheel.name, json.loads(output_of([place.tools / "auditwheel", "show", "--json", wheel]))["overall_tag"])

"""Builds the packages: crates, sdist, wheel, and the archive of the command."""

import gzip
import os
import re
import shutil
import tarfile
import tempfile
from pathlib import Path

from release.notices import notices
from release.place import GLIBC, ROOT, output_of, run

MAN, BASH, ZSH, FISH = (
    "share/man/man1",
    "share/bash-completion/completions/sibp",
    "share/zsh/site-functions/_sibp",
    "share/fish/vendor_completions.d/sibp.fish",
)


def crates(place):
    """Packages the crates that are published.

    They are compiled by `trial.packages_alone`: cargo's own check takes what it unpacked of a package of this version before.
    """
    chosen = [word for name in place.crates for word in ("--package", name)]
    dirty = ["--allow-dirty"] if place.allow_dirty else []
    run(["cargo", "package", "--locked", "--no-verify", *chosen, *dirty], cwd=ROOT, env=place.env)
    for name in place.crates:
        yield Path(shutil.copy(place.target / f"package/{name}-{place.version}.crate", place.out))


def sdist(place):
    """The Python package as sources."""
    run([place.tools / "maturin", "sdist", "--out", place.out], cwd=ROOT / "python", env=place.env)
    return place.out / f"sibp-{place.version}.tar.gz"


def wheel(place):
    """The Python package for any Linux with a glibc that is not older than GLIBC."""
    # Beside the licences of the project: pyproject.toml takes all files of that name.
    others = ROOT / "python/LICENSE-THIRD-PARTY"
    others.write_text(notices(place.metadata, "sibp-python"), encoding="utf-8")
    try:
        tag = "manylinux_{}_{}".format(*GLIBC)
        words = [place.tools / "maturin", "build", "--release", "--locked", "--zig", "--compatibility", tag, "--out", place.out]
        run([*words, "--interpreter", place.tools / "python"], cwd=ROOT / "python", env=place.portable_env("wheel"))
    finally:
        others.unlink()
    (built,) = place.out.glob("*.whl")
    return built


def newest_glibc(symbols):
    """The newest glibc that a table of dynamic symbols (`objdump -T`) asks for; (0, 0) if none."""
    found = re.findall(r"\bGLIBC_(\d+)\.(\d+)", symbols)
    return max(((int(major), int(minor)) for major, minor in found), default=(0, 0))


def command(place):
    """The command for any Linux with a glibc that is not older than GLIBC: its path, and the glibc that it asks for."""
    target = "{}.{}.{}".format(place.host, *GLIBC)
    words = [place.tools / "cargo-zigbuild", "zigbuild", "--release", "--locked", "--bin", "sibp", "--target", target]
    env = place.portable_env("command")
    run(words, cwd=ROOT, env=env)
    binary = Path(env["CARGO_TARGET_DIR"], place.host, "release/sibp")
    needs = newest_glibc(output_of(["objdump", "-T", binary]))
    if not (0, 0) < needs <= GLIBC:
        raise SystemExit(f"{binary} asks for glibc {needs}, not for one up to {GLIBC}")
    return binary, needs


def fill(folder, binary, third_party):
    """Puts into a folder what the archive holds."""
    (folder / "bin").mkdir(parents=True)
    shutil.copy(binary, folder / "bin/sibp")
    run(["strip", folder / "bin/sibp"])
    run([folder / "bin/sibp", "man", "-o", folder / MAN])
    for shell, place in (("bash", BASH), ("zsh", ZSH), ("fish", FISH)):
        (folder / place).parent.mkdir(parents=True)
        (folder / place).write_text(output_of([folder / "bin/sibp", "completions", shell]), encoding="utf-8")
    for name in ("CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "crates/sibp-cli/README.md"):
        shutil.copy(ROOT / name, folder)
    (folder / "LICENSE-THIRD-PARTY").write_text(third_party, encoding="utf-8")
    # What the example of README reads.
    shutil.copytree(ROOT / "data", folder / "data")


def pack(folder, path, time):
    """Writes a folder as a .tar.gz that depends on names, contents and the time given alone."""

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        entry.mode = 0o755 if entry.mode & 0o100 or entry.isdir() else 0o644
        return entry

    with open(path, "wb") as file, gzip.GzipFile("", "wb", mtime=time, fileobj=file) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for inside in sorted(folder.rglob("*")):
                if not inside.is_dir():
                    tar.add(inside, f"{folder.name}/{inside.relative_to(folder)}", recursive=False, filter=plain)


def commit_time():
    """The time of the commit that is packaged, or what SOURCE_DATE_EPOCH says."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output_of(["git", "log", "-1", "--format=%ct"], cwd=ROOT))


def archive(place):
    """The command with its manual and completions as one archive: its path, and the glibc that it asks for."""
    binary, needs = command(place)
    name = f"sibp-{place.version}-{place.host}"
    with tempfile.TemporaryDirectory(prefix="sibp-dist-") as folder:
        fill(Path(folder, name), binary, notices(place.metadata, "sibp-cli"))
        path = place.out / f"{name}.tar.gz"
        pack(Path(folder, name), path, commit_time())
    return path, needs

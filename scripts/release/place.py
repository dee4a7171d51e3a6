"""Knows the workspace that is packaged: its version, its crates, its profile, and where tools and builds lie."""

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The oldest glibc that the wheel and the command run with; of 2018.
GLIBC = (2, 28)


def run(words, **options):
    """Runs a command that must succeed; what it prints is seen."""
    print("+", *(str(word) for word in words), flush=True)
    return subprocess.run([str(word) for word in words], check=True, **options)


def output_of(words, **options):
    """What a command that must succeed prints to stdout."""
    return subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


@dataclass
class Place:
    """The workspace, the folder of Python tools, the folder of builds, and the folder that packages go to."""

    tools: Path
    target: Path
    out: Path
    allow_dirty: bool = False

    @cached_property
    def manifest(self):
        return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))

    @property
    def version(self):
        return self.manifest["workspace"]["package"]["version"]

    @cached_property
    def host(self):
        """The machine that is built for, which is this one."""
        lines = output_of(["rustc", "-vV"]).splitlines()
        return next(line.removeprefix("host: ") for line in lines if line.startswith("host: "))

    @cached_property
    def metadata(self):
        words = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", self.host]
        return json.loads(output_of(words, cwd=ROOT))

    @property
    def crates(self):
        """Names of the crates that are published."""
        members = set(self.metadata["workspace_members"])
        # `publish = false` is an empty list of registries.
        return sorted(p["name"] for p in self.metadata["packages"] if p["id"] in members and p["publish"] is None)

    @property
    def env(self):
        """The environment of every build: the tools first, no incremental compilation."""
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        return dict(os.environ, PATH=path, CARGO_TARGET_DIR=str(self.target), CARGO_INCREMENTAL="0")

    def portable_env(self, what):
        """The same for what others run: no binary is to name folders of this machine.

        Each has a folder of builds: zig's front ends set different flags, and would compile all dependencies anew in turn.
        """
        cargo_home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
        remapped = [f"--remap-path-prefix={cargo_home}=cargo", f"--remap-path-prefix={ROOT}=sibp"]
        return dict(self.env, CARGO_ENCODED_RUSTFLAGS="\x1f".join(remapped), CARGO_TARGET_DIR=str(self.target / f"dist-{what}"))

    @property
    def profile(self):
        """The workspace's profile as options of cargo, so that a build outside shares its compiled dependencies."""
        pairs = self.manifest["profile"]["release"].items()
        return [word for key, value in pairs for word in ("--config", f"profile.release.{key}={json.dumps(value)}")]

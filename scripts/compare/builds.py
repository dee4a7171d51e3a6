"""Builds programs of a base commit and of the tree at hand, each with a target folder of its own."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def target_folder(tree):
    """Where cargo builds the tree."""
    return Path(os.environ.get("CARGO_TARGET_DIR") or tree / "target").resolve()


def git(tree, *words):
    return subprocess.run(["git", "-C", tree, *words], check=True, capture_output=True, text=True).stdout.strip()


def checkout(tree, revision):
    """A worktree of the revision below the target folder, made once; and its target folder."""
    commit = git(tree, "rev-parse", "--verify", f"{revision}^{{commit}}")[:12]
    folder = target_folder(tree) / "compare" / f"base-{commit}"
    if not (folder / "Cargo.toml").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        git(tree, "worktree", "add", "--force", "--detach", str(folder), commit)
    return folder, folder.parent / f"target-{commit}"


def build(tree, target, programs):
    """Builds programs, given as {name: package or None}, in `tree`; their paths by name."""
    for name, package in programs.items():
        words = ["cargo", "build", "--quiet", "--release", "--bin", name]
        words += ["--package", package] if package else []
        print(f"building {name} of {tree}", flush=True)
        subprocess.run(words, cwd=tree, env={**os.environ, "CARGO_TARGET_DIR": str(target)}, check=True)
    return {name: target / "release" / name for name in programs}


def both(args, programs):
    """(programs of the base, programs of the tree), built unless `--base-bin` and `--tree-bin` name them.

    The two options name a program `sibp`; others are looked for beside it.
    """
    tree = args.tree.resolve()

    def given(path):
        return {name: path.resolve().with_name(name) for name in programs}

    base = given(args.base_bin) if args.base_bin else build(*checkout(tree, args.base), programs)
    new = given(args.tree_bin) if args.tree_bin else build(tree, target_folder(tree), programs)
    for path in [*base.values(), *new.values()]:
        if not path.exists():
            raise SystemExit(f"error: there is no {path}")
    return base, new


def add_options(parser):
    parser.add_argument("--base", metavar="REV", default="HEAD", help="commit to compare with [default: HEAD]")
    parser.add_argument("--tree", metavar="DIR", type=Path, default=ROOT, help="the tree at hand [default: this one]")
    parser.add_argument("--base-bin", metavar="PATH", type=Path, help="a built `sibp` of the base, to build nothing")
    parser.add_argument("--tree-bin", metavar="PATH", type=Path, help="a built `sibp` of the tree, to build nothing")

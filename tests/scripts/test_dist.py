"""Checks what `make dist` decides, and that the crates can be packaged: versions, licences, nothing from outside."""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import dist  # noqa: E402
from release import build, notices, trial  # noqa: E402

MEMBERS = {path.parent: tomllib.loads(path.read_text()) for path in sorted(ROOT.glob("crates/*/Cargo.toml"))}
PUBLISHED = {folder: manifest for folder, manifest in MEMBERS.items() if manifest["package"].get("publish", True)}
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
EMBEDDED = re.compile(r'include(?:_bytes|_str)?!\(\s*"([^"]+)"')


class Manifests(unittest.TestCase):
    def test_one_version_everywhere(self):
        version = WORKSPACE["package"]["version"]
        for manifest in MEMBERS.values():
            self.assertEqual(manifest["package"]["version"], {"workspace": True})
        ours = {name: value for name, value in WORKSPACE["dependencies"].items() if name.startswith("sibp")}
        self.assertEqual({value["version"] for value in ours.values()}, {f"={version}"})
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        sections = re.findall(r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(sections[0], version)
        self.assertEqual(len(sections), len(set(sections)))

    def test_what_is_published_depends_on_what_is_published(self):
        names = {manifest["package"]["name"] for manifest in PUBLISHED.values()}
        self.assertEqual(names, {"sibp", "sibp-cli", "sibp-page", "sibp-paper"})
        for manifest in PUBLISHED.values():
            needed = {name for name in manifest["dependencies"] if name.startswith("sibp")}
            self.assertLessEqual(needed, names)

    def test_packages_say_what_they_are(self):
        for folder, manifest in PUBLISHED.items():
            with self.subTest(folder.name):
                package = manifest["package"]
                for field in ("description", "license", "readme", "keywords", "categories", "rust-version"):
                    self.assertIn(field, package)
                self.assertLessEqual(len(package["keywords"]), 5)
                self.assertLessEqual(max(map(len, package["keywords"])), 20)
                for name in ("LICENSE-MIT", "LICENSE-APACHE"):
                    self.assertEqual((folder / name).read_text(), (ROOT / name).read_text())
                self.assertTrue((folder / package["readme"]).is_file())
                # There is no public repository.
                self.assertFalse({"repository", "homepage", "documentation"} & set(package))

    def test_libraries_tell_what_docs_rs_builds(self):
        for folder, manifest in PUBLISHED.items():
            if (folder / "src/lib.rs").exists():
                settings = manifest["package"]["metadata"]["docs"]["rs"]
                self.assertLessEqual(set(settings.get("features", [])), set(manifest.get("features", [])))

    def test_nothing_is_embedded_from_outside_a_package(self):
        found = 0
        for folder in PUBLISHED:
            for source in sorted(folder.glob("src/**/*.rs")):
                for name in EMBEDDED.findall(source.read_text()):
                    found += 1
                    # By its name: a link inside the package becomes a file.
                    path = Path(os.path.normpath(source.parent / name))
                    self.assertTrue(path.is_relative_to(folder) and path.exists(), f"{source} embeds {name}")
                    self.assertFalse(path.is_relative_to(folder / "tests"), f"{source} embeds {name}, which is not packaged")
        self.assertGreater(found, 8)


class Trials(unittest.TestCase):
    def test_the_first_block_of_a_language(self):
        page = "```sh\na\n```\n```python\nb\n\nc\n```\n```python\nd\n```\n"
        self.assertEqual(trial.first_block(page, "python"), "b\n\nc\n")
        self.assertEqual(trial.first_block(page, "sh"), "a\n")
        self.assertRaises(ValueError, trial.first_block, page, "rust")

    def test_every_package_has_a_first_example(self):
        self.assertIn("fn main", trial.first_block((ROOT / "crates/sibp/README.md").read_text(), "rust"))
        self.assertIn("from sibp import", trial.first_block((ROOT / "python/README.md").read_text(), "python"))
        for page in ("README.md", "crates/sibp-cli/README.md"):
            first = trial.marked_blocks((ROOT / page).read_text())[0].script
            for command in ("sibp fit", "sibp encode", "sibp search"):
                self.assertIn(command, first)

    def test_a_tag_is_confirmed_only_if_the_symbols_allow_it(self):
        name = "sibp-0.2.0-cp311-abi3-manylinux_2_28_x86_64.whl"
        self.assertEqual(trial.confirmed_tag(name, "manylinux_2_28_x86_64"), "manylinux_2_28_x86_64")
        self.assertEqual(trial.confirmed_tag(name, "manylinux_2_9_x86_64"), "manylinux_2_28_x86_64")
        for wheel, audited in (
            (name, "manylinux_2_34_x86_64"),
            (name, "linux_x86_64"),
            (name.replace("manylinux_2_28", "linux"), "manylinux_2_28_x86_64"),
            (name.replace("2_28", "2_34"), "manylinux_2_28_x86_64"),
        ):
            self.assertRaises(ValueError, trial.confirmed_tag, wheel, audited)

    def test_an_example_that_fails_ends_it(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "README.md")
            page.write_text("<!-- test -->\n```sh\ntest -z \"${CARGO_HOME:-}\" && test \"$HOME\" = \"$PWD\"\n```\n")
            os.environ["CARGO_HOME"], before = "set", os.environ.get("CARGO_HOME")
            try:
                trial.shell_example(page, Path(folder), folder)
            finally:
                os.environ.pop("CARGO_HOME") if before is None else os.environ.update(CARGO_HOME=before)
            page.write_text("<!-- test -->\n```sh\nfalse\n```\n")
            self.assertRaisesRegex(SystemExit, "exit code 1", trial.shell_example, page, Path(folder), folder)

    def test_a_binary_that_names_a_folder_of_this_machine_is_refused(self):
        with tempfile.NamedTemporaryFile() as binary:
            binary.write(b"\0cargo/registry/src\0")
            binary.flush()
            trial.name_no_folder(Path(binary.name))
            binary.write(str(ROOT / "crates").encode())
            binary.flush()
            self.assertRaises(SystemExit, trial.name_no_folder, Path(binary.name))


class Building(unittest.TestCase):
    def test_the_newest_glibc(self):
        table = "0 DF *UND* 0 (GLIBC_2.2.5) read\n0 DF *UND* 0 (GLIBC_2.28) fcntl64\n0 DF *UND* 0 (GLIBC_2.9) pipe2\n"
        self.assertEqual(build.newest_glibc(table), (2, 28))
        self.assertEqual(build.newest_glibc("0 g DF .text main\n"), (0, 0))

    def test_archives_depend_on_names_and_contents_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            written = []
            for at, mask in enumerate((0o022, 0o077)):
                inside = Path(folder, str(at), "sibp-1")
                before = os.umask(mask)
                try:
                    for name in ("b", "a") if at else ("a", "b"):
                        (inside / name).mkdir(parents=True)
                        (inside / name / "file").write_text(name)
                    (inside / "a/file").chmod(0o700)
                finally:
                    os.umask(before)
                os.utime(inside / "a/file", (at, at))
                written.append(Path(folder, f"{at}.tar.gz"))
                build.pack(inside, written[-1], 1_700_000_000)
            self.assertEqual(written[0].read_bytes(), written[1].read_bytes())
            with tarfile.open(written[0]) as tar:
                entries = [(entry.name, oct(entry.mode), entry.mtime) for entry in tar]
            time = 1_700_000_000
            self.assertEqual(entries, [("sibp-1/a/file", "0o755", time), ("sibp-1/b/file", "0o644", time)])

    def test_licences_of_what_is_linked_and_of_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            packages, nodes = [], []
            kinds = {"linked": None, "deeper": None, "tests": "dev", "script": "build"}
            for name in ("ours", *kinds):
                (Path(folder) / name).mkdir()
                (Path(folder) / name / "LICENSE-MIT").write_text("Copyright them\n" if name == "deeper" else f"Copyright {name}\n")
                manifest = f"{folder}/{name}/Cargo.toml"
                packages.append({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "manifest_path": manifest})
                needs = {"ours": ["linked", "tests", "script"], "linked": ["deeper"]}.get(name, [])
                nodes.append({"id": name, "deps": [{"pkg": other, "dep_kinds": [{"kind": kinds[other]}]} for other in needs]})
            metadata = {"packages": packages, "workspace_members": ["ours"], "resolve": {"nodes": nodes}}
            text = notices.notices(metadata, "ours")
        self.assertIn("deeper 1.0.0: MIT\nlinked 1.0.0: MIT\n", text)
        self.assertIn("Copyright them", text)
        for name in ("ours", "tests", "script"):
            self.assertNotIn(f"Copyright {name}", text)

    def test_the_table_has_columns(self):
        self.assertEqual(dist.table([("a", "b"), ("long", "c")]), "a     b\nlong  c")


class Dependencies(unittest.TestCase):
    def test_deny_looks_at_licences_bans_and_sources(self):
        rules = tomllib.loads((ROOT / "deny.toml").read_text())
        self.assertEqual((rules["sources"]["unknown-registry"], rules["sources"]["unknown-git"]), ("deny", "deny"))
        self.assertEqual(rules["bans"]["wildcards"], "deny")
        dry = subprocess.run(["make", "--dry-run", "--always-make", "dist"], cwd=ROOT, capture_output=True, text=True, check=True)
        self.assertIn("--offline --locked check licenses bans sources", dry.stdout)
        test = subprocess.run(["make", "--dry-run", "test"], cwd=ROOT, capture_output=True, text=True, check=True)
        self.assertNotIn("cargo-deny", test.stdout)


if __name__ == "__main__":
    unittest.main()

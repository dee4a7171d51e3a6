"""Checks the scripts that look at the shape of the sources: places that name a model, and layers of modules."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import layers  # noqa: E402
import model_sites  # noqa: E402
from rust_source import Source  # noqa: E402

RUST = r"""
//! ModelKind::Probit in a comment
/* and /* nested */ "probit" */
pub fn a<'a>(x: &'a str) -> char { let s = r#"crate::x " fn b"#; '"' }
const TABLE: [T; 2] = [T { a: 1 }, T { a: 2 }];
impl<T> From<A> for B<T> {
    fn c(&self) { fn inner() {} }
}
#[cfg(test)]
mod outer;
#[cfg(test)]
mod tests {
    fn d() { "ibp"; }
}
#[derive(Debug)]
enum E { One }
"""

REGISTRY = """
pub enum Kind { Probit, Gaussian, #[serde(rename = "ddibp")] DdIbp }
pub enum Other { Probit, Two }
impl Kind {
    fn own(self) { matches!(self, Self::Probit); }
    fn free(self) {}
}
impl From<Kind> for Other { fn from(k: Kind) -> Self { Self::Probit } }
fn other(o: Other) { Other::Probit }
"""

USES = """
use lib::Kind as K;
/// "probit"
fn one(k: K) { match k { K::Probit => 1, K::DdIbp => 2 } }
fn two(k: &str) { k == "gaussian" }
fn three() { format!("a probit model"); kinds::IBP; }
#[cfg(test)]
mod tests { fn four() { K::Probit } }
"""

PYTHON = '''
"""probit"""
KINDS = ("ibp",)
class Model:
    _kind = "gaussian"
    def same(self):
        return self.kind == "probit" or [x for x in y if x == "ibp"]
def free():
    """A probit model."""
'''


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Rust(unittest.TestCase):
    def test_literals_comments_and_tests_are_no_code(self):
        source = Source(RUST)
        self.assertEqual(len(source.code), len(RUST))
        for word in ("Probit", "crate", "ibp", "nested", "fn b", "fn d"):
            self.assertNotIn(word, source.code)
        self.assertEqual([text for _, text in source.strings], ['crate::x " fn b'])
        self.assertEqual(source.test_modules, ["outer"])

    def test_items_are_functions_with_their_owner_or_what_stands_outside(self):
        source = Source(RUST)
        names = [item.name for item in source.items()]
        self.assertEqual(names[:2], ["a", "B::c"])
        self.assertEqual(source.item_at(RUST.index("fn inner")).name, "B::c")
        self.assertEqual(source.item_at(RUST.index("T { a: 2")).name, "const TABLE: [T")
        self.assertEqual(source.item_at(RUST.index("One")).name, "enum E")
        self.assertEqual(source.line(RUST.index("enum E")), RUST[: RUST.index("enum E")].count("\n") + 1)


class ModelSites(InFolder):
    def sites(self):
        found = model_sites.all_sites(self.folder)
        return {name: tokens for sites in found.values() for (_, _, name), tokens in sites.items()}

    def test_enums_that_list_models_are_found_whatever_they_are_called(self):
        self.put("crates/sibp/src/model/registry.rs", REGISTRY)
        self.put("crates/sibp-cli/src/use.rs", USES)
        self.assertEqual(
            self.sites(),
            {
                "enum Kind": ["Probit", "Gaussian", '"ddibp"', "DdIbp"],
                "Kind::own": ["Self::Probit"],
                "one": ["K::Probit", "K::DdIbp"],
                "two": ['"gaussian"'],
                "three": ["kinds::IBP"],
            },
        )

    def test_variants_that_are_imported_are_seen(self):
        self.put("crates/sibp/src/registry.rs", REGISTRY)
        self.put("crates/sibp-cli/src/use.rs", "use lib::Kind::*;\nfn f(k: K) { match k { Probit => 1 } }\n")
        self.assertEqual(self.sites()["f"], ["Probit"])

    def test_what_a_model_owns_is_left_out(self):
        for name in ("model/probit.rs", "model/probit/settings.rs", "encode/gaussian_rows.rs", "kernel/rows.rs", "tests.rs"):
            self.put(f"crates/sibp/src/{name}", 'fn f() { "probit" }')
        self.put("python/sibp/_probit.py", 'KIND = "probit"')
        self.assertEqual(self.sites(), {})
        self.put("crates/sibp/src/model/settings.rs", 'fn f() { "probit" }')
        self.assertEqual(self.sites(), {"f": ['"probit"']})

    def test_python_sites(self):
        self.put("python/sibp/a.py", PYTHON)
        self.assertEqual(
            self.sites(),
            {"KINDS = ('ibp',)": ['"ibp"'], "Model": ['"gaussian"'], "Model.same": ['"probit"', '"ibp"']},
        )

    def test_more_than_the_most_fail(self):
        self.put("python/sibp/a.py", PYTHON)
        run = [sys.executable, SCRIPTS / "model_sites.py", "--tree", self.folder, "--max"]
        self.assertEqual(subprocess.run([*run, "3"], capture_output=True).returncode, 0)
        done = subprocess.run([*run, "2"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1][:7]), (1, "3 sites"))


class Layers(InFolder):
    FILES = {
        "lib.rs": "pub mod a; pub mod b; pub mod c;\npub use a::Thing;\n",
        "a.rs": "//! crate::c\npub struct Thing;\n#[cfg(test)]\nmod tests { use crate::c::X; }\n",
        "b/mod.rs": "use super::a::Thing;\nmod deep;\n",
        "b/deep.rs": "use super::Thing;\nuse crate::{\n    Thing,\n    a::{Thing as T, other},\n};\n",
        "b/deep_tests.rs": "use crate::c::X;",
        "c.rs": "fn f() { crate::b::go(); super::super::a; }\n",
    }
    TABLE = "<!-- table: layers -->\n| layer | modules | for |\n|---|---|---|\n{}<!-- end: layers -->\n"
    GOOD = "| 1 | `a` | |\n| 2 | `b` | uses `a` |\n| 3 | `c` | |\n"

    def run_on(self, rows, **changed):
        for name, text in (self.FILES | {name.replace("_", "/") + ".rs": text for name, text in changed.items()}).items():
            self.put(f"{layers.SOURCES}/{name}", text)
        self.put("ARCHITECTURE.md", self.TABLE.format(rows) if rows else "none\n")
        return subprocess.run([sys.executable, SCRIPTS / "layers.py", "--tree", self.folder], capture_output=True, text=True)

    def test_imports_are_found_wherever_they_stand(self):
        done = self.run_on(self.GOOD)
        self.assertEqual((done.returncode, done.stdout), (0, "3 modules in 3 layers, no import upwards\n"), done.stderr)
        graph = layers.dependencies(self.folder / layers.SOURCES)
        self.assertEqual({name: sorted(others) for name, others in graph.items()}, {"a": [], "b": ["a"], "c": ["b"]})
        self.assertEqual(graph["b"]["a"], ["b/deep.rs:2", "b/deep.rs:2", "b/mod.rs:1"])

    def test_what_breaks_the_rules_is_named(self):
        for rows, changed, words in (
            ("| 1 | `b` | |\n| 2 | `a`, `c` | |\n", {}, "b imports from a, which is in a layer above: b/deep.rs:2"),
            ("| 1 | `a`, `b` | |\n", {}, "the module c stands in no layer"),
            (self.GOOD + "| 4 | `d` | |\n", {}, "the table names d, which is no module"),
            ("| 1 | `a`, `b`, `c` | |\n", {"a": "use crate::c::X;"}, "in a circle: a, b, c"),
            (self.GOOD + "| 4 | `a` | |\n", {}, "stands in two layers"),
            ("", {}, "there is no table"),
        ):
            with self.subTest(words):
                done = self.run_on(rows, **changed)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stdout + done.stderr)

    def test_one_layer_will_do_where_there_is_no_circle(self):
        self.assertEqual(self.run_on("| 1 | `a`, `b`, `c` | |\n").returncode, 0)

    def test_circles_are_printed(self):
        graph = {"a": {"b": []}, "b": {"a": []}, "c": {"a": []}}
        self.assertEqual(layers.circles(graph), [["a", "b"]])
        self.assertIn("- 2 modules: `a`, `b`", layers.page(graph))
        self.assertIn("| 2 | `c` | `a` |", layers.page(graph))


if __name__ == "__main__":
    unittest.main()

"""The package as it is installed: types, documentation, examples, light imports."""

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import unittest
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import sibp
from common import ROOT, TestCase

PYTHON = ROOT / "python"
PACKAGE = Path(sibp.__file__).parent
# They need packages and servers of their own: tests/engines runs their examples.
ENGINES = {"sibp.postgres": "psycopg", "sibp.spark": "pyspark"}


def modules():
    names = [name for _, name, _ in pkgutil.iter_modules(sibp.__path__, "sibp.") if name not in ENGINES]
    return [sibp] + [importlib.import_module(name) for name in sorted(names) if name != "sibp._sibp"]


def load_tests(loader, tests, _):
    """Every example of a docstring is a test."""
    for module in modules():
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class Types(TestCase):
    def run_mypy(self, *words):
        done = subprocess.run([sys.executable, "-m", *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mypy_is_content_with_the_package(self):
        self.run_mypy("mypy", "--config-file", str(PYTHON / "pyproject.toml"), "--package", "sibp")

    def test_stubs_are_what_the_native_part_has(self):
        self.run_mypy("mypy.stubtest", "--mypy-config-file", str(PYTHON / "pyproject.toml"), "sibp._sibp")

    def test_mypy_sees_the_types_from_outside(self):
        (self.folder / "use.py").write_text(
            "import numpy as np\n"
            "from sibp import HammingIndex, SuperProbitIBP\n"
            "codes = SuperProbitIBP(sweeps=3).fit(np.zeros((3, 2))).transform(np.zeros((3, 2)))\n"
            "index = HammingIndex(8)\n"
            "reveal_type(codes)\n"
            "reveal_type(index.n_bits)\n"
        )
        done = subprocess.run([sys.executable, "-m", "mypy", "use.py"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("unsignedinteger[", done.stdout)
        self.assertIn('"int"', done.stdout)
        wrong = 'from sibp import HammingIndex\nHammingIndex("8")\n'
        (self.folder / "wrong.py").write_text(wrong)
        done = subprocess.run([sys.executable, "-m", "mypy", "wrong.py"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("incompatible type", done.stdout)

    def test_the_mark_of_typed_packages_is_installed(self):
        self.assertTrue((PACKAGE / "py.typed").is_file())
        self.assertTrue((PACKAGE / "_sibp.pyi").is_file())


class Documentation(TestCase):
    def test_everything_public_is_documented_with_an_example(self):
        for name in sibp.__all__:
            if name == "__version__":
                continue
            thing = getattr(sibp, name)
            with self.subTest(name):
                self.assertIn(">>> ", inspect.getdoc(thing))
                if inspect.isclass(thing):
                    for method, value in inspect.getmembers(thing):
                        if method.startswith("_"):
                            continue
                        if isinstance(value, property):
                            self.assertTrue(inspect.getdoc(value), method)
                        elif (getattr(value, "__module__", None) or "").startswith("sibp"):
                            self.assertIn(">>> ", inspect.getdoc(value) or "", method)

    def test_parameters_of_estimators_are_documented(self):
        for name in sibp.__all__:
            thing = getattr(sibp, name)
            if inspect.isclass(thing) and hasattr(thing, "get_params"):
                for parameter in thing().get_params():
                    self.assertRegex(thing.__doc__, rf"\b{parameter}\b", name)

    def test_all_names_are_there_and_listed(self):
        for name in sibp.__all__:
            self.assertIn(name, dir(sibp))
            self.assertIsNotNone(getattr(sibp, name))
        with self.assertRaisesRegex(AttributeError, "nothing"):
            sibp.nothing

    def test_the_version_is_that_of_the_command(self):
        self.assertIn(sibp.__version__, self.command("--version"))


class Imports(TestCase):
    def test_importing_it_imports_no_more_than_numpy(self):
        code = "import sys, sibp; print([m for m in ('sklearn', 'scipy', 'pandas', 'matplotlib', 'arviz', 'pyarrow', 'pyspark', 'psycopg') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")

    def test_optional_packages_are_asked_for_by_name(self):
        code = (
            "import sys, numpy as np, sibp\n"
            "sys.modules['arviz'] = sys.modules['matplotlib.pyplot'] = None\n"
            "model = sibp.IBP(sweeps=3).fit(np.eye(5))\n"
            "for use in (model.to_arviz, lambda: sibp.plot.plot_codes(np.eye(3))):\n"
            "    try:\n"
            "        use()\n"
            "    except ImportError as error:\n"
            "        print(error)\n"
        )
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
        self.assertIn("pip install 'sibp[arviz]'", done.stdout)
        self.assertIn("pip install 'sibp[plot]'", done.stdout)

    def test_engines_are_asked_for_by_name(self):
        for module, package in ENGINES.items():
            code = f"import sys; sys.modules[{package!r}] = None\nimport sibp\nsibp.{module.split('.')[1]}"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            self.assertIn(f"pip install 'sibp[{module.split('.')[1]}]'", done.stderr)


class Examples(TestCase):
    def test_examples_run(self):
        scripts = sorted((PYTHON / "examples").glob("*.py"))
        self.assertEqual(len(scripts), 3)
        for script in scripts:
            with self.subTest(script.name):
                env = os.environ | {"MPLBACKEND": "agg"}
                done = subprocess.run(
                    [sys.executable, str(script)], cwd=self.folder, env=env, capture_output=True, text=True
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_python_blocks_of_pages_run(self):
        pages = [ROOT / "README.md", PYTHON / "README.md", ROOT / "docs/from-a-csv.md", ROOT / "docs/search.md"]
        for page in pages:
            with self.subTest(page.name):
                blocks = page.read_text(encoding="utf-8").split("```python\n")[1:]
                self.assertTrue(blocks, page)
                code = "\n".join(block.split("```")[0] for block in blocks)
                done = subprocess.run(
                    [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True
                )
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()

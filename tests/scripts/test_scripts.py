"""Checks the scripts that judge the rest: the README runner and the totals."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from check_readme import marked_blocks  # noqa: E402
from results_check import differences, first_repeat  # noqa: E402
from results_page import Table, demoted, digest  # noqa: E402
from test_totals import failures, totals  # noqa: E402

CARGO = """\
running 3 tests
test a ... ok
successes:

---- a stdout ----
skipped: no data here
skipped: nor there

---- b stdout ----
a number, not skipped: 3

successes:
    a
    b

failures:

---- c stdout ----
skipped: this one failed all the same

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""

# Stands for `sibp reproduce NAME --out DIR ...`: writes its CSV files, or prints what they hold.
FAKE = """\
#!{python}
import csv, sys
from pathlib import Path

name, out = sys.argv[2], Path(sys.argv[4])
if "--render" in sys.argv:
    lines = list(csv.DictReader(open(out / f"{{name}}.csv")))
    assert (out / f"{{name}}-about.csv").exists() and lines[0]["system"] == name
    print(f"# {{name}} laid out: {{lines[0]['accuracy']}}")
else:
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{{name}}.csv").write_text(f"system,accuracy,build\\n{{name}},0.5,{build}\\n")
    (out / f"{{name}}-about.csv").write_text("build\\n{build}\\n")
    (out / f"{{name}}.svg").write_text("svg")
""".replace("{python}", sys.executable)


class ResultsCheck(unittest.TestCase):
    def test_only_first_repeats_are_compared_and_by_what_was_found(self):
        line = {"system": "ibp", "repeat": "0", "accuracy": "0.5", "bits": "7", "seconds": "1.0", "build": "a"}
        later = dict(line, repeat="1", accuracy="0.1")
        self.assertEqual(differences([line, later], [dict(line, seconds="2.0", build="b")]), [])
        self.assertEqual(
            differences([line], [dict(line, accuracy="0.6")]), [(("ibp", "0"), ["0.5", "7"], ["0.6", "7"])]
        )
        self.assertEqual(differences([line], []), [(("ibp", "0"), ["0.5", "7"], None)])

    def test_splits_are_cut_and_other_files_are_there(self):
        with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as folder:
            (Path(data) / "labels.npy").write_text("labels")
            (Path(data) / "s.csv").write_text("repeat,row\n0,5\n0,6\n1,7\n10,8\n")
            first_repeat(Path(data), ["s.csv"], Path(folder))
            self.assertEqual((Path(folder) / "labels.npy").read_text(), "labels")
            self.assertEqual((Path(folder) / "s.csv").read_text(), "repeat,row\n0,5\n0,6\n")


class Totals(unittest.TestCase):
    def test_cargo_skips_count_once_a_test(self):
        self.assertEqual(totals(CARGO), (1, 1, 2))

    def test_unittest_and_our_own_lines_add_up(self):
        python = "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)\n"
        ours = "shell blocks: 4 passed, 1 failed, 2 skipped\n"
        self.assertEqual(totals(python), (2, 2, 1))
        self.assertEqual(totals(CARGO + python + ours + "Ran 1 test in 0.1s\n\nOK\n"), (8, 4, 5))

    def test_what_failed_is_named(self):
        text = "test a::b ... FAILED\ntest c ... ok\nERROR: test_x (m.K.test_x)\nerror: no such thing\nmake: *** [Makefile:1: lint] Error 2\n"
        self.assertEqual(failures(text), ["a::b", "test_x (m.K.test_x)", "make: *** [Makefile:1: lint] Error 2"])
        self.assertEqual(failures(CARGO), [])

    def test_a_stop_outside_tests_is_a_failure(self):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
            command = [sys.executable, SCRIPTS / "test_totals.py", "--status", "2", log.name]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.splitlines()[-1], "0 passed, 1 failed, 0 skipped")


class Readme(unittest.TestCase):
    def run_on(self, text):
        """Runs the checker on `text` with a stand-in command that echoes its arguments."""
        with tempfile.TemporaryDirectory() as folder:
            fake, page = Path(folder, "sibp"), Path(folder, "page.md")
            fake.write_text('#!/bin/sh\necho "$@"\n')
            fake.chmod(0o755)
            page.write_text(text)
            command = [sys.executable, SCRIPTS / "check_readme.py", "--bin", fake, page]
            return subprocess.run(command, capture_output=True, text=True)

    def test_only_marked_blocks_are_taken(self):
        text = "```sh\nfalse\n```\n<!-- test -->\n\n```sh\na\nb\n```\n"
        self.assertEqual(marked_blocks(text), [(7, "a\nb\n")])

    def test_a_mark_without_a_block_is_an_error(self):
        for text in ("<!-- test -->\nwords\n", "<!-- test -->\n", "<!-- test -->\n```sh\ntrue\n"):
            self.assertRaises(ValueError, marked_blocks, text)

    def test_blocks_share_a_folder_with_the_data_and_the_command(self):
        block = "<!-- test -->\n```sh\n{}\n```\n"
        done = self.run_on(block.format("sibp one > out; ls data/digits/labels.npy") + block.format("grep one out"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 passed, 0 failed, 0 skipped", done.stdout)

    def test_a_failing_command_fails_the_file(self):
        block = "<!-- test -->\n```sh\n{}\n```\n"
        done = self.run_on(block.format("false\ntrue") + block.format("true"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 passed, 1 failed, 1 skipped", done.stdout)

    def test_nothing_marked_is_an_error(self):
        self.assertEqual(self.run_on("no blocks\n").returncode, 1)


class ResultsPage(unittest.TestCase):
    def test_the_short_page_has_figures_verdicts_and_their_headings(self):
        whole = "#### A\n\n| x | bits | 1-NN |\n|---|---|---|\n| y | 1 | 2 |\n\n##### B\n\n| above | C |\n|---|---|\n\n#### D\n\nOf 3, 2 hold.\n\nData: some."
        short = "#### A\n\n| x | bits | 1-NN |\n|---|---|---|\n| y | 1 | 2 |\n\n#### D\n\nOf 3, 2 hold."
        self.assertEqual(digest(whole), short)

    def test_the_short_page_counts_lists_of_comparisons(self):
        table = "| | 5 categories | bits |\n|---|---|---|\n| x | 1 | 2 |"
        listed = "- A against B: +1.0 (p 0.2 / 0.3 that it is above): no significant difference.\n- A against C: -2.0 (p 0.9 / 0.8 that it is above): **worse**; corrected: no significant difference."
        short = f"{table}\n\nOf 2 comparisons by the paper's test: 1 no significant difference, 1 worse."
        self.assertEqual(digest(f"{table}\n\n{listed}\n\n- another list\n"), short)

    def test_averages_with_given_bits_are_left_to_the_page_of_the_part(self):
        tables = [f"| 5 categories, {codes} | last (3 bits) |\n|---|---|\n| 1-NN | 2 |\n\nAverages are {codes}." for codes in ("[h z]", "Super, z alone")]
        self.assertEqual(digest("\n\n".join(tables)), tables[1])

    def outcome(self, name, body):
        return Table(name, "### A", "sibp", body, "a.svg").outcome(())

    def test_what_comparisons_come_to_is_one_sentence(self):
        tallies = ["Of 8 comparisons, 5 hold at 95 % by the paired t-test, 2 of them by the corrected one too."] * 2
        self.assertEqual(self.outcome("table1", "\n\n".join(tallies)), "10 of 16 comparisons hold by the paper's test, 4 by the corrected one")
        verdicts = ["Averages are not significantly worse anywhere; they are significantly better at 3 and 15.", "**Contradicted:** averages are significantly worse at 3-NN."]
        self.assertEqual(self.outcome("table3", "\n\n".join(verdicts)), "never worse in 1 of 2 tables, better at 3 and 15 in 1")
        self.assertEqual(self.outcome("fig2", "The paper: yes. Not confirmed: no."), "Not confirmed: no")

    def test_headings_sink_and_the_rest_stays(self):
        self.assertEqual(demoted("# A\n\ntext # 1\n## B\n"), "### A\n\ntext # 1\n#### B\n")

    def page_of(self, folder, *options, build="b1"):
        """The page that a stand-in for the command gives; what it lays out holds the first accuracy of the CSV file."""
        fake, page = folder / "sibp", folder / "docs/results.md"
        fake.write_text(FAKE.format(build=build))
        fake.chmod(0o755)
        page.parent.mkdir(exist_ok=True)
        places = ["--bin", fake, "--keep", folder / "keep", "--page", page]
        subprocess.run([sys.executable, SCRIPTS / "results_page.py", *places, *options], check=True, capture_output=True)
        return page.read_text()

    def test_the_page_shows_commands_without_the_folder_of_the_data(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            page = self.page_of(folder, "--data", folder, "--", "--seed", "3")
            self.assertIn("```sh\nsibp reproduce table1 --out awa --data AwA --seed 3\n```", page)
            self.assertIn("```sh\nsibp reproduce table3 --out digits --dataset digits --sweeps 50 --seed 3\n```", page)
            self.assertIn("### table2 laid out: 0.5", page)
            self.assertIn("```sh\nsibp reproduce fig2 --out synthetic --seed 3\n```", page)
            self.assertIn("All parts are of build `b1`.", page)
            self.assertTrue((folder / "docs/img/fig3-synthetic.svg").exists())
            own = (folder / "docs/results/awa.md").read_text()
            self.assertIn("# Animals with Attributes\n", own)
            self.assertIn("## table2 laid out: 0.5", own)
            self.assertNotIn("20 repeats", page)
            (folder / "split5x20.csv").touch()
            page = self.page_of(folder, "--data", folder)
            many = "--data AwA --splits split5x20.csv"
            self.assertIn(f"```sh\nsibp reproduce table3 --out awa5x20 {many}\n```", page)
            self.assertTrue((folder / "docs/img/table1-awa.svg").exists())

    def test_the_page_is_laid_out_from_the_published_csv_files(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            self.page_of(folder, "--data", folder)
            published = folder / "docs/results/digits/table2.csv"
            published.write_text(published.read_text().replace("0.5", "0.75"))
            page = self.page_of(folder, "--render", build="b2")
            self.assertIn("### table2 laid out: 0.75", page)
            self.assertIn("### table1 laid out: 0.5", page)
            self.assertIn("All parts are of build `b1`.", page)

    def test_parts_of_different_builds_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            self.page_of(folder, "--data", folder)
            # The data are gone, so their part stays as it was.
            page = self.page_of(folder, build="b2")
            self.assertIn("**Parts are of different builds**", page)
            self.assertIn("awa `b1`", page)
            self.assertIn("digits `b2`", page)
            self.assertIn("```sh\nsibp reproduce table1 --out awa --data AwA\n```", page)
            page = self.page_of(folder, "--parts", "digits", "--", "--sweeps", "3", build="b2")
            self.assertIn("```sh\nsibp reproduce table1 --out digits --dataset digits --sweeps 3\n```", page)
            page = self.page_of(folder, "--render", "--parts", "digits")
            self.assertNotIn("--out awa", page)
            self.assertIn("All parts are of build `b2`.", page)

    def test_lines_of_two_builds_in_a_file_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            self.page_of(folder)
            file = folder / "docs/results/digits/table2.csv"
            with open(file, "a") as lines:
                lines.write("table2,0.5,b7\n")
            self.assertRaises(subprocess.CalledProcessError, self.page_of, folder, "--render")
            file.write_text(file.read_text().replace("b1", "b7"))
            # The file is of one build again, but the other tables of its part are of another.
            self.assertRaises(subprocess.CalledProcessError, self.page_of, folder, "--render")


if __name__ == "__main__":
    unittest.main()

"""Checks the script that compares two builds, with stand-ins for the command: what it sees and what it lets pass."""

import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from compare import builds, data, jobs  # noqa: E402
import compare_speed  # noqa: E402
from compare_bytes import TIMES, heed_interrupts, run_all, run_group, without_times  # noqa: E402

COMMANDS = "demo triplets fit inspect report encode hash extend prune index search export predict prefer eval reproduce verify"


class Bytes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "data").mkdir()
        (self.folder / "data/x").write_text("x\n")

    def stand_in(self, name, script):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return [str(path)]

    def compared(self, base, tree, line="job", **more):
        programs = [self.stand_in("base", base), self.stand_in("tree", tree)]
        group = jobs.Group("group", [line], **more)
        at = sum(1 for _ in self.folder.iterdir())
        [(_, why)] = run_group(group, programs, self.folder / "data", self.folder / f"jobs{at}")
        return why

    def test_equal_work_is_the_same(self):
        script = 'echo "$@"; cat x > y; mkdir -p d; echo 1 > d/z'
        self.assertIsNone(self.compared(script, script))

    def test_every_difference_is_seen_and_named(self):
        for base, tree, words in (
            ("echo a", "echo b", "stdout"),
            ("echo a >&2", "echo b >&2", "stderr"),
            ("echo ab > y", "echo ac > y", "y (from byte 1 on, of 3 and 3)"),
            ("echo a > y", "true", "y (written by the base only)"),
            ("true", "mkdir d; echo a > d/y", "d/y (written by the tree only)"),
            ("echo a > x", "echo b > x", "x (from byte 0"),
            ("true", "echo no >&2; exit 3", "exit code 3 instead of 0: no"),
            ("echo 2 > y", "echo 2.0 > y", "y"),
        ):
            with self.subTest(base=base, tree=tree):
                self.assertIn(words, self.compared(base, tree) or "nothing")

    def test_a_job_that_fails_on_both_sides_is_no_pass(self):
        self.assertIn("on both sides: no", self.compared("echo no >&2; exit 1", "echo no >&2; exit 1"))
        self.assertIn("on both sides", self.compared("exit 101", "exit 101", "! job"))
        self.assertIn("on both sides", self.compared("true", "true", "! job"))
        self.assertIsNone(self.compared("exit 2", "exit 2", "! job"))

    def test_only_the_time_may_differ(self):
        script = 'echo "{\\"seconds\\": %s, \\"bits\\": %s}"; echo "took %s" >&2'
        self.assertIsNone(self.compared(script % ("0.25", 3, "0.3 s"), script % ("1e-5", 3, "12 min")))
        self.assertIn("stdout", self.compared(script % (1, 3, "1 s"), script % (1, 4, "1 s")))
        for where, _, put, _ in TIMES:
            for text in (b"3 bits", b"0.3 of triplets", b"1,2,3", b'"second": 1', b"4 sweeps 5 hashes"):
                self.assertEqual(without_times("stdout", text), text, f"{where} {put}")
        self.assertEqual(without_times("m.sibp", b'"seconds": 1'), b'"seconds": 1')

    def test_the_build_may_differ_and_digests_may_not(self):
        builds = ("0123456789abcdef", "fedcba9876543210")
        for where, text in (
            ("t/table1.csv", "k,accuracy,seconds,build\n3,0.5,1.25,{}\n"),
            ("t/table1-about.csv", "build,data\n{},digits\n"),
            ("t/table1.md", "Build {}: 8 results."),
            ("stdout", "All parts are of build {}."),
            ("t/results/a.json", '{{"build":"{}"}}'),
        ):
            first, second = (without_times(where, text.format(build).encode()) for build in builds)
            self.assertEqual(first, second, where)
        first, second = (without_times("t/table1.csv", f"3,{share},1.25,{builds[0]}\n".encode()) for share in (0.5, 0.6))
        self.assertNotEqual(first, second)
        digest = b'"features": "' + 4 * builds[0].encode() + b'"'
        self.assertEqual(without_times("a.json", digest), digest)

    def test_stdout_can_be_kept_in_a_file(self):
        self.assertIn("out.txt", self.compared("echo a", "echo b", "job > out.txt"))

    def test_both_sides_start_with_what_the_base_leaves(self):
        script = 'if [ "$1" = start ]; then echo "$0" > y; else cat y; fi'
        self.assertIsNone(self.compared(script, script, first=["start"]))
        self.assertIn("stdout", self.compared(script, script.replace("cat", "wc -c"), first=["start"]))
        with self.assertRaises(RuntimeError):
            self.compared("echo done", "true", first=["inspect", "must say: unfinished"])

    def test_a_run_is_killed_when_its_checkpoint_is_there(self):
        script = 'if [ "$1" = fit ]; then echo half > c; sleep 60; echo whole > c; else cat c; fi'
        self.assertIsNone(self.compared(script, script, "resume", first=["until c: fit"]))

    def test_a_run_is_stopped_when_its_checkpoint_is_there(self):
        # Whoever runs the tests in the background of a shell ignores Ctrl-C, and would hand that down.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGINT, before or signal.SIG_DFL)
        heed_interrupts()
        script = (
            'trap "echo half > m; rm c; exit 0" INT\n'
            'if [ "$1" = fit ]; then echo > c; for at in $(seq 600); do sleep 0.1; done; echo whole > m; else cat m; fi'
        )
        self.assertIsNone(self.compared(script, script, "inspect", first=["stop at c: fit", "inspect", "must say: half"]))

    def test_each_build_reads_the_files_of_the_other(self):
        new = 'if [ "$1" = write ]; then echo two > y; else grep -q two y; fi'
        programs = [self.stand_in("base", new.replace("two", "one")), self.stand_in("tree", new)]
        group = jobs.Group("g", ["write", "read"], ["read"])
        done = run_all([group], {"command": programs}, self.folder / "data", self.folder / "jobs", 1)
        said = {group.name: [bool(why) for _, why in results] for group, results in done}
        self.assertEqual(said, {"g": [True, False], "g, files of the base": [True], "g, files of the tree": [True]})


class Jobs(unittest.TestCase):
    def test_every_command_and_every_model_has_jobs(self):
        lines = [line for group in jobs.all_groups() if not group.python for line in group.lines]
        for command in COMMANDS.split():
            done = [line for line in lines if line.startswith(f"{command} ") and "--help" not in line]
            self.assertTrue(done, command)
        for model in ("probit", "gaussian", "ibp", "ddibp"):
            for preset in ("hash", "paper"):
                self.assertTrue(any(f"--model {model} " in line and f"--preset {preset}" in line for line in lines))

    def test_reads_are_among_the_lines(self):
        for group in jobs.all_groups():
            self.assertLessEqual(set(group.reads), set(group.lines), group.name)

    def test_data_are_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                data.make(Path(folder, name), ROOT / "data/digits")
            files = sorted(path.name for path in Path(folder, "a").iterdir())
            for name in files:
                self.assertEqual(Path(folder, "a", name).read_bytes(), Path(folder, "b", name).read_bytes(), name)
            self.assertIn("x.npy", files)

    def test_bits_are_packed_as_numpy_packs_them(self):
        self.assertEqual(data.packed([[1, 0, 1], [0, 0, 1]]), [b"\xa0", b"\x20"])
        self.assertEqual(data.packed([[0] * 8 + [1]]), [b"\x00\x80"])


class Speed(unittest.TestCase):
    def test_the_interval_of_nine_rounds_leaves_one_out_at_each_end(self):
        low, high, level = compare_speed.interval([5, 1, 9, 2, 8, 3, 7, 4, 6])
        self.assertEqual((low, high), (2, 8))
        self.assertAlmostEqual(level, 1 - 2 * 10 / 512)
        self.assertEqual(compare_speed.interval([3, 1, 2])[:2], (1, 3))

    def test_the_median_decides(self):
        for tree, fast in ((1.03, True), (1.031, False)):
            line, verdict = compare_speed.verdict("job", [(1.0, tree)] * 5 + [(1.0, 0.5)] * 4)
            self.assertEqual((verdict, "SLOWER" in line), (fast, not fast), line)

    def test_time_of_children_is_counted_and_unlike_files_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            folder, sides = Path(folder), []
            for name, turns in (("base", 10_000), ("tree", 3_000_000)):
                path = folder / name
                path.write_text(f"#!{sys.executable}\nsum(range({turns}))\nopen('out', 'w').write('{name}')\n")
                path.chmod(0o755)
                sides.append({"sibp": path})
            job = compare_speed.Job("job", "sibp", "", "out")
            seconds, unlike = compare_speed.measure([job], sides, folder, 3)
            self.assertEqual((len(seconds["job"]), unlike), (3, {"job"}))
            self.assertFalse(compare_speed.verdict("job", seconds["job"])[1])

    def test_a_difference_of_jobs_is_measured_too(self):
        [(name, (long, short))] = compare_speed.DIFFERENCES.items()
        found = compare_speed.with_differences({long: [(5.0, 7.0)], short: [(1.0, 2.0)]})
        self.assertEqual(found[name], [(4.0, 5.0)])


class Builds(unittest.TestCase):
    def test_the_base_is_checked_out_once_below_the_target_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder).resolve()
            (tree / "Cargo.toml").write_text("[workspace]\n")
            who = ["-c", "user.name=a", "-c", "user.email=a@b"]
            for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "first"]):
                subprocess.run(["git", "-C", tree, *words], check=True)
            with unittest.mock.patch.dict("os.environ", {"CARGO_TARGET_DIR": str(tree / "build")}):
                place, target = builds.checkout(tree, "HEAD")
                self.assertEqual(builds.checkout(tree, "HEAD"), (place, target))
            self.assertTrue((place / "Cargo.toml").exists())
            self.assertEqual((place.parent, target.parent), (tree / "build/compare", tree / "build/compare"))
            self.assertNotEqual(place, target)


if __name__ == "__main__":
    unittest.main()

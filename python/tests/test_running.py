"""How a fit runs: Ctrl-C, the interpreter's lock, progress, silence, panics."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import contextmanager
from unittest import mock

import numpy as np
from jupyter_client.manager import start_new_kernel
from sklearn.exceptions import ConvergenceWarning

import sibp
import sibp._sibp
from common import TestCase, blobs
from sibp import _progress, _sampled

X, Y = blobs()
LONG = 100_000_000


class CtrlC(TestCase):
    def setUp(self):
        # A shell ignores Ctrl-C for what it runs in the background, and Python then leaves it ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before or signal.SIG_DFL)

    def interrupted(self, model, when):
        """Fits, with a Ctrl-C once `when` of the latest progress is true."""
        reached = threading.Event()

        @contextmanager
        def watching(*_):
            yield lambda latest, _: reached.set() if when(latest) else None

        def press():
            reached.wait()
            os.kill(os.getpid(), signal.SIGINT)

        presser = threading.Thread(target=press)
        presser.start()
        with mock.patch.object(_sampled, "progress", watching), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model.fit(X, Y)
            finally:
                reached.set()
                presser.join()
        return [str(w.message) for w in caught if w.category is ConvergenceWarning]

    def test_what_was_drawn_is_kept(self):
        for model in (sibp.SuperProbitIBP(sweeps=LONG, per_object=5), sibp.SuperGaussianIBP(sweeps=LONG), sibp.IBP(sweeps=LONG)):
            with self.subTest(type(model).__name__):
                words = self.interrupted(model, lambda latest: all(sweep >= 3 for sweep, *_ in latest))
                self.assertEqual(len(words), 1)
                done = int(re.match(r"stopped by Ctrl-C after (\d+) of 100000000 sweeps", words[0])[1])
                self.assertGreaterEqual(done, 3)
                self.assertLess(done, LONG)
                self.assertEqual(min(len(trace["log_joint"]) for trace in model.traces_), done)
                self.assertEqual(model.transform(X).shape, (len(X), model.n_bits_))
                self.assertEqual(model.predict(X).shape, Y.shape)

    def test_the_key_may_be_pressed_while_progress_is_shown(self):
        pressed = []

        def press(latest, _):
            if not pressed and latest[0][0] >= 3:
                pressed.append(latest)
                signal.raise_signal(signal.SIGINT)

        @contextmanager
        def pressing(*_):
            yield press

        model = sibp.IBP(sweeps=LONG)
        with mock.patch.object(_sampled, "progress", pressing), self.assertWarnsRegex(ConvergenceWarning, "Ctrl-C"):
            model.fit(X, Y)
        self.assertEqual(len(pressed), 1)
        self.assertGreaterEqual(len(model.traces_[0]["log_joint"]), 3)

    def test_in_a_long_sweep_the_last_copy_does(self):
        # As if every sweep were too long to wait for: no patience at all, and a copy after every sweep or so.
        seen = []

        def press(latest, _):
            if not seen and latest[0][0] >= 50:
                seen.append(latest)
                signal.raise_signal(signal.SIGINT)

        options = sibp.IBP(sweeps=LONG, random_state=0)._options()
        model, end, _ = sibp._sibp.Model.fit(X, options, on_progress=press, copy_every=0.001, patience=0.0)
        self.assertEqual(end, "interrupted")
        done = [len(trace["log_joint"]) for trace in model.traces()]
        self.assertTrue(all(0 < n < LONG for n in done), done)
        self.assertFalse(model.finished)
        again = sibp._sibp.Model.from_bytes(model.to_bytes())
        self.assertEqual(again.encode(X, {"encoder": None, "code": "map", "seed": 0}).shape[0], len(X))

    def test_copies_do_not_change_the_draws(self):
        options = sibp.IBP(sweeps=200, random_state=0)._options()
        often, _, _ = sibp._sibp.Model.fit(X, options, copy_every=0.001)
        never, _, _ = sibp._sibp.Model.fit(X, options, copy_every=1000.0)
        self.assertEqual(often.to_bytes(), never.to_bytes())

    def test_other_exceptions_of_progress_come_through(self):
        @contextmanager
        def failing(*_):
            yield lambda *_: 1 / 0

        with mock.patch.object(_sampled, "progress", failing), self.assertRaises(ZeroDivisionError):
            sibp.IBP(sweeps=LONG).fit(X)


class Running(TestCase):
    def test_other_threads_run_during_a_fit(self):
        model = sibp.IBP(sweeps=LONG, time_limit=1.0)
        fit = threading.Thread(target=lambda: model.fit(X))
        turns = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit.start()
            while fit.is_alive():
                time.sleep(0.01)
                turns += 1
            fit.join()
        # Were the lock kept, this thread would get one turn before and one after.
        self.assertGreater(turns, 10)

    def test_a_time_limit_keeps_what_was_drawn(self):
        model = sibp.IBP(sweeps=LONG, time_limit=0.05)
        with self.assertWarnsRegex(ConvergenceWarning, "time limit"):
            model.fit(X)
        self.assertLess(len(model.traces_[0]["log_joint"]), LONG)

    def test_results_do_not_depend_on_threads(self):
        fits = [
            sibp.SuperProbitIBP(sweeps=5, chains=3, per_object=5, random_state=0, n_jobs=n).fit(X, Y).model_.to_bytes()
            for n in (1, 2, None)
        ]
        self.assertEqual(len(set(fits)), 1)

    def test_seeds_of_every_kind(self):
        def fit(state):
            return sibp.IBP(sweeps=2, random_state=state).fit(X).seed_

        self.assertEqual(fit(2**64 - 1), 2**64 - 1)
        self.assertEqual(fit(np.int32(5)), 5)
        self.assertEqual(fit(np.random.RandomState(1)), fit(np.random.RandomState(1)))
        self.assertEqual(fit(np.random.default_rng(1)), fit(np.random.default_rng(1)))
        self.assertNotEqual(fit(None), fit(None))

    def test_a_panic_is_a_runtime_error(self):
        with self.assertRaisesRegex(RuntimeError, "on purpose"):
            sibp._sibp._panic_on_purpose()

    def test_a_warning_that_is_an_error_loses_nothing(self):
        model = sibp.IBP(sweeps=LONG, time_limit=0.05)
        with warnings.catch_warnings(), self.assertRaises(ConvergenceWarning):
            warnings.simplefilter("error")
            model.fit(X)
        self.assertEqual(model.transform(X).shape, (len(X), model.n_bits_))

    def test_without_teacher_it_warns_and_fits(self):
        for model in (sibp.SuperProbitIBP(sweeps=5, random_state=0), sibp.SuperGaussianIBP(sweeps=5, random_state=0)):
            with self.assertWarnsRegex(UserWarning, "learns from labels or triplets"):
                model.fit(X)
            self.assertEqual(model.transform(X).shape[0], len(X))

    def test_oddities_of_triplets_are_said(self):
        T = [[0, 1, 20], [0, 1, 20], [0, 20, 1]]
        with self.assertWarnsRegex(UserWarning, "repeat") as caught:
            sibp.SuperProbitIBP(sweeps=2).fit(X, triplets=T)
        words = " ".join(str(w.message) for w in caught.warnings)
        self.assertIn("answered both ways", words)
        with self.assertWarnsRegex(UserWarning, "bit 1 is the same"):
            sibp.SuperProbitIBP(sweeps=2).fit(X, triplets=T[:1], given_bits=np.array([[0, 1]] * 59 + [[1, 1]]))


FIT = """
import numpy as np, sibp
X = np.repeat(np.eye(3), 20, axis=0)
sibp.IBP(sweeps=300, random_state=0, verbose={verbose}).fit(X)
sibp.SuperProbitIBP(sweeps=20, random_state=0, per_object=5, verbose={verbose}).fit(X, np.repeat([0, 1, 2], 20))
"""


def in_terminal(verbose):
    """What a fit writes to a terminal."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-W", "ignore", "-c", FIT.format(verbose=verbose)]
    child = subprocess.Popen(words, stdout=theirs, stderr=theirs, stdin=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert child.wait() == 0, text
    return text.decode()


class Progress(TestCase):
    def test_a_terminal_shows_a_line_that_is_cleared(self):
        text = in_terminal(verbose=1)
        self.assertIn("600/600 sweeps", text)
        self.assertIn("40/40 sweeps", text)
        self.assertIn("of triplets", text)
        self.assertTrue(text.endswith("\r"))
        self.assertNotIn("\n", text)

    def test_silent_by_default_and_where_nobody_watches(self):
        self.assertEqual(in_terminal(verbose=0), "")
        for verbose in (0, 1):
            words = [sys.executable, "-W", "ignore", "-c", FIT.format(verbose=verbose)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_a_notebook_shows_one_line_that_is_updated(self):
        def run(verbose):
            messages = []
            code = FIT.format(verbose=verbose)
            reply = client.execute_interactive(code, output_hook=messages.append, timeout=120)
            self.assertEqual(reply["content"]["status"], "ok", reply["content"])
            return [m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "update_display_data"]

        manager, client = start_new_kernel(extra_arguments=["--IPKernelApp.log_level=CRITICAL"])
        self.addCleanup(manager.shutdown_kernel, now=True)
        self.addCleanup(client.stop_channels)
        shown = run(verbose=1)
        self.assertTrue(any("600/600 sweeps" in line for line in shown), shown)
        self.assertIn("40/40 sweeps", shown[-1])
        self.assertEqual(run(verbose=0), [])

    def test_a_line_says_how_far_it_is(self):
        latest = [(10, 7, 0.5, -3.0), (30, 9, 1.0, -2.0)]
        words = _progress.line(latest, 100, 4.0, True)
        for part in ("40/200 sweeps", "7 9 bits", "75.0 % of triplets", "16 s left"):
            self.assertIn(part, words)
        self.assertNotIn("triplets", _progress.line(latest, 100, 4.0, False))

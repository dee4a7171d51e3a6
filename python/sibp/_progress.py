"""Shows how a fit goes: one line in a terminal, a bar in a notebook, nothing elsewhere or when verbose is 0."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Latest = list[tuple[int, int, float, float]]
WIDTH = 30
# Redraws a second.
RATE = 10.0


def _in_notebook() -> bool:
    # Nobody can be in a notebook without IPython being imported already.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def line(latest: Latest, sweeps: int, seconds: float, supervised: bool) -> str:
    """One line about all chains."""
    done = sum(sweep for sweep, *_ in latest)
    total = sweeps * len(latest)
    bits = " ".join(str(n_bits) for _, n_bits, *_ in latest)
    share = done / total if total else 1.0
    bar = ("━" * round(share * WIDTH)).ljust(WIDTH)
    words = [f"{bar} {done}/{total} sweeps", f"{bits} bits"]
    if supervised:
        words.append(f"{100 * sum(satisfied for _, _, satisfied, _ in latest) / len(latest):.1f} % of triplets")
    if done and done < total:
        words.append(f"{seconds * (total - done) / done:.0f} s left")
    return "  ".join(words)


class _Terminal:
    def __init__(self) -> None:
        self.width = 0

    def show(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def end(self) -> None:
        sys.stderr.write("\r" + " " * self.width + "\r")
        sys.stderr.flush()


class _Notebook:
    def __init__(self) -> None:
        display: Any = sys.modules["IPython"].display
        self.handle = display.display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, text: str) -> None:
        self.handle.update({"text/plain": text}, raw=True)

    def end(self) -> None:
        pass


@contextmanager
def progress(verbose: int, supervised: bool) -> Iterator[Callable[[Latest, int], None] | None]:
    """A function that shows the latest of every chain and the sweeps that each will do, or None when nobody watches."""
    if not verbose:
        yield None
        return
    place: _Notebook | _Terminal
    if _in_notebook():
        place = _Notebook()
    elif sys.stderr is not None and sys.stderr.isatty():
        place = _Terminal()
    else:
        yield None
        return
    began = time.monotonic()
    last = -1.0

    def show(latest: Latest, sweeps: int) -> None:
        nonlocal last
        now = time.monotonic() - began
        finished = all(sweep >= sweeps for sweep, *_ in latest)
        if finished or now - last >= 1 / RATE:
            last = now
            place.show(line(latest, sweeps, now, supervised))

    try:
        yield show
    finally:
        place.end()

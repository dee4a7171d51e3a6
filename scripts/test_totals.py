#!/usr/bin/env python3
"""Adds up the results in the output of `make test`: names what failed, then prints `N passed, N failed, N skipped`.

A test that could not run prints a line beginning with `skipped: `. Cargo counts it as passed; here it is
counted as skipped, once a test, whatever the number of such lines.
"""

import argparse
import re
from pathlib import Path

CARGO = re.compile(r"^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored")
CARGO_SECTION = re.compile(r"^---- .* stdout ----$")
CARGO_LIST = re.compile(r"^(successes|failures):$")
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ")
UNITTEST_END = re.compile(r"^(OK|FAILED)(?: \((.*)\))?$")
# A test that failed, as cargo and unittest name it; a recipe that make gave up.
FAILURE = re.compile(r"^(?:test (?P<cargo>.+) \.\.\. FAILED|(?:FAIL|ERROR): (?P<unittest>.+)|(?P<make>make(?:\[\d+\])?: \*\*\* .+))$")
OURS = re.compile(r"^[\w ./-]+: (\d+) passed, (\d+) failed, (\d+) skipped$")


def cargo_skips(lines):
    """Counts the tests of one `successes:` section that printed a skip line."""
    return sum(any(line.startswith("skipped: ") for line in test) for test in lines)


def totals(text):
    """(passed, failed, skipped) over every summary in `text`."""
    passed = failed = skipped = ran = 0
    sections, in_successes = [], False
    for line in text.splitlines():
        if match := CARGO_LIST.match(line):
            in_successes = match[1] == "successes"
        elif CARGO_SECTION.match(line):
            sections += [[]] if in_successes else []
        elif match := CARGO.match(line):
            unrun = cargo_skips(sections)
            passed += int(match[1]) - unrun
            failed += int(match[2])
            skipped += int(match[3]) + unrun
            sections, in_successes = [], False
        elif match := UNITTEST_RAN.match(line):
            ran = int(match[1])
        elif (match := UNITTEST_END.match(line)) and ran:
            counts = dict(part.split("=") for part in (match[2] or "").split(", ") if part)
            bad = sum(int(counts.get(key, 0)) for key in ("failures", "errors"))
            failed += bad
            skipped += int(counts.get("skipped", 0))
            passed += ran - bad - int(counts.get("skipped", 0))
            ran = 0
        elif match := OURS.match(line):
            passed, failed, skipped = (a + int(b) for a, b in zip((passed, failed, skipped), match.groups()))
        elif in_successes and sections:
            sections[-1].append(line)
    return passed, failed, skipped


def failures(text):
    """The tests that failed and the recipes that stopped, in order."""
    matches = (FAILURE.match(line) for line in text.splitlines())
    return [next(filter(None, match.groups())) for match in matches if match]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path, help="what `make test` printed")
    parser.add_argument("--status", type=int, default=0, help="how `make test` ended")
    args = parser.parse_args()
    text = args.log.read_text(encoding="utf-8", errors="replace")
    passed, failed, skipped = totals(text)
    for name in failures(text):
        print(f"failed: {name}")
    if args.status and not failed:
        print("make test stopped outside a test (lint, build or a script): counted as one failure")
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")


if __name__ == "__main__":
    main()

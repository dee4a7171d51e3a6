"""Reads Rust sources as far as the scripts need it: code without comments, strings and tests; strings; items."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

LITERAL = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*)
      | \b[bc]?r(?P<fence>\#*)"(?P<raw>.*?)"(?P=fence)
      | \b[bc]?"(?P<text>(?:\\.|[^"\\])*)" | "(?P<plain>(?:\\.|[^"\\])*)"
      | b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])'""",
    re.DOTALL | re.VERBOSE,
)
ITEM = re.compile(r"(?:enum|struct|union|trait|mod|type|const|static|macro_rules!|impl|use|fn)\b")
FUNCTION = re.compile(r"\bfn\s+(\w+)")
OWNER = re.compile(r"\b(?:impl|trait)\b[^{;]*?\{")
OF_TESTS = re.compile(r"#\[cfg\((?:all\()?\s*test\b[^\]]*\]|#\[test\]")
OUTER_TEST_MODULE = re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;")


@dataclass
class Item:
    """A function, or a top-level item: what it is called and where it stands."""

    name: str
    start: int
    end: int


@dataclass
class Source:
    """A file: `code` is as long as the text, with comments, contents of strings and tests blanked out."""

    text: str
    code: str = ""
    strings: list = field(default_factory=list)
    # Modules that stand in other files and are compiled for tests only.
    test_modules: list = field(default_factory=list)

    def __post_init__(self):
        self.code, self.strings = without_literals(self.text)
        spans = list(test_spans(self.code))
        for start, end, outer in spans:
            self.test_modules += outer
            self.code = self.code[:start] + blank(self.code[start:end]) + self.code[end:]
        self.strings = [(at, text) for at, text in self.strings if not any(a <= at < b for a, b, _ in spans)]
        self.lines = [match.start() for match in re.finditer("\n", self.text)]

    def line(self, at):
        """The number of the line, from 1, that holds this place."""
        return bisect_right(self.lines, at - 1) + 1

    def items(self):
        """Outermost functions, and top-level items for what stands outside functions."""
        functions = list(outermost_functions(self.code))
        return functions + list(top_level_items(self.code))

    def item_at(self, at):
        """The function or top-level item that holds this place."""
        return next((item for item in self.items() if item.start <= at < item.end), Item("(file)", 0, len(self.code)))


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def end_of_block_comment(text, at):
    depth, at = 1, at + 2
    while depth and at < len(text):
        step = {"/*": 1, "*/": -1}.get(text[at : at + 2], 0)
        depth, at = depth + step, at + (2 if step else 1)
    return at


def without_literals(text):
    """The text with comments, strings and characters blanked out; and [(place, string)]."""
    parts, strings, at = [], [], 0
    while match := LITERAL.search(text, at):
        end = end_of_block_comment(text, match.start()) if match["block"] else match.end()
        found = next((match[name] for name in ("raw", "text", "plain") if match[name] is not None), None)
        if found is not None:
            strings.append((match.start(), found))
        parts += [text[at : match.start()], blank(text[match.start() : end])]
        at = end
    return "".join(parts) + text[at:], strings


def end_of_item(code, at):
    """Where the item that begins at `at` ends: after its block, or after a semicolon outside brackets."""
    depth = 0
    for place in range(at, len(code)):
        char = code[place]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if char == "}" and depth == 0 and not ends_by_semicolon(code[at:place]):
                return place + 1
        elif char == ";" and depth == 0:
            return place + 1
    return len(code)


def ends_by_semicolon(head):
    return re.match(r"\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:use|static|type|const\s+(?!fn\b|unsafe\b))\b", head)


def test_spans(code):
    """(start, end, names of modules in other files) of what is compiled for tests only."""
    at = 0
    while match := OF_TESTS.search(code, at):
        start = match.end()
        while attribute := re.compile(r"\s*#\[[^\]]*\]").match(code, start):
            start = attribute.end()
        at = end_of_item(code, start)
        outer = OUTER_TEST_MODULE.match(code, start)
        yield match.start(), at, [outer[1]] if outer else []


def outermost_functions(code):
    owners = [(m.start(), end_of_item(code, m.start()), owner_name(m[0])) for m in OWNER.finditer(code)]
    at = 0
    while match := FUNCTION.search(code, at):
        at = end_of_item(code, match.start())
        owner = [name for start, end, name in owners if start < match.start() < end]
        yield Item(f"{owner[-1]}::{match[1]}" if owner else match[1], match.start(), at)


def owner_name(head):
    """`impl<T> From<A> for B<T> {` is B, `trait Model: Sync {` is Model."""
    head = re.sub(r"<[^<>{}]*>", "", re.sub(r"<[^<>{}]*>", "", head)).rstrip("{ \n")
    head = head.split(" for ")[-1].split(" where ")[0].split(":")[0] if " for " in head or "trait" in head else head
    return (re.findall(r"\w+", head) or ["impl"])[-1]


def top_level_items(code):
    at = 0
    while match := re.compile(r"\S").search(code, at):
        start = match.start()
        if attribute := re.compile(r"#!?\[[^\]]*\]").match(code, start):
            head = attribute.end()
            while attribute := re.compile(r"\s*#\[[^\]]*\]").match(code, head):
                head = attribute.end()
        else:
            head = start
        at = max(end_of_item(code, head), start + 1)
        keyword = ITEM.search(code, head, at)
        words = code[keyword.start() : at].split("{")[0].split("(")[0].split(";")[0] if keyword else code[head:at]
        yield Item(" ".join(words.split())[:60] or "(file)", keyword.start() if keyword else start, at)


def sources(root):
    """{path: Source} of all Rust files below a folder that are not compiled for tests only."""
    found = {path: Source(path.read_text(encoding="utf-8")) for path in sorted(Path(root).rglob("*.rs"))}
    tests = set()
    for path, source in found.items():
        inside = path.parent if path.stem in ("mod", "lib", "main") else path.with_suffix("")
        for name in source.test_modules:
            tests |= {inside / f"{name}.rs", inside / name, path.parent / f"{name}.rs", path.parent / name}
    return {path: source for path, source in found.items() if not is_test(path, tests, Path(root))}


def is_test(path, tests, root):
    parts = path.relative_to(root).parts
    named = path.name == "tests.rs" or path.name.endswith("_tests.rs") or "tests" in parts[:-1]
    return named or path in tests or any(parent in tests for parent in path.parents)

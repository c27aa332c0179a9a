"""Finds the words to avoid in documents, comments, docstrings, messages and texts of the page: `check_prose.py [--commas] [PATH ...]`.

The words stand in the table "avoid | write" of CONTRIBUTING.md:

- A row that starts with a capital letter is found as it is written, at the beginning of a sentence. Any other is found in every case.
- `...` stands for any words of the same sentence.
- A row in backticks is the name of a variable.

Markdown also has limits: 60 words for a paragraph or a line in the cell of a table, and 120 lines for README.md.
Without paths, every file that git knows is checked.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"^\| avoid \| write \|\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)
NOT_OURS = ("tests/data/", "static/dist/", "static/vendor/")
C_LIKE = {".ts", ".tsx", ".js", ".mjs", ".css", ".c", ".h"}
WHOLE = {".html", ".txt"}
HASHED = {".yml", ".yaml", ".toml"}
README_LINES, PARAGRAPH_WORDS = 120, 60

# In text that is checked, CODE stands for every character of what is no prose, so that no phrase reaches across it.
CODE = "\0"
GAP = rf"(?:(?!\n\s*\n)(?:[^.!?:;|{CODE}]|[.:](?=\S))){{1,120}}?"

C_TEXT = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[>}][^<>{}=;()]+(?=[<{])""", re.DOTALL)
C_MARKS = re.compile(r"^[ \t]*\*+/?|/\*+|\*+/|//|[\"'`]", re.MULTILINE)
PYTHON_MARKS = re.compile(r"^#+|^\w*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
HASHES = re.compile(r"(?<!\S)#+(?=\s)")
MARKDOWN_CODE = re.compile(r"^```.*?^```|<!--.*?-->|^ {4,}\S.*?$", re.DOTALL | re.MULTILINE)
MARKDOWN_NAMES = re.compile(r"`[^`]+`|(?<=\])\([^)]+\)")
NO_PARAGRAPH = ("|", "#", "!", CODE)


class Rule(NamedTuple):
    """A row of the table."""

    avoid: str
    write: str
    phrase: re.Pattern[str] | None
    """None for the name of a variable."""

    def may_occur_in(self, words: Words) -> bool:
        """Whether a text with these words can break the rule. Nearly all texts cannot, and most of the work is not done for them."""
        if self.phrase is None:
            return self.avoid in words.exact
        own = re.findall(r"\w+", self.avoid)
        return words.exact.issuperset(own) if self.avoid[0].isupper() else words.lower.issuperset(word.lower() for word in own)


class Words(NamedTuple):
    """The words of a text."""

    exact: set[str]
    lower: set[str]

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of a text."""
        exact = set(re.findall(r"\w+", text))
        return cls(exact, {word.lower() for word in exact})


class Finding(NamedTuple):
    """A place where something is to be written in another way."""

    line: int
    what: str
    write: str


def read_rules(contributing: str) -> list[Rule]:
    """Returns the rows of the table "avoid | write"."""
    table = TABLE.search(contributing)
    if table is None:
        raise SystemExit("CONTRIBUTING.md has no table that begins with: | avoid | write |")
    rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in table[1].splitlines()]
    return [Rule(avoid.strip("`"), write, None if avoid.startswith("`") else _phrase(avoid)) for avoid, write in rows]


def _phrase(avoid: str) -> re.Pattern[str]:
    words = [re.escape(word).replace(re.escape("..."), GAP) for word in avoid.split()]
    return re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", 0 if avoid[0].isupper() else re.IGNORECASE)


def check(path: str, source: str, rules: list[Rule]) -> list[Finding]:
    """Returns what is to be changed in a file.

    Args:
        path: The path from the root of the repository; it says what kind of file it is.
        source: The text of the file.
        rules: The rows of the table.
    """
    words = Words.of(source)
    rules = [rule for rule in rules if rule.may_occur_in(words)]
    phrases = [(rule, rule.phrase) for rule in rules if rule.phrase]
    names = {rule.avoid: rule.write for rule in rules if not rule.phrase}
    is_page = path.endswith(".md")
    text = prose(path, source) if phrases or is_page else ""
    findings = [
        Finding(_line(text, match.start()), f'"{rule.avoid}"', rule.write) for rule, phrase in phrases for match in phrase.finditer(text)
    ]
    if names:
        findings += [Finding(line, f"variable `{name}`", names[name]) for line, name in _variables(path, source, set(names))]
    if is_page:
        findings += _too_long(path, text)
    return sorted(findings)


def prose(path: str, source: str) -> str:
    """Returns the text with the same length and lines, in which everything that is no prose is replaced by `CODE` or blanks."""
    suffix = Path(path).suffix
    if suffix == ".py":
        return _keep(source, _python_spans(source), PYTHON_MARKS)
    if suffix in C_LIKE:
        return _keep(source, [match.span() for match in C_TEXT.finditer(source)], C_MARKS)
    if suffix == ".md":
        without_table = TABLE.sub(lambda match: _as_code(match[0]), source)
        without_code = MARKDOWN_CODE.sub(lambda match: _as_code(match[0]), without_table)
        return MARKDOWN_NAMES.sub(lambda match: re.sub(r"\S", "x", match[0]), without_code)
    if suffix in HASHED:
        return HASHES.sub(lambda match: " " * len(match[0]), source)
    return source if suffix in WHOLE else _as_code(source)


def _as_code(text: str) -> str:
    return re.sub(r"\S", CODE, text)


def _keep(source: str, spans: list[tuple[int, int]], marks: re.Pattern[str]) -> str:
    kept, end = [], 0
    for start, stop in spans:
        kept += [_as_code(source[end:start]), marks.sub(lambda match: " " * len(match[0]), source[start:stop])]
        end = stop
    return "".join([*kept, _as_code(source[end:])])


def _python_spans(source: str) -> list[tuple[int, int]]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    # Python 3.12 and later tell the parts of an f-string apart.
    parts = {getattr(tokenize, name, None) for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")}
    return [
        (starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1])
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type in {tokenize.COMMENT, tokenize.STRING} | parts
    ]


def _variables(path: str, source: str, names: set[str]) -> Iterator[tuple[int, str]]:
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
                yield node.lineno, node.id
            elif isinstance(node, ast.arg) and node.arg in names:
                yield node.lineno, node.arg
    elif path.endswith((".ts", ".tsx")) and names:
        code = C_TEXT.sub(lambda match: re.sub(r"\S", CODE, match[0]), source)
        name = rf"\b({'|'.join(sorted(names))})\b"
        declared = rf"\b(?:const|let)\s+(?:[\[{{][^=;]*?)?{name}|\([^()]*?{name}[^()]*\)\s*(?::[^=;]*?)?=>|{name}\s*=>|[(,]\s*{name}\??\s*:"
        for match in re.finditer(declared, code):
            yield _line(code, match.start()), next(group for group in match.groups() if group)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _too_long(path: str, text: str) -> Iterator[Finding]:
    if path == "README.md" and text.count("\n") > README_LINES:
        yield Finding(README_LINES + 1, f"{text.count(chr(10))} lines", f"at most {README_LINES}; the rest belongs in docs/")
    for line, paragraph in paragraphs(text):
        words = len(re.findall(r"\S*\w\S*", paragraph))
        if words > PARAGRAPH_WORDS:
            yield Finding(line, f"a paragraph of {words} words", f"at most {PARAGRAPH_WORDS}")
    for number, row in enumerate(text.splitlines(), 1):
        if row.startswith("|"):
            for part in re.split(r"(?<!\\)\||<br>", row):
                words = len(re.findall(r"\S*\w\S*", part))
                if words > PARAGRAPH_WORDS:
                    yield Finding(number, f"a table cell of {words} words", f"at most {PARAGRAPH_WORDS}, or lines of their own")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the text of every paragraph and list item of a Markdown page; headings, tables and code are left out."""
    for match in re.finditer(r"(?:^.*\S.*\n?)+", text, re.MULTILINE):
        start = match.start()
        for item in re.split(r"(?<=\n)(?=\s*(?:[-*]|\d+\.) )", match[0]):
            if not item.lstrip().startswith(NO_PARAGRAPH):
                yield _line(text, start), item
            start += len(item)


def commas_per_sentence(path: str, text: str) -> tuple[int, float]:
    """Returns how many sentences a text has, and how many commas each has on average."""
    running = " ".join(paragraph for _, paragraph in paragraphs(text)) if path.endswith(".md") else text.replace(CODE, " ")
    sentences = [sentence for sentence in re.split(r"[.!?]\s|:\n", running) if len(sentence.split()) > 2]
    return len(sentences), sum(sentence.count(",") for sentence in sentences) / max(len(sentences), 1)


def _files(paths: list[str]) -> list[str]:
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    kinds = {".py", ".md"} | C_LIKE | WHOLE | HASHED
    return sorted({name for name in names if Path(name).suffix in kinds and not name.startswith(NOT_OURS) and (ROOT / name).is_file()})


def main() -> int:
    """Prints what is to be changed, and returns the exit code."""
    parser = argparse.ArgumentParser(description="Find the words that CONTRIBUTING.md says to avoid.")
    parser.add_argument("paths", nargs="*", help="files and folders; by default, every file that git knows")
    parser.add_argument("--commas", action="store_true", help="print commas per sentence for every file, and check nothing")
    arguments = parser.parse_args()
    rules = read_rules((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    is_clean = True
    for path in _files(arguments.paths):
        source = (ROOT / path).read_text(encoding="utf-8")
        if arguments.commas:
            sentences, commas = commas_per_sentence(path, prose(path, source))
            print(f"{commas:5.2f} commas a sentence, {sentences:4d} sentences  {path}")
            continue
        for finding in check(path, source, rules):
            is_clean = False
            print(f"{path}:{finding.line}: {finding.what}: {finding.write}")
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())

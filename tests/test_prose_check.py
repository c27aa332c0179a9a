"""`.ci/check_prose.py` reports what the word list of CONTRIBUTING.md says to avoid, in prose and nowhere else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("check_prose", ROOT / ".ci" / "check_prose.py")
assert SPEC
assert SPEC.loader
check_prose = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_prose)

# Words of no language, so that this file passes the check that it tests.
RULES = check_prose.read_rules(
    """
| avoid | write |
|---|---|
| Zim ..., | the subject first |
| blorp | "also" |
| to be zarged | "available" |
| `quux` | the noun |

| other | table |
"""
)


def test_a_rule_may_occur_only_where_its_words_are_whole() -> None:
    words = check_prose.Words.of("It is Zargedly Blorp.")
    assert [rule.may_occur_in(words) for rule in RULES] == [False, True, False, False]


def found_in(path: str, source: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.what) for finding in check_prose.check(path, source, RULES)]


def test_the_word_list_has_rules_for_phrases_and_for_variables() -> None:
    rules = check_prose.read_rules((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len([rule for rule in rules if rule.phrase]) >= 10
    assert len([rule for rule in rules if not rule.phrase]) >= 3
    assert all(rule.write for rule in rules)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "x = 1\n# It is blorp here.\n"),
        ("a.py", 'x = 1\ny = "it is Blorp here"\n'),
        ("a.py", 'x = 1\ny = f"it is blorp {x}"\n'),
        ("a.ts", "const x = 1;\n// It is blorp here.\n"),
        ("a.ts", "const x = 1;\nconst y = 'it is blorp here';\n"),
        ("a.ts", "const x = 1;\nconst y = `it is blorp ${x}`;\n"),
        ("a.tsx", "const x = (\n  <p>It isn't blorp here, {x}</p>);\n"),
        ("a.css", "a { color: red }\n/* It is blorp here. */\n"),
        ("a.html", "<p>\n{# It is blorp here. #}\n"),
        ("docs/a.md", "# Title\nIt is blorp here.\n"),
        ("docs/a.md", "| a |\n| blorp |\n"),
        ("a.yml", "a: 1  # What follows\n# is blorp.\n"),
        ("a.yml", "a: 1\ndescription: It is blorp here.\n"),
        ("a.toml", "a = 1\n# It is blorp here.\n"),
    ],
)
def test_phrases_are_reported_with_their_line(path: str, source: str) -> None:
    assert found_in(path, source) == [(2, '"blorp"')]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "blorp = 1\n"),
        ("a.py", "# blorpish\n"),
        ("a.ts", "const blorp = 1;\n"),
        ("docs/a.md", "Call `blorp`.\n"),
        ("docs/a.md", "[A link](blorp.md)\n"),
        ("docs/a.md", "```\nblorp\n```\n"),
        ("CONTRIBUTING.md", "| avoid | write |\n|---|---|\n| blorp | also |\n"),
        ("a.json", '"blorp"'),
    ],
)
def test_code_and_the_word_list_are_left_alone(path: str, source: str) -> None:
    assert found_in(path, source) == []


def test_a_phrase_may_go_over_several_lines() -> None:
    assert found_in("a.py", '"""Values that are to\nbe zarged.\n"""\n') == [(1, '"to be zarged"')]
    assert found_in("a.py", 'x = ("values are to be "\n     "zarged")\n') == [(1, '"to be zarged"')]
    assert found_in("a.ts", "/**\n * Values to\n * be zarged.\n */\n") == [(2, '"to be zarged"')]


def test_three_dots_stand_for_words_of_one_sentence() -> None:
    assert found_in("docs/a.md", "Zim `a` tensor 0.5 long, all is kept.\n") == [(1, '"Zim ...,"')]
    assert found_in("docs/a.md", "Zim a tensor. All, again.\n") == []
    assert found_in("docs/a.md", "The zim of a tensor, again.\n") == []
    assert found_in("a.py", "# Zim a tensor\nx = (1, 2)\n") == []


@pytest.mark.parametrize(
    "source",
    [
        "quux = 1\n",
        "for quux in range(3):\n    pass\n",
        "x = [quux for quux in range(3)]\n",
        "def f(quux): ...\n",
        "f = lambda *, quux: 1\n",
        "if (quux := 1):\n    pass\n",
        "(a, *quux) = [1]\n",
        "with open('x') as quux:\n    pass\n",
    ],
)
def test_names_of_variables_in_python(source: str) -> None:
    assert found_in("a.py", source) == [(1, "variable `quux`")]


@pytest.mark.parametrize(
    "source",
    [
        "const quux = 1;",
        "let quux: number;",
        "const [a, quux] = pair;",
        "const { quux } = pair;",
        "for (const quux of all) use(quux);",
        "all.map((quux) => quux + 1);",
        "all.map(quux => quux + 1);",
        "all.reduce((sum, quux) => sum + 1, 0);",
        "function f(quux: number): void {}",
        "function f(a: number, quux?: number): void {}",
    ],
)
def test_names_of_variables_in_typescript(source: str) -> None:
    assert found_in("a.ts", source) == [(1, "variable `quux`")]


@pytest.mark.parametrize("source", ["a.quux = 1;", "const x = a.quux;", "use(quux);", "const x = y ? quux : z;", 'const x = "quux";'])
def test_other_uses_of_the_name_in_typescript(source: str) -> None:
    assert found_in("a.ts", source) == []


def test_paragraphs_and_list_items_are_limited() -> None:
    short, long = "word " * 60, "word " * 61
    assert found_in("docs/a.md", f"# Title\n\n{short}\n\n{long}\n") == [(5, "a paragraph of 61 words")]
    assert found_in("docs/a.md", f"- {short}\n- {short}\n") == []
    assert found_in("docs/a.md", f"- {short}\n- {long}\n") == [(2, "a paragraph of 61 words")]


def test_cells_of_tables_are_limited() -> None:
    short, long = "word " * 60, "word " * 61
    rows = f"| {short} | {short} |\n|---|---|\n| {short}<br>{short} | {long} |\n"
    assert found_in("docs/a.md", rows) == [(3, "a table cell of 61 words")]
    assert found_in("docs/a.md", f"| {short}\\| word |\n") == [(1, "a table cell of 61 words")]


def test_the_readme_has_at_most_120_lines() -> None:
    assert found_in("README.md", "a\n" * 120) == [(1, "a paragraph of 120 words")]
    assert (121, "121 lines") in found_in("README.md", "a\n" * 121)


def test_commas_are_counted_per_sentence() -> None:
    text = check_prose.prose("docs/a.md", "One, two, three words. And no comma here.\n\n```\na, b, c, d\n```\n")
    assert check_prose.commas_per_sentence("docs/a.md", text) == (2, 1.0)

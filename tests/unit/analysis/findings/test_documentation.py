"""The page about findings, and the texts of rules."""

from __future__ import annotations

import re

import pytest

from comgra_export.analysis.findings.catalogue import own_rules
from comgra_export.analysis.findings.documentation import rule_tables, with_tables
from comgra_export.analysis.findings.model.rule import Rule
from support.places import CHECKOUT

PAGE = CHECKOUT / "docs" / "findings.md"
UPDATE = (
    "from pathlib import Path; from comgra_export.analysis.findings.documentation import with_tables; "
    "page = Path('docs/findings.md'); page.write_text(with_tables(page.read_text('utf-8')), 'utf-8')"
)


def test_the_page_holds_all_rules_as_they_are() -> None:
    page = PAGE.read_text("utf-8")
    assert with_tables(page) == page, f'Update it: .venv/bin/python -c "{UPDATE}"'


def test_every_rule_has_a_row_with_as_many_cells_as_the_head() -> None:
    rows = [line for line in rule_tables(own_rules()).splitlines() if line.startswith("| <a id=")]
    assert [re.findall(r"`(.+?)`", row)[0] for row in rows] == sorted([rule.name for rule in own_rules()], key=_order(rows).index)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {10}


def _order(rows: list[str]) -> list[str]:
    return [re.findall(r'id="(.+?)"', row)[0] for row in rows]


def test_names_are_unique() -> None:
    names = [rule.name for rule in own_rules()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("rule", own_rules(), ids=lambda rule: rule.name)
def test_texts_are_sentences_where_they_should_be(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.name)
    assert 1 <= len(rule.advice) <= 3
    assert all(text[0].isupper() and text.endswith(".") for text in rule.advice)
    assert rule.title[0].isupper() and not rule.title.endswith(".")  # noqa: PT018
    assert re.fullmatch(r"[A-Z`].*\.", rule.wrong_if)
    assert rule.formula and rule.source and rule.needs  # noqa: PT018
    assert 0 <= rule.priority <= 7
    assert rule.name not in {explained.rule for explained in rule.explains}

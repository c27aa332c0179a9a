"""Parts of what rules say, and how they are shown to readers who do not know backticks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from comgra_export.analysis.findings.catalogue import own_rules
from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.plain_text import as_sentence, in_plain_text
from comgra_export.analysis.findings.rules.wording import in_short, names_of, share_of
from support.analysis.wording import mistakes


@pytest.mark.parametrize(("names", "words"), [("a", "`a`"), ("ab", "`a` and `b`"), ("abc", "`a` and 2 more")])
def test_two_names_are_given_and_more_are_counted(names: str, words: str) -> None:
    assert names_of(list(names)) == words


@pytest.mark.parametrize(("share", "words"), [(1.0, "all steps"), (0.954, "95% of the steps"), (0.999, "99% of the steps")])
def test_only_all_is_called_all(share: float, words: str) -> None:
    assert share_of(share, "steps") == words


@pytest.mark.parametrize(("number", "words"), [(31.4, "31"), (999_999, "999,999"), (1e6, "1e6"), (5.71e29, "5.7e29")])
def test_long_numbers_are_short(number: float, words: str) -> None:
    assert in_short(number) == words


def test_code_is_quoted_and_a_single_backtick_stays() -> None:
    assert in_plain_text("`model.0: output` is `log` of a ` b") == "'model.0: output' is 'log' of a ` b"


@pytest.mark.parametrize(("text", "sentence"), [("", ""), ("usually 2", "Usually 2."), ("Is it?", "Is it?")])
def test_a_fragment_becomes_a_sentence(text: str, sentence: str) -> None:
    assert as_sentence(text) == sentence


_GOOD = Finding(
    rule="dead-relu",
    severity=Severity.PROBLEM,
    message="75% of the units of `h` are dead.",
    places=(Place("tensor", "h"),),
    advice=("Lower the learning rate.",),
    step=3,
    value=0.75,
    limit=0.7,
    comparison="Healthy layers have at most 55%.",
)


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ({}, None),
        ({"value": None, "limit": None, "comparison": ""}, None),
        ({"message": "Units are dead because the rate is high."}, "it names a cause"),
        ({"comparison": "This is an error."}, "it calls a guess an error"),
        ({"comparison": "This is an error.", "severity": Severity.BUG}, None),
        ({"places": ()}, "it names no place"),
        ({"step": None}, "it names no step"),
        ({"step": None, "rule": "tied-parameters"}, None),
        ({"value": None}, "it has a value without a limit, or a limit without a value"),
        ({"comparison": ""}, "it compares its value with nothing"),
        ({"advice": ()}, "it gives no advice, or too much"),
        ({"advice": ("a", "b", "c", "d")}, "it gives no advice, or too much"),
        ({"message": ""}, "it says nothing"),
    ],
)
def test_the_wording_of_every_finding_in_these_tests_is_read(change: dict[str, Any], mistake: str | None) -> None:
    (rule,) = (rule for rule in own_rules() if rule.name == "dead-relu")
    assert mistakes(replace(_GOOD, **change), rule) == ([mistake] if mistake else [])

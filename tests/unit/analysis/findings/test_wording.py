"""Parts of what rules say, and how they are shown to readers who do not know backticks."""

from __future__ import annotations

import pytest

from comgra_export.analysis.findings.plain_text import as_sentence, in_plain_text
from comgra_export.analysis.findings.rules.wording import names_of, share_of


@pytest.mark.parametrize(("names", "words"), [("a", "`a`"), ("ab", "`a` and `b`"), ("abc", "`a` and 2 more")])
def test_two_names_are_given_and_more_are_counted(names: str, words: str) -> None:
    assert names_of(list(names)) == words


@pytest.mark.parametrize(("share", "words"), [(1.0, "all steps"), (0.954, "95% of the steps"), (0.999, "99% of the steps")])
def test_only_all_is_called_all(share: float, words: str) -> None:
    assert share_of(share, "steps") == words


def test_code_is_quoted_and_a_single_backtick_stays() -> None:
    assert in_plain_text("`model.0: output` is `log` of a ` b") == "'model.0: output' is 'log' of a ` b"


@pytest.mark.parametrize(("text", "sentence"), [("", ""), ("usually 2", "Usually 2."), ("Is it?", "Is it?")])
def test_a_fragment_becomes_a_sentence(text: str, sentence: str) -> None:
    assert as_sentence(text) == sentence

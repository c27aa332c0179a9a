"""`comgra-findings.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.findings.settings import FILE, find_settings, read_mutes
from comgra_export.errors import WrongChoiceError

RULES = {"dead-relu", "nan-origin"}


def _written(folder: Path, text: str) -> Path:
    file = folder / FILE
    file.write_text(text, "utf-8")
    return file


def test_entries_become_mutes(tmp_path: Path) -> None:
    text = '[[mute]]\nrule = "dead-relu"\nnode = "model.gate*"\nreason = "gates"\n[[mute]]\nrule = "nan-*"\n[[mute]]\nnode = "x"\n'
    expected = (Mute("dead-relu", "model.gate*", "gates"), Mute("nan-*"), Mute("*", "x"))
    assert read_mutes(_written(tmp_path, text), RULES) == expected


def test_an_empty_file_mutes_nothing(tmp_path: Path) -> None:
    assert read_mutes(_written(tmp_path, "# nothing\n"), RULES) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[mute]]\nrule = "dead-relu\n', "line 2"),
        ('[[mutes]]\nrule = "dead-relu"\n', "'mutes'.*only \\[\\[mute\\]\\].*Write"),
        ('[mute]\nrule = "dead-relu"\n', "two brackets"),
        ('mute = ["dead-relu"]\n', "number 1: 'dead-relu' is not a table"),
        ('[[mute]]\nrule = "nan-origin"\n[[mute]]\nrules = "dead-relu"\n', "number 2: there is no 'rules'. Did you mean 'rule'"),
        ("[[mute]]\nrule = 3\n", "number 1: rule is 3. Write a text in quotes"),
        ('[[mute]]\nreason = "why not"\n', "number 1: it names neither a rule nor a node"),
        ('[[mute]]\nrule = "dead-rely"\n', "number 1: there is no rule 'dead-rely'. Did you mean 'dead-relu'"),
    ],
)
def test_a_mistake_names_the_file_the_place_and_what_to_write(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(WrongChoiceError, match=f"(?s){FILE}.*{words}"):
        read_mutes(_written(tmp_path, text), RULES)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongChoiceError, match=r"nowhere.toml cannot be read"):
        read_mutes(tmp_path / "nowhere.toml", RULES)
    (tmp_path / "latin.toml").write_bytes(b'[[mute]]\nreason = "\xe9"\n')
    with pytest.raises(WrongChoiceError, match=r"latin.toml is not UTF-8"):
        read_mutes(tmp_path / "latin.toml", RULES)


def test_the_file_is_searched_up_to_the_root_of_the_repository(tmp_path: Path) -> None:
    outside = _written(tmp_path, "")
    folder = tmp_path / "repository" / "scripts" / "deep"
    folder.mkdir(parents=True)
    assert find_settings(folder) is None, "outside a repository only the folder itself counts"
    assert find_settings(tmp_path) == outside
    (tmp_path / "repository" / ".git").mkdir()
    assert find_settings(folder) is None, "the search ends at the root"
    at_root = _written(tmp_path / "repository", "")
    assert find_settings(folder) == at_root
    nearer = _written(folder.parent, "")
    assert find_settings(folder) == nearer

"""Folders that bring in other recordings than it seems, or that are not read: the page names them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from comgra_export.exporter import export
from support.exporter.recordings import write_trial


@pytest.fixture
def group(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    return tmp_path / "runs" / "group"


def problems(group: Path) -> tuple[str, ...]:
    return export(group, group.parent.parent / "report.html").problems


def test_usual_folders_are_not_worth_a_word(group: Path) -> None:
    (group / "plots").mkdir()
    assert problems(group) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="Links need rights there.")
def test_a_linked_trial_is_named(group: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "elsewhere")
    (elsewhere,) = (tmp_path / "elsewhere" / "group").iterdir()
    (group / "linked").symlink_to(elsewhere)
    assert "linked is a link, so what is shown of it lies elsewhere." in problems(group)


def test_a_trial_without_its_header_is_named(group: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", trial="lost")
    (group / "lost" / "rank-0" / "recording.json").unlink()
    assert "lost/rank-0 is left out: its recording.json is missing." in problems(group)


def test_a_rank_without_its_header_is_named(group: Path, tmp_path: Path) -> None:
    for rank in range(3):
        write_trial(tmp_path / "runs", trial="wide", rank=rank, world_size=3)
    (group / "wide" / "rank-1" / "recording.json").unlink()
    sentences = problems(group)
    assert "wide/rank-1 is left out: its recording.json is missing." in sentences
    assert "wide ran on 3 ranks, and some of them are not here: 1." in sentences

"""When `comgra-export build --watch` builds again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from comgra_export.cli.rebuilding import Entry, State, Watched, state_of
from support.cli.run import Run
from support.exporter.recordings import write_trial

USAGE = 2


def _state(number: int) -> State:
    return frozenset({Entry("journal", number, 0)})


def test_it_builds_when_what_has_changed_has_come_to_rest() -> None:
    watched = Watched(_state(0))
    looks = [0, 0, 1, 2, 2, 2, 3, 3]
    assert [watched.is_due(_state(look)) for look in looks] == [False, False, False, False, True, False, False, True]


def test_what_never_comes_to_rest_is_built_now_and_then() -> None:
    watched = Watched(_state(0))
    due = [number for number in range(1, 91) if watched.is_due(_state(number))]
    assert due == [30, 60, 90]


def test_what_is_as_it_was_built_is_not_built_again() -> None:
    watched = Watched(_state(0))
    assert [watched.is_due(_state(look)) for look in (1, 0, 0, 0)] == [False] * 4


def test_the_state_changes_with_every_step_journal_and_trial(tmp_path: Path) -> None:
    write_trial(tmp_path, "first")
    (rank,) = (tmp_path / "group" / "first").iterdir()
    seen = [state_of([tmp_path])]
    assert state_of([tmp_path]) == seen[0]
    (rank / "steps" / "000000000099.json").touch()
    os.utime(rank / "steps", ns=(1, 1))
    seen.append(state_of([tmp_path]))
    with (rank / "notes.jsonl").open("a", encoding="utf-8") as notes:
        notes.write("{}\n")
    seen.append(state_of([tmp_path]))
    write_trial(tmp_path, "second")
    seen.append(state_of([tmp_path]))
    assert len(set(seen)) == 4


def test_a_trial_that_is_deleted_while_it_is_looked_at_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trial(tmp_path, "first")
    (rank,) = (tmp_path / "group" / "first").iterdir()
    before = state_of([tmp_path])
    monkeypatch.setattr("comgra_export.cli.rebuilding.find_recordings", lambda _: [rank, tmp_path / "group" / "deleted" / "rank-0"])
    assert state_of([tmp_path]) == before


@pytest.mark.parametrize("options", [[], ["-o", "report.html"], ["-o", "report.zip"]])
def test_only_a_folder_can_be_watched(run: Run, tmp_path: Path, options: list[str]) -> None:
    write_trial(tmp_path / "runs", "first")
    done = run("build", "runs", "--watch", *options)
    assert (done.returncode, "folder" in done.stderr) == (USAGE, True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs"]

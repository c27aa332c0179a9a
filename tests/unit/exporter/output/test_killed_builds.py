"""A build that is killed: what is at its place, and what the next build finds of it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comgra_export.exporter import export
from comgra_export.exporter.output import bundle_output, replacing
from comgra_export.exporter.output.exchanging import exchange
from comgra_export.exporter.output.replacing import put_in_place
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A process is forked and killed.")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def killed(build: Callable[[], object]) -> None:
    """Runs a build in a child that kills itself where the test has put `die`."""
    child = os.fork()
    if child == 0:
        try:
            build()
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("name", ["report.html", "report", "report.zip"])
def test_the_next_build_removes_what_a_killed_one_left(name: str, runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(bundle_output, "put_in_place", die)
        killed(lambda: export(runs, place / name))
    assert len(os.listdir(place)) == 1
    export(runs, place / "another.html")
    assert os.listdir(place) == ["another.html"]


def test_the_folder_of_a_build_that_lives_stays(runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build_another_first(result: Path, path: Path, workplace: Path) -> None:
        monkeypatch.setattr(bundle_output, "put_in_place", put_in_place)
        export(runs, place / "another.html")
        put_in_place(result, path, workplace)

    monkeypatch.setattr(bundle_output, "put_in_place", build_another_first)
    export(runs, place / "report")
    assert sorted(os.listdir(place)) == ["another.html", "report"]


def test_folders_of_others_stay(runs: Path, place: Path) -> None:
    (place / ".comgra-export-notes").mkdir()
    (place / ".comgra-export-notes" / "thesis.tex").touch()
    export(runs, place / "report")
    assert (place / ".comgra-export-notes" / "thesis.tex").exists()


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="The system cannot let two folders change places.")
@pytest.mark.parametrize(("before", "title"), [(True, "group"), (False, "another")])
def test_the_old_or_the_new_folder_is_in_its_place(
    before: bool, title: str, runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(runs, place / "report")

    def exchange_and_die(first: Path, second: Path) -> None:
        if not before:
            assert exchange(first, second)
        die()

    with monkeypatch.context() as patch:
        patch.setattr(replacing, "exchange", exchange_and_die)
        patch.setattr(os, "rename", die)
        killed(lambda: export(runs, place / "report", title="another", force=True))
    assert Bundle(place / "report").index["title"] == title
    export(runs, place / "third.html")
    assert sorted(os.listdir(place)) == ["report", "third.html"]


@pytest.mark.parametrize("renames", [1, 2])
def test_where_folders_cannot_change_places_the_next_build_ends_what_was_begun(
    renames: int, runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(runs, place / "report")
    with monkeypatch.context() as patch:
        patch.setattr(replacing, "exchange", lambda *_: False)
        left = [renames]
        rename = os.rename

        def rename_and_die(source: Path, target: Path) -> None:
            rename(source, target)
            left[0] -= 1
            if not left[0]:
                die()

        patch.setattr(os, "rename", rename_and_die)
        killed(lambda: export(runs, place / "report", title="another", force=True))
    assert (place / "report").exists() == (renames == 2)
    export(runs, place / "third.html")
    assert Bundle(place / "report").index["title"] == "another"
    assert sorted(os.listdir(place)) == ["report", "third.html"]


@pytest.mark.parametrize("name", ["..", "../elsewhere", "", "/elsewhere"])
def test_a_journal_moves_nothing_elsewhere(name: str, runs: Path, place: Path) -> None:
    left = place / ".comgra-export-left"
    (left / "folder").mkdir(parents=True)
    (left / "lock").touch()
    (left / "journal").write_text(f"{name}\nfolder\n")
    export(runs, place / "report")
    assert os.listdir(place) == ["report"]
    assert sorted(os.listdir(place.parent)) == ["place", "runs"]

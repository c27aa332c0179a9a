"""Recordings, bundles and pickles that are damaged at random: reading raises nothing but the errors of the package, and more."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.breadth import at_breadth
from support.storage import fuzzing

CASES = at_breadth(quick=20, ci=60, full=2000)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="It makes links and pipes.")


@pytest.mark.parametrize("fuzz", [fuzzing.fuzz_recordings, fuzzing.fuzz_bundles, fuzzing.fuzz_pickles])
def test_random_damage_is_named_or_harmless(fuzz: fuzzing.Fuzz, tmp_path: Path) -> None:
    assert fuzz(CASES, 0, tmp_path).faults == []


def test_the_fuzzer_finds_errors_and_changed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        (tmp_path / "written").touch()
        raise ValueError("unexpected")

    monkeypatch.setattr(fuzzing, "verify_bundle", fail)
    assert fuzzing.fuzz_bundles(1, 7, tmp_path).faults == [
        "case 0 of seed 7: ValueError: unexpected",
        "case 0 of seed 7: reading has changed files",
    ]


def test_the_fuzzer_finds_damage_that_is_read_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "verify", lambda _: ())
    faults = fuzzing.fuzz_recordings(60, 0, tmp_path).faults
    assert faults
    assert all(fault.endswith("what is damaged is read without a word") for fault in faults)


def test_the_fuzzer_finds_what_takes_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = iter([5_000_000, 1_006_000_000])
    monkeypatch.setattr(fuzzing, "_peak_memory", lambda: next(memory))
    (fault,) = fuzzing.fuzz_bundles(1, 7, tmp_path).faults
    assert fault.startswith("case 0 of seed 7: reading took")
    assert fault.endswith("and 1,001 MB of memory")

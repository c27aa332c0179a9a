"""Recordings, bundles and pickles that are damaged at random raise nothing but the errors of the package, and change no file."""

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
    assert fuzz(CASES, 0, tmp_path) == []


def test_the_fuzzer_finds_errors_and_changed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        (tmp_path / "written").touch()
        raise ValueError("unexpected")

    monkeypatch.setattr(fuzzing, "verify_bundle", fail)
    assert fuzzing.fuzz_bundles(1, 7, tmp_path) == [
        "case 0 of seed 7: ValueError: unexpected",
        "case 0 of seed 7: reading has changed files",
    ]

"""`comgra-export verify`: damage is named, and sound recordings are called so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from comgra_export.exporter import export
from support.cli.run import Run
from support.exporter.recordings import write_trial
from support.storage.strategies import write_example

DAMAGED = 3


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    """Two recordings: one with checksums, one without."""
    for trial, checksums in (("new", True), ("old", False)):
        write_example(tmp_path / "runs" / "group" / trial / "rank-0", checksums=checksums)
    return tmp_path / "runs"


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


def test_sound_recordings(run: Run, trials: Path) -> None:
    done = run("verify", trials)
    assert (done.returncode, done.stderr) == (0, "")
    with_checksums, without = done.stdout.splitlines()
    assert with_checksums.endswith("3 steps, and all of it is as it was written.")
    assert "Not all of it has checksums" in without


def test_a_flipped_bit_of_the_numbers_is_named(run: Run, trials: Path) -> None:
    for trial in ("new", "old"):
        _flip(trials / "group" / trial / "rank-0" / "steps" / "000000000007.safetensors")
    done = run("verify", trials, "--json")
    assert done.returncode == DAMAGED
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("comgra-verification", 1)
    new, old = document["recordings"]
    (problem,) = new["problems"]
    assert problem.startswith("Step 7 is damaged. group/trial/rank-0/steps/000000000007.safetensors cannot be used")
    # Without checksums, another number is as good as the one that was written.
    assert (old["checksums"], old["problems"]) == (False, [])


def test_a_recording_that_cannot_be_opened_is_named(run: Run, trials: Path) -> None:
    header = trials / "group" / "new" / "rank-0" / "recording.json"
    header.write_bytes(header.read_bytes().replace(b'"rank":0', b'"rank":1', 1))
    done = run("verify", trials)
    assert done.returncode == DAMAGED
    assert "recording.json" in done.stderr
    assert "group/trial/rank-0: 3 steps" in done.stdout


@pytest.mark.parametrize("name", ["report.html", "report", "report.zip"])
def test_a_bundle(run: Run, tmp_path: Path, name: str) -> None:
    write_trial(tmp_path / "more")
    export(tmp_path / "more", tmp_path / name)
    done = run("verify", tmp_path / name)
    assert (done.returncode, done.stdout.strip()) == (0, f"{name}: 3 steps, and all of it is as it was written.")


def test_a_changed_bundle_is_named(run: Run, tmp_path: Path) -> None:
    write_trial(tmp_path / "more")
    page = export(tmp_path / "more", tmp_path / "report.html").path
    whole = page.read_text(encoding="ascii")
    page.write_text(whole.replace('"group":"group"', '"group":"grouq"', 1), encoding="ascii")
    done = run("verify", page)
    assert done.returncode == DAMAGED
    assert "its index does not have the checksum" in done.stderr
    begin = whole.rindex('<template id="chunk-')
    at = whole.index(">", begin) + 5
    page.write_text(whole[:at] + ("A" if whole[at] != "A" else "B") + whole[at + 1 :], encoding="ascii")
    done = run("verify", page)
    assert done.returncode == DAMAGED
    assert "chunk" in done.stderr


def test_damage_of_a_kind_is_one_line(run: Run, tmp_path: Path) -> None:
    write_trial(tmp_path / "more")
    page = export(tmp_path / "more", tmp_path / "report.html").path
    whole = page.read_text(encoding="ascii")
    page.write_text(whole[: whole.index('<template id="chunk-')], encoding="ascii")
    document = json.loads(run("verify", page, "--json").stdout)
    problems = document["recordings"][0]["problems"]
    count = len(problems)
    assert count > 10
    done = run("verify", page)
    assert (done.returncode, done.stdout) == (DAMAGED, "")
    assert done.stderr == (
        "warning: report.html cannot be used: chunk 0 is missing; the file may have been cut off. Build it again, or restore it from a "
        f"copy. {count - 1} more are like this, with 1, 2, 3, 4, 5, ... in place of 0.\n"
    )


def test_damage_of_two_kinds_is_two_lines(run: Run, trials: Path) -> None:
    steps = trials / "group" / "new" / "rank-0" / "steps"
    first, second, third = sorted(steps.glob("*.safetensors"))
    _flip(first)
    second.unlink()
    _flip(third)
    lines = run("verify", trials / "group" / "new").stderr.splitlines()
    numbers = [int(file.stem) for file in (first, second, third)]
    assert len(lines) == 2
    assert lines[0].startswith(f"warning: Step {numbers[0]} is damaged. ")
    assert lines[0].endswith(f" 1 more is like this, with {numbers[2]} in place of {numbers[0]}.")
    assert lines[1].startswith(f"warning: Step {numbers[1]} is damaged. ")

"""Files that claim to be huge: they are refused before they are read, and the rest of the recording stays readable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import open_recording, verify, without_limits
from comgra_export.storage.text.limits import Limit
from support.cli.run import run
from support.places import TESTS
from support.storage.strategies import write_example

__all__ = ["run"]

HUGE = 20_000_000_000
MEMORY = 1_000_000_000

READ_ALL = """
import sys
from comgra_export.storage import open_recording, verify
print(verify(open_recording(sys.argv[1])))
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rank = tmp_path / "group" / "trial" / "rank-0"
    write_example(rank)
    return rank


def make_huge(file: Path) -> None:
    """A file of zeros that takes no room on the disk."""
    with file.open("r+b") as stream:
        stream.truncate(HUGE)


@pytest.mark.parametrize("pattern", ["*.json", "*.jsonl", "layouts/*", "structures/*", "calls/*", "flows/*", "steps/*"])
def test_no_huge_file_is_read(folder: Path, pattern: str) -> None:
    files = sorted(folder.glob(pattern))
    assert files
    for file in files:
        whole = file.read_bytes()
        make_huge(file)
        try:
            problems = verify(open_recording(folder))
        except DamagedRecordingError as error:
            problems = (str(error),)
        assert any(file.name in problem and ("the limit is" in problem or "more than" in problem) for problem in problems), problems
        file.write_bytes(whole)
    assert verify(open_recording(folder)) == ()


def test_a_header_of_numbers_is_not_read_whatever_length_it_claims(folder: Path) -> None:
    file = folder / "steps" / "000000000007.safetensors"
    file.write_bytes((3_000_000_000).to_bytes(8, "little"))
    with file.open("r+b") as stream:
        stream.truncate(3_900_000_000)
    with pytest.raises(DamagedRecordingError, match="3,000,000,000 bytes of JSON, and the limit is 64,000,000"):
        open_recording(folder).blobs(7)


def test_a_line_that_does_not_end_is_not_read_to_its_end(folder: Path) -> None:
    notes = open_recording(folder).notes
    os.truncate(folder / "notes.jsonl", 200_000_000)
    recording = open_recording(folder)
    assert recording.notes == notes
    (problem,) = recording.problems
    assert f"notes.jsonl, line {len(notes) + 1}" in problem
    assert "it has 64,000,000 bytes and more" in problem


def test_the_layers_of_a_flow_may_be_no_larger_than_the_limit(folder: Path) -> None:
    step = next(file for file in sorted((folder / "steps").glob("*.json")) if json.loads(file.read_bytes()).get("flows"))
    content = json.loads(step.read_bytes())
    content["flows"][0]["layers"][-1]["shape"] = [2_000_000_000]
    step.write_text(json.dumps(content))
    with pytest.raises(DamagedRecordingError, match="elements in the layers of a gradient flow, and the limit"):
        open_recording(folder).flow_numbers(content["step"], 0)


def test_a_step_claims_no_more_iterations_than_the_limit(folder: Path) -> None:
    step = min((folder / "steps").glob("*.json"))
    content = json.loads(step.read_bytes())
    content["structures"] = [None] * 1_000_000
    step.write_text(json.dumps(content))
    with pytest.raises(DamagedRecordingError, match="1,000,000 iterations, and the limit is 100,000"):
        open_recording(folder).step(content["step"])


def test_ones_own_may_be_larger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limit.LINES, "most", 1)
    assert any("2 lines, and the limit is 1" in problem for problem in verify(open_recording(folder)))
    with without_limits():
        assert verify(open_recording(folder)) == ()


def test_the_command_reads_larger_ones_when_asked(
    run: Callable[..., subprocess.CompletedProcess[str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Limit.JSON_BYTES, "most", 10)
    refused = run("verify", folder)
    assert refused.returncode == 3
    assert "--limits off" in refused.stderr
    assert run("--limits", "off", "verify", folder).returncode == 0
    assert run("verify", folder).returncode == 3


def _many_values(folder: Path) -> None:
    (folder / "network.json").write_bytes(b'{"modules":[' + b",".join([b"{}"] * 20_000_000) + b"]}")


def _blank_lines(folder: Path) -> None:
    with (folder / "curves.jsonl").open("ab") as stream:
        stream.write(b"\n" * 30_000_000)


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux says how much memory was used at most.")
@pytest.mark.parametrize("attack", [_many_values, _blank_lines])
def test_hostile_files_take_little_memory(folder: Path, attack: Callable[[Path], None]) -> None:
    attack(folder)
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(folder)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=TESTS,
    )
    assert 1024 * int(done.stdout.splitlines()[-1]) < MEMORY

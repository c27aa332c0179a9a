"""A training process is killed at random moments. Nothing that it recorded is lost silently."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from comgra_export.cli.inspect import run_inspect
from comgra_export.exporter import Bundle, export
from comgra_export.storage import Recording, open_recording
from support.breadth import at_breadth
from support.places import TESTS
from support.recorder.little_training import is_whole

KILLS = at_breadth(quick=10, ci=40, full=200)
KILLS_PER_RECORDING = at_breadth(quick=5, ci=10, full=25)

# One process that has imported everything, and makes a child for every run: importing torch takes longer than a run does.
PARENT = """
import os, signal, sys, time, warnings
from pathlib import Path
sys.path[:0] = [{tests!r}]
import torch
from support.recorder.little_training import train

# The first step's imports happen here. No child can be made after autograd has run backwards.
with torch.no_grad(), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    train(Path({folder!r}, "imports"), 0, 1, lambda words: None)

print("ready", flush=True)
for line in sys.stdin:
    root, first, begin, seconds, acknowledgements = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        os.close(0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        said = os.open(acknowledgements, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        train(Path(root), int(first), 10**9, lambda words: os.write(said, words.encode() + b"\\n"))
    while begin == "finished" and not os.stat(acknowledgements).st_size:
        time.sleep(0.001)
    time.sleep(float(seconds))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("killed", flush=True)
"""


class Killer:
    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._acknowledgements = folder / "acknowledged"

    def run(self, root: Path, first: int, begin: str, seconds: float) -> tuple[list[int], int]:
        """Lets a process train from a step on, and kills it so many seconds after it has `begun`, or has `finished` a step.

        Returns the steps that it finished, and the last one that it knew to be written.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._acknowledgements.write_text("")
        self._process.stdin.write(f"{root}\t{first}\t{begin}\t{seconds}\t{self._acknowledgements}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "killed\n"
        words = [line.split() for line in self._acknowledgements.read_text().splitlines()]
        finished = [int(number) for number, event in words if event == "finished"]
        flushed = [int(number) for number, event in words if event == "flushed"]
        return finished, max(flushed, default=-1)


@pytest.fixture
def killer(tmp_path: Path) -> Iterator[Killer]:
    code = PARENT.format(tests=str(TESTS), folder=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield Killer(process, tmp_path)


def check(recording: Recording, finished: list[int], flushed: int) -> None:
    """Checks what the last process has written."""
    missing = {step.step for step in recording.missing_steps}
    assert set(finished) <= {*recording.steps, *missing}
    assert not missing & set(recording.steps)
    assert all(number in recording.steps for number in finished if number <= flushed)
    for number in recording.steps:
        if not finished or number >= finished[0]:
            assert recording.check_step(number), recording.problems
            assert is_whole(recording, number)
    # Lines are there as soon as they are added. The first point of a curve in each process is always kept.
    assert set(finished) <= {note.step for note in recording.notes}
    assert set(finished) <= {point.step for point in recording.sentinel_points}
    assert set(finished[:1]) <= {int(point.t) for point in recording.curve_points}
    assert recording.problems == []
    # A process that was killed before it opened the journal has written nothing.
    assert not recording.is_closed or not recording.journal


def check_words(recording: Recording, said: str) -> None:
    """Checks what the command line says about a recording."""
    missing = [step.step for step in recording.missing_steps]
    if missing:
        listed = "; ".join(map(str, missing[:5])) + ("; ..." if len(missing) > 5 else "")
        assert f"{len(missing)} were finished but not written ({listed})" in said
    else:
        assert "missing" not in said
    assert ("or the process was killed" in said) == (not recording.is_closed)


def check_bundle(recording: Recording, bundle: Bundle) -> None:
    """Checks what a page reports as missing."""
    missing = [step.step for step in recording.missing_steps]
    said = " ".join(bundle.problems)
    assert ("finished, but is missing" in said) == bool(missing)
    assert all(str(number) in said for number in missing[:3])
    assert len(missing) <= 1 or f"{len(missing)} steps" in said
    assert bundle.steps == len(recording.steps)


def test_a_process_killed_at_any_moment_loses_nothing_that_was_written(
    tmp_path: Path, killer: Killer, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = random.Random(0)
    recorded = lost = 0
    for round_ in range(KILLS):
        root = tmp_path / str(round_ // KILLS_PER_RECORDING)
        folder = root / "g" / "t" / "rank-0"
        before = open_recording(folder) if (folder / "recording.json").exists() else None
        # A run is resumed a little before the point that it had reached, as from a checkpoint.
        first = max(0, int(before.steps[-1]) - dice.randrange(6)) if before is not None and before.steps else 0
        begin = dice.choice(["begun", "finished", "finished"])
        finished, flushed = killer.run(root, first, begin, dice.choice([0.001, 0.02, 0.06]) * dice.random())
        if not (folder / "recording.json").exists():
            assert not finished
            assert begin == "begun"
            continue
        recording = open_recording(folder)
        check(recording, finished, flushed)
        run_inspect(folder, list_steps=False)
        check_words(recording, " ".join(capsys.readouterr().out.split()))
        if before is not None and finished:
            assert recording.steps[: sum(number < first for number in before.steps)] == tuple(n for n in before.steps if n < first)
            assert [point.t for point in recording.curve_points] == sorted({point.t for point in recording.curve_points})
        recorded += len(finished)
        lost += len({step.step for step in recording.missing_steps}.intersection(finished))
    for root in tmp_path.glob("[0-9]"):
        check_bundle(open_recording(root / "g" / "t" / "rank-0"), export(root, root / "page.html"))
    # At most a third of the kills came before it had done anything, and some came while a step was waiting to be written.
    assert recorded > KILLS / 2
    assert lost
    assert sum(open_recording(folder).sessions for folder in tmp_path.glob("*/g/t/rank-0")) > KILLS / 2

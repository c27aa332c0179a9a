"""A recording process is killed at random moments. Nothing that it had finished is lost without a word."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorder.finished_steps import is_whole

from comgra_export.storage import Recording, open_recording

KILLS = 200
KILLS_PER_RECORDING = 25

# One process that has imported everything, and makes a child for every run: importing torch takes longer than a run does.
PARENT = """
import os, signal, sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}]
from recorder.finished_steps import finished_step, make_output
from comgra_export.storage import CurvePoint, Gap, Note, SentinelPoint

def record(root, first, acknowledged):
    output = make_output(root, "append")
    for number in range(first, 10**9):
        output.write_finished_step(finished_step(number))
        os.write(acknowledged, b"%d finished\\n" % number)
        output.add_curve_point(CurvePoint("loss", "train", "main", number, number / 3), number)
        output.add_note(Note("x" * (number * 97 % 5000), number))
        output.add_sentinel_point(SentinelPoint(number, "main", (("forward", "x", 0),), (float(number),)))
        output.gaps.report("test", Gap("a gap between steps", None))
        if number % 7 == 0:
            output.flush()
            os.write(acknowledged, b"%d flushed\\n" % number)

print("ready", flush=True)
for line in sys.stdin:
    root, first, begin, seconds, acknowledgements = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        os.close(0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        record(Path(root), int(first), os.open(acknowledgements, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
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
        """Lets a process record from a step on, and kills it so many seconds after it has `begun`, or has `finished` a step.

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
    code = PARENT.format(tests=str(Path(__file__).parents[1]))
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield Killer(process, tmp_path)


def check(recording: Recording, finished: list[int], flushed: int) -> None:
    """Looks at what the last process has written."""
    missing = {step.step for step in recording.missing_steps}
    assert set(finished) <= {*recording.steps, *missing}
    assert not missing & set(recording.steps)
    assert all(number in recording.steps for number in finished if number <= flushed)
    for number in recording.steps:
        if not finished or number >= finished[0]:
            assert recording.check_step(number), recording.problems
            assert is_whole(recording, number)
    # Lines are there as soon as they were added, which those of the last step may not have been.
    assert set(finished[:-1]) <= {int(point.t) for point in recording.curve_points}
    assert set(finished[:-1]) <= {note.step for note in recording.notes}
    assert set(finished[:-1]) <= {point.step for point in recording.sentinel_points}
    assert recording.problems == []
    # Killed before it has opened the journal, it has written nothing either.
    assert not recording.is_closed or not recording.journal


def test_a_process_killed_at_any_moment_loses_nothing_that_was_written(tmp_path: Path, killer: Killer) -> None:
    dice = random.Random(0)
    recorded = 0
    for round_ in range(KILLS):
        root = tmp_path / str(round_ // KILLS_PER_RECORDING)
        folder = root / "g" / "t" / "rank-0"
        before = open_recording(folder) if (folder / "recording.json").exists() else None
        # A run is resumed a little before the point that it had reached, as from a checkpoint.
        first = max(0, before.steps[-1] - dice.randrange(6)) if before is not None and before.steps else 0
        begin = dice.choice(["begun", "finished", "finished"])
        finished, flushed = killer.run(root, first, begin, dice.choice([0.001, 0.02, 0.1]) * dice.random())
        if not (folder / "recording.json").exists():
            assert not finished
            assert begin == "begun"
            continue
        recording = open_recording(folder)
        check(recording, finished, flushed)
        if before is not None and finished:
            assert recording.steps[: sum(number < first for number in before.steps)] == tuple(n for n in before.steps if n < first)
            assert [point.t for point in recording.curve_points] == sorted({point.t for point in recording.curve_points})
        recorded += len(finished)
    # It was killed before it had done anything a third of the time at most.
    assert recorded > KILLS / 2
    assert sum(open_recording(folder).sessions for folder in tmp_path.glob("*/g/t/rank-0")) > KILLS / 2

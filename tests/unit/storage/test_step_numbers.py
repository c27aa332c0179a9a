"""Numbers of steps: those of evaluations lie between those of training steps, in JSON, in names of files and in words."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import orjson
import pytest

from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage import Gap, Header, RecordedSamples, RecordingWriter, SentinelPoint, StepDescription, open_recording
from comgra_export.storage.model.layout import Layout
from comgra_export.storage.text.paths import description_name, flow_name, flow_pattern, is_part_of_recording, step_of_description
from comgra_export.storage.text.steps import (
    MAX_EVALUATIONS,
    as_step,
    evaluation_number,
    is_step,
    parts_of_step,
    step_in_words,
    step_label,
    steps_in_short,
)

NUMBERS = [
    (0, 1, -0.999999),
    (0, 58, -0.999942),
    (0, MAX_EVALUATIONS, -0.000001),
    (1, 1, 0.000001),
    (137, 1, 136.000001),
    (137, MAX_EVALUATIONS, 136.999999),
    (1_000_000_000, 7, 999_999_999.000007),
]


@pytest.mark.parametrize(("trained", "position", "number"), NUMBERS)
def test_evaluations_lie_behind_the_training_step_before_them(trained: int, position: int, number: float) -> None:
    assert evaluation_number(trained, position) == number
    assert parts_of_step(number) == (trained, position)
    assert is_step(number)
    assert trained - 1 < number < trained
    assert orjson.loads(orjson.dumps(number)) == number
    name = description_name(number)
    assert (name, step_of_description(name)) == (f"{trained:012d}-{position:06d}.json", number)
    assert is_part_of_recording(f"steps/{name}")
    assert is_part_of_recording(f"flows/{flow_name(number, 3)}")


def test_all_numbers_between_two_training_steps_are_different_and_ascend() -> None:
    numbers = [evaluation_number(10**9, position) for position in range(1, MAX_EVALUATIONS + 1, 7)]
    assert all(before < after for before, after in pairwise(numbers))
    assert all(map(is_step, numbers))


@pytest.mark.parametrize("number", [-1, -1.0, 5.0, 0.5000001, 1e300, float("nan"), float("inf"), True, "5", None, 10**12])
def test_what_is_no_number_of_a_step(number: object) -> None:
    assert not is_step(number)


@pytest.mark.parametrize("name", ["000000000137-000000.json", "000000000137-00001.json", "000000000137-0000001.json", "137.json"])
def test_what_is_no_name_of_a_step(name: str) -> None:
    assert step_of_description(name) is None


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([0, 10, 1200], "0 to 1,200"),
        ([0, 10, 10.000001, 119, 119.000001], "0 to 119, with 2 evaluations"),
        ([-0.999999, 7], "7, with 1 evaluation"),
        ([-0.999999, 7.000001, 7.000002], "evaluation 1 to after 7 (2)"),
    ],
)
def test_many_steps_in_short(steps: list[float], words: str) -> None:
    assert steps_in_short(steps) == words


def test_steps_in_words() -> None:
    assert [step_label(step) for step in (0, 1200, 1200.000001, 1200.000003, -0.999999)] == [
        "0", "1200", "after 1200", "after 1200 (3)", "evaluation 1",
    ]  # fmt: skip
    assert [step_in_words(step) for step in (1200, 1200.000003, -0.999998)] == [
        "step 1200", "evaluation 3 after step 1200", "evaluation 2 before training",
    ]  # fmt: skip
    assert (as_step(3.0), type(as_step(3.0)), as_step(3.000001)) == (3, int, 3.000001)


def test_the_flows_of_a_training_step_are_not_those_of_the_evaluations_before_it(tmp_path: Path) -> None:
    for name in (flow_name(137, 0), flow_name(136.000002, 0)):
        (tmp_path / name).touch()
    assert [file.name for file in tmp_path.glob(flow_pattern(137))] == [flow_name(137, 0)]
    assert [file.name for file in tmp_path.glob(flow_pattern(136.000002))] == [flow_name(136.000002, 0)]


def test_a_recording_keeps_training_steps_and_evaluations_in_order(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    layout = writer.write_layout(Layout((), ()))
    numbers = [-0.999999, 0, 1, 1.000001, 1.000002, 2]
    for number in reversed(numbers):
        writer.write_step(StepDescription(number, "eval", 1, layout, (), RecordedSamples(())), [])
    writer.add_gap(Gap("why", 1.000002))
    writer.add_sentinel_point(SentinelPoint(1.000001, "eval", (("forward", "x", 0),), (1.0,)))
    entry = writer.add_finished_step(1.000001)
    with pytest.raises(MisuseError):
        writer.add_finished_step(0.5000001)
    writer.close()
    recording = open_recording(tmp_path)
    assert recording.steps == tuple(numbers)
    assert [recording.step(number).step for number in recording.steps] == numbers
    assert (recording.gaps[-1].step, recording.sentinel_points[0].step, entry.step) == (1.000002, 1.000001, 1.000001)
    assert recording.problems == []


def test_a_description_under_another_name_is_refused(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    writer.write_step(StepDescription(1.000001, "eval", 1, writer.write_layout(Layout((), ())), (), RecordedSamples(())), [])
    writer.close()
    steps = tmp_path / "steps"
    (steps / description_name(1.000001)).rename(steps / description_name(1.000002))
    with pytest.raises(DamagedRecordingError, match="it describes evaluation 1 after step 1, but its name says another step"):
        open_recording(tmp_path).step(1.000002)

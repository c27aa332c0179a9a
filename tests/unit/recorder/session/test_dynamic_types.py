"""Steps whose type is known only later. The type decides whether they are recorded."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.errors import MisuseError
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps, read_records

B = 6


def run(recorder: ComgraRecorder, types: list[str | None]) -> list[tuple[float, str]]:
    """Runs a step for each type and sets the type after the forward pass; returns the recorded steps."""
    for step, type_of_execution in enumerate(types):
        with recorder.batch(step, B, None), recorder.iteration():
            recorder.register_tensor("x", torch.full((B, 2), float(step)), is_input=True)
            recorder.decide_recording_of_batch(type_of_execution)
    recording = open_recording(folder_of(recorder))
    return [(step, recording.step(step).type_of_execution) for step in recording.steps]


def every(steps: int) -> DecisionMakerForRecordingsFrequencyPerType:
    return DecisionMakerForRecordingsFrequencyPerType(steps)


def test_every_type_is_recorded_at_its_own_pace(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=every(4))
    assert run(recorder, ["a", "a", "b", "a", "a", "b", None, "b"]) == [(0, "a"), (2, "b"), (4, "a"), (7, "b")]


def test_what_was_registered_before_the_decision_is_recorded_as_it_was_then(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    small, large = torch.arange(12.0).reshape(B, 2), torch.arange(120_000.0).reshape(B, 20_000)
    with recorder.batch(0, B, None), recorder.iteration():
        recorder.register_tensor("small", small, is_input=True)
        recorder.register_tensor("large", large, is_input=True)
        small.zero_()
        large.relu_().mul_(-1)
        large[2] = torch.nan
        recorder.decide_recording_of_batch("late")
        recorder.register_tensor("after", small + 1)
    records = read_records(recorder)
    assert records["forward", "small", 0].values.tolist() == list(range(12))
    assert records["forward", "large", 0].values.tolist() == list(range(120_000))
    assert records["forward", "after", 0].values.tolist() == [1.0] * 12
    assert read_gaps(recorder) == []


def test_gradients_are_recorded_after_the_decision(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    model = nn.Linear(2, 1)
    recorder.track_module("model", model)
    x = torch.rand(B, 2)
    with recorder.batch(0, B, None), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        loss = model(x).sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        with pytest.raises(MisuseError, match="decide_recording_of_batch"):
            recorder.record_current_gradients("gradients")
        recorder.decide_recording_of_batch("late")
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    assert records["gradients", "x", 0].values.reshape(B, 2) == pytest.approx(model.weight.detach().expand(B, 2).numpy())
    assert records["gradients", "model.bias", -1].statistics["mean"] == [B]


def test_nothing_is_held_once_the_step_is_known_not_to_be_due(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=every(10))
    for step in range(2):
        recorder.start_batch(step, B, None)
        recorder.start_iteration()
        assert recorder.recording_is_active()
        recorder.decide_recording_of_batch("a")
        assert recorder.recording_is_active() is (step == 0)
        recorder.finish_iteration()
        recorder.finish_batch()


def test_steps_pass_without_work_where_no_known_type_is_due(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=every(5))
    assert run(recorder, ["a", "b"]) == [(0, "a"), (1, "b")]
    recorder.declare_that_all_different_types_of_execution_have_been_encountered()
    active = []
    for step in range(2, 8):
        with recorder.batch(step, B, None), recorder.iteration():
            active.append(recorder.recording_is_active())
            recorder.decide_recording_of_batch("a")
    # `a` is due again from 5 on, and `b` from 6 on, which these steps do not turn out to be.
    assert active == [False, False, False, True, True, True]


def test_samples_are_taken_from_all_categories_in_turn(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(max_num_batch_size_to_record=4)
    categories = ["odd", "odd", "odd", "even", "odd", "even"]
    with recorder.batch(0, B, None), recorder.iteration():
        recorder.register_tensor("x", torch.arange(6.0)[:, None], is_input=True)
        recorder.decide_recording_of_batch("a", categories, sample_ids=range(100, 106))
    recording = open_recording(folder_of(recorder))
    samples = recording.step(0).samples
    assert samples.index == (3, 5, 0, 1)
    assert samples.category == ("even", "even", "odd", "odd")
    assert samples.id == ("103", "105", "100", "101")
    record = read_records(recorder)["forward", "x", 0]
    assert record.values.tolist() == [3, 5, 0, 1]
    assert record.statistics["mean"] == pytest.approx([2.5, 5, 3.5**0.5, 3, 5, 0, 1])


def test_categories_where_the_type_is_known_from_the_start(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(max_num_batch_size_to_record=2)
    with recorder.batch(0, 3, category_per_sample=["b", "b", "a"]), recorder.iteration():
        recorder.register_tensor("x", torch.arange(3.0)[:, None], is_input=True)
        recorder.decide_recording_of_batch("main_execution_type", ["a", "b", "b"])
    assert open_recording(folder_of(recorder)).step(0).samples.index == (2, 0)


def test_points_of_curves_wait_for_the_type(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=every(10))
    for step in range(3):
        with recorder.batch(step, B, None), recorder.iteration():
            recorder.record_kpi_in_graph("loss", "due", step)
            recorder.record_kpi_in_graph("loss", "always", step, record_even_if_recording_is_inactive=True)
            recorder.decide_recording_of_batch("b" if step == 1 else "a")
            recorder.record_kpi_in_graph("loss", "after", step)
    points = [(point.name, point.type, point.t) for point in open_recording(folder_of(recorder)).curve_points]
    assert [point for point in points if point[0] == "due"] == [("due", "a", 0), ("due", "b", 1)]
    assert [point for point in points if point[0] == "always"] == [("always", "a", 0), ("always", "b", 1), ("always", "a", 2)]
    assert [point for point in points if point[0] == "after"] == [("after", "a", 0), ("after", "b", 1)]


def test_overriding_the_schedule(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=every(100))
    for step, override in enumerate([False, True, True]):
        with recorder.batch(step, B, None, override__recording_is_active=override), recorder.iteration():
            recorder.decide_recording_of_batch("a")
    assert open_recording(folder_of(recorder)).steps == (1, 2)


def test_the_decision_is_asked_for(recorder: ComgraRecorder) -> None:
    with pytest.raises(MisuseError, match="outside a step"):
        recorder.decide_recording_of_batch("a")
    recorder.start_batch(0, B, None)
    recorder.start_iteration()
    recorder.finish_iteration()
    with pytest.raises(MisuseError, match=r"finish_batch.*decide_recording_of_batch first"):
        recorder.finish_batch()
    recorder.decide_recording_of_batch("a")
    with pytest.raises(MisuseError, match="'a', not 'b'"):
        recorder.decide_recording_of_batch("b")
    recorder.decide_recording_of_batch("a")
    recorder.finish_batch()


def test_an_exception_drops_a_step_that_is_held_back(recorder: ComgraRecorder) -> None:
    with pytest.raises(ZeroDivisionError), recorder.batch(3, B, None), recorder.iteration():
        raise ZeroDivisionError
    assert run(recorder, ["a"]) == [(0, "a")]

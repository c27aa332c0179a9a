"""Steps that are recorded because of unusual values."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges, read_records

B = 4


def train(recorder: ComgraRecorder, factors: list[float], *, with_gradients: bool = True) -> nn.Linear:
    """A step for each factor, by which the input is multiplied."""
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    recorder.track_module("model", model)
    for step, factor in enumerate(factors):
        with recorder.batch(step, B):
            with recorder.iteration():
                x = torch.rand(B, 3) * factor
                recorder.register_tensor("x", x, is_input=True)
                hidden = model(x)
                recorder.register_tensor("hidden", hidden)
                loss = hidden.square().mean()
                recorder.register_tensor("loss", loss, is_loss=True)
                optimizer.zero_grad()
                loss.backward()
                if with_gradients:
                    recorder.record_current_gradients("gradients")
            optimizer.step()
    return model


def sentinel_recorder(make_recorder: MakeRecorder, *steps: int) -> ComgraRecorder:
    return make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(steps), sentinels=True)


def triggered_steps(recorder: ComgraRecorder) -> dict[float, str | None]:
    recording = open_recording(folder_of(recorder))
    return {step: recording.step(step).triggered for step in recording.steps}


def test_an_outlier_is_recorded_in_full_and_marked(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder, 0, 10)
    train(recorder, [1.0] * 30 + [1e4] + [1.0] * 5)
    reasons = triggered_steps(recorder)
    assert list(reasons) == [0, 10, 30]
    assert reasons[0] is None
    assert reasons[10] is None
    assert reasons[30] is not None
    assert reasons[30].startswith("the largest magnitude of 'x' is")
    regular, triggered = read_records(recorder, 10), read_records(recorder, 30)
    assert set(triggered) == set(regular)
    assert triggered["forward", "x", 0].statistics["abs_max"][1] > 1e3
    assert triggered["gradients", "x", 0].counts[4] == 0
    assert read_edges(recorder, 30) == read_edges(recorder, 10)


def test_the_onset_of_a_non_finite_value_is_recorded(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder)
    train(recorder, [1.0, 1.0, math.inf, 1.0, math.nan, math.nan])
    reasons = triggered_steps(recorder)
    assert reasons[2] == "'x' holds an infinity for the first time; 4 other tensors too"
    assert set(reasons) == {2, 4}


def test_a_step_is_recorded_for_its_gradients_too(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder)
    model = nn.Linear(1, 1, bias=False)
    recorder.track_module("model", model)
    for step, value in enumerate([4.0, 0.0, 4.0]):
        with recorder.batch(step, 1), recorder.iteration():
            product = model.weight.detach() * 0 + value * model.weight / model.weight.detach()
            loss = product.sqrt().sum()
            recorder.register_tensor("loss", loss, is_loss=True)
            model.zero_grad()
            loss.backward()
            recorder.record_current_gradients("gradients")
    assert triggered_steps(recorder) == {1: "the gradient 'gradients' of 'model.weight' holds a NaN for the first time"}
    assert math.isnan(read_records(recorder, 1)["gradients", "model.weight", -1].statistics["mean"][0])


def test_parameters_are_those_from_before_the_update(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder)
    model = nn.Linear(2, 1, bias=False)
    recorder.track_module("model", model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    weights = []
    for step in range(3):
        weights.append(model.weight.detach().mean().item())
        with recorder.batch(step, 1), recorder.iteration():
            loss = model(torch.ones(1, 2)).sum()
            recorder.register_tensor("loss", loss * (math.inf if step == 1 else 1), is_loss=True)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert list(triggered_steps(recorder)) == [1]
    assert read_records(recorder, 1)["forward", "model.weight", -1].statistics["mean"] == [weights[1]]


def test_every_step_leaves_a_line(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder, 1)
    train(recorder, [1.0, 1.0, math.nan])
    points = open_recording(folder_of(recorder)).sentinel_points
    assert [point.step for point in points] == [0, 1, 2]
    assert points[0].tensors[:3] == (("forward", "x", 0), ("forward", "hidden", 0), ("forward", "loss", 0))
    assert points[0].tensors[3:] == (("gradients", "model.weight", -1), ("gradients", "model.bias", -1))
    assert 0 < points[0].largest[0] < 1
    assert all(math.isnan(largest) for largest in points[2].largest)
    assert [point.triggered is not None for point in points] == [False, False, True]


def test_a_script_without_gradients_is_watched_too(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder)
    train(recorder, [1.0, math.nan, 1.0], with_gradients=False)
    assert list(triggered_steps(recorder)) == [1]


def test_steps_held_back_for_their_type_are_watched_too(make_recorder: MakeRecorder) -> None:
    recorder = sentinel_recorder(make_recorder)
    for step, value in enumerate([1.0, math.nan]):
        with recorder.batch(step, 1, None), recorder.iteration():
            recorder.register_tensor("x", torch.tensor([[value]]), is_input=True)
            recorder.decide_recording_of_batch("late")
    recording = open_recording(folder_of(recorder))
    assert [(recording.step(step).type_of_execution, recording.step(step).triggered) for step in recording.steps] == [
        ("late", "'x' holds a NaN for the first time")
    ]


class OnItsWay(Tensor):
    """Like the result of a collective operation: its values come when they are waited for."""

    waits = 0

    def trigger_wait(self) -> Tensor:
        type(self).waits += 1
        return self.as_subclass(Tensor)


def test_the_part_of_a_distributed_tensor_is_taken_once(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnItsWay, "waits", 0)
    recorder = sentinel_recorder(make_recorder, 0)
    with recorder.batch(0, 2), recorder.iteration():
        recorder.register_tensor("x", torch.tensor([[1.0], [-3.0]]).as_subclass(OnItsWay))
    assert OnItsWay.waits == 1
    (point,) = open_recording(folder_of(recorder)).sentinel_points
    assert (point.tensors, point.largest) == ((("forward", "x", 0),), (3.0,))
    assert read_records(recorder, 0)["forward", "x", 0].statistics["abs_max"][1] == 3


class WithSpike(nn.Module):
    """Two layers. `spike` makes a sample of what lies between them so many times as large."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.head = nn.Linear(8, 32), nn.Linear(32, 5)
        self.spike = 1.0

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.relu(self.encoder(x))
        factors = torch.ones(len(x), 1)
        factors[3] = self.spike
        result: Tensor = self.head(hidden * factors)
        return result


@pytest.mark.parametrize("factor", [10.0, pytest.param(1000.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("place", "named"), [("input", "model: input x"), ("hidden", "model.head: input"), ("target", "mse_loss: target")])
def test_the_spike_of_a_sample_triggers_at_once_and_names_the_tensor_in_which_it_is(
    tmp_path: Path, place: str, named: str, factor: float
) -> None:
    torch.manual_seed(0)
    model = WithSpike()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    weights = torch.randn(8, 5)
    with comgra_export.watch(model, tmp_path, sentinels=True, check=False):
        for step in range(140):
            x = torch.randn(16, 8)
            y = x @ weights
            model.spike = 1.0
            if step == 137:
                for tensor in {"input": [x], "target": [y], "hidden": []}[place]:
                    tensor[3] *= factor
                model.spike = factor if place == "hidden" else 1.0
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    points = open_recording(tmp_path / "default" / "trial" / "rank-0").sentinel_points
    ((unusual, reason),) = [(point.step, point.triggered) for point in points if point.triggered is not None]
    assert unusual == 137
    assert reason.startswith(f"the largest magnitude of {named!r} is ")

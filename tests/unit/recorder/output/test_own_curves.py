"""The curves that a watched recording has without a word in the script, against values by hand."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.recorder.output.own_curves import OwnCurves
from comgra_export.storage import CurvePoint, open_recording
from support.recorder.reading import folder_of, read_gaps

B = 6
Curves = dict[tuple[str, str, str], list[tuple[float, Any]]]


def curves_of(recorder: ComgraRecorder) -> Curves:
    recording = open_recording(folder_of(recorder))
    assert recording.problems == []
    curves: Curves = {}
    for point in recording.curve_points:
        curves.setdefault((point.group, point.name, point.type), []).append((point.t, point.v))
    return curves


def watched(folder: Path, model: nn.Module, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
    return comgra_export.watch(model, folder, every=1, strict=True, **arguments)


def norm_of(model: nn.Module) -> float:
    return math.sqrt(sum(float(p.grad.double().square().sum()) for p in model.parameters() if p.grad is not None))


def test_loss_learning_rates_and_gradients_are_those_of_the_script(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    model[0].bias.requires_grad_(False)
    groups: list[dict[str, Any]] = [{"params": model[0].parameters()}, {"params": model[2].parameters(), "lr": 0.5}]
    optimizer = torch.optim.SGD(groups, 0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    losses, norms, evaluations = [], [], []
    with watched(tmp_path, model) as recorder:
        for step in range(3):
            optimizer.zero_grad()
            loss = F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1))
            loss.backward()
            losses.append((step, loss.item()))
            norms.append((step, norm_of(model)))
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            evaluations.append((2.000001, F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1)).item()))
    curves = curves_of(recorder)
    times = [open_recording(folder_of(recorder)).step(step).time or 0.0 for step in range(3)]
    assert curves.pop(("gradient norm", "gradients", "train")) == [(step, pytest.approx(norm, rel=1e-6)) for step, norm in norms]
    assert curves == {
        ("loss", "loss", "train"): losses,
        ("loss", "loss", "eval"): evaluations,
        ("learning rate", "SGD, group 1", "train"): [(0, 0.1), (1, 0.05), (2, 0.025)],
        ("learning rate", "SGD, group 2", "train"): [(0, 0.5), (1, 0.25), (2, 0.125)],
        ("seconds per step", "train", "train"): [(n, pytest.approx(times[n] - times[n - 1], abs=1e-6)) for n in (1, 2)],
    }
    assert all(point.is_own for point in open_recording(folder_of(recorder)).curve_points)


def test_the_parts_of_an_accumulated_loss_are_summed(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with watched(tmp_path, model) as recorder:
        parts = [F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1)) / 2 for _ in range(2)]
        for part in parts:
            part.backward()
        optimizer.step()
    ((step, value),) = curves_of(recorder)["loss", "loss", "train"]
    assert (step, value) == (0, pytest.approx(sum(part.item() for part in parts)))


def test_seconds_are_those_of_a_training_step_though_evaluations_lie_between(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with watched(tmp_path, model, first_step=5) as recorder:
        for _ in range(3):
            model(torch.rand(B, 3)).mean().backward()
            optimizer.step()
            with torch.no_grad():
                model(torch.rand(B, 3))
    recording = open_recording(folder_of(recorder))
    steps = [step for step in map(recording.step, recording.steps) if step.type_of_execution == "train"]
    assert [step.step for step in steps] == [5, 6, 7]
    times = [step.time or 0.0 for step in steps]
    expected = [(6, pytest.approx(times[1] - times[0], abs=1e-6)), (7, pytest.approx(times[2] - times[1], abs=1e-6))]
    assert curves_of(recorder)["seconds per step", "train", "train"] == expected


@pytest.mark.parametrize("calls", [100, 101])
def test_a_step_of_which_calls_are_missing_has_no_loss_and_no_gradient(tmp_path: Path, calls: int) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses, norms = [], []
    with comgra_export.watch(model, tmp_path, every=1) as recorder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        for number in (2, calls):
            optimizer.zero_grad()
            parts = []
            for _ in range(number):
                part = model(torch.rand(B, 3)).mean()
                part.backward()
                parts.append(part.item())
            losses.append(sum(parts))
            norms.append(norm_of(model))
            optimizer.step()
    curves = curves_of(recorder)
    kept = [0, 1] if calls == 100 else [0]
    assert curves["loss", "loss", "train"] == [(step, pytest.approx(losses[step], rel=1e-5)) for step in kept]
    assert curves["gradient norm", "gradients", "train"] == [(step, pytest.approx(norms[step], rel=1e-5)) for step in kept]
    assert [step for step, _ in curves["learning rate", "SGD", "train"]] == [0, 1]


def test_of_losses_that_an_optimizer_computes_again_the_first_one_counts(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), 0.1, max_iter=4)
    x, y = torch.rand(B, 3), torch.rand(B, 1)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    with watched(tmp_path, model) as recorder:
        losses = [(step, optimizer.step(closure).detach().item()) for step in range(3)]
    assert curves_of(recorder)["loss", "loss", "train"] == losses


def test_parameters_without_values_are_no_part_of_the_norm(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    model.empty = nn.Parameter(torch.zeros(0))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with watched(tmp_path, model) as recorder:
        (model(torch.rand(B, 3)).mean() + model.empty.sum()).backward()
        expected = norm_of(model)
        optimizer.step()
    assert curves_of(recorder)["gradient norm", "gradients", "train"] == [(0, pytest.approx(expected, rel=1e-6))]


def test_batches_of_ever_new_shapes_fill_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def points_of(own: OwnCurves, *arguments: Any) -> list[CurvePoint]:  # noqa: ANN401
        sizes.append(len(own._places))
        return points(own, *arguments)

    sizes: list[int] = []
    points = OwnCurves.points
    monkeypatch.setattr(OwnCurves, "points", points_of)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses = []
    with watched(tmp_path, model) as recorder:
        for step in range(20):
            loss = model(torch.rand(B + step, 3)).mean()
            losses.append((step, loss.item()))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert max(sizes) <= 8
    assert curves_of(recorder)["loss", "loss", "train"] == losses


@pytest.mark.parametrize("is_tracked", [True, False])
def test_the_scale_of_a_loss_is_taken_off(tmp_path: Path, is_tracked: bool) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    with watched(tmp_path, model) as recorder:
        if is_tracked:
            recorder.track_grad_scaler(scaler)
        loss = F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1))
        scaler.scale(loss).backward()
        expected = norm_of(model) / 1024
        scaler.step(optimizer)
        scaler.update()
    curves = curves_of(recorder)
    assert curves["loss", "loss", "train"] == [(0, pytest.approx(loss.item()))]
    assert curves["gradient norm", "gradients", "train"] == [(0, pytest.approx(expected, rel=1e-6))]


def test_a_loss_that_is_not_scaled_any_more_is_not_divided(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    losses = []
    with watched(tmp_path, model) as recorder:
        for is_scaled in (True, False):
            loss = F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1)) * torch.tensor(2.0)
            losses.append(loss.item())
            (scaler.scale(loss) if is_scaled else loss).backward()
            scaler.step(optimizer) if is_scaled else optimizer.step()
            optimizer.zero_grad()
    assert curves_of(recorder)["loss", "loss", "train"] == [(step, pytest.approx(loss)) for step, loss in enumerate(losses)]


def test_the_loss_of_a_step_with_another_scale_is_left_out(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    losses, norms = [], []
    with watched(tmp_path, model) as recorder:
        for factor in (math.inf, 1.0, 1.0):
            optimizer.zero_grad()
            loss = F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1))
            scaler.scale(loss * factor).backward()
            losses.append(loss.item())
            norms.append(norm_of(model) / 512)
            scaler.step(optimizer)
            scaler.update()
    curves = curves_of(recorder)
    # The first update was skipped, so that two calls of the script are one step.
    assert curves["loss", "loss", "train"] == [(1, pytest.approx(losses[2]))]
    assert curves["gradient norm", "gradients", "train"] == [(n, pytest.approx(norms[n + 1], rel=1e-6)) for n in (0, 1)]


@pytest.mark.parametrize(("group", "name"), [("loss", "mse"), ("train", "Loss"), ("curves", "loss"), ("loss", "loss")])
def test_a_curve_of_the_script_takes_the_place_of_one_of_the_same_name(tmp_path: Path, group: str, name: str) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with watched(tmp_path, model) as recorder:
        for _ in range(2):
            loss = F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1))
            loss.backward()
            optimizer.step()
            recorder.record_kpi_in_graph(group, name, loss)
        with torch.no_grad():
            F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1))
    assert len(curves_of(recorder)[group, name, "train"]) == 2
    assert set(curves_of(recorder)) == {
        (group, name, "train"),
        ("loss", "loss", "eval"),
        ("learning rate", "SGD", "train"),
        ("gradient norm", "gradients", "train"),
        ("seconds per step", "train", "train"),
    }


def test_a_loss_that_is_not_finite_is_kept_and_one_that_is_no_number_is_left_out(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.0)

    def train(loss: Tensor) -> None:
        loss.backward(torch.ones_like(loss))
        optimizer.step()

    with watched(tmp_path, model) as recorder:
        train(model(torch.full((B, 3), math.inf)).mean() * 0)
        train(model(torch.rand(B, 3)))
    ((step, value),) = curves_of(recorder)["loss", "loss", "train"]
    assert step == 0
    assert math.isnan(value)


def test_a_script_that_watches_nothing_has_only_its_own_curves(tmp_path: Path) -> None:
    with ComgraRecorder(tmp_path, every=1, strict=True) as recorder:
        for step in range(2):
            with recorder.batch(step, B), recorder.iteration():
                recorder.register_tensor("x", torch.rand(B, 2))
    assert curves_of(recorder) == {}


def test_if_they_fail_the_steps_are_whole_and_a_gap_says_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(OwnCurves, "points", fail)
    model = nn.Linear(3, 1).eval()
    with watched(tmp_path, model) as recorder:
        for _ in range(3):
            model(torch.rand(B, 3))
    assert open_recording(folder_of(recorder)).steps == (-0.999999, -0.999998, -0.999997)
    (gap,) = read_gaps(recorder)
    assert gap.reason.endswith("end here (RuntimeError: broken)")

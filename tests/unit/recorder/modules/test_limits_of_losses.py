"""What is recorded of a loss ends somewhere, gives way to the names of the user, and holds nothing."""

from __future__ import annotations

import itertools
import weakref
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.storage import TensorReference
from support.recorder.reading import read_edges, read_records
from support.recorder.watched_losses import CLASSES, LABELS, B, Train, here, kinds_of, only_loss, step_of


def test_what_is_cut_off_or_has_nothing_to_do_with_the_model_is_not_registered(train: Train) -> None:
    other = torch.rand(3, requires_grad=True)

    def loss_of(out: Tensor) -> Tensor:
        (other * 2).sum()
        (out.detach() * 2).sum()
        out.argmax(1)
        with torch.no_grad():
            out.sum()
        out.sum().item()
        return out.mean()

    assert set(kinds_of(train(loss_of))) == {"sum", "mean"}


def test_a_long_chain_ends_after_thirty_functions_and_still_has_its_loss(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        for _ in range(40):
            out = out.sin()
        return F.cross_entropy(out, LABELS) * 2

    recorder = train(loss_of)
    names = ["sin", *(f"sin ({number})" for number in range(2, 31))]
    assert set(kinds_of(recorder)) == {*names, "cross_entropy: prediction", "cross_entropy: target", "cross_entropy", "loss"}
    assert only_loss(recorder).prediction == here("cross_entropy: prediction")
    assert step_of(recorder).backward_roots == (here("loss"),)
    assert {("sin (30)", "cross_entropy: prediction"), ("cross_entropy", "loss")} <= read_edges(recorder, 1)


@pytest.mark.parametrize("is_loss", [False, True])
@pytest.mark.parametrize("name", ["my loss", "mse_loss", "mul"])
def test_the_name_of_the_user_counts(tmp_path: Path, name: str, is_loss: bool) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        loss = F.mse_loss(model(torch.rand(B, 3)) * 2, torch.rand(B, 1))
        recorder.register_tensor(name, loss, is_loss=is_loss)
        loss.backward()
        optimizer.step()
    step = step_of(recorder, 0)
    assert step.losses[0].result == step.backward_roots[0] == here(name)
    product = "mul (2)" if name == "mul" else "mul"
    assert step.losses[0].prediction == here(product)
    assert kinds_of(recorder, 0) == {
        product: ("calculated", "kpis"), "mse_loss: target": ("target", "kpis"),
        name: ("loss" if is_loss else "calculated", "single_value"),
    }  # fmt: skip
    assert {(product, name), ("mse_loss: target", name)} <= read_edges(recorder)
    assert read_records(recorder)["gradients", name, 0].extrema == [1.0, 1.0]


def test_what_the_user_registers_first_is_named_once(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    y = torch.rand(B, 1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        out = model(torch.rand(B, 3))
        recorder.register_tensor("labels", y, is_target=True, node_name="sub")
        (out - y).square().mean().backward()
        F.mse_loss(model(torch.rand(B, 3)), y)
        optimizer.step()
    # The node of the user is not shared.
    assert {"labels", "sub (2)"} < set(kinds_of(recorder, 0))
    assert step_of(recorder, 0).losses[0].target == here("labels")


@pytest.mark.parametrize("is_enough", [False, True])
def test_a_recorder_without_watched_modules_registers_nothing(recorder: ComgraRecorder, is_enough: bool) -> None:
    net = nn.Linear(3, CLASSES)
    recorder.track_module("net", net)
    with recorder.batch(0, B), recorder.iteration():
        out = net(torch.rand(B, 3))
        loss = F.cross_entropy(out, LABELS)
        if is_enough:
            recorder.register_tensor("out", out)
            recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
    step = step_of(recorder, 0)
    assert set(kinds_of(recorder, 0)) == ({"out", "loss"} if is_enough else set())
    assert [(loss.prediction, loss.target, loss.result) for loss in step.losses] == [(here("out"), None, here("loss"))] * is_enough
    assert step.backward_roots == (here("loss"),) * is_enough


def test_a_scaled_loss_is_the_root(train: Train) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    recorder = train(lambda out: scaler.scale(F.cross_entropy(out, LABELS)))
    assert only_loss(recorder).result == here("cross_entropy")
    assert step_of(recorder).backward_roots == (here("mul"),)
    records = read_records(recorder, 1)
    assert records["forward", "mul", 0].extrema[0] == pytest.approx(8 * records["forward", "cross_entropy", 0].extrema[0])


def test_losses_under_autocast_are_recorded(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(out @ torch.eye(CLASSES), LABELS)

    recorder = train(loss_of)
    assert only_loss(recorder).prediction == here("matmul")
    assert read_records(recorder, 1)["forward", "matmul", 0].entry.dtype == "BF16"
    assert step_of(recorder).backward_roots == (here("cross_entropy"),)


def test_a_step_that_turns_out_to_be_unusual_has_its_losses(train: Train) -> None:
    count = itertools.count()

    def loss_of(out: Tensor) -> Tensor:
        return F.cross_entropy(torch.softmax(out, 1), LABELS) * (1 if next(count) == 0 else float("nan"))

    never = comgra_export.DecisionMakerForRecordingsHardcoded([])
    recorder = train(loss_of, sentinels=True, decision_maker_for_recordings=never)
    step = step_of(recorder)
    assert str(step.triggered).startswith("'mul' holds a NaN for the first time")
    assert only_loss(recorder).prediction == here("softmax")
    assert step.backward_roots == (here("mul"),)
    assert read_edges(recorder, 1) >= {("softmax", "cross_entropy"), ("cross_entropy", "mul")}


def test_trouble_of_ours_is_a_gap_and_training_goes_on(train: Train, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("boom")

    monkeypatch.setattr("comgra_export.recorder.modules.losses.arguments_of_loss", fail)
    with pytest.warns(comgra_export.ComgraRecordingWarning, match="what cross_entropy returned could not be recorded"):
        recorder = train(lambda out: F.cross_entropy(out, LABELS), strict=False)
    assert [gap.reason for gap in step_of(recorder).gaps] == ["what cross_entropy returned could not be recorded (ValueError: boom)"]
    # The root is still there.
    assert step_of(recorder).backward_roots == (here("loss"),)


def test_no_tensor_outlives_what_the_script_holds_of_it(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        probabilities = torch.softmax(model(torch.rand(B, 3)), 1)
        labels = LABELS.clone()
        loss = F.cross_entropy(probabilities, labels)
        gone = [weakref.ref(tensor) for tensor in (probabilities, labels)]
        loss.backward()
        del probabilities, labels, loss
        assert [reference() for reference in gone] == [None, None]
        optimizer.step()
    assert only_root(recorder) == here("cross_entropy")


def only_root(recorder: ComgraRecorder) -> TensorReference:
    (root,) = step_of(recorder, 0).backward_roots
    return root

"""The loss of a training step is recorded without a word in the script: its call, its tensors and its root."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import comgra_export
from comgra_export.storage import TensorReference
from support.recorder.reading import read_edges, read_gaps, read_records
from support.recorder.watched_losses import CLASSES, LABELS, B, Train, here, kinds_of, only_loss, step_of


def test_a_loss_after_a_softmax_has_its_call_its_tensors_and_its_root(train: Train) -> None:
    recorder = train(lambda out: F.cross_entropy(torch.softmax(out, 1), LABELS, label_smoothing=0.25))
    loss = only_loss(recorder)
    assert loss.function == "cross_entropy"
    assert (loss.prediction, loss.target, loss.result) == (here("softmax"), here("cross_entropy: target"), here("cross_entropy"))
    assert loss.options == {
        "weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean", "label_smoothing": 0.25
    }  # fmt: skip
    assert step_of(recorder).backward_roots == (here("cross_entropy"),)
    assert kinds_of(recorder) == {
        "softmax": ("calculated", "kpis"), "cross_entropy: target": ("target", "kpis"), "cross_entropy": ("loss", "single_value"),
    }  # fmt: skip
    assert read_edges(recorder, 1) >= {
        ("model: output", "softmax"), ("softmax", "cross_entropy"), ("cross_entropy: target", "cross_entropy"),
    }  # fmt: skip
    assert read_gaps(recorder) == []


def test_their_numbers_and_gradients_are_those_that_torch_computes(train: Train) -> None:
    seen: list[Tensor] = []

    def loss_of(out: Tensor) -> Tensor:
        probabilities = torch.softmax(out, 1)
        probabilities.retain_grad()
        seen[:] = [probabilities, F.cross_entropy(probabilities, LABELS)]
        return seen[1]

    records = read_records(train(loss_of), 1)
    probabilities, loss = seen
    assert probabilities.grad is not None
    softmax, gradient = records["forward", "softmax", 0], records["gradients", "softmax", 0]
    assert softmax.entry.batch_dimension == 0
    assert softmax.extrema == [probabilities.min().item(), probabilities.max().item()]
    assert gradient.extrema == [probabilities.grad.min().item(), probabilities.grad.max().item()]
    assert records["forward", "cross_entropy", 0].extrema == [loss.item()] * 2
    assert records["gradients", "cross_entropy", 0].extrema == [1.0, 1.0]
    assert records["forward", "cross_entropy: target", 0].extrema == [0.0, 3.0]
    assert ("gradients", "cross_entropy: target", 0) not in records
    assert softmax.entry.histogram
    assert records["forward", "cross_entropy: target", 0].entry.histogram


@pytest.mark.parametrize("is_part", [False, True], ids=["on its own", "part of the model"])
def test_a_loss_module_calls_a_loss_function(tmp_path: Path, is_part: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(3, CLASSES)
            self.criterion = nn.CrossEntropyLoss(reduction="sum")

        def forward(self, x: Tensor) -> Tensor:
            out = self.body(x)
            return self.criterion(out, LABELS) if is_part else out  # type: ignore[no-any-return]

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    criterion = nn.CrossEntropyLoss(reduction="sum")
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        out = model(torch.rand(B, 3))
        (out if is_part else criterion(out, LABELS)).backward()
        optimizer.step()
    (loss,) = step_of(recorder, 0).losses
    result = "model.criterion: output" if is_part else "cross_entropy"
    target = "model.criterion: input target" if is_part else "cross_entropy: target"
    assert (loss.prediction, loss.target, loss.result) == (here("model.body: output"), here(target), here(result))
    assert loss.options["reduction"] == "sum"
    assert step_of(recorder, 0).backward_roots == (here(result),)
    assert read_records(recorder)["forward", result, 0].entry.type == "loss"


def test_a_loss_that_the_model_computes_on_the_way_has_its_tensors(tmp_path: Path) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(3, 2 * CLASSES)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            out = self.body(x)
            return F.cross_entropy(out.view(-1, CLASSES), LABELS.repeat(2)), out

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        loss, _ = model(torch.rand(B, 3))
        loss.backward()
        optimizer.step()
    (call,) = step_of(recorder, 0).losses
    assert (call.prediction, call.target) == (here("cross_entropy: prediction"), here("cross_entropy: target"))
    assert (call.result,) == step_of(recorder, 0).backward_roots == (here("model: output[0]"),)
    assert ("model.body: output", "cross_entropy: prediction") in read_edges(recorder)
    assert read_records(recorder)["forward", "model: output[0]", 0].entry.type == "loss"


def test_a_broadcast_in_a_loss_shows_in_the_shapes(train: Train) -> None:
    target = torch.rand(B)
    with pytest.warns(UserWarning, match="different to the input size"):
        recorder = train(lambda out: F.mse_loss(out[:, :1], target))
    loss = only_loss(recorder)
    assert (loss.prediction, loss.target) == (here("getitem"), here("mse_loss: target"))
    records = read_records(recorder, 1)
    assert records["forward", "getitem", 0].entry.shape == (B, 1)
    assert records["forward", "mse_loss: target", 0].entry.shape == (B,)


def test_losses_by_hand_are_chains_of_functions(train: Train) -> None:
    target = torch.zeros(B, CLASSES)
    recorder = train(lambda out: ((out - target) ** 2).mean())
    assert step_of(recorder).losses == ()
    assert step_of(recorder).backward_roots == (here("mean"),)
    assert kinds_of(recorder) == {"sub": ("calculated", "kpis"), "pow": ("calculated", "kpis"), "mean": ("loss", "single_value")}
    assert read_edges(recorder, 1) >= {("model: output", "sub"), ("sub", "pow"), ("pow", "mean")}


def test_losses_that_are_added_keep_their_calls(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        return F.cross_entropy(out, LABELS) + 0.5 * F.cross_entropy(out * 2, LABELS, reduction="sum")

    recorder = train(loss_of)
    first, second = step_of(recorder).losses
    assert (first.result, second.result) == (here("cross_entropy"), here("cross_entropy (2)"))
    assert (first.prediction, second.prediction) == (here("model: output"), here("mul"))
    assert (first.options["reduction"], second.options["reduction"]) == ("mean", "sum")
    # Both compare with the same tensor.
    assert first.target == second.target == here("cross_entropy: target")
    assert step_of(recorder).backward_roots == (here("add"),)
    assert kinds_of(recorder)["add"] == ("loss", "single_value")


def test_every_backward_pass_has_a_root(train: Train) -> None:
    def loss_of(out: Tensor) -> None:
        F.l1_loss(out, torch.zeros_like(out)).backward(retain_graph=True)
        out.square().sum().backward()

    recorder = train(loss_of)
    assert step_of(recorder).backward_roots == (here("l1_loss"), here("sum"))


# torch 2.8 announces only what is called on a tensor.
@pytest.mark.skipif("has_torch_function" not in torch.autograd.backward.__code__.co_names, reason="this torch does not announce the call")
def test_a_backward_pass_of_several_tensors_has_several_roots(train: Train) -> None:
    def loss_of(out: Tensor) -> None:
        torch.autograd.backward([out.square().sum(), out.sum()])

    assert step_of(train(loss_of)).backward_roots == (here("sum"), here("sum (2)"))


def test_gradients_that_the_script_goes_on_with_have_no_root(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        (gradient,) = torch.autograd.grad(out.sum(), out, create_graph=True)
        return out.square().sum() + gradient.square().sum()

    assert step_of(train(loss_of)).backward_roots == (here("add"),)


def test_a_policy_gradient_has_no_loss_function(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        policy = torch.distributions.Categorical(logits=out)
        loss: Tensor = -(policy.log_prob(LABELS) * torch.linspace(-1, 1, B)).mean()
        return loss

    recorder = train(loss_of)
    assert step_of(recorder).losses == ()
    assert step_of(recorder).backward_roots == (here("neg"),)
    assert kinds_of(recorder)["neg"] == ("loss", "single_value")


def test_accumulated_gradients_have_a_loss_in_every_iteration(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        for _ in range(3):
            (F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1)) / 3).backward()
        optimizer.step()
    step = step_of(recorder, 0)
    assert [loss.result for loss in step.losses] == [TensorReference("mse_loss", iteration) for iteration in range(3)]
    assert step.backward_roots == tuple(TensorReference("div", iteration) for iteration in range(3))

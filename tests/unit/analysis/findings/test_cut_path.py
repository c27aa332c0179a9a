"""The rule `cut-path`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph.cut_path import RULE
from comgra_export.storage import LossCall, TensorReference
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train

VALUES = np.ones((4, 2))


def _check(
    folder: Path,
    tensors: Sequence[Given],
    without: set[str],
    losses: tuple[LossCall, ...] = (),
    norms: float = 0.0,
    optimized: Sequence[str] | None = None,
) -> list[Finding]:
    """Checks three steps in which some parameters have no gradient. `norms` is how much their norm grows from step to step."""
    written = RunByHand(folder, tensors, optimized=optimized)
    names = [given.name for given in tensors if given.type == "parameter"]
    values = {given.name: 1.0 if given.type == "loss" else VALUES for given in tensors}
    for step in range(3):
        gradients = {name: None if name in without else 0.1 for name in names}
        updates = {name: (2 + norms * step if name in without else 2 + step, 0.0 if name in without else 1.0) for name in names}
        roots = tuple(TensorReference(given.name, 0) for given in tensors if given.type == "loss")
        written.step(step, values, gradients, updates=updates, backward_roots=roots, losses=losses)
    return list(RULE.check(written.read()))


def _detached(operation: str | None = "ReluBackward0", cut: tuple[str, ...] = ("hidden",)) -> list[Given]:
    return [
        Given("model.a.weight", "parameter"),
        Given("model.b.weight", "parameter"),
        Given("hidden", operation=operation, parents=("model.a.weight",)),
        Given("out", operation="AddmmBackward0", parents=("model.b.weight", "hidden"), cut=cut),
        Given("loss", "loss", operation="MeanBackward0", parents=("out",), batch=False),
    ]


def test_the_last_tensor_before_the_cut_is_named(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, _detached(), {"model.a.weight"})
    assert [place.name for place in finding.places] == ["hidden", "model.a.weight"]


def test_a_path_that_is_not_cut_or_was_computed_without_autograd_is_right(tmp_path: Path) -> None:
    assert _check(tmp_path / "whole", _detached(cut=()), set()) == []
    assert _check(tmp_path / "no_grad", _detached(operation="relu"), {"model.a.weight"}) == []


def test_what_was_computed_without_autograd_is_a_symptom_if_an_optimizer_holds_it(tmp_path: Path) -> None:
    names = ["model.a.weight", "model.b.weight"]
    (finding,) = _check(tmp_path / "held", _detached(operation="relu"), {names[0]}, optimized=names)
    assert ([place.name for place in finding.places], finding.severity) == (["hidden", names[0]], Severity.SYMPTOM)
    assert "no_grad" in finding.message
    assert _check(tmp_path / "other", _detached(operation="relu"), {names[0]}, optimized=names[1:]) == []
    # Something that has a gradient itself reads it without one.
    both = [*_detached(operation="relu")[:4], Given("x", operation="MulBackward0", parents=(names[0],), cut=(names[0],))]
    loss = Given("loss", "loss", operation="MeanBackward0", parents=("out", "x"), batch=False)
    (finding,) = _check(tmp_path / "both", [*both, loss], {names[0]}, optimized=names)
    assert ([(place.kind, place.name) for place in finding.places], finding.severity) == ([("parameter", names[0])], Severity.PROBLEM)
    assert "`.data`" in finding.message


def test_the_module_that_was_computed_without_autograd_comes_before_what_follows_it(tmp_path: Path) -> None:
    weight, other, hidden, _, loss = _detached(operation="addmm")
    activation = Given("model.b: input", operation="relu", parents=("hidden",))
    out = Given("out", operation="AddmmBackward0", parents=("model.b.weight", "model.b: input"))
    names = [weight.name, other.name]
    for module, places in (("model", ["hidden", "model.b: input", weight.name]), (None, ["model.b: input", weight.name])):
        tensors = [weight, other, replace(hidden, module=module), activation, out, loss]
        (finding,) = _check(tmp_path / str(module), tensors, {weight.name}, optimized=names)
        assert [place.name for place in finding.places] == places


def test_a_parameter_that_something_else_moves_is_left_out(tmp_path: Path) -> None:
    assert _check(tmp_path, _detached(), {"model.a.weight"}, norms=0.1) == []


def test_what_only_the_target_was_computed_from_is_left_out(tmp_path: Path) -> None:
    tensors = [
        Given("model.main", "parameter"),
        Given("model.rest", "parameter"),
        Given("out", operation="AddmmBackward0", parents=("model.main",)),
        Given("target", operation="AddmmBackward0", parents=("model.rest",)),
        Given("loss", "loss", operation="MseLossBackward0", parents=("out", "target"), cut=("target",), batch=False),
    ]
    call = LossCall("mse_loss", {}, TensorReference("out", 0), TensorReference("target", 0), TensorReference("loss", 0))
    assert _check(tmp_path / "known", tensors, {"model.rest"}, (call,)) == []
    assert len(_check(tmp_path / "unknown", tensors, {"model.rest"})) == 1


def test_copies_of_networks_are_left_out(tmp_path: Path) -> None:
    tensors = [
        Given("model.online.weight", "parameter"),
        Given("model.target.weight", "parameter"),
        Given("out", operation="AddmmBackward0", parents=("model.online.weight",)),
        Given("later", operation="AddmmBackward0", parents=("model.target.weight",)),
        Given("loss", "loss", operation="MeanBackward0", parents=("out", "later"), cut=("later",), batch=False),
    ]
    assert _check(tmp_path, tensors, {"model.target.weight"}) == []


def test_values_that_went_through_numpy_are_noticed(tmp_path: Path) -> None:
    tensors = [
        Given("model.a.weight", "parameter"),
        Given("model.b.weight", "parameter"),
        Given("hidden", operation="ReluBackward0", parents=("model.a.weight",)),
        Given("again"),
        Given("out", operation="AddmmBackward0", parents=("model.b.weight", "again")),
        Given("loss", "loss", operation="MeanBackward0", parents=("out",), batch=False),
    ]
    (finding,) = _check(tmp_path, tensors, {"model.a.weight"})
    assert finding.place.name == "hidden"


def _repeated(cut: tuple[str, ...], result: tuple[str, ...]) -> list[Given]:
    names = ["cell: output", "cell (call 2): output", "cell (call 3): output"]
    cells = [
        Given(name, operation="TanhBackward0", parents=("model.weight", *names[max(0, k - 1) : k]), cut=tuple(set(cut) & set(names[:k])))
        for k, name in enumerate(names)
    ]
    return [Given("model.weight", "parameter"), *cells, Given("loss", "loss", operation="MeanBackward0", parents=result, batch=False)]


def test_a_state_that_is_detached_at_every_repetition_is_named(tmp_path: Path) -> None:
    cut = ("cell: output", "cell (call 2): output")
    (finding,) = _check(tmp_path / "cut", _repeated(cut, ("cell (call 3): output",)), set())
    assert finding.place.name == "cell (call 2): output"
    assert _check(tmp_path / "whole", _repeated((), ("cell (call 3): output",)), set()) == []
    assert _check(tmp_path / "every", _repeated(cut, (*cut, "cell (call 3): output")), set()) == []


def test_repetitions_that_no_weight_computes_are_left_out(tmp_path: Path) -> None:
    cut = ("cell: output", "cell (call 2): output")
    *tensors, _ = _repeated(cut, ())
    free = [replace(each, parents=tuple(name for name in each.parents if name != "model.weight")) for each in tensors]
    loss = Given("loss", "loss", operation="MeanBackward0", parents=("cell (call 3): output", "model.weight"), batch=False)
    assert _check(tmp_path, [*free, loss], set()) == []


@pytest.mark.parametrize("shape", [(8, 2), (8, 1)])
def test_what_only_has_the_same_name_is_no_repetition(tmp_path: Path, shape: tuple[int, ...]) -> None:
    """Points move along the gradient of an energy, each time from a detached beginning; the loss is a sum as well."""
    energy = nn.Linear(2, 1)

    def step(_: int) -> Tensor:
        points = torch.randn(8, 2)
        for _repetition in range(3):
            points = points.detach().requires_grad_()
            (slope,) = torch.autograd.grad(energy(points).sum(), points)
            points = points + 0.1 * slope
        low, high = energy(torch.randn(8, 2)), energy(points.detach())
        loss: Tensor = (low.square().expand(shape) + high.square().expand(shape)).mean()
        return loss

    findings = list(RULE.check(recorded(tmp_path, energy, lambda _: train(energy, 3, step))))
    assert [finding.place.name for finding in findings] == []


def test_without_a_loss_nothing_is_checked(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="leads to a loss"):
        _check(tmp_path, _detached()[:-1], {"model.a.weight"})

"""`not-in-optimizer` for a part of a layer, `never-updated` without a learning rate, and weights that are read without their gradient."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.graph import cut_path
from comgra_export.analysis.findings.rules.training import never_updated, no_gradient, not_in_optimizer
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train

WEIGHT, BIAS, SCALE = "model.a.weight", "model.a.bias", "model.norm.weight"
SHAPES = {WEIGHT: (4, 4), BIAS: (4,), SCALE: (4,)}


def _run(folder: Path, held: list[str], options: dict[str, float] | None = None, moving: set[str] | None = None) -> RunByHand:
    """Ten steps in which all parameters have gradients, and those that are held move."""
    written = RunByHand(folder, [Given(name, "parameter") for name in SHAPES], optimized=held, options=options or {})
    for step in range(10):
        moves = held if moving is None else moving
        updates = {name: (2.0 + 0.1 * step * (name in moves), 0.1 * (name in moves)) for name in SHAPES}
        written.step(step, {name: np.ones(shape) for name, shape in SHAPES.items()}, dict.fromkeys(SHAPES, 0.1), updates=updates)
    return written


@pytest.mark.parametrize(
    ("held", "outside", "severity"),
    [
        # The second group, of vectors, is missing, and it is the larger one.
        ([WEIGHT], BIAS, Severity.BUG),
        # Whoever trains vectors alone means to.
        ([BIAS], WEIGHT, Severity.INFORMATION),
        ([SCALE], WEIGHT, Severity.INFORMATION),
    ],
)
def test_vectors_beside_weights_that_are_held_are_a_bug(tmp_path: Path, held: list[str], outside: str, severity: Severity) -> None:
    (finding,) = not_in_optimizer.RULE.check(_run(tmp_path, held).read())
    assert (finding.place.name, finding.severity) == (outside, severity)


@pytest.mark.parametrize(("still", "rate", "count"), [([BIAS], 0.0, 1), ([BIAS, SCALE], 0.0, 0)], ids=["one of three", "most"])
def test_a_group_without_a_learning_rate_is_a_symptom(tmp_path: Path, still: list[str], rate: float, count: int) -> None:
    moving = [name for name in SHAPES if name not in still]
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in SHAPES], optimized={"first": moving, "second": still})
    for step in range(10):
        updates = {name: (2.0 + 0.1 * step * (name in moving), 0.1 * (name in moving)) for name in SHAPES}
        values = {name: np.ones(shape) for name, shape in SHAPES.items()}
        written.step(step, values, dict.fromkeys(SHAPES, 0.1), updates=updates, learning_rates=((0.1,), (rate,)))
    findings = list(never_updated.RULE.check(written.read()))
    assert [(finding.place.name, finding.severity) for finding in findings] == [(BIAS, Severity.SYMPTOM)] * count


@pytest.mark.parametrize(
    ("parts", "held", "severity"),
    [
        (("parametrizations.weight.original0", "parametrizations.weight.original1"), True, Severity.BUG),
        (("weight_g", "weight_v"), True, Severity.BUG),
        (("weight_g", "weight_v"), False, Severity.INFORMATION),
        (("weight", "gate"), True, Severity.INFORMATION),
    ],
    ids=["parametrization", "weight norm", "whole layers are left out", "other weights"],
)
def test_parts_of_a_weight_that_were_made_after_the_optimizer(
    tmp_path: Path, parts: tuple[str, ...], held: bool, severity: Severity
) -> None:
    """The optimizer holds the biases of these layers, and the weight that there was before."""
    outside = [f"model.{layer}.{part}" for layer in "abc" for part in parts]
    biases = [f"model.{layer}.bias" for layer in ("abc" if held else "de")]
    names = [*outside, *biases, "model.out.weight"]
    optimized = [*biases, "model.out.weight"]
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in names], optimized=optimized)
    for step in range(10):
        values = {name: np.ones(4 if name.endswith("bias") else (4, 4)) for name in names}
        updates = {name: (2.0 + 0.1 * step * (name in optimized), 0.1 * (name in optimized)) for name in names}
        written.step(step, values, dict.fromkeys(names, 0.1), updates=updates)
    (finding,) = not_in_optimizer.RULE.check(written.read())
    assert (finding.place.name, finding.severity) == (outside[0], severity)


class _Standardized(nn.Linear):
    """A layer that does something to its weight before it computes with it."""

    def __init__(self, way: str) -> None:
        super().__init__(4, 4)
        self.way = way

    def forward(self, x: Tensor) -> Tensor:
        weight = {"data": self.weight.data, "detach": self.weight.detach(), "new": torch.ones(4, 4)}.get(self.way, self.weight)
        return nn.functional.linear(x, (weight - weight.mean()) / (weight.std() + 1), self.bias)


@pytest.mark.parametrize(("way", "is_named"), [("data", True), ("detach", True), ("new", True), ("weight", False)])
def test_a_weight_that_is_read_without_its_gradient(tmp_path: Path, way: str, is_named: bool) -> None:
    model = nn.Sequential(_Standardized(way), nn.Tanh(), nn.Linear(4, 1))
    run = recorded(tmp_path, model, lambda _: train(model, 6, lambda _: model(torch.randn(8, 4)).square().mean()), check=False)
    findings = [finding for rule in (no_gradient.RULE, cut_path.RULE) for finding in rule.check(run)]
    assert [(finding.place.kind, finding.place.name) for finding in findings] == [("parameter", "model.0.weight")] * is_named

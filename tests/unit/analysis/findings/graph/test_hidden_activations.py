"""Activations that a view hides: `activation-after-activation` and `softmax-over-one`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from comgra_export.analysis.findings.rules.graph import activation_after_activation, linear_after_linear, softmax_over_one
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train

TENSORS = [Given("scores", operation="AddmmBackward0"), Given("out", operation="SqueezeBackward1", parents=("scores",))]


def _run(tmp_path: Path, scores: np.ndarray, out: np.ndarray, steps: int = 5) -> Run:
    written = RunByHand(tmp_path, TENSORS)
    for step in range(steps):
        written.step(step, {"scores": scores, "out": out}, gradients={})
    return written.read()


SCORES = np.linspace(-2, 2, 8)[:, None]


@pytest.mark.parametrize(("of_relu", "steps", "is_named"), [(True, 5, True), (False, 5, False), (True, 4, False)])
def test_a_sigmoid_of_a_relu_shows_in_its_extremes(tmp_path: Path, of_relu: bool, steps: int, is_named: bool) -> None:
    before = np.maximum(SCORES, 0) if of_relu else SCORES
    findings = list(activation_after_activation.RULE.check(_run(tmp_path, SCORES, 1 / (1 + np.exp(-before[:, 0])), steps)))
    assert [finding.place.name for finding in findings] == ["out"] * is_named


@pytest.mark.parametrize(
    ("value", "factor", "steps", "is_named"), [(1, 1, 5, True), (0.5, 1, 5, False), (1, 20, 5, False), (1, 1, 4, False)]
)
def test_a_softmax_over_one_shows_in_ones(tmp_path: Path, value: float, factor: float, steps: int, is_named: bool) -> None:
    """A sigmoid of large scores may be 1."""
    findings = list(softmax_over_one.RULE.check(_run(tmp_path, factor * SCORES, np.full(8, value), steps)))
    assert [finding.place.name for finding in findings] == ["out"] * is_named


class _Projector(nn.Module):
    """Two layers with a normalization between them, whose result is used once more if asked for."""

    def __init__(self, norm: nn.Module, *, uses_it_again: bool) -> None:
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(4, 8), norm, nn.Linear(8, 3)
        self.uses_it_again = uses_it_again

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        between = self.norm(self.first(x))
        result: torch.Tensor = self.second(between)
        return result + between[:, :3] if self.uses_it_again else result


@pytest.mark.parametrize(
    ("norm", "uses_it_again", "is_named"),
    [(nn.BatchNorm1d(8), False, True), (nn.BatchNorm1d(8), True, False), (nn.LayerNorm(8), False, False)],
)
def test_a_batch_normalization_is_no_activation(tmp_path: Path, norm: nn.Module, uses_it_again: bool, is_named: bool) -> None:
    model = _Projector(norm, uses_it_again=uses_it_again)
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: model(torch.randn(8, 4)).square().mean()))
    findings = list(linear_after_linear.RULE.check(run))
    assert [finding.place.name for finding in findings] == ["model.first: output"] * is_named

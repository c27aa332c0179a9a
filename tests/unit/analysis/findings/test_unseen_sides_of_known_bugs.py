"""Known bugs from sides that other facts show: results that nothing uses, an exact constant, parts of the data, branches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.activations import same_for_all_samples
from comgra_export.analysis.findings.rules.data import repeated_batch
from comgra_export.analysis.findings.rules.gradients import vanishing_gradient
from comgra_export.analysis.findings.rules.graph import activation_after_activation, linear_after_linear
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train


class _Dropped(nn.Module):
    """Two layers; the result of the activation between them is kept or not."""

    def __init__(self, is_kept: bool, pool: bool = False) -> None:
        super().__init__()
        self.first = nn.Conv1d(2, 8, 3, padding=1)
        self.act = nn.ReLU()
        self.pool = nn.AvgPool1d(2) if pool else nn.Identity()
        self.second = nn.Conv1d(8, 8, 3, padding=1)
        self.is_kept = is_kept

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.first(x)
        activated = self.act(hidden)
        result: Tensor = self.second(self.pool(activated if self.is_kept else hidden))
        return result.mean(dim=2)


@pytest.mark.parametrize(("is_kept", "pool", "count"), [(False, False, 1), (False, True, 1), (True, False, 0), (True, True, 0)])
def test_an_activation_whose_result_nothing_uses_is_none(tmp_path: Path, is_kept: bool, pool: bool, count: int) -> None:
    model = _Dropped(is_kept, pool)
    run = recorded(tmp_path, model, lambda _: train(model, 3, lambda _: model(torch.randn(4, 2, 8)).square().mean()))
    findings = list(linear_after_linear.RULE.check(run))
    assert len(findings) == count
    assert all("`model.act: output` is computed from it too, but the loss is not computed from that." in each.message for each in findings)


@pytest.mark.parametrize(("operation", "function"), [("SigmoidBackward0", lambda x: 1 / (1 + np.exp(-x))), ("TanhBackward0", np.tanh)])
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_relu_that_is_not_recorded_shows_in_what_follows(tmp_path: Path, operation: str, function: np.ufunc, is_cut: bool) -> None:
    written = RunByHand(tmp_path, [Given("scores", operation="AddmmBackward0"), Given("out", operation=operation, parents=("scores",))])
    scores = np.linspace(-2, 2, 8)[:, None]
    for step in range(5):
        written.step(step, {"scores": scores, "out": function(np.maximum(scores, 0) if is_cut else scores)}, gradients={})
    assert [finding.place.name for finding in activation_after_activation.RULE.check(written.read())] == ["out"] * is_cut


@pytest.mark.parametrize("is_constant", [True, False])
def test_a_constant_explains_small_gradients_before_it(tmp_path: Path, is_constant: bool) -> None:
    names = [f"model.{number}.weight" for number in range(3)]
    tensors = [
        *(Given(name, "parameter") for name in names),
        Given("model: input", "input"),
        Given("hidden", parents=("model: input", names[0])),
        Given("normed", parents=("hidden", names[1])),
        Given("out", parents=("normed", names[2])),
    ]
    written = RunByHand(tmp_path, tensors)
    spread = np.linspace(-1, 1, 8)[:, None]
    for step in range(6):
        values = dict.fromkeys(names, np.ones((4, 4))) | {"model: input": spread, "hidden": spread}
        normed = np.full((8, 1), 0.3) if is_constant else spread
        written.step(step, values | {"normed": normed, "out": 2 * normed}, dict(zip(names, (1e-9, 1.0, 1.0), strict=True)))
    assert len(list(vanishing_gradient.RULE.check(written.read()))) == (not is_constant)


def test_a_constant_that_begins_at_zero_is_one_since_the_first_step(tmp_path: Path) -> None:
    """As a normalization of single numbers returns, which only rounding makes differ until its bias moves."""
    tensors = [
        Given("weight", "parameter"),
        Given("model: input", "input"),
        Given("normed", operation="NativeLayerNormBackward0", module="model.norm", parents=("model: input", "weight")),
        Given("out", operation="AddmmBackward0", module="model.out", parents=("normed",)),
    ]
    written = RunByHand(tmp_path, tensors, {"model": "Net", "model.norm": "LayerNorm", "model.out": "Linear"})
    spread = np.linspace(-1, 1, 8)[:, None]
    for step in range(10):
        normed = 0.1 * step + 1e-7 * spread
        written.step(step, {"weight": [[1.0]], "model: input": spread, "normed": normed, "out": 3 * normed}, {"weight": 0.1})
    (finding,) = same_for_all_samples.RULE.check(written.read())
    assert (finding.place.name, finding.step) == ("normed", 0)


@pytest.mark.parametrize(
    ("samples", "features", "severity"),
    [(25, 3, Severity.SYMPTOM), (24, 3, Severity.INFORMATION), (25, 2, Severity.INFORMATION)],
    ids=["many", "fewer", "a plane"],
)
def test_more_samples_in_evaluations_show_that_a_batch_is_not_all_data(
    tmp_path: Path, samples: int, features: int, severity: Severity
) -> None:
    """The batch has six samples."""
    written = RunByHand(tmp_path, [Given("model: input", "input")])
    for step in range(5):
        written.step(step, {"model: input": np.arange(6.0 * features).reshape(6, features)}, {"model: input": 0.1})
    written.step(6, {"model: input": np.ones((samples, features))}, training=False)
    (finding,) = repeated_batch.RULE.check(written.read())
    assert finding.severity == severity

"""Losses that are written by hand: `nll-without-log-softmax`, `broadcast-in-loss` and `target-out-of-range`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.rules.graph import broadcast_in_loss, nll_without_log_softmax, target_out_of_range
from support.analysis.watched import recorded, train


def _findings(tmp_path: Path, rule: Rule, model: nn.Module, loss: Callable[[Tensor], Tensor], steps: int = 2) -> list[Finding]:
    run = recorded(tmp_path, model, lambda _: train(model, steps, lambda _: loss(model(torch.randn(8, 4)))), check=False)
    try:
        return list(rule.check(run))
    except NotCheckedError:
        return []


CLASSES = torch.arange(8) % 3


@pytest.mark.parametrize(
    ("loss", "is_named"),
    [
        (lambda scores: -scores.gather(1, CLASSES[:, None]).mean(), True),
        (lambda scores: -scores[torch.arange(8), CLASSES].mean(), True),
        (lambda scores: -scores.log_softmax(1).gather(1, CLASSES[:, None]).mean(), False),
        (lambda scores: scores.gather(1, CLASSES[:, None]).mean(), False),
        (lambda scores: (scores.gather(1, CLASSES[:, None]) - 1).square().mean(), False),
    ],
    ids=["gather", "index", "log_softmax", "another sign", "values of actions"],
)
def test_chosen_scores_are_no_logarithms(tmp_path: Path, loss: Callable[[Tensor], Tensor], is_named: bool) -> None:
    findings = _findings(tmp_path, nll_without_log_softmax.RULE, nn.Linear(4, 3), loss)
    assert [finding.place.name for finding in findings] == ["model: output"] * is_named


@pytest.mark.parametrize(("shape", "is_named"), [((8, 1), True), ((8,), False)])
@pytest.mark.parametrize(
    "loss",
    [
        lambda out, target: ((out[:, 0] - target) ** 2 / out[:, 1].exp() + out[:, 1]).mean(),
        lambda out, target: -(out.sigmoid()[:, 0].log() * target).mean(),
        lambda out, target: -((1 - out.sigmoid()[:, 0] + 1e-6).log() * target).mean(),
    ],
    ids=["a part of the output", "a logarithm", "a logarithm of what is left"],
)
def test_a_target_in_another_shape(
    tmp_path: Path, loss: Callable[[Tensor, Tensor], Tensor], shape: tuple[int, ...], is_named: bool
) -> None:
    model = nn.Sequential(nn.Linear(4, 2), nn.Identity())
    findings = _findings(tmp_path, broadcast_in_loss.RULE, model, lambda out: loss(out, torch.rand(shape)))
    assert len(findings) == is_named


@pytest.mark.parametrize(
    ("last", "target", "is_named"),
    [
        (nn.Tanh(), torch.full((8, 1), 1.9), True),
        (nn.Tanh(), torch.full((8, 1), 0.8), False),
        (nn.Tanh(), torch.tensor([90.0, -90.0] * 4)[:, None], True),
        (nn.Softplus(), torch.full((8, 1), -5.0), False),
        (nn.Identity(), torch.full((8, 1), 90.0), False),
    ],
)
def test_targets_that_are_out_of_reach(tmp_path: Path, last: nn.Module, target: Tensor, is_named: bool) -> None:
    """Whether an output above 0 is far from -5 or from 5 is not known, since the difference may have either sign."""
    model = nn.Sequential(nn.Linear(4, 1), last)
    findings = _findings(tmp_path, target_out_of_range.RULE, model, lambda out: ((out - target) ** 2).mean(), steps=5)
    assert [finding.place.name for finding in findings] == ["model.1: output"] * is_named


class _ActorCritic(nn.Module):
    """What actions are worth trying, and what a state is worth, `[B, 1]`."""

    def __init__(self) -> None:
        super().__init__()
        self.policy, self.value = nn.Linear(4, 3), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.policy(x), self.value(x)


def _loss(result: tuple[Tensor, Tensor], *, squeezes: bool, is_weight: bool) -> Tensor:
    """An actor's loss, weighted by advantages, or the squares of differences between what two networks say."""
    scores, value = result
    value = value.squeeze(1) if squeezes else value
    if not is_weight:
        return (value - scores[:, 0]).square().mean()
    reward = torch.rand(8)
    chosen = scores.log_softmax(1).gather(1, CLASSES[:, None]).squeeze(1)
    return -(chosen * (reward - value.detach())).mean() + nn.functional.mse_loss(value.view(8), reward)


@pytest.mark.parametrize("squeezes", [True, False])
@pytest.mark.parametrize(("is_weight", "place"), [(True, "squeeze"), (False, "model.value: output")])
def test_a_column_and_a_row_make_a_square(tmp_path: Path, is_weight: bool, place: str, squeezes: bool) -> None:
    model = _ActorCritic()
    step = lambda _: _loss(model(torch.randn(8, 4)), squeezes=squeezes, is_weight=is_weight)  # noqa: E731
    run = recorded(tmp_path, model, lambda _: train(model, 2, step), check=False)
    try:
        findings = list(broadcast_in_loss.RULE.check(run))
    except NotCheckedError:
        findings = []
    assert [finding.place.name for finding in findings] == ([] if squeezes else [place])


def test_differences_of_all_pairs_of_scores_are_meant(tmp_path: Path) -> None:
    model = nn.Linear(4, 1)
    findings = _findings(tmp_path, broadcast_in_loss.RULE, model, lambda out: (out - out[:, 0]).sigmoid().log().mean())
    assert findings == []

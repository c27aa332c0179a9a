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
    ],
    ids=["a part of the output", "a logarithm"],
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

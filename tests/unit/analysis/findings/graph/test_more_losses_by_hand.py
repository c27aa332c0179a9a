"""Losses by hand of probabilities, of outputs that are cut off, and with another sign."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.rules.graph import softmax_before_cross_entropy, target_out_of_range
from comgra_export.analysis.findings.rules.loss import negative_loss
from comgra_export.analysis.findings.rules.training import maximized_loss
from support.analysis.watched import recorded, train

CLASSES = torch.arange(8) % 3
RETURNS = torch.tensor([1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.0, -1.0])
BITS = torch.tensor([[0.0], [1.0]] * 4)


def _findings(
    tmp_path: Path, rule: Rule, model: nn.Module, loss: Callable[[Tensor, int], Tensor], *, maximize: bool = False
) -> list[Finding]:
    """What a rule finds in eight steps with the same inputs."""
    inputs = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, maximize=maximize)
    run = recorded(tmp_path, model, lambda _: train(model, 8, lambda step: loss(model(inputs), step), optimizer=optimizer))
    try:
        return list(rule.check(run))
    except NotCheckedError:
        return []


@pytest.mark.parametrize(
    ("scores", "is_named"),
    [
        (lambda out: out.softmax(1).log_softmax(1), True),
        (lambda out: out.sigmoid().log_softmax(1), True),
        (lambda out: out.log_softmax(1), False),
        # Something lies between the two.
        (lambda out: (9 * out.softmax(1)).log_softmax(1), False),
    ],
    ids=["softmax", "sigmoid", "logits", "scaled"],
)
def test_a_cross_entropy_by_hand_of_probabilities(tmp_path: Path, scores: Callable[[Tensor], Tensor], is_named: bool) -> None:
    findings = _findings(
        tmp_path,
        softmax_before_cross_entropy.RULE,
        nn.Linear(4, 3),
        lambda out, _: -scores(out).gather(1, CLASSES[:, None]).mean(),
    )
    assert len(findings) == is_named


@pytest.mark.parametrize(
    ("targets", "is_named"),
    [([4.0, -4.0], True), ([4.0, 0.0], False), ([4.0, 3.0], False)],
    ids=["half below zero", "from zero on", "above"],
)
def test_targets_below_zero_of_an_output_that_is_cut_off(tmp_path: Path, targets: list[float], is_named: bool) -> None:
    model = nn.Sequential(nn.Linear(4, 1), nn.ReLU())
    target = torch.tensor(targets * 4)[:, None]
    findings = _findings(tmp_path, target_out_of_range.RULE, model, lambda out, _: ((out - target) ** 2).mean() / 100)
    assert [finding.place.name for finding in findings] == ["model.1: output"] * is_named


def _chosen(out: Tensor) -> Tensor:
    return out.log_softmax(1).gather(1, CLASSES[:, None]).mean()


@pytest.mark.parametrize(
    ("loss", "is_named"),
    [
        (lambda out, _: _chosen(out), True),
        (lambda out, _: 2 * _chosen(out), True),
        (lambda out, _: -2 * _chosen(out), False),
        # A reward, which may have any sign.
        (lambda out, step: (1.5 - step % 2) * _chosen(out), False),
    ],
    ids=["plain", "scaled", "negative", "reward"],
)
def test_a_scaled_likelihood_without_its_minus_sign(tmp_path: Path, loss: Callable[[Tensor, int], Tensor], is_named: bool) -> None:
    assert len(_findings(tmp_path, negative_loss.RULE, nn.Linear(4, 3), loss)) == is_named


@pytest.mark.parametrize(
    ("loss", "is_named"),
    [
        (lambda p, _: (BITS * p.log() + (1 - BITS) * (1 - p).log()).mean(), True),
        (lambda p, _: (BITS * p.clamp(1e-6, 1).log() + (1 - BITS) * (1 - p + 1e-6).log()).mean(), True),
        (lambda p, _: 2 * (BITS * p.log() + (1 - BITS) * (1 - p).log()).mean(), True),
        (lambda p, _: -(BITS * p.log() + (1 - BITS) * (1 - p).log()).mean(), False),
        # A generator may make this small on purpose.
        (lambda p, _: (1 - p).log().mean(), False),
        # The negative entropy is small on purpose.
        (lambda p, _: (p * p.log() + (1 - p) * (1 - p).log()).mean(), False),
        # Advantages have both signs.
        (lambda p, _: ((BITS - 0.5) * p.log() + (1 - BITS) * (1 - p).log()).mean(), False),
    ],
    ids=["plain", "clamped", "scaled", "negative", "one logarithm", "entropy", "both signs"],
)
def test_a_binary_cross_entropy_by_hand_without_its_minus_sign(
    tmp_path: Path, loss: Callable[[Tensor, int], Tensor], is_named: bool
) -> None:
    findings = _findings(tmp_path, negative_loss.RULE, nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()), loss)
    assert [finding.places[1].name for finding in findings] == ["model.1: output"] * is_named


@pytest.mark.parametrize(("maximize", "sign", "is_named"), [(True, 1, True), (True, -1, False), (False, 1, False)])
def test_an_optimizer_that_maximizes_a_loss(tmp_path: Path, maximize: bool, sign: int, is_named: bool) -> None:
    findings = _findings(
        tmp_path, maximized_loss.RULE, nn.Linear(4, 3), lambda out, _: sign * nn.functional.cross_entropy(out, CLASSES), maximize=maximize
    )
    assert [finding.place.name for finding in findings] == ["SGD"] * is_named


def test_an_adversarial_example_is_meant_to_make_the_loss_of_a_frozen_model_large(tmp_path: Path) -> None:
    model = nn.Linear(4, 3).requires_grad_(False)
    inputs = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))
    change = torch.zeros(8, 4, requires_grad=True)
    optimizer = torch.optim.SGD([change], lr=0.5, maximize=True)

    def loss(_: int) -> Tensor:
        return nn.functional.cross_entropy(model(inputs + change), CLASSES)

    def script(recorder: ComgraRecorder) -> None:
        recorder.track_optimizers(optimizer)
        train(model, 8, loss, optimizer=optimizer, evaluate=lambda _: recorder.step())

    run = recorded(tmp_path, model, script)
    assert [group.options["maximize"] for each in run.network.optimizers or () for group in each.groups] == [True]
    assert list(maximized_loss.RULE.check(run)) == []


def _policy_gradient(out: Tensor, weights: Tensor) -> Tensor:
    return out.log_softmax(1).gather(1, CLASSES[:, None]).squeeze(1) * weights


@pytest.mark.parametrize(
    ("loss", "maximize", "is_named"),
    [
        (lambda out: _policy_gradient(out, RETURNS).mean(), False, True),
        (lambda out: 0.5 * _policy_gradient(out, RETURNS).sum(), False, True),
        (lambda out: -_policy_gradient(out, RETURNS).mean(), False, False),
        (lambda out: _policy_gradient(out, RETURNS).mean(), True, False),
        # Something is minimized beside it, of which these may be the costs.
        (lambda out: _policy_gradient(out, RETURNS).mean() + out.square().mean(), False, False),
        # Weights of one sign may be costs.
        (lambda out: _policy_gradient(out, RETURNS.abs()).mean(), False, False),
        # These are no logarithms of probabilities.
        (lambda out: ((out + 9).gather(1, CLASSES[:, None]).squeeze(1) * RETURNS).mean(), False, False),
    ],
    ids=["minimized", "scaled sum", "with a minus", "maximized", "with another term", "one sign", "scores"],
)
def test_a_policy_gradient_without_its_minus_sign(tmp_path: Path, loss: Callable[[Tensor], Tensor], maximize: bool, is_named: bool) -> None:
    findings = _findings(tmp_path, negative_loss.RULE, nn.Linear(4, 3), lambda out, _: loss(out), maximize=maximize)
    assert [(finding.severity, finding.place.name) for finding in findings] == [(Severity.SYMPTOM, "mul")] * is_named

"""Rules about what a loss compares: predictions behind dropout, targets that are trained, weights of samples, targets that are signs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph import broadcast_in_loss, dropout_before_loss, target_out_of_range, trained_target
from support.analysis.runs import Given, RunByHand, loss_call
from support.analysis.watched import recorded, train


@pytest.mark.parametrize(
    ("layers", "place"),
    [
        ((nn.Linear(4, 1), nn.Dropout(0.5)), "model.1: output"),
        ((nn.Linear(4, 1), nn.Dropout(0.5), nn.Flatten(0)), "model.1: output"),
        ((nn.Linear(4, 1), nn.Dropout(0.0)), None),
        ((nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 1)), None),
    ],
    ids=["last", "before a view", "never drops", "within"],
)
def test_dropout_behind_the_last_layer_is_named(tmp_path: Path, layers: tuple[nn.Module, ...], place: str | None) -> None:
    model = nn.Sequential(*layers)
    target = torch.zeros(8) if isinstance(layers[-1], nn.Flatten) else torch.zeros(8, 1)
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: functional.mse_loss(model(torch.randn(8, 4)), target)))
    assert [finding.place.name for finding in dropout_before_loss.RULE.check(run)] == ([] if place is None else [place])


def test_dropout_of_evaluations_is_none_of_training(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 1), nn.Dropout(0.5)).eval()
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: functional.mse_loss(model(torch.randn(8, 4)), torch.zeros(8, 1))))
    assert list(dropout_before_loss.RULE.check(run)) == []


class _Twin(nn.Module):
    """An encoder, and a prediction from what it returns."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.predict = nn.Linear(4, 3), nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.predict(self.encoder(x))
        return result


@pytest.mark.parametrize(
    ("way", "is_named"), [("trained", True), ("scaled", True), ("detached", False), ("another term", False), ("another network", False)]
)
def test_a_target_that_the_same_weights_compute_is_named_if_gradients_flow_into_it(tmp_path: Path, way: str, is_named: bool) -> None:
    model = _Twin()
    other = nn.Linear(4, 3).requires_grad_(False)

    def step(_: int) -> Tensor:
        x = torch.randn(8, 4)
        target = other(x) if way == "another network" else model.encoder(x + 0.1)
        loss = functional.mse_loss(model(x), target.detach() if way == "detached" else target)
        if way == "another term":
            loss = loss - model.encoder(x).std(dim=0).mean()
        return loss * 0.5 if way == "scaled" else loss

    findings = list(trained_target.RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step))))
    assert [finding.place.name for finding in findings] == (["model.encoder: output"] if is_named else [])


@pytest.mark.parametrize(
    ("loss", "is_named"),
    [
        (lambda first, second: 1 - functional.cosine_similarity(first, second).mean(), True),
        (lambda first, second: -functional.cosine_similarity(first, second).sum() / 8, True),
        # Sides that are pushed apart do not become equal.
        (lambda first, second: functional.cosine_similarity(first, second).mean(), False),
        (lambda first, second: 1 - functional.cosine_similarity(first, second.detach()).mean(), False),
        # Something else keeps the outputs apart.
        (lambda first, second: 1 - functional.cosine_similarity(first, second).mean() + (1 - first.std(0)).relu().mean(), False),
        (lambda first, second: (0.9 - functional.cosine_similarity(first, second)).square().mean(), False),
        (lambda first, _: 1 - functional.cosine_similarity(first, torch.ones(8, 3)).mean(), False),
    ],
    ids=["mean", "sum", "apart", "detached", "two terms", "not linear", "given"],
)
def test_two_sides_that_are_only_pulled_together_are_named(
    tmp_path: Path, loss: Callable[[Tensor, Tensor], Tensor], is_named: bool
) -> None:
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))

    def step(_: int) -> Tensor:
        return loss(model(torch.randn(8, 4)), model(torch.randn(8, 4)))

    run = recorded(tmp_path, model, lambda _: train(model, 4, step))
    if is_named:
        (finding,) = trained_target.RULE.check(run)
        assert [place.name for place in finding.places] == ["cosine_similarity", "model.2: output", "model.2: output"]
    else:
        # There is no regression either.
        with pytest.raises(NotCheckedError):
            list(trained_target.RULE.check(run))


class _Pair(nn.Module):
    def __init__(self, *, is_detached: bool) -> None:
        super().__init__()
        self.encoder, self.predictor, self.is_detached = nn.Linear(4, 3), nn.Linear(3, 3), is_detached

    def forward(self, *views: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        hidden = [self.encoder(view) for view in views]
        return [self.predictor(each) for each in hidden], [each.detach() if self.is_detached else each for each in hidden]


@pytest.mark.parametrize(
    ("loss", "is_named"),
    [
        (lambda first, second: -0.5 * first.mean() - 0.25 * second.mean(), True),
        # What is pushed apart keeps the outputs apart.
        (lambda first, second: second.mean() - first.mean(), False),
        (lambda first, second: -first.mean() - second.square().mean(), False),
    ],
    ids=["pulled", "pushed", "not linear"],
)
@pytest.mark.parametrize("is_detached", [False, True])
def test_all_of_several_similarities_must_only_pull_together(
    tmp_path: Path, loss: Callable[[Tensor, Tensor], Tensor], is_named: bool, is_detached: bool
) -> None:
    """Each side predicts the other, as in SimSiam."""
    model = _Pair(is_detached=is_detached)

    def step(_: int) -> Tensor:
        predicted, given = model(torch.randn(8, 4), torch.randn(8, 4))
        return loss(*(functional.cosine_similarity(first, second) for first, second in zip(predicted, reversed(given), strict=True)))

    run = recorded(tmp_path, model, lambda _: train(model, 8, step))
    if is_named and not is_detached:
        (finding,) = trained_target.RULE.check(run)
        assert finding.place.name == "cosine_similarity"
        assert "`cosine_similarity` and `cosine_similarity (2)` should be large" in finding.message
    else:
        with pytest.raises(NotCheckedError):
            list(trained_target.RULE.check(run))


def test_a_target_without_a_name_in_the_script_is_that_of_the_loss(tmp_path: Path) -> None:
    model = nn.Linear(4, 3)

    def step(_: int) -> Tensor:
        return functional.mse_loss(model(torch.randn(8, 4)), 0.9 * model(torch.randn(8, 4)))

    (finding,) = trained_target.RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step)))
    assert [place.name for place in finding.places] == ["mse_loss", "mul", "model: output"]


@pytest.mark.parametrize(("shape", "is_named"), [((8, 1), True), ((8,), False), ((1,), False), ((), False)])
def test_losses_of_samples_that_meet_the_weights_of_all_samples_are_named(tmp_path: Path, shape: tuple[int, ...], is_named: bool) -> None:
    model = nn.Linear(4, 3)

    def step(_: int) -> Tensor:
        losses = functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 3, (8,)), reduction="none")
        return (losses * torch.rand(shape)).mean()

    findings = list(broadcast_in_loss.RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step))))
    assert [finding.severity for finding in findings] == ([Severity.BUG] if is_named else [])
    assert all("is a product or quotient [8, 8] of cross_entropy [8]" in finding.message for finding in findings)


def test_losses_with_a_matrix_of_their_own_products_are_right(tmp_path: Path) -> None:
    model = nn.Linear(4, 3)

    def step(_: int) -> Tensor:
        losses = functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 3, (8,)), reduction="none")
        return (losses[:, None] * losses).mean()

    assert list(broadcast_in_loss.RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step)))) == []


@pytest.mark.parametrize(
    ("function", "targets", "is_named"),
    [
        ("cosine_embedding_loss", [1, -1, 1, -1], False),
        ("cosine_embedding_loss", [1, 1, 1, 1], False),
        ("cosine_embedding_loss", [1, 0, 1, 0], True),
        ("hinge_embedding_loss", [0, 0, 0, 0], True),
        ("soft_margin_loss", [2, -2, 1, -1], True),
        ("margin_ranking_loss", [1, -1, -1, 0], True),
        ("mse_loss", [1, 0, 1, 0], False),
    ],
)
def test_targets_of_losses_that_compare_signs_are_one_and_minus_one(
    tmp_path: Path, function: str, targets: list[int], is_named: bool
) -> None:
    tensors = [Given("out"), Given("target", "target"), Given("loss", "loss", parents=("out", "target"), batch=False)]
    written = RunByHand(tmp_path, tensors)
    written.step(3, {"out": [0.1, 0.2, 0.3, 0.4], "target": targets, "loss": 1.0}, {"out": 0.1}, losses=(loss_call(function, "out"),))
    findings = list(target_out_of_range.RULE.check(written.read()))
    assert [(finding.place.name, finding.step) for finding in findings] == ([("target", 3)] if is_named else [])


def test_without_a_loss_function_targets_are_not_checked(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("out"), Given("loss", "loss", parents=("out",), batch=False)])
    written.step(0, {"out": [0.1, 0.2], "loss": 1.0}, {"out": 0.1})
    run = written.read()
    for module in (dropout_before_loss, target_out_of_range, trained_target):
        with pytest.raises(NotCheckedError):
            list(module.RULE.check(run))


@pytest.mark.parametrize(
    ("beyond", "steps", "is_named"),
    # There are 20 targets in each step, and those of 1.25 and more count: 2 of 20 are more than 5 %, 1 is not. 80 targets are too few.
    [((1.3, -1.3), 5, True), ((1.3, -1.2), 5, False), ((1.3, -1.3), 4, False), ((1.0, -1.0), 5, False)],
    ids=["two", "one", "few steps", "at the ends"],
)
def test_targets_are_counted_by_histograms_if_their_moments_prove_nothing(
    tmp_path: Path, beyond: tuple[float, ...], steps: int, is_named: bool
) -> None:
    tensors = [
        Given("out", operation="TanhBackward0"),
        Given("target", "target", histogram=True),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    for step in range(steps):
        target = [*np.linspace(-0.3, 0.3, 20 - len(beyond)), *beyond]
        written.step(step, {"out": np.zeros(20), "target": target, "loss": 1.0}, {"out": 0.1}, losses=(loss_call("mse_loss", "out"),))
    findings = list(target_out_of_range.RULE.check(written.read()))
    assert [(finding.place.name, finding.value) for finding in findings] == ([("out", 0.1)] if is_named else [])

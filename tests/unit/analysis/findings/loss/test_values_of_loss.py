"""The rules about the first loss, about negative ones, and about the loss of evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from comgra_export import ComgraRecorder
from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.loss import initial_loss, negative_loss, overfitting
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call
from support.analysis.watched import recorded, train

ROOT = (TensorReference("loss", 0),)


def _tensors() -> list[Given]:
    return [
        Given("out"),
        Given("target", "target"),
        Given("loss", "loss", parents=("out", "target"), batch=False),
        Given("flipped", operation="NegBackward0", parents=("loss",), batch=False),
    ]


def _initial(
    folder: Path,
    loss: float,
    function: str = "cross_entropy",
    classes: int = 10,
    samples: int = 4,
    reduction: str = "mean",
    pos_weight: str | None = None,
    last: float | None = None,
) -> list[Finding]:
    written = RunByHand(folder, _tensors())
    call = loss_call(function, "out", reduction=reduction, weight=None, pos_weight=pos_weight)
    values = {"out": np.zeros((samples, classes)), "target": np.zeros(samples), "loss": loss}
    written.step(0, values, {"out": 0.1}, losses=(call,), backward_roots=ROOT)
    for step, later in enumerate([100.0] if last is None else [loss, *[last] * 20], start=1):
        written.step(step, {**values, "loss": later}, {"out": 0.1}, losses=(call,), backward_roots=ROOT)
    return list(initial_loss.RULE.check(written.read()))


def test_a_first_loss_of_more_than_twice_that_of_guessing(tmp_path: Path) -> None:
    (finding,) = _initial(tmp_path / "high", 4.7)
    assert (finding.place.name, finding.step) == ("out", 0)
    assert finding.value == pytest.approx(4.7 / log(10))
    assert _initial(tmp_path / "twice", 4.6) == []
    # Two classes: it must be more than 1 above ln 2 too.
    assert _initial(tmp_path / "two", 1.6, classes=2) == []
    assert len(_initial(tmp_path / "above", 1.7, classes=2)) == 1
    assert len(_initial(tmp_path / "binary", 1.7, "binary_cross_entropy_with_logits", classes=1)) == 1


def test_a_first_loss_that_does_no_harm(tmp_path: Path) -> None:
    # Five times ln 10 are 11.51. A tenth of ln 10 is 0.2303.
    assert _initial(tmp_path / "falls", 11.4, last=0.23) == []
    assert len(_initial(tmp_path / "falls less", 11.4, last=0.231)) > 0
    assert len(_initial(tmp_path / "much too high", 11.6, last=0.23)) > 0


@pytest.mark.parametrize("is_pretrained", [True, False])
def test_a_network_that_was_trained_on_another_task(tmp_path: Path, is_pretrained: bool) -> None:
    base, head = nn.Linear(16, 16).requires_grad_(False), nn.Linear(16, 4)
    nn.init.normal_(head.weight, std=20.0)
    if is_pretrained:
        nn.init.normal_(base.weight, std=0.3)
    model = nn.Sequential(base, head)
    run = recorded(
        tmp_path,
        model,
        lambda _: train(model, 2, lambda _: nn.functional.cross_entropy(model(torch.randn(8, 16)), torch.arange(8) % 4)),
        check=False,
    )
    (finding, *_) = initial_loss.RULE.check(run)
    assert finding.severity == (Severity.INFORMATION if is_pretrained else Severity.SYMPTOM)


def test_first_losses_that_have_another_scale(tmp_path: Path) -> None:
    assert _initial(tmp_path / "sum", 50.0, reduction="sum") == []
    # ln 10 = 2.303: five times that is 11.51.
    assert _initial(tmp_path / "contrastive", 11.4, samples=10, classes=10) == []
    assert len(_initial(tmp_path / "contrastive, too high", 11.6, samples=10, classes=10)) == 1
    assert _initial(tmp_path / "weighted", 50.0, "binary_cross_entropy_with_logits", pos_weight="given") == []
    with pytest.raises(NotCheckedError, match="the loss functions that this rule checks were not used"):
        _initial(tmp_path / "regression", 50.0, "poisson_nll_loss")


def _negative(folder: Path, loss: float, function: str, target: Sequence[float], root: str = "loss") -> list[Finding]:
    written = RunByHand(folder, _tensors())
    values = {"out": np.zeros((2, 3)), "target": target, "loss": loss, "flipped": -loss}
    written.step(0, values, {"out": 0.1}, losses=(loss_call(function, "out"),), backward_roots=(TensorReference(root, 0),))
    return list(negative_loss.RULE.check(written.read()))


def test_a_negative_loss(tmp_path: Path) -> None:
    (finding,) = _negative(tmp_path / "binary", -0.5, "binary_cross_entropy", [0, 2])
    # The targets make it negative.
    assert ([place.name for place in finding.places], finding.value) == (["target", "loss", "out"], -0.5)
    assert "from 0 to 2" in finding.message
    (finding,) = _negative(tmp_path / "weights", -0.5, "binary_cross_entropy", [0, 1])
    assert [place.name for place in finding.places] == ["loss", "out"]
    # Logarithms that are none are the first argument.
    (finding,) = _negative(tmp_path / "nll", -0.5, "nll_loss", [0, 2])
    assert [place.name for place in finding.places] == ["out", "loss"]
    (finding,) = _negative(tmp_path / "divergence", -1.1e-4, "kl_div", [0.5, 0.5])
    assert [place.name for place in finding.places] == ["out", "loss"]
    assert "must be logarithms" in finding.message
    assert _negative(tmp_path / "rounded divergence", -0.9e-4, "kl_div", [0.5, 0.5]) == []
    assert _negative(tmp_path / "rounded", -5e-7, "cross_entropy", [0, 2]) == []
    assert _negative(tmp_path / "positive", 0.5, "cross_entropy", [0, 2]) == []


def test_a_flipped_sign(tmp_path: Path) -> None:
    (finding,) = _negative(tmp_path / "flipped", 0.5, "cross_entropy", [0, 2], root="flipped")
    assert (finding.place.name, finding.value) == ("flipped", -0.5)
    assert "maximizes" in finding.message


def _chosen(folder: Path, *, root: float = -1.5, chosen: Sequence[float] = (-1.0, -2.0), choose: str = "IndexBackward0") -> list[Finding]:
    """Values that were chosen from logarithms of probabilities, of which the mean is minimized."""
    tensors = [
        Given("log_softmax", operation="LogSoftmaxBackward0"),
        Given("chosen", operation=choose, parents=("log_softmax",)),
        Given("mean", "loss", operation="MeanBackward0", parents=("chosen",), batch=False),
    ]
    written = RunByHand(folder, tensors)
    values = {"log_softmax": [[-1.0, -3.0], [-0.5, -2.0]], "chosen": list(chosen), "mean": root}
    written.step(0, values, {"chosen": 0.1}, backward_roots=(TensorReference("mean", 0),))
    return list(negative_loss.RULE.check(written.read()))


def test_a_likelihood_without_its_minus_sign(tmp_path: Path) -> None:
    (finding,) = _chosen(tmp_path / "index")
    assert ([place.name for place in finding.places], finding.value) == (["log_softmax", "mean"], -1.5)
    assert "minus sign" in finding.message


@pytest.mark.parametrize(
    "case",
    [{"root": 1.5}, {"root": -3.0}, {"chosen": (-4.0, 1.0)}, {"chosen": (-4.0, 0.0), "root": -2.0}, {"choose": "MulBackward0"}],
    ids=["positive", "scaled", "not below 0", "others are in it", "a product"],
)
def test_what_is_no_likelihood_is_not(tmp_path: Path, case: dict[str, Any]) -> None:
    with pytest.raises(NotCheckedError):
        _chosen(tmp_path, **case)


def _evaluated(
    folder: Path, evaluation: Sequence[float], training: Sequence[float] = (1.0, 0.8, 0.6, 0.4, 0.2), *, new_batches: bool = False
) -> list[Finding]:
    written = RunByHand(folder, _tensors())
    call = loss_call("mse_loss", "out")
    for position in range(max(len(evaluation), len(training))):
        values = {"out": np.zeros((2, 3)), "target": [0.0, 1.0]}
        if position < len(training):
            step = {**values, "loss": training[position]}
            written.step(20 * position, step, {"out": 0.1}, losses=(call,), backward_roots=ROOT)
        if position < len(evaluation):
            target = [0.0, 1.0 + position * new_batches]
            written.step(20 * position + 10, {**values, "target": target, "loss": evaluation[position]}, losses=(call,))
    return list(overfitting.RULE.check(written.read()))


def _falls(folder: Path, losses: Sequence[float]) -> list[Finding]:
    """The loss is a small error less a term that is computed from what a layer makes."""
    given = [
        Given("model.head.weight", "parameter"),
        Given("model.tail.weight", "parameter"),
        Given("model.head: output", operation="AddmmBackward0", parents=("model.head.weight",)),
        Given("model.tail: output", operation="AddmmBackward0", parents=("model.head: output", "model.tail.weight")),
        Given("exp", operation="ExpBackward0", parents=("model.head: output",)),
        Given("sum", operation="SumBackward1", parents=("exp",), batch=False),
        Given("mse_loss", "loss", operation="MseLossBackward0", parents=("model.tail: output",), batch=False),
        Given("sub", "loss", operation="SubBackward0", parents=("mse_loss", "sum"), batch=False),
    ]
    written = RunByHand(folder, given)
    for step, loss in enumerate(losses):
        values: dict[str, Any] = {name: np.ones((2, 2)) for name in ("model.head.weight", "model.tail.weight", "model.tail: output")}
        values |= {"model.head: output": np.full((2, 2), 5.0), "exp": np.full((2, 2), -loss), "sum": -loss, "mse_loss": 0.5, "sub": loss}
        written.step(step, values, backward_roots=(TensorReference("sub", 0),))
    try:
        return list(negative_loss.RULE.check(written.read()))
    except NotCheckedError:
        return []


@pytest.mark.parametrize(
    ("losses", "limit"),
    [
        # The limit is -1,000 times 1, or times the first value.
        ([0.5, 0.2, -1, -10, -100, -1001], 1000),
        ([0.5, 0.2, -1, -10, -100, -999], None),
        ([-4, -5, -6, -10, -100, -4001], 4000),
        ([4, 2, -6, -10, -100, -3999], None),
        # It rises again, or is not recorded for long enough.
        ([0.5, 0.2, -1, -10, -2000, -1500], None),
        ([0.5, 0.2, -1, -10, -2000], None),
        # The last steps are no longer finite.
        ([0.5, 0.2, -1, -10, -100, -1001, np.nan, -np.inf], 1000),
    ],
)
def test_a_loss_that_falls_without_end(tmp_path: Path, losses: list[float], limit: float | None) -> None:
    findings = _falls(tmp_path, losses)
    assert [finding.limit for finding in findings] == ([] if limit is None else [limit])
    for finding in findings:
        # Along `sum` and `exp`, which are larger than the error.
        assert [place.name for place in finding.places] == ["model.head: output", "sub"]
        assert f"from {losses[0]:.3g} to {losses[5]:.3g} at step 5" in finding.message


def test_evaluation_that_gets_worse(tmp_path: Path) -> None:
    (finding,) = _evaluated(tmp_path / "worse", [1.0, 0.5, 0.7, 0.65, 0.75])
    assert (finding.step, finding.limit) == (30, 1.2)
    assert finding.value == pytest.approx(0.7 / 0.5)
    assert _evaluated(tmp_path / "little", [1.0, 0.5, 0.7, 0.59, 0.75]) == []
    assert _evaluated(tmp_path / "late", [1.0, 0.9, 0.5, 0.7, 0.75]) == []


def test_evaluation_gets_worse_only_together_with_a_gap(tmp_path: Path) -> None:
    assert _evaluated(tmp_path / "no gap", [1.0, 0.5, 0.7, 0.7, 0.7], training=(1.0, 0.8, 0.7, 0.5, 0.5)) == []
    assert _evaluated(tmp_path / "rises", [1.0, 0.5, 0.7, 0.7, 0.7], training=(0.1, 0.1, 0.1, 0.2, 0.2)) == []


def test_evaluations_of_other_batches_need_a_larger_rise(tmp_path: Path) -> None:
    assert _evaluated(tmp_path / "noise", [1.0, 0.5, 0.7, 0.7, 0.7], new_batches=True) == []
    (finding,) = _evaluated(tmp_path / "rise", [1.0, 0.5, 0.8, 0.8, 0.8], new_batches=True)
    assert finding.limit == 1.5


def test_a_watched_script_that_overfits_is_found_by_the_losses_that_it_computes_itself(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Linear(20, 3)
    seen, unseen, labels = torch.randn(12, 20), torch.randn(60, 20), torch.randint(0, 3, (60,))
    validation = []

    def evaluate(_: int) -> None:
        model.eval()
        with torch.no_grad():
            validation.append(nn.functional.cross_entropy(model(unseen), labels).item())
        model.train()

    def script(_: ComgraRecorder) -> None:
        adam = torch.optim.Adam(model.parameters(), 0.1)
        train(model, 60, lambda _: nn.functional.cross_entropy(model(seen), labels[:12]), optimizer=adam, evaluate=evaluate)

    (finding,) = overfitting.RULE.check(recorded(tmp_path, model, script))
    assert finding.value == pytest.approx(float(np.mean(validation[-3:])) / min(validation), rel=1e-4)
    assert finding.places[0].name == "cross_entropy"


def test_too_few_evaluations(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="in 4 evaluations"):
        _evaluated(tmp_path, [1.0, 0.5, 0.7, 0.7])

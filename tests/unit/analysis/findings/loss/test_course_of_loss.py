"""The rules about a loss that does not fall, that rises, and that is no better than that of a constant prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.rules.loss import diverging_loss, loss_does_not_fall, oscillating_loss, predictions_ignore_input
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call

FALL, DIVERGE, IGNORE = loss_does_not_fall.RULE, diverging_loss.RULE, predictions_ignore_input.RULE
CLASSES = [0, 1, 2, 2]
ENTROPY = 0.5 * log(2) + 0.5 * log(4)


def _check(
    rule: Rule,
    folder: Path,
    losses: Sequence[float],
    function: str = "cross_entropy",
    target: object = CLASSES,
    every: int = 50,
    root: str = "loss",
    curve: Sequence[float] = (),
    classes: int = 3,
    reduction: str = "mean",
    weight: str | None = None,
    steps: Sequence[int] = (),
    **options: float,
) -> list[Finding]:
    is_class = function == "cross_entropy"
    tensors = [
        Given("out"),
        Given("target", "target", dtype="I16" if is_class else "F32", histogram=True),
        Given("loss", "loss", parents=("out", "target"), batch=False),
        Given("scaled", operation="MulBackward0", parents=("loss",), batch=False),
        Given("sum", operation="AddBackward0", parents=("loss", "scaled"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    out = np.zeros((4, classes))
    for position, loss in enumerate(losses):
        values = {"out": out, "target": target, "loss": loss, "scaled": 2 * loss, "sum": 3 * loss}
        call = loss_call(function, "out", "target", "loss", reduction=reduction, weight=weight, **options)
        written.step(
            steps[position] if steps else every * position, values, {"out": 0.1}, losses=(call,), backward_roots=(TensorReference(root, 0),)
        )
    if curve:
        written.curve("train", dict(enumerate(curve)))
    return list(rule.check(written.read()))


def test_a_loss_that_stays_at_the_start(tmp_path: Path) -> None:
    (finding,) = _check(FALL, tmp_path / "stays", [1.0, 1.0, 1.0, 0.98, 0.98])
    assert finding.place.name == "loss"
    assert finding.value == pytest.approx(0.98)
    assert _check(FALL, tmp_path / "falls", [1.0, 1.0, 1.0, 0.96, 0.96]) == []
    assert _check(FALL, tmp_path / "dip", [1.0, 1.0, 0.8, 0.8, 1.2, 1.0, 1.0, 1.0, 0.8, 1.1, 1.1]) == []
    assert _check(FALL, tmp_path / "rises", [1.0, 1.0, 1.6, 1.6, 1.6]) == []
    assert len(_check(FALL, tmp_path / "scaled", [1.0] * 5, root="scaled")) == 1


@pytest.mark.parametrize(("lowest", "since"), [(0.89, 400), (0.91, 0)])
def test_predictions_ignore_the_input_since_the_loss_was_last_below_that_of_a_constant(tmp_path: Path, lowest: float, since: int) -> None:
    """Five steps with the loss of a constant, of which one has 0.89 times that, have a mean of 0.978; with 0.91, it is 0.982."""
    losses = [ENTROPY * share for share in (1.0, 1.0, 1.0, lowest, *[1.0] * 12)]
    (finding,) = _check(IGNORE, tmp_path, losses)
    # The last five with the low step are those of steps 150 to 350.
    assert finding.step == since


def test_the_end_is_that_of_the_training_although_most_recorded_steps_are_early(tmp_path: Path) -> None:
    """The loss rises in step 50, and the last two fifths begin after step 60."""
    losses, steps = [*[1.0] * 8, 3.0, 3.0, 3.0], [0, 1, 2, 3, 4, 5, 6, 40, 50, 75, 100]
    (finding,) = _check(DIVERGE, tmp_path / "rises", losses, steps=steps)
    assert finding.step == 50
    assert _check(DIVERGE, tmp_path / "late", losses, steps=[*steps[:7], 61, 62, 75, 100]) == []


def test_a_loss_that_was_low_from_the_start_need_not_fall(tmp_path: Path) -> None:
    assert _check(FALL, tmp_path / "fine", [0.49 * ENTROPY] * 5) == []
    assert len(_check(FALL, tmp_path / "high", [0.51 * ENTROPY] * 5)) == 1


def test_a_loss_whose_targets_are_all_of_one_class_is_not_judged(tmp_path: Path) -> None:
    """As that of contrastive learning with a queue of other samples, which rises while the queue is filled."""
    with pytest.raises(NotCheckedError, match="all targets are of one class"):
        _check(FALL, tmp_path / "first", [1.0] * 5, target=[0, 0, 0, 0])
    assert len(_check(FALL, tmp_path / "two", [1.0] * 5, target=[0, 0, 0, 1])) == 1


def test_targets_that_are_ignored_are_no_class(tmp_path: Path) -> None:
    """Two classes remain of three, so a constant prediction has a loss of ln 2 = 0.69, and not of 1.04."""
    targets = [0, 0, 1, 2]
    assert len(_check(IGNORE, tmp_path / "ignored", [0.7] * 5, target=targets, ignore_index=0)) == 1
    assert _check(IGNORE, tmp_path / "lower", [0.67] * 5, target=targets, ignore_index=0) == []
    assert _check(IGNORE, tmp_path / "counted", [0.7] * 5, target=targets, ignore_index=-100) == []


@pytest.mark.parametrize(("every", "is_known"), [(37, False), (38, True)])
def test_a_short_run_may_not_have_learned_yet(tmp_path: Path, every: int, is_known: bool) -> None:
    # Between the first and the last of 5 steps lie 148 or 152.
    if is_known:
        assert len(_check(IGNORE, tmp_path, [ENTROPY] * 5, every=every)) == 1
    else:
        with pytest.raises(NotCheckedError, match=r"lie within .* steps, and it needs 150"):
            _check(IGNORE, tmp_path, [ENTROPY] * 5, every=every)


def test_what_else_is_minimized_is_not_judged(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="not the result of a loss function alone"):
        _check(FALL, tmp_path / "sum", [1.0] * 5, root="sum")
    with pytest.raises(NotCheckedError, match="only 4 training steps were recorded"):
        _check(FALL, tmp_path / "few", [1.0] * 4)
    with pytest.raises(NotCheckedError, match=r"lie within .* steps, and it needs 100") as short:
        _check(FALL, tmp_path / "short", [1.0] * 5, every=20)
    # Recording more of the steps would not help.
    assert short.value.how_to_record == "Train for more steps."


def test_a_loss_that_rises(tmp_path: Path) -> None:
    (finding,) = _check(DIVERGE, tmp_path / "rises", [1.2, 1.0, 1.0, 2.0, 2.0])
    assert finding.step == 150
    assert finding.value == pytest.approx(2.0 / 1.2)
    assert _check(DIVERGE, tmp_path / "little", [1.2, 1.0, 1.0, 1.7, 1.7]) == []
    assert _check(DIVERGE, tmp_path / "once", [1.2, 1.0, 1.0, 1.0, 3.0]) == []
    # A network that was better than a constant prediction, and still is no worse than one and a half times that.
    assert _check(DIVERGE, tmp_path / "low", [0.1, 0.2, 0.2, 1.5 * ENTROPY - 0.01, 1.5 * ENTROPY - 0.01]) == []
    assert len(_check(DIVERGE, tmp_path / "worse", [0.1, 0.2, 0.2, 1.5 * ENTROPY + 0.01, 1.5 * ENTROPY + 0.01])) == 1


@pytest.mark.parametrize(
    ("function", "target", "constant"),
    [
        ("cross_entropy", CLASSES, ENTROPY),
        ("mse_loss", [0.0, 0.0, 4.0, 4.0], 4.0),
        ("binary_cross_entropy", [0.0, 0.0, 0.0, 1.0], -0.25 * log(0.25) - 0.75 * log(0.75)),
    ],
)
def test_a_loss_that_a_constant_prediction_has(tmp_path: Path, function: str, target: object, constant: float) -> None:
    (finding,) = _check(IGNORE, tmp_path / "same", [2.0, 1.0, 1.0, 0.99 * constant, 0.99 * constant], function, target)
    assert finding.value == pytest.approx(0.99, rel=1e-5)
    # It is about the predictions.
    assert [(place.kind, place.name) for place in finding.places] == [("tensor", "out"), ("loss", "loss")]
    assert _check(IGNORE, tmp_path / "better", [2.0, 1.0, 1.0, 0.97 * constant, 0.97 * constant], function, target) == []


@pytest.mark.parametrize(
    ("function", "target", "options"),
    [
        ("cross_entropy", CLASSES, {"reduction": "sum"}),
        ("cross_entropy", CLASSES, {"weight": "given"}),
        ("binary_cross_entropy_with_logits", [0.0, 1.0, 0.0, 1.0], {}),
        ("l1_loss", [0.0, 1.0, 0.0, 1.0], {}),
    ],
)
def test_no_constant_prediction_is_known_with_weights_or_sums(
    tmp_path: Path, function: str, target: object, options: dict[str, str]
) -> None:
    with pytest.raises(NotCheckedError, match="not known what the loss"):
        _check(IGNORE, tmp_path, [1.0] * 5, function, target, reduction=options.get("reduction", "mean"), weight=options.get("weight"))


def test_classes_that_share_a_bin_count_as_likely_as_each_other(tmp_path: Path) -> None:
    # Classes 8 and 9 are in one bin, which has half of the targets: at most ln 2 + 0.5 ln 2 + 0.
    limit = log(2) + 0.5 * log(2)
    assert _check(IGNORE, tmp_path / "below", [2.0, 1.0, 1.0, 0.97 * limit, 0.97 * limit], target=[1, 1, 8, 8], classes=10) == []
    assert len(_check(IGNORE, tmp_path / "above", [2.0, 1.0, 1.0, 0.99 * limit, 0.99 * limit], target=[1, 1, 8, 8], classes=10)) == 1


def test_a_loss_that_goes_up_and_down(tmp_path: Path) -> None:
    rule = oscillating_loss.RULE
    with pytest.raises(NotCheckedError, match="at 5 points"):
        _check(rule, tmp_path / "few", [1.0] * 5)
    swing = ([1.0] * 10 + [1.3] * 10) * 10
    (finding,) = _check(rule, tmp_path / "swing", [1.0] * 5, curve=swing)
    assert finding.value == pytest.approx(0.3 / 1.15, rel=1e-3)
    assert _check(rule, tmp_path / "small", [1.0] * 5, curve=([1.0] * 10 + [1.1] * 10) * 10) == []
    assert _check(rule, tmp_path / "noise", [1.0] * 5, curve=[0.5, 1.5] * 100) == []
    assert _check(rule, tmp_path / "low", [1.0] * 5, curve=[6.0] * 10 + swing) == []
    assert _check(rule, tmp_path / "rising", [1.0] * 5, curve=[1.3**block for block in range(20) for _ in range(10)]) == []


def _contrastive(folder: Path, losses: Sequence[float], samples: int = 8, extra: str = "loss b") -> list[Finding]:
    """The mean of two losses in which each of some samples is a class."""
    tensors = [
        Given("similar"),
        Given("target", "target", dtype="I16"),
        Given("loss a", "loss", operation="NllLossBackward0", parents=("similar", "target"), batch=False),
        Given("loss b", "loss", operation="NllLossBackward0", parents=("similar", "target"), batch=False),
        Given("penalty", operation="NormBackward0", parents=("similar",), batch=False),
        Given("sum", operation="AddBackward0", parents=("loss a", extra), batch=False),
        Given("mean", "loss", operation="DivBackward0", parents=("sum",), batch=False),
    ]
    written = RunByHand(folder, tensors)
    calls = tuple(loss_call("cross_entropy", "similar", result=f"loss {name}", reduction="mean") for name in "ab")
    for position, loss in enumerate(losses):
        values = {"similar": np.eye(samples), "target": np.arange(samples), "penalty": 1.0, "sum": 2 * loss, "mean": loss}
        values |= {"loss a": loss, "loss b": loss}
        written.step(50 * position, values, {"similar": 0.1}, losses=calls, backward_roots=(TensorReference("mean", 0),))
    return list(FALL.check(written.read()))


def test_a_contrastive_loss_that_stays_at_the_start(tmp_path: Path) -> None:
    (finding,) = _contrastive(tmp_path / "stays", [2.0, 2.0, 2.0, 1.96, 1.96])
    assert finding.value == pytest.approx(0.98)
    assert _contrastive(tmp_path / "falls", [2.0, 2.0, 2.0, 1.92, 1.92]) == []
    # Half of ln 8 is 1.04.
    assert _contrastive(tmp_path / "low", [1.03] * 5) == []


def test_a_contrastive_loss_beside_something_else_is_not_judged(tmp_path: Path) -> None:
    for folder, case in (("penalty", {"extra": "penalty"}), ("few", {"samples": 7})):
        with pytest.raises(NotCheckedError):
            _contrastive(tmp_path / folder, [2.0] * 5, **case)


@pytest.mark.parametrize(
    ("is_recorded", "reason"),
    [(False, "the targets are not recorded; `register_tensor`"), (True, "the targets are computed from other recorded tensors; ")],
)
def test_targets_that_are_not_known_and_those_that_are_computed_are_told_apart(tmp_path: Path, is_recorded: bool, reason: str) -> None:
    targets = [Given("target", "target", parents=("out",))] if is_recorded else []
    written = RunByHand(tmp_path, [Given("out"), *targets, Given("loss", "loss", parents=("out",), batch=False)])
    call = loss_call("mse_loss", "out", reduction="mean")
    values = {"out": np.ones((4, 3)), "loss": 1.0} | ({"target": np.ones((4, 3))} if is_recorded else {})
    for step in range(5):
        losses = (call if is_recorded else replace(call, target=None),)
        written.step(step, values, {"out": 0.1}, losses=losses, backward_roots=(TensorReference("loss", 0),))
    with pytest.raises(NotCheckedError, match=reason):
        list(FALL.check(written.read()))

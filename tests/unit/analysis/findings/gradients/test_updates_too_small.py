"""The rule `updates-too-small`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.updates_too_small import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

NAMES = [f"model.{number}.weight" for number in range(5)]


def _run(
    tmp_path: Path, *ratios: float, first_loss: float = 1.0, last_loss: float | None = 1.0, drift: float = 0.0, is_held: bool = False
) -> Run:
    """Five weights with the norm 2, which grows by `drift` from step to step."""
    optimized = NAMES if is_held else None
    written = RunByHand(tmp_path, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")], optimized=optimized)
    for step in range(10):
        norm = 2.0 + drift * step
        updates = {name: (norm, norm * ratio) for name, ratio in zip(NAMES, ratios, strict=True)}
        loss = {} if last_loss is None else {"loss": first_loss if step < 8 else last_loss}
        written.step(step, {**{name: np.ones((2, 2)) for name in NAMES}, **loss}, dict.fromkeys(NAMES, 0.1), updates=updates)
    return written.read()


def test_tiny_updates_with_a_loss_that_stays_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.9e-5, 0.9e-5, 0.9e-5, 0.0, 1e-3))
    assert finding.place.kind == "optimizer"
    assert NAMES[4] not in [place.name for place in finding.places]


def test_larger_ones_are_not(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, *[1.1e-5] * 5))) == []
    assert list(RULE.check(_run(tmp_path / "few", 1e-6, 1e-6, 1e-6, 1e-3, 1e-3))) == []


def test_a_loss_that_falls_is_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, *[1e-6] * 5, last_loss=0.97))) == []


def test_weights_that_move_between_the_recorded_steps_are_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, *[0.0] * 5, drift=0.01))) == []


@pytest.mark.parametrize(("ratio", "is_held", "is_named"), [(0.0, True, True), (1e-9, True, False), (0.0, False, False)])
def test_weights_that_never_change_need_no_positive_loss(tmp_path: Path, ratio: float, is_held: bool, is_named: bool) -> None:
    """As a product of many probabilities, whose gradient vanishes. Without an optimizer, they may be meant to stay."""
    findings = list(RULE.check(_run(tmp_path, *[ratio] * 5, first_loss=-1e-20, last_loss=-1e-20, is_held=is_held)))
    assert [finding.value for finding in findings] == ([0.0] if is_named else [])


def test_it_needs_the_loss(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="loss"):
        list(RULE.check(_run(tmp_path, *[1e-6] * 5, last_loss=None)))


def _ends(folder: Path, last_change: int, *, ratio: float = 5e-8, last_loss: float = 0.2) -> Run:
    """Five weights that change up to a step, of eleven: from then on, by less than float32 can hold."""
    written = RunByHand(folder, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")])
    for step in range(11):
        norm = 2.0 + 0.1 * min(step, last_change + 1)
        changed = 0.1 if step <= last_change else norm * ratio
        values = {**{name: np.ones((2, 2)) for name in NAMES}, "loss": 1.0 if step == 0 else last_loss}
        written.step(step, values, dict.fromkeys(NAMES, 0.1), updates=dict.fromkeys(NAMES, (norm, changed)))
    return written.read()


def test_training_that_ends_early_is_named_with_the_step(tmp_path: Path) -> None:
    (finding,) = RULE.check(_ends(tmp_path, 3))
    assert (finding.place.kind, finding.step) == ("optimizer", 4)
    assert "from step 4 on, of 10 steps" in finding.message
    # What was measured, and not the limit.
    assert finding.value == pytest.approx(5e-8)
    assert finding.limit == 2.0**-24


@pytest.mark.parametrize(
    ("last_change", "ratio", "last_loss"),
    [(4, 5e-8, 0.2), (3, 7e-8, 0.2), (3, 5e-8, 0.09)],
    ids=["late", "float32 can hold it", "the loss has converged"],
)
def test_training_that_ends_for_a_reason_is_not(tmp_path: Path, last_change: int, ratio: float, last_loss: float) -> None:
    assert list(RULE.check(_ends(tmp_path, last_change, ratio=ratio, last_loss=last_loss))) == []


def _way(folder: Path, ratio: float, *, last_loss: float = 0.9, last_step: int = 100, gradient: float = 0.1) -> Run:
    """Five weights that change by a share of their size in each step, of which every tenth is recorded."""
    written = RunByHand(folder, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")])
    for step in range(0, last_step + 1, 10):
        values = {**{name: np.ones((2, 2)) for name in NAMES}, "loss": 1.0 if step == 0 else last_loss}
        written.step(step, values, dict.fromkeys(NAMES, gradient), updates=dict.fromkeys(NAMES, (2.0, 2.0 * ratio)))
    return written.read()


def test_steps_that_together_change_weights_by_little_are_named(tmp_path: Path) -> None:
    # 100 steps of 2.9e-4 add up to 0.029, and those of 3.1e-4 to 0.031.
    (finding,) = RULE.check(_way(tmp_path / "short", 2.9e-4))
    assert finding.value == pytest.approx(0.029)
    assert finding.limit == 0.03
    assert list(RULE.check(_way(tmp_path / "long", 3.1e-4))) == []
    assert list(RULE.check(_way(tmp_path / "learns", 2.9e-4, last_loss=0.49))) == []
    assert list(RULE.check(_way(tmp_path / "few steps", 2.9e-4, last_step=90))) == []


def test_weights_without_a_gradient_are_left_to_other_rules(tmp_path: Path) -> None:
    assert len(list(RULE.check(_way(tmp_path / "some", 0.0, last_loss=1.0)))) == 1
    with pytest.raises(NotCheckedError, match="no updates"):
        list(RULE.check(_way(tmp_path / "none", 0.0, last_loss=1.0, gradient=0.0)))


def _schedule(folder: Path, low: float, since: int, *, last_loss: float = 0.5) -> Run:
    """Eleven steps, with a learning rate of 1 before a step and a low one from then on."""
    written = RunByHand(folder, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")], optimized=NAMES)
    for step in range(11):
        values = {**{name: np.ones((2, 2)) for name in NAMES}, "loss": 1.0 if step == 0 else last_loss}
        # Its largest value is not the first.
        rates = ((0.1 if step == 0 else 1.0 if step < since else low,),)
        written.step(step, values, dict.fromkeys(NAMES, 0.1), updates=dict.fromkeys(NAMES, (2.0, 0.1)), learning_rates=rates)
    return written.read()


def test_a_learning_rate_that_falls_too_soon_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_schedule(tmp_path, 0.9e-3, 4))
    assert finding.step == 4
    assert finding.value == pytest.approx(0.9e-3)
    assert "in step 4 of 10" in finding.message


@pytest.mark.parametrize(
    ("low", "since", "last_loss"), [(1.1e-3, 4, 0.5), (0.9e-3, 5, 0.5), (0.9e-3, 4, 0.09)], ids=["higher", "late", "converged"]
)
def test_a_schedule_that_ends_with_training_is_not(tmp_path: Path, low: float, since: int, last_loss: float) -> None:
    assert list(RULE.check(_schedule(tmp_path, low, since, last_loss=last_loss))) == []


@pytest.mark.parametrize(
    ("dtype", "ratio", "is_lost"), [("BF16", 0.0019, True), ("BF16", 0.002, False), ("F16", 0.00024, True), ("F16", 0.00025, False)]
)
def test_updates_that_half_precision_rounds_away_are_named(tmp_path: Path, dtype: str, ratio: float, is_lost: bool) -> None:
    # The distances are 2^-8 and 2^-11 of a number, whose halves are 0.00195 and 0.000244.
    names = [*NAMES, "model.norm.weight"]
    written = RunByHand(tmp_path, [*(Given(name, "parameter", dtype=dtype) for name in names), Given("loss", "loss")])
    for step in range(6):
        values = {**{name: np.ones((2, 2)) for name in NAMES}, names[-1]: np.ones(4), "loss": 0.7}
        updates = {**dict.fromkeys(NAMES, (2.0, 2.0 * ratio)), names[-1]: (2.0, 0.0)}
        written.step(step, values, dict.fromkeys(names, 0.1), updates=updates)
    findings = list(RULE.check(written.read()))
    # What never changes at all comes first.
    assert [finding.place.name for finding in findings] == ["model.norm.weight"] * is_lost
    assert [finding.limit for finding in findings] == ([2.0 ** (-9 if dtype == "BF16" else -12)] if is_lost else [])


def _warm_up(folder: Path, steps_without: int, *, every: int = 3, changed: float = 0.0) -> Run:
    """Twelve recorded steps, the first of them with a learning rate of 0."""
    written = RunByHand(folder, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")], optimized=NAMES)
    for position in range(12):
        rate = 0.0 if position < steps_without else 1.0
        values = {**{name: np.ones((2, 2)) for name in NAMES}, "loss": 1.0 - 0.05 * position}
        updates = dict.fromkeys(NAMES, (2.0 + 0.1 * position, 0.1 if rate else changed))
        written.step(every * position, values, dict.fromkeys(NAMES, 0.1), updates=updates, learning_rates=((rate,),))
    return written.read()


def test_a_learning_rate_of_zero_in_many_steps_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_warm_up(tmp_path, 5))
    # The last of the five is step 12, and the next step 15.
    assert (finding.step, finding.value) == (0, 12)
    assert "from step 0 to step 12" in finding.message
    assert "is 1 in step 15" in finding.message


@pytest.mark.parametrize(
    ("steps_without", "every", "changed"), [(1, 3, 0.0), (4, 3, 0.0), (5, 2, 0.0), (5, 3, 0.1)], ids=["one", "four", "close", "moves"]
)
def test_a_warm_up_that_begins_at_zero_is_not(tmp_path: Path, steps_without: int, every: int, changed: float) -> None:
    assert list(RULE.check(_warm_up(tmp_path, steps_without, every=every, changed=changed))) == []


def _set_back(folder: Path, moved: float, *, weights: int = 5, last_loss: float = 0.5) -> Run:
    """Eleven steps with updates of a root mean square of 0.1, of which the maximum keeps a part. A weight may move more."""
    written = RunByHand(folder, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")], optimized=NAMES)
    for position in range(11):
        step = 2 * position
        values: dict[str, object] = {"loss": 1.0 if position == 0 else last_loss}
        for number, name in enumerate(NAMES):
            largest = 1 + 0.1 * step * (moved if number < weights else 1.0)
            values[name] = [[0.0, largest], [0.5, 0.5]]
        # 0.2 / sqrt(4 values) = 0.1.
        written.step(step, values, dict.fromkeys(NAMES, 0.1), updates=dict.fromkeys(NAMES, (2.0, 0.2)))
    return written.read()


def test_weights_that_something_sets_back_after_each_step_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_set_back(tmp_path, 0.09, weights=4))
    # Not the optimizer sets them back.
    assert ([place.kind for place in finding.places], finding.step) == ([*["parameter"] * 4, "optimizer"], 0)
    assert finding.value == pytest.approx(0.09, rel=1e-3)
    assert "change 4 of 5 weights" in finding.message


@pytest.mark.parametrize(
    ("moved", "weights", "last_loss"), [(0.11, 5, 0.5), (0.09, 3, 0.5), (0.09, 5, 0.09)], ids=["further", "few weights", "converged"]
)
def test_weights_that_move_as_updates_say_are_not(tmp_path: Path, moved: float, weights: int, last_loss: float) -> None:
    assert list(RULE.check(_set_back(tmp_path, moved, weights=weights, last_loss=last_loss))) == []

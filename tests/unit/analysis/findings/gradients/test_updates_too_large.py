"""The rule `updates-too-large`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.updates_too_large import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(
    tmp_path: Path,
    ratios: Sequence[Sequence[float]],
    norm: float = 2.0,
    shape: tuple[int, ...] = (2, 2),
    last_loss: float = 1.0,
    first: float = 2.0,
    second_loss: float | None = None,
) -> Run:
    """Weights with a norm: a row of ratios for each, a column for each step. The first loss is 1."""
    names = [f"model.{number}.weight" for number in range(len(ratios))]
    written = RunByHand(tmp_path, [*(Given(name, "parameter") for name in names), Given("loss", "loss")], optimized=names)
    losses = {0: 1.0} if second_loss is None else {0: 1.0, 1: second_loss}
    for step, column in enumerate(zip(*ratios, strict=True)):
        updates = {name: (norm if step else min(norm, first), norm * ratio) for name, ratio in zip(names, column, strict=True)}
        values = {**{name: np.ones(shape) for name in names}, "loss": losses.get(step, last_loss)}
        written.step(step, values, dict.fromkeys(names, 0.1), updates=updates)
    return written.read()


def test_large_updates_of_half_of_the_weights_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [[0.11] * 8, [0.105] * 8, [0.01] * 8, [0.01] * 8]))
    assert [place.name for place in finding.places] == ["model.0.weight", "model.1.weight", "SGD"]
    assert finding.value == pytest.approx(0.11)
    assert "The learning rate is 0.1." in finding.message


def test_the_optimizer_comes_first_if_no_weight_differs(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [[0.105] * 8, [0.11] * 8]))
    assert [place.name for place in finding.places] == ["SGD", "model.1.weight", "model.0.weight"]


def test_smaller_ones_and_those_of_fewer_weights_are_not(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "small", [[0.09] * 8, [0.09] * 8]))) == []
    assert list(RULE.check(_run(tmp_path / "few", [[0.2] * 8, [0.01] * 8, [0.01] * 8]))) == []
    # One of two is half of them, and shows little.
    assert list(RULE.check(_run(tmp_path / "one of two", [[0.2] * 8, [0.01] * 8]))) == []


@pytest.mark.parametrize(
    ("ratio", "last_loss", "weights", "count"),
    [(0.6, 1.0, 3, 1), (0.49, 1.0, 3, 0), (0.6, 0.9, 3, 0), (0.6, 1.0, 2, 0)],
    ids=["large", "smaller", "the loss falls", "two weights"],
)
def test_a_later_step_counts_if_the_loss_does_not_come_down_again(
    tmp_path: Path, ratio: float, last_loss: float, weights: int, count: int
) -> None:
    """Step 20 of 40 is far behind the first 12. The loss is 1 up to it."""
    names = [f"model.{number}.weight" for number in range(weights)]
    written = RunByHand(tmp_path, [*(Given(name, "parameter") for name in names), Given("loss", "loss")], optimized=names)
    for step in range(40):
        values = {**{name: np.ones((2, 2)) for name in names}, "loss": 1.0 if step <= 20 else last_loss}
        written.step(step, values, dict.fromkeys(names, 0.1), updates=dict.fromkeys(names, (2.0, 2 * (ratio if step == 20 else 0.01))))
    findings = list(RULE.check(written.read()))
    assert [finding.step for finding in findings] == [20] * count
    assert all("one step, after which the loss does not come down again" in finding.message for finding in findings)


@pytest.mark.parametrize(("gradient", "count"), [(40.0, 1), (60.0, 0)])
def test_gradients_that_explode_before_the_first_update_are_to_blame(tmp_path: Path, gradient: float, count: int) -> None:
    """The norm of four values of 60 is 120, above 100, and 60 times that of the weight. The learning rate is 0.1."""
    names = [f"model.{number}.weight" for number in range(3)]
    written = RunByHand(tmp_path, [*(Given(name, "parameter") for name in names), Given("loss", "loss")], optimized=names)
    for step in range(8):
        values = {**{name: np.ones((2, 2)) for name in names}, "loss": 1.0}
        updates = dict.fromkeys(names, (2.0, 2 * (0.6 if step < 2 else 0.01)))
        written.step(step, values, dict.fromkeys(names, 0.0 if step > 2 else gradient), updates=updates)
    assert len(list(RULE.check(written.read()))) == count


def test_one_of_the_first_steps_has_a_limit_of_its_own(tmp_path: Path) -> None:
    calm = [0.01] * 11
    (finding,) = RULE.check(_run(tmp_path / "first", [[*calm, 0.6, 0.01]] * 3))
    assert finding.step == 11
    assert list(RULE.check(_run(tmp_path / "smaller", [[*calm, 0.4, 0.01]] * 3))) == []
    assert list(RULE.check(_run(tmp_path / "two weights", [[*calm, 0.6, 0.01]] * 2))) == []
    assert list(RULE.check(_run(tmp_path / "later", [[*calm, 0.01, 0.6]] * 3))) == []


def test_weights_that_begin_at_zero_may_grow_fast(tmp_path: Path) -> None:
    ratios = [[0.9, 0.6, *[0.01] * 10]] * 4
    assert list(RULE.check(_run(tmp_path / "zero", ratios, first=0.0))) == []
    assert len(list(RULE.check(_run(tmp_path / "not zero", ratios)))) == 1


def test_large_first_steps_after_which_the_loss_falls_to_a_tenth_do_no_harm(tmp_path: Path) -> None:
    steps = [[0.6, *[0.01] * 12]] * 3
    assert list(RULE.check(_run(tmp_path / "falls", steps, last_loss=0.09))) == []
    assert list(RULE.check(_run(tmp_path / "rises first", steps, last_loss=0.09, second_loss=1.5))) == []
    assert len(list(RULE.check(_run(tmp_path / "falls less", steps, last_loss=0.11, second_loss=1.5)))) == 1
    assert len(list(RULE.check(_run(tmp_path / "always", [[0.11] * 8] * 2, last_loss=0.09)))) == 1


@pytest.mark.parametrize(("second_loss", "last_loss", "count"), [(1.09, 0.89, 0), (1.09, 0.91, 1), (1.11, 0.89, 1)])
def test_large_first_steps_that_do_not_raise_the_loss_do_no_harm_if_it_falls(
    tmp_path: Path, second_loss: float, last_loss: float, count: int
) -> None:
    """As Adagrad begins: by about the learning rate, and less with every step."""
    ratios = [[1 / np.sqrt(step + 1) if step < 2 else 0.05 for step in range(13)]] * 3
    assert len(list(RULE.check(_run(tmp_path, ratios, last_loss=last_loss, second_loss=second_loss)))) == count


def test_weights_that_are_zero_and_biases_do_not_count(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "zero", [[100.0] * 8] * 2, norm=1e-6))) == []
    with pytest.raises(NotCheckedError, match="fewer than two weights"):
        list(RULE.check(_run(tmp_path / "biases", [[0.5] * 8] * 2, shape=(2,))))


@pytest.mark.parametrize(
    ("rates", "options", "last_loss", "severity"),
    [
        (np.linspace(0.01, 0.5, 10), {"initial_lr": 0.1}, 1.0, Severity.SYMPTOM),
        (np.linspace(0.01, 0.5, 10), {"initial_lr": 0.1}, 0.49, Severity.SYMPTOM),
        (np.linspace(0.01, 0.5, 10), {"initial_lr": 0.1}, 0.09, None),
        (np.linspace(0.01, 0.49, 10), {"initial_lr": 0.1}, 1.0, None),
        (np.linspace(0.01, 0.5, 10), {"initial_lr": 0.1, "max_lr": 0.5}, 1.0, None),
        # CyclicLR keeps `max_lr` in itself.
        (np.linspace(0.01, 0.5, 10), {"initial_lr": 0.1, "max_momentum": 0.9}, 1.0, None),
        (np.linspace(0.01, 0.5, 10), {}, 1.0, None),
        # The rate is multiplied in each step, to find out how large it may be.
        (np.geomspace(0.01, 0.5, 10), {"initial_lr": 0.1}, 1.0, None),
        ([*np.linspace(0.01, 0.5, 9), 0.5], {"initial_lr": 0.1}, 1.0, None),
    ],
    ids=["endless", "falls", "converges", "lower", "one cycle", "cycles", "no schedule", "by factors", "ends"],
)
def test_a_rate_that_rises_to_the_end_is_named(
    tmp_path: Path, rates: list[float], options: dict[str, float], last_loss: float, severity: Severity | None
) -> None:
    names = ["model.a.weight", "model.b.weight"]
    tensors = [*(Given(name, "parameter") for name in names), Given("loss", "loss", batch=False)]
    written = RunByHand(tmp_path, tensors, optimized=names, options=options)
    for step, rate in enumerate(rates):
        values = {name: np.ones((2, 2)) for name in names} | {"loss": 1.0 if step < 8 else last_loss}
        updates = dict.fromkeys(names, (2.0, 0.02))
        written.step(step, values, dict.fromkeys(names, 0.1), updates=updates, learning_rates=((float(rate),),))
    findings = list(RULE.check(written.read()))
    assert [(finding.place.kind, finding.severity) for finding in findings] == ([] if severity is None else [("optimizer", severity)])
    assert [finding.value for finding in findings] == pytest.approx([5.0] * len(findings))

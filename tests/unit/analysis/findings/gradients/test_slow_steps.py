"""The rule `updates-too-small` for an epsilon, a warm-up and gradients that make steps small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.gradients.updates_too_small import RULE
from support.analysis.runs import Given, RunByHand

NAMES = [f"model.{number}.weight" for number in range(3)]


def _check(
    folder: Path,
    *,
    options: dict[str, float],
    gradient: float = 0.1,
    last_loss: float = 1.0,
    rates: tuple[float, float] = (0.1, 0.1),
    ratio: float = 1e-2,
) -> list[Finding]:
    """Three weights of ten steps. The learning rate goes evenly from the first to the second number."""
    tensors = [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss", batch=False)]
    written = RunByHand(folder, tensors, optimized=NAMES, options=options)
    for step, rate in enumerate(np.linspace(*rates, 10)):
        values = {name: np.ones((2, 2)) for name in NAMES} | {"loss": 1.0 if step < 8 else last_loss}
        updates = dict.fromkeys(NAMES, (2.0, 2.0 * ratio))
        written.step(step, values, dict.fromkeys(NAMES, gradient), updates=updates, learning_rates=((float(rate),),))
    return list(RULE.check(written.read()))


@pytest.mark.parametrize(
    ("epsilon", "gradient", "last_loss", "count"),
    [(0.1, 0.033, 0.3, 1), (0.1, 0.034, 0.3, 0), (0.1, 0.033, 0.24, 0), (0.9e-3, 1e-6, 1.0, 0), (1e-8, 1e-10, 1.0, 0)],
    ids=["larger", "less so", "learned", "small", "default"],
)
def test_an_epsilon_that_is_larger_than_gradients(tmp_path: Path, epsilon: float, gradient: float, last_loss: float, count: int) -> None:
    findings = _check(tmp_path, options={"eps": epsilon}, gradient=gradient, last_loss=last_loss)
    assert [(finding.severity, finding.place.kind) for finding in findings] == [(Severity.SYMPTOM, "optimizer")] * count
    assert [finding.value for finding in findings] == [pytest.approx(0.1 / 0.033)] * count


@pytest.mark.parametrize(
    ("rates", "options", "last_loss", "count"),
    [
        ((1e-4, 0.9e-2), {"initial_lr": 0.1}, 1.0, 1),
        ((1e-4, 0.9e-2), {"initial_lr": 1e-3, "max_lr": 0.1}, 1.0, 1),
        ((1e-4, 1.1e-2), {"initial_lr": 0.1}, 1.0, 0),
        ((1e-4, 0.9e-2), {}, 1.0, 0),
        # It falls, and where the loss falls all is well.
        ((0.9e-2, 1e-3), {"initial_lr": 0.1}, 1.0, 0),
        ((1e-4, 0.9e-2), {"initial_lr": 0.1}, 0.89, 0),
    ],
    ids=["initial rate", "largest rate", "nearer", "no schedule", "decay", "learned"],
)
def test_a_warm_up_that_has_hardly_begun(
    tmp_path: Path, rates: tuple[float, float], options: dict[str, float], last_loss: float, count: int
) -> None:
    findings = _check(tmp_path, options=options, rates=rates, last_loss=last_loss)
    assert len(findings) == count
    assert all("has only risen to 0.009 in step 9, and the schedule leads to 0.1." in finding.message for finding in findings)


@pytest.mark.parametrize(("rate", "kind"), [(1e-3, "parameter"), (0.9e-3, "optimizer")])
def test_with_a_usual_rate_of_sgd_the_place_is_the_weights(tmp_path: Path, rate: float, kind: str) -> None:
    (finding,) = _check(tmp_path, options={"lr": rate}, ratio=1e-6)
    assert finding.place.kind == kind


def _that_comes_back(folder: Path, norms: list[float], last_loss: float = 1.0) -> list[Finding]:
    """Weights with these norms at the beginnings of steps, each of which changes them by a tenth."""
    tensors = [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss", batch=False)]
    written = RunByHand(folder, tensors, optimized=NAMES)
    for step, norm in enumerate(norms):
        values = {name: np.array([[norm, -norm], [0.5, 0.25]]) for name in NAMES}
        late = step >= 0.75 * len(norms)
        updates = {name: (norm * (1 + number), 0.1 * norm) for number, name in enumerate(NAMES)}
        written.step(step, {**values, "loss": last_loss if late else 1.0}, dict.fromkeys(NAMES, 0.1), updates=updates)
    return list(RULE.check(written.read()))


@pytest.mark.parametrize(("times", "last_loss", "count"), [(6, 1.0, 1), (5, 1.0, 0), (6, 0.89, 0)], ids=["five", "four", "learned"])
def test_weights_that_come_back_to_their_first_values_are_named(tmp_path: Path, times: int, last_loss: float, count: int) -> None:
    """As those of Lookahead, if they are set back before the slow weights follow."""
    findings = _that_comes_back(tmp_path, [2.0, 2.1, 2.2] * times, last_loss)
    assert [(finding.place.name, finding.step, finding.value) for finding in findings] == [(NAMES[0], 3, 5.0)] * count


def test_weights_that_only_come_near_their_first_values_are_in_order(tmp_path: Path) -> None:
    norms = [number + 1e-3 * step for step in range(6) for number in (2.0, 2.1, 2.2)]
    assert _that_comes_back(tmp_path, norms) == []

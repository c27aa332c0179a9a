"""The rule `gradient-spike`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.gradient_spike import RULE
from comgra_export.analysis.history.run import Run
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call

WEIGHT = "model.weight"
LOSS = Given("loss", "loss", parents=("out", "target"), batch=False)


def _run(tmp_path: Path, sizes: Sequence[float]) -> Run:
    written = RunByHand(tmp_path, [Given(WEIGHT, "parameter")])
    for step, size in enumerate(sizes):
        written.step(step, {WEIGHT: np.ones((2, 2))}, {WEIGHT: size})
    return written.read()


def _noise(count: int) -> list[float]:
    return [1.0, 1.2] * (count // 2)


def test_a_step_far_above_those_before_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [*_noise(24), 30.0, *_noise(4)]))
    assert finding.step == 24
    assert finding.place.name == WEIGHT
    # The median of 1 and 1.2, on a scale of logarithms.
    assert finding.value == pytest.approx(30 / 1.2**0.5)


@pytest.mark.parametrize("spike", [10.0, 1.3])
def test_smaller_ones_are_not(tmp_path: Path, spike: float) -> None:
    assert list(RULE.check(_run(tmp_path, [*_noise(24), spike, *_noise(4)]))) == []


def test_a_spike_below_the_level_of_the_start_is_not(tmp_path: Path) -> None:
    fallen = [each / 100 for each in _noise(60)]
    assert list(RULE.check(_run(tmp_path, [*_noise(20), *fallen, 2.0, 0.01]))) == []


@pytest.mark.parametrize(("spike", "count"), [(31.0, 1), (29.0, 0)])
def test_it_must_be_three_times_the_level_of_the_start(tmp_path: Path, spike: float, count: int) -> None:
    start = [10.0] * 20
    assert len(list(RULE.check(_run(tmp_path, [*start, *_noise(60), spike, 1.0])))) == count


@pytest.mark.parametrize(("noise", "count"), [(1.3, 1), (1.8, 0)])
def test_among_larger_noise_it_must_be_larger(tmp_path: Path, noise: float, count: int) -> None:
    # Half of the history is `noise` times larger and half smaller: the robust deviation of the logarithm is 1.4826 ln(noise).
    assert len(list(RULE.check(_run(tmp_path, [1 / noise, noise] * 15 + [20.0])))) == count


def test_steps_that_were_only_checked_count(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given(WEIGHT, "parameter")])
    written.step(0, {WEIGHT: np.ones((2, 2))}, {WEIGHT: 1.0})
    for step, size in enumerate([*_noise(24), 30.0]):
        written.check(step, {("forward", WEIGHT): 1e9, ("gradients", WEIGHT): size})
    (finding,) = RULE.check(written.read())
    assert finding.step == 24


@pytest.mark.parametrize(
    ("spikes", "after", "severity"),
    [
        ([24], 0.1, Severity.INFORMATION),
        ([24], 0.3, Severity.SYMPTOM),
        ([24], np.nan, Severity.SYMPTOM),
        # What comes back is no accident.
        ([24, 26], 0.1, Severity.SYMPTOM),
        # It is not known yet how it goes on.
        ([29], 0.1, Severity.SYMPTOM),
    ],
)
def test_a_single_spike_after_which_the_loss_is_lower_is_information(
    tmp_path: Path, spikes: list[int], after: float, severity: Severity
) -> None:
    written = RunByHand(tmp_path, [Given(WEIGHT, "parameter"), Given("out"), Given("target", "target"), LOSS])
    for step, size in enumerate(_noise(32)):
        values = {WEIGHT: np.ones((2, 2)), "out": np.zeros((4, 1)), "target": np.zeros((4, 1))}
        loss = 0.2 if step < spikes[0] else 9.0 if step in spikes else after
        gradients = {WEIGHT: 30.0 if step in spikes else size, "out": 0.1}
        losses, roots = (loss_call("mse_loss", "out"),), (TensorReference("loss", 0),)
        written.step(step, {**values, "loss": loss}, gradients, losses=losses, backward_roots=roots)
    (finding,) = RULE.check(written.read())
    assert (finding.step, finding.severity) == (spikes[0], severity)
    assert ("The loss goes on falling" in finding.message) == (severity is Severity.INFORMATION)


@pytest.mark.parametrize(("level", "end", "count"), [(6.5, 0.1, 0), (5.5, 0.1, 2), (6.5, 0.3, 2)], ids=["stays", "sinks", "rises"])
def test_gradients_that_grow_and_stay_large_while_the_loss_falls_are_no_spikes(
    tmp_path: Path, level: float, end: float, count: int
) -> None:
    """A network leaves a plateau: two steps of 30 among others of `level`."""
    written = RunByHand(tmp_path, [Given(WEIGHT, "parameter"), Given("loss", "loss", batch=False)])
    for step in range(36):
        size = [1.0, 1.2][step % 2] if step < 24 else 30.0 if step in (24, 26) else level
        loss = 0.2 if step < 24 else 0.2 + (end - 0.2) * (step - 23) / 12
        written.step(step, {WEIGHT: np.ones((2, 2)), "loss": loss}, {WEIGHT: size}, backward_roots=(TensorReference("loss", 0),))
    findings = list(RULE.check(written.read()))
    assert ["There are 2 such steps." in finding.message for finding in findings] == [True] * (count == 2)


def test_twenty_steps_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="only 20"):
        list(RULE.check(_run(tmp_path, _noise(20))))

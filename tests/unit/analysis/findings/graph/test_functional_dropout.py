"""Dropout by a function, which leaves a product behind: `dropout-before-loss` and `heavy-dropout`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph import dropout_before_loss, heavy_dropout
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call

TENSORS = [
    Given("x", "input"),
    Given("scores", operation="AddmmBackward0", parents=("x",), module="model"),
    Given("out", operation="MulBackward0", parents=("scores",), module="model"),
    Given("target", "target"),
    Given("loss", "loss", parents=("out", "target"), batch=False),
]


def _run(tmp_path: Path, share: float, scale: float, steps: int = 6, *, of_relu: bool = False) -> Run:
    written, random = RunByHand(tmp_path, TENSORS), np.random.default_rng(0)
    for step in range(steps):
        scores = random.normal(size=(64, 32))
        kept = random.random((64, 32)) >= share
        # The largest value is kept, so that the scale can be read off.
        kept.flat[scores.argmax()] = True
        out = (np.maximum(scores, 0) if of_relu else scores) * kept * scale
        values = {"x": random.normal(size=(64, 3)), "scores": scores, "out": out, "target": np.zeros(64), "loss": 1.0}
        written.step(step, values, losses=(loss_call("cross_entropy", "out"),), gradients={})
    return written.read()


def _heavy(run: Run) -> list[float | None]:
    try:
        return [finding.value for finding in heavy_dropout.RULE.check(run)]
    except NotCheckedError:
        return []


@pytest.mark.parametrize(("share", "is_heavy"), [(0.9, True), (0.75, False), (0.3, False)])
@pytest.mark.parametrize("of_relu", [False, True])
def test_zeros_with_an_equal_mean_are_dropout(tmp_path: Path, share: float, is_heavy: bool, of_relu: bool) -> None:
    run = _run(tmp_path, share, 1 / (1 - share), of_relu=of_relu)
    (finding,) = dropout_before_loss.RULE.check(run)
    assert (finding.place.name, finding.step) == ("out", 0)
    assert _heavy(run) == pytest.approx([share] * is_heavy)


@pytest.mark.parametrize(("share", "scale", "steps"), [(0.5, 1.0, 6), (0.5, 1.2, 6), (0.0, 2.0, 6), (0.5, 2.0, 4)])
def test_masks_factors_and_short_runs_are_none(tmp_path: Path, share: float, scale: float, steps: int) -> None:
    run = _run(tmp_path, share, scale, steps)
    assert list(dropout_before_loss.RULE.check(run)) == []
    assert _heavy(run) == []

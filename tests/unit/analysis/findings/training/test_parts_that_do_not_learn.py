"""`not-in-optimizer` for vectors beside weights that are held, and `never-updated` for a group without a learning rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.training import never_updated, not_in_optimizer
from support.analysis.runs import Given, RunByHand

WEIGHT, BIAS, SCALE = "model.a.weight", "model.a.bias", "model.norm.weight"
SHAPES = {WEIGHT: (4, 4), BIAS: (4,), SCALE: (4,)}


def _run(folder: Path, held: list[str], options: dict[str, float] | None = None, moving: set[str] | None = None) -> RunByHand:
    """Ten steps in which all parameters have gradients, and those that are held move."""
    written = RunByHand(folder, [Given(name, "parameter") for name in SHAPES], optimized=held, options=options or {})
    for step in range(10):
        moves = held if moving is None else moving
        updates = {name: (2.0 + 0.1 * step * (name in moves), 0.1 * (name in moves)) for name in SHAPES}
        written.step(step, {name: np.ones(shape) for name, shape in SHAPES.items()}, dict.fromkeys(SHAPES, 0.1), updates=updates)
    return written


@pytest.mark.parametrize(
    ("held", "outside", "severity"),
    [
        # The second group, of vectors, is missing, and it is the larger one.
        ([WEIGHT], BIAS, Severity.BUG),
        # Whoever trains vectors alone means to.
        ([BIAS], WEIGHT, Severity.INFORMATION),
        ([SCALE], WEIGHT, Severity.INFORMATION),
    ],
)
def test_vectors_beside_weights_that_are_held_are_a_bug(tmp_path: Path, held: list[str], outside: str, severity: Severity) -> None:
    (finding,) = not_in_optimizer.RULE.check(_run(tmp_path, held).read())
    assert (finding.place.name, finding.severity) == (outside, severity)


@pytest.mark.parametrize(("still", "rate", "count"), [([BIAS], 0.0, 1), ([BIAS, SCALE], 0.0, 0)], ids=["one of three", "most"])
def test_a_group_without_a_learning_rate_is_a_symptom(tmp_path: Path, still: list[str], rate: float, count: int) -> None:
    moving = [name for name in SHAPES if name not in still]
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in SHAPES], optimized={"first": moving, "second": still})
    for step in range(10):
        updates = {name: (2.0 + 0.1 * step * (name in moving), 0.1 * (name in moving)) for name in SHAPES}
        values = {name: np.ones(shape) for name, shape in SHAPES.items()}
        written.step(step, values, dict.fromkeys(SHAPES, 0.1), updates=updates, learning_rates=((0.1,), (rate,)))
    findings = list(never_updated.RULE.check(written.read()))
    assert [(finding.place.name, finding.severity) for finding in findings] == [(BIAS, Severity.SYMPTOM)] * count

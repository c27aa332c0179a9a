"""Weights lose their rank: a layer maps everything it gets to almost the same direction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, require_training_steps, values_in_training
from comgra_export.analysis.findings.rules.weights import weights
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_RANK = Threshold("stable rank at the end", 1.1, "own trials: at least 1.66 in about 60 healthy runs")
_START = Threshold("stable rank at the start", 4.0, "own choice")
_WIDTH = Threshold("rows, and columns", 8, "own choice: a small matrix has a small rank anyway")
_LAST = 3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    ranks = {name: known for name in weights(run) if (known := _stable_ranks(run, name)) is not None}
    if not ranks:
        raise NotCheckedError(f"the largest singular value of no weight with {_WIDTH.value} rows and columns was recorded")
    collapsed = [name for name, (_, rank) in ranks.items() if rank[0] >= _START.value and float(rank[-_LAST:].max()) < _RANK.value]
    if not collapsed:
        return
    worst = min(collapsed, key=lambda name: float(ranks[name][1][-1]))
    names = [worst, *(name for name in collapsed if name != worst)]
    steps, rank = ranks[worst]
    step = as_step(steps[_first_of_last_run(rank)])
    others = f" {len(names)} of {len(ranks)} weights are like that." if len(names) > 1 else ""
    yield RULE.finding(
        f"The stable rank of `{worst}` falls from {rank[0]:.3g} to {rank[-1]:.3g}: nearly all that it does is along a single direction."
        f"{others}",
        *(Place("parameter", name) for name in names),
        step=step,
        value=float(rank[-1]),
        limit=_RANK.value,
        comparison=f"It is {rank[0]:.3g} at the start. The least that is possible is 1.",
        evidence=(Evidence(FORWARD, worst, -1, step, "svd", "The largest singular value over the steps."),),
    )


def _stable_ranks(run: Run, name: str) -> tuple[Floats, Floats] | None:
    """Steps, and in each the square of the Frobenius norm by that of the largest singular value; None if it is not known in 5 steps."""
    series = values_in_training(run, TensorKey(name, -1))
    if series is None or len(series.entry.shape) != 2 or min(series.entry.shape) < _WIDTH.value or series.entry.kind == "single_value":
        return None
    largest = series.statistics[:, 4, 0].astype(np.float64)
    known = np.isfinite(largest) & (largest > 0) & np.isfinite(series.norm)
    if known.sum() < LEAST_STEPS:
        return None
    return series.steps[known], (series.norm[known] / largest[known]) ** 2


def _first_of_last_run(rank: Floats) -> int:
    """From which place on all ranks are below the limit."""
    above = np.flatnonzero(rank >= _RANK.value)
    return int(above[-1]) + 1 if len(above) else 0


RULE = Rule(
    name="rank-collapse",
    title="A weight has lost its rank",
    severity=Severity.SYMPTOM,
    formula="(norm / largest singular value)^2 of a weight [A, B], both at least 8, is 4 or more in the first recorded training step and "
    "below 1.1 in the last 3",
    source="the stable rank, as in Rudelson and Vershynin 2007; limits of own trials",
    needs="largest singular values of weights in 5 training steps",
    advice=(
        "Look for updates that are too large: lower the learning rate.",
        "Check whether all samples lead to the same gradient, as with inputs far from zero or labels of a single class.",
    ),
    wrong_if="One direction is all that the task needs, as for a line, and the loss is as low as it should be.",
    check=_check,
    thresholds=(_RANK, _START, _WIDTH),
    explains=(Explains("same-for-all-samples"),),
    priority=5,
    follows_anything=True,
)

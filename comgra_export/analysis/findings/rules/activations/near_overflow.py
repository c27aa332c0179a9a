"""Values in float16 are close to the largest number that it can hold, or most gradients are close to the smallest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import late, require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_LARGEST = 65504.0
_SHARE = 0.1
_LATE = 0.4


def _check(run: Run) -> Iterator[Finding]:
    halves = [key for key, entry in run.of_type("calculated", "loss").items() if entry.dtype == "F16" and key.iteration >= 0]
    if not halves:
        raise NotCheckedError("no tensor is in float16", applies=False)
    require_training_steps(run)
    levels = {key: level for key in halves if (level := _late_level(run, key)) > _SHARE * _LARGEST}
    if not levels:
        return
    graph = training_graph(run)
    order = sorted(levels, key=lambda key: graph.depth.get(key, 0))
    first = order[0]
    series = values_in_training(run, first)
    assert series is not None
    step = as_step(series.steps[np.argmax(series.largest_magnitude > _SHARE * _LARGEST)])
    yield RULE.finding(
        f"`{first.name}` is in float16 and reaches {levels[first]:,.0f}. The largest number of float16 is {_LARGEST:,.0f}.",
        *(Place("tensor", *key) for key in order),
        step=step,
        value=levels[first],
        limit=_SHARE * _LARGEST,
        comparison="The limit is a tenth of the largest number.",
        evidence=(Evidence(FORWARD, *first, step, "abs_max", "The largest magnitude over the steps."),),
    )


def _late_level(run: Run, key: TensorKey) -> float:
    """The median over late steps of the largest magnitude, or of the largest value if large negative numbers are a mask."""
    series = values_in_training(run, key)
    if series is None:
        return 0.0
    last = late(series, _LATE)
    operations = [run.tensors[child].operation or "" for child in training_graph(run).children.get(key, ()) if child in run.tensors]
    masked = any("Softmax" in operation for operation in operations) or "Mask" in (series.entry.operation or "")
    level = float(np.median(last.extrema[:, 1] if masked else last.largest_magnitude))
    return level if np.isfinite(level) else 0.0


RULE = Rule(
    name="near-overflow",
    title="Values are close to the limit of float16",
    severity=Severity.SYMPTOM,
    formula="median over the last 40 % of the steps of the largest magnitude > 0.1 of the largest float16; masks before a softmax do not "
    "count",
    source="own choice",
    needs="tensors in float16, in 5 training steps",
    advice=("Use bfloat16, which has the range of float32.", "Scale the values down, or add normalization before this layer."),
    wrong_if="The tensor is in bfloat16 or float32, or its values stay where they are when the run goes on.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(Threshold("share of the largest number", _SHARE, "own choice"),),
    explains=(Explains("nan-origin", "downstream"),),
    priority=4,
)

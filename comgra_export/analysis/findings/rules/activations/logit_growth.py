"""What goes into a softmax grows to sizes at which training becomes unstable."""

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

_LIMIT = 1e4
_GROWTH = 10.0
_LATE = 0.2


def _check(run: Run) -> Iterator[Finding]:
    logits = list(dict.fromkeys(_logits(run)))
    if not logits:
        raise NotCheckedError("no tensor that goes into a softmax was recorded", applies=False)
    require_training_steps(run)
    for key in logits:
        series = values_in_training(run, key)
        if series is None:
            continue
        # The largest value, and not the largest magnitude: masks are large and negative.
        largest = series.extrema[:, 1]
        first, last = float(largest[0]), float(np.median(late(series, _LATE).extrema[:, 1]))
        if not (last > _LIMIT and last > _GROWTH * abs(first)):
            continue
        step = as_step(series.steps[np.argmax(largest > _LIMIT)])
        yield RULE.finding(
            f"`{key.name}` goes into a softmax, and its largest value grows to {last:.3g}.",
            Place("tensor", *key),
            step=step,
            value=last,
            limit=_LIMIT,
            comparison=f"In the first step, it is {first:.3g}.",
            evidence=(Evidence(FORWARD, *key, step, "abs_max", "The largest magnitude over the steps."),),
        )


def _logits(run: Run) -> Iterator[TensorKey]:
    graph = training_graph(run)
    for key, entry in run.tensors.items():
        if "Softmax" in (entry.operation or ""):
            yield from (parent for parent in graph.parents.get(key, ()) if parent in run.tensors and parent.iteration >= 0)
    for step in run.steps:
        yield from (TensorKey(*loss.prediction) for loss in step.losses if loss.function == "cross_entropy" and loss.prediction is not None)


RULE = Rule(
    name="logit-growth",
    title="Logits grow very large",
    severity=Severity.SYMPTOM,
    formula="largest value of what goes into a softmax or cross_entropy, the median over the last 20 % of the steps, > 10,000 and > 10 "
    "times that of the first step",
    source="Wortsman et al. 2023, ViT-22B (instability at very large attention logits)",
    needs="tensors before a softmax, in 5 training steps",
    advice=(
        "Normalize queries and keys before attention.",
        "Add a penalty on the logarithm of the sum of exponentials (z-loss).",
        "Lower the learning rate.",
    ),
    wrong_if="The largest logits stay below 10,000 when the run goes on, and the entropy of the softmax does not fall.",
    check=_check,
    neighbours=("target", "before", "loss"),
    thresholds=(Threshold("largest logit", _LIMIT, "Wortsman et al. 2023"), Threshold("growth", _GROWTH, "own choice")),
    explains=(Explains("attention-collapse", "downstream"), Explains("nan-origin", "downstream"), Explains("diverging-loss")),
    priority=4,
)

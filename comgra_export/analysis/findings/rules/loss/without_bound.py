"""What is minimized falls without end: nothing bounds it from below."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.rule import Threshold
from comgra_export.analysis.findings.rules.losses import moment
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["FALL", "Fall", "fall_without_bound"]

FALL = Threshold("loss below zero, relative to the start or to 1", 1e3, "trials: no healthy loss falls below -5 times its start")
_LEAST_STEPS = 6


class Fall(NamedTuple):
    """A loss that falls without end.

    Attributes:
        loss: What a backward pass begins at.
        source: What weights make, and most of it was computed from; the loss itself if there is none.
        start: Its value in the first step.
        since: The number of that step.
        end: Its value in the last step in which it is finite.
        position: The position of that step.
    """

    loss: TensorKey
    source: TensorKey
    start: float
    since: float
    end: float
    position: int


def fall_without_bound(run: Run) -> Fall | None:
    """The first loss whose last finite value is far below zero, and its lowest; None if there is none."""
    usual = usual_training_steps(run)
    for root in dict.fromkeys(root for position in np.flatnonzero(usual).tolist() for root in run.steps[position].backward_roots):
        loss = TensorKey(*root)
        series = run.values(loss)
        if series is None or series.entry.kind != "single_value":
            continue
        values = series.at(usual[series.positions] & series.is_finite)
        if len(values) < _LEAST_STEPS:
            continue
        start, end = float(values.mean[0]), float(values.mean[-1])
        if end < -FALL.value * max(abs(start), 1.0) and end <= values.mean.min():
            position = int(values.positions[-1])
            return Fall(loss, _source(run, run.graph(position), position, loss), start, as_step(values.steps[0]), end, position)
    return None


def _source(run: Run, graph: StepGraph, position: int, loss: TensorKey) -> TensorKey:
    """The nearest tensor that weights make, along those that are the largest of what each was computed from."""
    key = loss
    while all(parent.iteration >= 0 for parent in graph.parents.get(key, ())):
        sizes = {parent: _size(run, parent, position) for parent in graph.parents.get(key, ())}
        if not sizes:
            return loss
        key = max(sizes, key=sizes.__getitem__)
    return key


def _size(run: Run, key: TensorKey, position: int) -> float:
    """The mean magnitude of a tensor in a step; -1 if it is not known."""
    here = moment(run, key, position)
    return float(here.absolute_mean[0]) if here is not None and here.is_finite[0] else -1.0

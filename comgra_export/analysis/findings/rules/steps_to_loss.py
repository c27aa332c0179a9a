"""What the loss of a training step was computed from, and to what a gradient flows back from it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["StepToLoss", "steps_to_loss"]


@dataclass(frozen=True)
class StepToLoss:
    """A training step, and all later ones with the same tensors, graph and losses.

    Attributes:
        used: What the loss was computed from, other than its targets.
        reached: To what a gradient flows back from the loss.
        minimized: Those of `used` from which the tensors were computed that backward passes began at. All of them if it is not known.
    """

    number: float
    graph: StepGraph
    entries: dict[TensorKey, TensorEntry]
    used: frozenset[TensorKey]
    reached: frozenset[TensorKey]
    minimized: frozenset[TensorKey]


@once_per_run
def steps_to_loss(run: Run) -> list[StepToLoss]:
    """The training steps whose graph leads to a loss, each kind once."""
    steps: dict[Hashable, StepToLoss | None] = {}
    for position in np.flatnonzero(run.is_training).tolist():
        step = run.steps[position]
        results = frozenset(TensorKey(*loss.result) for loss in step.losses if loss.result is not None)
        targets = frozenset(TensorKey(*loss.target) for loss in step.losses if loss.target is not None)
        ends = results | frozenset(TensorKey(*root) for root in step.backward_roots)
        kind = step.layout, step.structures, ends, targets, frozenset(step.backward_roots)
        if kind not in steps:
            steps[kind] = _step(run, position, ends, targets)
    return [step for step in steps.values() if step is not None]


def _step(run: Run, position: int, ends: frozenset[TensorKey], targets: frozenset[TensorKey]) -> StepToLoss | None:
    """A step.

    Args:
        run: The run.
        position: That of the step.
        ends: The tensors at which backward passes began, and those that loss functions returned.
        targets: The targets of loss functions.
    """
    graph, step = run.graph(position), run.steps[position]
    roots = ends | {key for key, shown in graph.shown.items() if shown.type == "loss"}
    roots &= graph.shown.keys()
    if not roots:
        return None
    used = _computed_from(graph, roots, targets - roots)
    minimized = frozenset(TensorKey(*root) for root in step.backward_roots)
    # A loss function may also be called to be shown only.
    is_known = bool(minimized) and minimized <= graph.shown.keys()
    from_minimized = _computed_from(graph, minimized, targets - minimized) if is_known else used
    return StepToLoss(step.step, graph, entries_of(run, position), used, graph.with_gradient(roots), from_minimized)


def _computed_from(graph: StepGraph, roots: frozenset[TensorKey], targets: frozenset[TensorKey]) -> frozenset[TensorKey]:
    """The roots, and all that they were computed from other than through targets."""
    used, waiting = set(roots), list(roots)
    while waiting:
        for parent in graph.parents.get(waiting.pop(), ()):
            if parent not in used and parent not in targets:
                used.add(parent)
                waiting.append(parent)
    return frozenset(used)

"""The loss of contrastive learning, in which each sample of the batch is a class, over the steps."""

from __future__ import annotations

from math import log

import numpy as np

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses, moment
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.findings.rules.supervised import RecordedLosses, is_contrastive
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["contrastive_losses"]

_MEANS = frozenset({"add", "sum", "mean", "mul", "div", "stack"})


def contrastive_losses(run: Run, least: int, span: int) -> RecordedLosses:
    """The loss of training over the steps, if it is one or several contrastive cross entropies, added up or averaged.

    The constant is the loss if all samples are equally similar: the logarithm of their number.

    Args:
        run: The run.
        least: How many recorded training steps are needed.
        span: How many steps must lie between the first and the last of them.

    Raises:
        NotCheckedError: There are fewer, or something else is minimized.
    """
    of_steps: dict[int, list[LossUse]] = {}
    for use in loss_uses(run, {"cross_entropy"}):
        if usual_training_steps(run)[use.position]:
            of_steps.setdefault(use.position, []).append(use)
    values = {position: _minimized(run, position, uses) for position, uses in of_steps.items()}
    if len(run.network.optimizers or ()) > 1 or any(value is None for value in values.values()):
        raise NotCheckedError("what is minimized is not a contrastive loss alone", applies=False)
    positions = np.array(sorted(values), np.int64)
    if len(positions) < least or run.numbers[positions[-1]] - run.numbers[positions[0]] < span:
        raise NotCheckedError(
            f"the recorded training steps are fewer than {least}, or lie within fewer than {span} steps", lacks="training steps"
        )
    constants = np.array([log(of_steps[position][0].entry.shape[1]) for position in positions])
    losses = np.array([values[position] for position in positions], np.float64)
    return RecordedLosses(of_steps[int(positions[0])][0], run.numbers[positions], losses, constants)


def _minimized(run: Run, position: int, uses: list[LossUse]) -> float | None:
    """The loss of a step, if it was computed from the results of contrastive losses and from nothing else; else None."""
    results = {TensorKey(*use.call.result) for use in uses if use.call.result is not None and is_contrastive(use)}
    roots = {TensorKey(*root) for root in run.steps[position].backward_roots}
    if len(roots) != 1 or len(results) < len(uses):
        return None
    (root,) = roots
    graph, entries = run.graph(position), entries_of(run, position)
    waiting, seen = [root], {root}
    while waiting:
        key = waiting.pop()
        if key in results:
            continue
        parents = graph.parents.get(key, ())
        if not parents or key not in entries or plain_name(entries[key].operation) not in _MEANS:
            return None
        waiting += [parent for parent in parents if parent not in seen]
        seen.update(parents)
    series = moment(run, root, position)
    return None if series is None else float(series.mean[0])

"""A likelihood by hand without its minus sign: what is minimized is a mean of logarithms of probabilities with weights from 0 on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of, moment
from comgra_export.analysis.findings.rules.multiples import is_multiple
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph, usual_training_steps, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["Likelihood", "minimized_likelihood", "without_scale"]

_MEANS = frozenset({"mean", "sum"})
_SUMS = frozenset({"add", "mul", "sum", "mean"})
_SCALES = frozenset({"mul", "div", "true_divide"})
_MOST = 12


class Likelihood(NamedTuple):
    """A loss that is made of logarithms of probabilities, what they are taken of, and its values at the start and at the end."""

    loss: TensorKey
    source: TensorKey
    start: float
    end: float
    step: float


def minimized_likelihood(run: Run) -> Likelihood | None:
    """What all backward passes begin at, if it is a mean of sums of weighted logarithms of probabilities that falls; else None.

    Neither a logarithm nor a weighted one is above 0 in any recorded training step, so no weight is negative. There are two logarithms or
    more, as in a binary cross entropy: a single one may be an entropy, which some networks are to have much of.
    """
    positions = np.flatnonzero(usual_training_steps(run)).tolist()
    roots = {TensorKey(*root) for position in positions for root in run.steps[position].backward_roots}
    if len(positions) < LEAST_STEPS or len(roots) != 1:
        return None
    (loss,) = roots
    series = values_in_training(run, loss)
    logarithms = _logarithms(run, without_scale(run, positions[0], loss))
    if series is None or len(series) < LEAST_STEPS or len(logarithms) != 2 or not (series.mean < 0).all():
        return None
    start, end = float(series.mean[0]), float(series.mean[-1])
    source = _source(run, positions[0], logarithms[0])
    if not end < start or source is None or source != _source(run, positions[0], logarithms[1]):
        return None
    return Likelihood(loss, source, start, end, float(series.steps[0]))


def without_scale(run: Run, position: int, root: TensorKey) -> TensorKey:
    """What a loss is a constant positive multiple of over the recorded steps; the loss itself if it is no multiple."""
    parents = run.graph(position).parents.get(root, ())
    if root not in run.tensors or plain_name(run.tensors[root].operation) not in _SCALES or len(parents) != 1:
        return root
    of_root, of_parent = moment(run, root, position), moment(run, parents[0], position)
    is_positive = of_root is not None and of_parent is not None and of_root.mean[0] * of_parent.mean[0] > 0
    return parents[0] if is_positive and is_multiple(run, parents[0], root) else root


def _logarithms(run: Run, loss: TensorKey) -> list[TensorKey]:
    """The logarithms that a loss was computed from by sums, means and products; none if it was computed from anything else."""
    graph = training_graph(run)
    if loss not in run.tensors or plain_name(run.tensors[loss].operation) not in _MEANS:
        return []
    logarithms: list[TensorKey] = []
    waiting = [loss]
    for _ in range(_MOST):
        if not waiting:
            return logarithms
        key = waiting.pop()
        series = values_in_training(run, key)
        operation = plain_name(run.tensors[key].operation) if key in run.tensors else ""
        if series is None or not (series.extrema[:, 1] <= 0).all():
            return []
        if operation == "log":
            logarithms.append(key)
        elif operation in _SUMS and graph.parents.get(key):
            waiting += graph.parents[key]
        else:
            return []
    return []


def _source(run: Run, position: int, key: TensorKey) -> TensorKey | None:
    """What a logarithm is taken of: the nearest result of a module, through clamps, sums with numbers and 1 less it."""
    graph, entries = run.graph(position), entries_of(run, position)
    for _ in range(_MOST):
        parents = graph.parents.get(key, ())
        if len(parents) != 1 or parents[0] not in entries:
            return None
        (key,) = parents
        if entries[key].module is not None:
            within = moment(run, key, position)
            return key if within is not None and within.extrema[0, 0] >= 0 and within.extrema[0, 1] <= 1 else None
        if not is_view(entries[key].operation) and plain_name(entries[key].operation) not in {"add", "clamp", "rsub", "sub"}:
            return None
    return None

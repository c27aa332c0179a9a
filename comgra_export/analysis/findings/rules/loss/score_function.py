"""A policy gradient that is minimized as it is: logarithms of the probabilities of what was chosen, times weights, without a minus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.loss.likelihood_by_hand import without_scale
from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, usual_training_steps, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["ScoreFunction", "minimized_score_function"]

_MEANS = frozenset({"mean", "sum"})
_COLLECTS = frozenset({"cat", "gather", "getitem", "index", "select", "stack"})
_MOST = 12


class ScoreFunction(NamedTuple):
    """What is minimized, the product that it is the mean of, the logarithms in it, and the first step."""

    loss: TensorKey
    product: TensorKey
    logarithms: TensorKey
    step: float


def minimized_score_function(run: Run) -> ScoreFunction | None:
    """What all backward passes begin at, if it is the mean or the sum of gathered logarithms of probabilities times weights; else None.

    The weights have both signs in some step, as returns less a baseline have, and no optimizer maximizes. Nothing is subtracted or
    negated on the way, so what has a positive weight becomes less probable.
    """
    positions = np.flatnonzero(usual_training_steps(run)).tolist()
    # In a step with several iterations, the loss is in the last.
    roots = {TensorKey(*root).name for position in positions for root in run.steps[position].backward_roots}
    groups = [group for optimizer in run.network.optimizers or () for group in optimizer.groups]
    if len(positions) < LEAST_STEPS or len(roots) != 1 or any(group.options.get("maximize") for group in groups):
        return None
    position = positions[0]
    graph, entries = run.graph(position), entries_of(run, position)
    loss = TensorKey(*run.steps[position].backward_roots[0])
    mean = without_scale(run, position, loss)
    parents = graph.parents.get(mean, ())
    if mean not in entries or plain_name(entries[mean].operation) not in _MEANS or len(parents) != 1 or parents[0] not in entries:
        return None
    (product,) = parents
    factors = graph.parents.get(product, ())
    gathered = [key for key in dict.fromkeys(factors) if key in entries and _is_gathered(run, position, key)]
    if plain_name(entries[product].operation) != "mul" or len(gathered) != 1:
        return None
    logarithms, products = values_in_training(run, gathered[0]), values_in_training(run, product)
    if logarithms is None or products is None or not (logarithms.extrema[:, 1] <= 0).all():
        return None
    has_both_signs = ((products.extrema[:, 0] < 0) & (products.extrema[:, 1] > 0)).any()
    return ScoreFunction(loss, product, gathered[0], run.steps[position].step) if has_both_signs else None


def _is_gathered(run: Run, position: int, key: TensorKey) -> bool:
    """Whether a tensor is made of what was gathered, by views and by putting tensors together alone."""
    graph, entries = run.graph(position), entries_of(run, position)
    for _ in range(_MOST):
        operation = plain_name(entries[key].operation)
        if operation == "gather":
            return True
        parents = [parent for parent in graph.parents.get(key, ()) if parent in entries]
        if not parents or not (is_view(entries[key].operation) or operation in _COLLECTS):
            return False
        key = parents[0]
    return False

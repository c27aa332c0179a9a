"""Predictions that are the state of a recurrent network: such a state stays between -1 and 1."""

from __future__ import annotations

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of, through_views
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = ["RECURRENT", "state_of"]

RECURRENT = frozenset({"GRU", "LSTM", "RNN"})
"""The classes of such modules. The state of an RNN with ReLU has no upper bound; it is never negative."""

# The second output of an LSTM is its cell, which has no bounds.
_STATES = {"GRU": ("output[0]", "output[1]"), "RNN": ("output[0]", "output[1]"), "LSTM": ("output[0]",)}
_PARTS = frozenset({"select", "slice", "narrow", "index", "unbind", "split", "chunk"})
_MOST_PARTS = 4
_ROUNDING = 1e-6


def state_of(run: Run, position: int, key: TensorKey) -> tuple[str, TensorKey] | None:
    """The class of the recurrent module and its output that a tensor is a part of; None if there is none.

    In every recorded training step, five at least, the values of the tensor lie among those of the output. So nothing that is not
    recorded scales them.

    Args:
        run: The run.
        position: Of a step.
        key: The tensor, as `through_views` returns it.
    """
    graph, entries = run.graph(position), entries_of(run, position)
    state = key
    for _ in range(_MOST_PARTS):
        if state not in entries or plain_name(entries[state].operation) not in _PARTS or len(graph.parents.get(state, ())) != 1:
            break
        state = through_views(run, position, graph.parents[state][0])
    module, _, side = state.name.partition(": ")
    entry = next((entry for entry in run.network.modules if entry.name == module.partition(" (call ")[0]), None)
    if entry is None or side not in _STATES.get(entry.type, ()) or _is_projected(run, entry.name):
        return None
    part, whole = values_in_training(run, key), values_in_training(run, state)
    if part is None or whole is None or len(part) < LEAST_STEPS or not _lies_within(part, whole):
        return None
    is_bounded = np.abs(whole.extrema).max() <= 1 + _ROUNDING and (entry.type != "RNN" or whole.extrema.min() < 0)
    return (entry.type, state) if is_bounded else None


def _lies_within(part: Series, whole: Series) -> bool:
    """Whether the extremes of one tensor lie between those of another in all steps. NaN does not."""
    if not np.array_equal(part.steps, whole.steps):
        return False
    lows, highs = part.extrema[:, 0] >= whole.extrema[:, 0] - _ROUNDING, part.extrema[:, 1] <= whole.extrema[:, 1] + _ROUNDING
    return bool(lows.all() and highs.all())


def _is_projected(run: Run, module: str) -> bool:
    """Whether an LSTM multiplies its state with a matrix, after which it has no bounds."""
    return any(entry.name.startswith(f"{module}.weight_hr_") for entry in run.network.parameters)

"""All values of a weight are equal, so that all units of its layer compute the same."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import received_gradients
from comgra_export.analysis.findings.rules.steps import usual_training_steps, values_in_training
from comgra_export.analysis.findings.rules.weights import module_type, weights
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage import ParameterEntry
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_EQUAL = 1e-6
_STILL_EQUAL = 0.05
_PERSISTS = 30
_REST = 1e-3
# Layers whose units differ by their weights alone. Elsewhere a constant may be a scale, and must persist to count.
_LAYERS = ("Linear", "Conv", "Bilinear", "RNN", "LSTM", "GRU", "MultiheadAttention")


def _check(run: Run) -> Iterator[Finding]:
    equal = [weight for name, entry in weights(run).items() if (weight := _is_equal(run, name, entry)) is not None]
    for name, value, step in equal:
        yield RULE.finding(
            f"All values of `{name}` are {value:.3g}. The units of this layer are copies of each other, and get the same updates.",
            Place("parameter", name),
            step=step,
            severity=Severity.BUG if value else Severity.PROBLEM,
            evidence=(Evidence(FORWARD, name, -1, step, None, "The values of the weight."),),
        )


def _is_equal(run: Run, name: str, entry: ParameterEntry) -> tuple[str, float, float] | None:
    series = values_in_training(run, TensorKey(name, -1))
    # A row or a column has nothing to be a copy of.
    if series is None or sum(size > 1 for size in entry.shape) < 2:
        return None
    smallest, largest = series.extrema[0]
    if not largest - smallest <= _EQUAL * abs(largest):
        return None
    is_layer = any(word in module_type(run, entry) for word in _LAYERS)
    if (largest == 0 or not is_layer) and not _persists(run, series):
        return None
    # Without any gradient, it stays as it is whatever its values are: something else is wrong.
    received = received_gradients(run, name)
    if len(received) and received.absent.all():
        return None
    return name, float(largest), as_step(series.steps[0])


def _persists(run: Run, series: Series) -> bool:
    """Whether the values are still almost equal after thirty steps, or the rows or columns still copies of each other."""
    start = as_step(run.numbers[usual_training_steps(run)][0])
    later = np.flatnonzero(series.steps >= start + _PERSISTS)
    if not len(later):
        return False
    smallest, largest = series.extrema[later[0]]
    return bool(largest - smallest <= _STILL_EQUAL * max(abs(smallest), abs(largest))) or _has_rank_1(series, int(later[0]))


def _has_rank_1(series: Series, position: int) -> bool:
    """Whether a single direction holds all by which the values of a matrix differ. False if its singular values are not recorded."""
    if len(series.entry.shape) != 2 or series.entry.kind == "single_value":
        return False
    largest, square = float(series.statistics[position, 4, 0]), float(series.norm[position]) ** 2
    varies = float(series.standard_deviation[position]) ** 2 * prod(series.entry.shape)
    return varies > _STILL_EQUAL**2 * square and square - largest**2 <= _REST * varies


RULE = Rule(
    name="equal-weights",
    title="All values of a weight are equal",
    severity=Severity.BUG,
    formula="in the first recorded training step, max - min <= 1e-6 of the magnitude, for a weight with two dimensions or more; zeros, "
    "and weights of modules that are no usual layers, only if they are still equal to within 5 % thirty steps later, or of rank 1. Not "
    "without any gradient",
    source="TheDeepChecker, SageMaker Debugger (symmetry), DeepCrime (constant initial weights)",
    needs="values of weights",
    advice=("Initialize the weights at random (Kaiming, Xavier).", "Leave constants to biases and to the scales of normalization."),
    wrong_if="The units of the layer give different outputs for the same input after some steps.",
    check=_check,
    thresholds=(
        Threshold("range relative to the magnitude", _EQUAL, "float32 rounding"),
        Threshold("range thirty steps later", _STILL_EQUAL, "own trials"),
        Threshold("what rank 1 leaves, relative to the variance", _REST, "float32 rounding; 1 at most"),
    ),
    explains=(
        Explains("zero-gradient"),
        Explains("vanishing-gradient"),
        Explains("same-for-all-samples", "downstream"),
        Explains("same-for-all-tokens", "downstream"),
        Explains("dead-relu", "downstream"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=1,
    while_training=0,
)

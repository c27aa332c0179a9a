"""All samples of a batch are the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey

__all__ = ["RULE"]

_RELATIVE = Threshold("deviation over the batch, relative to the values", 1e-6, "exact, up to rounding")
_SHARE = Threshold("share of training steps", 0.5, "own trials")


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    inputs = inputs_in_training(run)
    calls: dict[str, dict[TensorKey, Series]] = {}
    for key, series in inputs.items():
        calls.setdefault(key.name.split(": ")[0], {})[key] = series
    for of_call in calls.values():
        # A state or a mask may be the same for all samples if something else is not.
        if all(_share_of_equal(series) > _SHARE.value and _is_sure(run, key, series) for key, series in of_call.items()):
            yield _finding(of_call)


def _share_of_equal(series: Series) -> float:
    """The share of steps in which no statistic tells samples apart."""
    with np.errstate(invalid="ignore"):
        equal = series.deviation_over_batch <= _RELATIVE.value * series.root_mean_square
    return float(equal.mean())


def _is_sure(run: Run, key: TensorKey, series: Series) -> bool:
    """Whether the samples are the same, and not only their statistics, as those of one-hot vectors are.

    They are if all values are equal, or if what is computed from the input and parameters alone is the same for all samples too.
    """
    if (series.extrema[:, 0] == series.extrema[:, 1]).all():
        return True
    graph = training_graph(run)
    for child in graph.children.get(key, ()):
        parents = graph.parents[child]
        weights = [parent for parent in parents if parent.iteration < 0]
        computed = values_in_training(run, child)
        if weights and len(weights) == len(parents) - 1 and computed is not None:
            return _share_of_equal(computed) > _SHARE.value
    return False


def _finding(inputs: dict[TensorKey, Series]) -> Finding:
    key, series = max(inputs.items(), key=lambda pair: pair[1].values_per_sample)
    step = int(series.steps[0])
    are_zero = not series.extrema.any()
    return RULE.finding(
        f"All samples in {key.name} are the same: " + ("all values are 0." if are_zero else "their statistics do not differ."),
        Place("tensor", *key),
        *(Place("tensor", *other) for other in inputs if other != key),
        step=step,
        evidence=(Evidence(FORWARD, *key, step, None, "The input."),),
    )


RULE = Rule(
    name="constant-input",
    title="All samples of a batch are the same",
    severity=Severity.BUG,
    formula=(
        "largest deviation over the batch of a statistic of samples / rms <= 1e-6 in more than half of the recorded training steps, for "
        "all inputs of a call; and all values are equal, or what a layer computes from them is the same for all samples"
    ),
    source="exact; TrainCheck",
    needs="inputs with several samples in 5 training steps, and the graph",
    advice=("Check how the data set uses its index.", "Check masks and factors that are multiplied with the input."),
    check=_check,
    thresholds=(_RELATIVE, _SHARE),
    explains=(
        Explains("repeated-batch"),
        Explains("same-for-all-samples"),
        Explains("same-for-all-tokens"),
        Explains("feature-is-label"),
        Explains("predictions-ignore-input"),
        Explains("loss-does-not-fall"),
        Explains("oscillating-loss"),
        Explains("batches-not-shuffled"),
        Explains("zero-gradient"),
        Explains("dead-relu"),
        Explains("dormant-units"),
        Explains("input-not-normalized"),
        Explains("vanishing-gradient"),
    ),
    priority=0,
    while_training=10,
)

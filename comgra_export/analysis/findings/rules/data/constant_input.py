"""All samples of a batch are the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.data.one_valued import LEAST_ROWS, LEAST_SAMPLES, OneValuedInput, one_valued_inputs
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_RELATIVE = Threshold("deviation over the batch, relative to the values", 1e-6, "exact, up to rounding")
_SHARE = Threshold("share of training steps", 0.5, "own trials")


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    inputs = inputs_in_training(run)
    calls: dict[str, dict[TensorKey, Series]] = {}
    named: set[TensorKey] = set()
    for key, series in inputs.items():
        calls.setdefault(key.name.split(": ")[0], {})[key] = series
    for of_call in calls.values():
        # A state or a mask may be the same for all samples if something else is not.
        if all(_share_of_equal(series) > _SHARE.value and _is_sure(run, key, series) for key, series in of_call.items()):
            yield _finding(of_call)
            named.update(of_call)
    for each in one_valued_inputs(run):
        if each.input not in named:
            yield _of_one_value(run, each)


def _share_of_equal(series: Series) -> float:
    """The share of steps in which no statistic tells samples apart."""
    with np.errstate(invalid="ignore"):
        equal = series.deviation_over_batch <= _RELATIVE.value * series.root_mean_square
    return float(equal.mean())


def _is_sure(run: Run, key: TensorKey, series: Series) -> bool:
    """Whether the samples are the same, and not only their statistics, as those of one-hot vectors are.

    They are if all values are equal, or if a layer that sees a sample as a whole returns the same for all samples. A layer that goes over
    positions returns the same statistics if samples differ in their order.
    """
    if (series.extrema[:, 0] == series.extrema[:, 1]).all():
        return True
    parents = training_graph(run).parents
    for child in _computed_from(run, key):
        computed = values_in_training(run, child)
        has_weights = any(parent.iteration < 0 for parent in parents[child])
        if computed is not None and has_weights and computed.dimensions <= 2 and _share_of_equal(computed) > _SHARE.value:
            return True
    return False


def _computed_from(run: Run, key: TensorKey) -> list[TensorKey]:
    """What is computed from a tensor and parameters alone, in the order in which it is reached."""
    graph = training_graph(run)
    known, reached = {key}, [key]
    for tensor in reached:
        for child in graph.children.get(tensor, ()):
            if child not in known and all(parent in known or parent.iteration < 0 for parent in graph.parents[child]):
                known.add(child)
                reached.append(child)
    return reached[1:]


def _finding(inputs: dict[TensorKey, Series]) -> Finding:
    key, series = max(inputs.items(), key=lambda pair: pair[1].values_per_sample)
    step = as_step(series.steps[0])
    are_zero = not series.extrema.any()
    return RULE.finding(
        f"All samples in `{key.name}` are the same: " + ("all values are 0." if are_zero else "their statistics do not differ."),
        Place("tensor", *key),
        *(Place("tensor", *other) for other in inputs if other != key),
        step=step,
        evidence=(Evidence(FORWARD, *key, step, None, "The input."),),
    )


def _of_one_value(run: Run, each: OneValuedInput) -> Finding:
    """An input beside others that has the same value in all samples."""
    step = as_step(run.numbers[run.is_training][0])
    what = f"`{each.module}` looks up the same one of its {each.rows} rows for all of them" if each.rows else "it says nothing about them"
    return RULE.finding(
        f"`{each.input.name}` is {each.value:g} for all {each.samples:,} recorded samples, so {what}. If it should tell samples apart, "
        "check how it is read: a value that is not found may become a default.",
        Place("tensor", *each.input),
        Place("module", each.module),
        step=step,
        severity=Severity.SYMPTOM,
        evidence=(Evidence(FORWARD, *each.input, step, None, "The input."),),
    )


RULE = Rule(
    name="constant-input",
    title="All samples of a batch are the same",
    severity=Severity.BUG,
    formula="statistics of samples deviate over the batch by <= 1e-6 of the rms in over half of the steps, for all inputs of "
    "a call, and values are equal, or what a layer makes of samples. A symptom: one has a single value in 200 "
    "samples, and goes into an embedding of 3 rows, a linear layer or a convolution",
    source="exact; TrainCheck",
    needs="inputs with several samples in 5 training steps, and the graph",
    advice=("Check how the data set uses its index.", "Check masks and factors that are multiplied with the input."),
    wrong_if="Two samples of a batch differ.",
    check=_check,
    neighbours=("target",),
    thresholds=(
        _RELATIVE,
        _SHARE,
        Threshold("samples, for one input of several", LEAST_SAMPLES, "own choice: as for rules about targets"),
        Threshold("rows of the embedding", LEAST_ROWS, "own choice: BERT has two types of tokens, and many texts have one"),
    ),
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

"""In the first forward pass, values grow from layer to layer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.layers import of_linear_layers
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, plain_name
from comgra_export.analysis.findings.rules.steps import training_graph, values_in_training
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_BOUNDED = frozenset({"sigmoid", "tanh"})
_RATIO = 10.0
_LARGE = 10.0
_FIRST_LARGE = 3.0


def _check(run: Run) -> Iterator[Finding]:
    """The first forward pass is all that this rule needs: more steps would say nothing about it."""
    layers = of_linear_layers(run)
    deviations = {key: deviation for key in layers if (deviation := _first_deviation(run, key)) is not None}
    if len(deviations) < 2:
        raise NotCheckedError(
            "the results of fewer than two linear layers were recorded in the first training step",
            lacks="network",
            applies=not any(any(step.calls) for step in run.steps),
        )
    graph = training_graph(run)
    largest = max(deviations, key=deviations.__getitem__)
    before = [key for key in deviations if key in graph.ancestors(largest)]
    smallest = min(before, key=deviations.__getitem__, default=largest)
    ratio = deviations[largest] / deviations[smallest] if deviations[smallest] else 0.0
    if ratio <= _RATIO or deviations[largest] <= _LARGE:
        return
    path = sorted([key for key in before if deviations[key] > _FIRST_LARGE] + [largest], key=lambda key: graph.depth.get(key, 0))
    first = path[0]
    if _is_prediction_alone(run, path) or _is_bounded_between(run, graph, path):
        return
    step = as_step(run.numbers[run.is_training][0])
    yield RULE.finding(
        f"In the first forward pass, the standard deviation grows from {deviations[smallest]:.3g} in `{smallest.name}` to "
        f"{deviations[largest]:.3g} in `{largest.name}`.",
        *(Place("tensor", *key) for key in dict.fromkeys([first, largest])),
        step=step,
        value=ratio,
        limit=_RATIO,
        comparison="This is the ratio of the two. It stays near 1 if weights fit their layers.",
        evidence=(Evidence(FORWARD, *first, step, None, "The first layer with large values."),),
    )


def _is_prediction_alone(run: Run, path: list[TensorKey]) -> bool:
    """Whether only the prediction of a loss is large. One layer is no depth, and the first loss shows what is wrong."""
    predictions = {TensorKey(*call.prediction) for step in run.steps for call in step.losses if call.prediction is not None}
    return len(path) == 1 and bool(predictions.intersection({path[0], *training_graph(run).children.get(path[0], ())}))


def _is_bounded_between(run: Run, graph: StepGraph, path: list[TensorKey]) -> bool:
    """Whether sigmoid or tanh comes right before each large layer. Then values do not grow: the weights of each layer are large."""

    def is_bounded(key: TensorKey) -> bool:
        return any(
            parent in run.tensors and ACTIVATIONS.get(plain_name(run.tensors[parent].operation)) in _BOUNDED
            for parent in graph.parents.get(key, ())
        )

    return all(map(is_bounded, path))


def _first_deviation(run: Run, key: TensorKey) -> float | None:
    series = values_in_training(run, key)
    if series is None or series.steps[0] != run.numbers[run.is_training][0] or series.sizes[0] < 2:
        return None
    deviation = float(series.standard_deviation[0])
    return deviation if np.isfinite(deviation) else None


RULE = Rule(
    name="growing-with-depth",
    title="Values grow from layer to layer",
    severity=Severity.PROBLEM,
    formula="in the first recorded training step, over the results of linear and convolution layers: largest standard deviation > 10, and "
    "> 10 times that of a layer before it. Not if only the prediction of a loss has one > 3, or if sigmoid "
    "or tanh comes before each that has",
    source="LSUV (aims at variance 1), SageMaker Debugger (variance ratio 10); own trials",
    needs="the results of linear layers in the first training step",
    advice=(
        "Initialize the weights for the activation that follows (Kaiming, Xavier).",
        "Add normalization between layers.",
    ),
    wrong_if="Initial weights that keep the deviation near 1 give no lower loss after as many steps.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(
        Threshold("ratio of the standard deviations", _RATIO, "SageMaker Debugger"),
        Threshold("largest standard deviation", _LARGE, "own trials"),
    ),
    explains=(
        Explains("nan-origin"),
        Explains("exploding-gradient"),
        Explains("updates-too-large"),
        Explains("near-overflow"),
        Explains("runaway-growth"),
        Explains("logit-growth"),
        Explains("initial-loss"),
        Explains("diverging-loss"),
        Explains("saturated-units", "downstream"),
        Explains("attention-collapse", "downstream"),
        Explains("updates-too-small"),
        Explains("loss-does-not-fall"),
    ),
    priority=3,
)

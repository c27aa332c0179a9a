"""Inputs are far from a mean of 0 and a deviation of 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.findings.rules.steps import training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_LARGE = Threshold("deviation, or magnitude of the mean", 10, "own trials; UMLAUT's range from -1 to 1 is left by most healthy programs")
_SHIFTED = Threshold("magnitude of the mean / deviation", 5, "own trials")
_FLAT = Threshold("the same, whatever the mean", 50, "own choice: prices relative to the first one have 20 to 40")
_TINY = Threshold("largest magnitude", 0.01, "own choice: pixels that are divided by 255 twice have 0.004 at most")
_APART = Threshold("deviation in evaluations, or distance of the means, relative to the deviation in training", 10, "own choice")
_EVALUATIONS = Threshold("evaluations", 3, "own choice")
_LEAST_MEAN = 1.0
_ROUNDING = 1e-4
_LINEAR = frozenset({"addmm", "addbmm", "mm", "bmm", "matmul", "linear", "convolution"})
_RECURRENT = ("LSTM", "GRU", "RNN")
_MOST_STEPS_OF_GRAPH = 6


def _check(run: Run) -> Iterator[Finding]:
    inputs = {key: series for key, series in inputs_in_training(run).items() if series.entry.is_floating}
    # Beside others, a number per sample, as a time, a size or a goal is, has its own scale.
    if len(inputs) > 1:
        inputs = {key: series for key, series in inputs.items() if series.values_per_sample > 1}
    if not inputs:
        raise NotCheckedError("no input of floating-point numbers with several values per sample was recorded", lacks="inputs")
    for key, series in inputs.items():
        mean, deviation = _moments(series)
        apart = _apart_in_evaluations(run, key, series)
        if apart is not None:
            yield apart
            continue
        if not _is_far(series) or not _feeds_layer(run, key):
            continue
        if _is_tiny(series):
            yield _of_tiny(key, series)
            continue
        is_shifted = abs(mean) > _LARGE.value or abs(mean) > _SHIFTED.value * deviation
        ratio_limit = _SHIFTED.value if abs(mean) > _LEAST_MEAN else _FLAT.value
        value = abs(mean) if is_shifted and abs(mean) > deviation else deviation
        yield RULE.finding(
            f"`{key.name}` has a mean of {mean:.3g} and a standard deviation of {deviation:.3g}.",
            Place("tensor", *key),
            step=as_step(series.steps[0]),
            value=value if value > _LARGE.value else abs(mean) / max(deviation, 1e-9),
            limit=_LARGE.value if value > _LARGE.value else ratio_limit,
            comparison="Usual are a mean of about 0 and a standard deviation of about 1.",
            evidence=(Evidence(FORWARD, *key, as_step(series.steps[0]), None, "The input."),),
        )


def _moments(series: Series) -> tuple[float, float]:
    return float(np.nanmedian(series.mean)), float(np.nanmedian(series.standard_deviation))


def _apart_in_evaluations(run: Run, key: TensorKey, series: Series) -> Finding | None:
    """An input that is spread much more in evaluations than in training, or lies far from there, as if only one of them was scaled."""
    everywhere = run.values(key)
    evaluations = None if everywhere is None else everywhere.at(~run.is_training[everywhere.positions])
    if evaluations is None or len(evaluations) < _EVALUATIONS.value:
        return None
    (mean, deviation), (other_mean, other_deviation) = _moments(series), _moments(evaluations)
    ratio = max(other_deviation, abs(other_mean - mean)) / deviation if deviation > 0 else 0.0
    if not ratio > _APART.value:
        return None
    step = as_step(evaluations.steps[0])
    return RULE.finding(
        f"`{key.name}` has a mean of {other_mean:.3g} and a standard deviation of {other_deviation:.3g} in evaluations, and of {mean:.3g} "
        f"and {deviation:.3g} in training.",
        Place("tensor", *key),
        step=step,
        value=ratio,
        limit=_APART.value,
        comparison="This is relative to the deviation in training. Samples of one kind have a ratio of about 1.",
        evidence=(Evidence(FORWARD, *key, step, None, "The input of an evaluation."),),
    )


def _is_tiny(series: Series) -> bool:
    """Whether no value of any step is more than tiny, and not all are zero."""
    largest = series.largest_magnitude
    return bool((largest < _TINY.value).all() and (largest > 0).all())


def _of_tiny(key: TensorKey, series: Series) -> Finding:
    largest = float(series.largest_magnitude.max())
    return RULE.finding(
        f"No value of `{key.name}` is larger than {largest:.3g}. It looks as if it was scaled twice.",
        Place("tensor", *key),
        step=as_step(series.steps[0]),
        value=largest,
        limit=_TINY.value,
        comparison="Usual are a mean of about 0 and a standard deviation of about 1.",
        evidence=(Evidence(FORWARD, *key, as_step(series.steps[0]), None, "The input."),),
    )


def _is_far(series: Series) -> bool:
    mean, deviation = _moments(series)
    if series.values_per_sample == 1:
        # Small numbers and shifted ones do no harm to a single feature.
        return deviation > _LARGE.value
    is_shifted = abs(mean) > max(_SHIFTED.value * deviation, _LEAST_MEAN)
    # Ones for all samples may stand for no features at all, and statistics of a constant deviate by rounding.
    is_flat = _FLAT.value * deviation < abs(mean) and bool((np.ptp(series.extrema, axis=1) > _ROUNDING * abs(mean)).all())
    return _is_tiny(series) or max(abs(mean), deviation) > _LARGE.value or is_shifted or is_flat


def _feeds_layer(run: Run, key: TensorKey) -> bool:
    """Whether a linear layer, a convolution or a recurrent layer gets the input as it is, or something as far from the usual range."""
    graph = training_graph(run)
    types = {module.name: module.type for module in run.network.modules}
    waiting, seen = [key], {key}
    for _ in range(_MOST_STEPS_OF_GRAPH):
        following = []
        for child in {child for each in waiting for child in graph.children.get(each, ())} - seen:
            seen.add(child)
            entry = run.tensors.get(child)
            if entry is None:
                continue
            operation = plain_name(entry.operation)
            has_weight = any(parent.iteration < 0 for parent in graph.parents[child])
            if (has_weight and (operation in _LINEAR or is_view(entry.operation))) or types.get(entry.module or "") in _RECURRENT:
                return True
            series = values_in_training(run, child)
            if series is not None and _is_far(series):
                following.append(child)
        waiting = following
    return False


RULE = Rule(
    name="input-not-normalized",
    title="An input is not normalized",
    severity=Severity.PROBLEM,
    formula="deviation > 10, or |mean| > 10, or |mean| > 5 deviations and > 1, or |mean| > 50 deviations (medians over training steps), or "
    "no value reaches 0.01: for inputs of floating-point numbers that reach a layer with weights as they are. If a sample is a single "
    "number, only for the only input, and its deviation. Or 3 evaluations have 10 times the deviation of training, or a mean so far away",
    source="own trials; UMLAUT, Stack Overflow 39525358, 44066044 and 55328966",
    needs="inputs in training steps, and the graph",
    advice=(
        "Subtract the mean of each feature and divide by its deviation.",
        "Divide pixels by 255, and only once; in evaluations as in training.",
        "Take logarithms of counts and prices.",
    ),
    wrong_if="The loss ends no lower after the input is normalized.",
    check=_check,
    neighbours=("target",),
    thresholds=(_LARGE, _SHIFTED, _FLAT, _TINY, _APART, _EVALUATIONS),
    explains=(
        Explains("growing-with-depth"),
        Explains("saturated-units"),
        Explains("dead-relu"),
        Explains("exploding-gradient"),
        Explains("initial-loss"),
        Explains("diverging-loss"),
        Explains("oscillating-loss"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("updates-too-large"),
        Explains("updates-too-small"),
        Explains("runaway-growth"),
        Explains("nan-origin"),
        Explains("always-clipped"),
        Explains("dormant-units"),
        Explains("zero-gradient"),
        Explains("same-for-all-samples"),
        Explains("near-overflow"),
    ),
    priority=2,
)

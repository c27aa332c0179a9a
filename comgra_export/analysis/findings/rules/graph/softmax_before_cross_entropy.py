"""Probabilities are passed to a loss that expects logits."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, log

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, plain_name
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["RULE"]

# What the loss applies itself, and what must therefore not come before it. The logarithm of a softmax is harmless before cross_entropy.
_NOT_LOGITS = {
    "cross_entropy": {"softmax", "sigmoid", "relu", "tanh", "log_softmax"},
    "binary_cross_entropy_with_logits": {"softmax", "sigmoid", "relu"},
}
_APPLIES = {"cross_entropy": "a log_softmax", "binary_cross_entropy_with_logits": "a sigmoid"}
_HARMLESS = {("cross_entropy", "log_softmax")}
# These take logarithms of probabilities, so it is the log_softmax before them that wants logits.
_OF_LOGARITHMS = ("nll_loss", "kl_div")
_CLAMPS = frozenset({"clamp", "clamp_min"})

_SUM = Threshold("difference of a sum of probabilities from 1", 1e-4, "trials on 110 small programs")
_STEPS = Threshold("steps in which all sums are 1, if the operation is not known", 3, "trials on 110 small programs")


def _check(run: Run) -> Iterator[Finding]:
    seen = set()
    sums: dict[tuple[str, str], list[LossUse]] = {}
    for use in loss_uses(run, (*_NOT_LOGITS, *_OF_LOGARITHMS)):
        function = use.call.function
        if function in _OF_LOGARITHMS:
            if (use.prediction.name, function) not in seen:
                yield from _before_log_softmax(run, use)
                seen.add((use.prediction.name, function))
            continue
        tensor = through_views(run, use.position, use.prediction)
        entry = entries_of(run, use.position)[tensor]
        activation = "relu" if _cuts_off(run, use, tensor, entry) else ACTIVATIONS.get(plain_name(entry.operation))
        if (tensor.name, function) in seen:
            continue
        if activation in _NOT_LOGITS[function]:
            seen.add((tensor.name, function))
            is_harmless = (function, activation) in _HARMLESS
            yield RULE.finding(
                f"`{tensor.name}` is the result of {activation}, and {function} applies {_APPLIES[function]} to it. "
                + ("The second one changes nothing, and costs time." if is_harmless else "This flattens the gradients."),
                Place("tensor", *tensor),
                step=use.step,
                evidence=(Evidence(FORWARD, *tensor, use.step, None, f"The values passed to {function}."),),
                severity=Severity.INFORMATION if is_harmless else None,
            )
        elif function == "cross_entropy" and _are_probabilities(run, use):
            sums.setdefault((tensor.name, function), []).append(use)
            if len({each.position for each in sums[tensor.name, function]}) >= _STEPS.value:
                seen.add((tensor.name, function))
                first = sums[tensor.name, function][0]
                yield RULE.finding(
                    f"The values of `{tensor.name}` are probabilities: none is negative, and they sum to 1. {function} applies a "
                    "softmax to them. This flattens the gradients.",
                    Place("tensor", *tensor),
                    step=first.step,
                    evidence=(Evidence(FORWARD, *tensor, first.step, None, f"The values passed to {function}."),),
                )


def _before_log_softmax(run: Run, use: LossUse) -> Iterator[Finding]:
    """A softmax, sigmoid, ReLU or tanh whose very result a log_softmax takes."""
    entries = entries_of(run, use.position)
    later = through_views(run, use.position, use.prediction)
    parents = run.graph(use.position).parents.get(later, ())
    if plain_name(entries[later].operation) != "log_softmax" or len(parents) != 1 or parents[0] not in entries:
        return
    earlier = through_views(run, use.position, parents[0])
    activation = ACTIVATIONS.get(plain_name(entries[earlier].operation))
    if activation not in _NOT_LOGITS["cross_entropy"] - {"log_softmax"} or not _follows_directly(run, use, parents[0], later):
        return
    yield RULE.finding(
        f"`{earlier.name}` is the result of {activation}, and `{later.name}` is the log_softmax of it. This flattens the gradients.",
        Place("tensor", *earlier),
        Place("tensor", *later),
        step=use.step,
        evidence=(Evidence(FORWARD, *earlier, use.step, None, "The values of which the log_softmax is taken."),),
    )


def _follows_directly(run: Run, use: LossUse, earlier: TensorKey, later: TensorKey) -> bool:
    """Whether a log_softmax over the classes may be that of a tensor: no logarithm is smaller or larger than its range allows."""
    before, after = moment(run, earlier, use.position), moment(run, later, use.position)
    shape = use.entry.shape
    if before is None or after is None or before.sizes[0] != after.sizes[0] or len(shape) < 2:
        return False
    reach = float(before.extrema[0, 1] - before.extrema[0, 0])
    smallest, largest = (float(value) for value in after.extrema[0])
    return isfinite(reach) and smallest >= -reach - log(shape[1]) - _SUM.value and largest <= reach - log(shape[1]) + _SUM.value


def _cuts_off(run: Run, use: LossUse, tensor: TensorKey, entry: TensorEntry) -> bool:
    """Whether a tensor was clamped at 0 from below, as a ReLU does."""
    series = moment(run, tensor, use.position)
    if plain_name(entry.operation) not in _CLAMPS or series is None:
        return False
    return bool(series.extrema[0, 0] == 0 and series.counts[0, 3] > 1)


def _are_probabilities(run: Run, use: LossUse) -> bool:
    """Whether the values of every sample sum to 1 over the classes, none is negative, and they are not all equal."""
    series = moment(run, use.prediction, use.position)
    shape = use.entry.shape
    if series is None or len(shape) < 2 or shape[1] < 2 or use.entry.batch_dimension != 0 or use.entry.kind == "single_value":
        return False
    classes = shape[1]
    mean, largest, deviation = series.statistics[0, 0].astype(np.float64)
    is_summed = max(abs(mean * classes - 1), abs(largest * classes - 1), deviation * classes) < _SUM.value
    return bool(is_summed and series.extrema[0, 0] >= 0 and series.extrema[0, 1] - series.extrema[0, 0] > _SUM.value)


RULE = Rule(
    name="softmax-before-cross-entropy",
    title="Probabilities are passed to a loss that expects logits",
    severity=Severity.BUG,
    formula="the prediction of cross_entropy or binary_cross_entropy_with_logits was made by softmax, sigmoid, relu or tanh (the last "
    "only for cross_entropy), perhaps through views; or its values sum to 1 over the classes in 3 steps. Or a log_softmax before nll_loss "
    "or kl_div takes the very result of one of these",
    source="TheDeepChecker (redundant softmax), UMLAUT, Stack Overflow 47352366",
    needs="calls of loss functions",
    advice=("Pass the raw outputs of the last linear layer to the loss.", "Apply the activation only where you need probabilities."),
    wrong_if="The loss falls almost to 0 when a single batch is repeated. With probabilities for logits, it cannot.",
    check=_check,
    thresholds=(_SUM, _STEPS),
    explains=(Explains("vanishing-gradient"), Explains("loss-does-not-fall"), Explains("updates-too-small"), Explains("zero-gradient")),
    priority=0,
    while_training=0,
)

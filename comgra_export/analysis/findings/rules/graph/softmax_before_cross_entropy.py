"""Probabilities are passed to a loss that expects logits."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, log

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.hidden_activations import activation_of
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, plain_name
from comgra_export.analysis.findings.rules.steps import training_graph, values_in_training
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
_STEPS_OF_RANGE = Threshold("training steps in which all values lie between 0 and 1, before a sigmoid", 20, "own choice")
_VALUES = Threshold("how many values these are", 200, "own choice: as for rules about targets")
_SPAN = Threshold("how much of the range they take up", 0.3, "own choice")
_STEPS = Threshold("steps in which all sums are 1, if the operation is not known", 3, "trials on 110 small programs")


def _check(run: Run) -> Iterator[Finding]:
    by_hand = list(_by_hand(run))
    yield from by_hand
    try:
        yield from _in_functions(run)
    except NotCheckedError:
        if not by_hand and not training_graph(run).shown:
            raise


def _by_hand(run: Run) -> Iterator[Finding]:
    """A log_softmax that no loss function takes, on the way to what is minimized: its chosen values may be a cross entropy by hand."""
    for position in np.flatnonzero(run.is_training).tolist()[:1]:
        graph, entries = run.graph(position), entries_of(run, position)
        roots = graph.shown.keys() & set(map(TensorKey._make, run.steps[position].backward_roots))
        used = frozenset(key for root in roots for key in graph.ancestors(root))
        taken = {through_views(run, position, TensorKey(*call.prediction)) for call in run.steps[position].losses if call.prediction}
        for key in sorted(used - taken, key=lambda each: graph.depth.get(each, 0)):
            if key in entries and plain_name(entries[key].operation) == "log_softmax":
                yield from _of_log_softmax(run, position, key)


def _in_functions(run: Run) -> Iterator[Finding]:
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
        activation = "relu" if _cuts_off(run, use, tensor, entry) else activation_of(run, use.position, tensor)
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
        elif _may_be_probabilities(run, use, tensor):
            alike = sums.setdefault((tensor.name, function), [])
            alike.append(use)
            are_classes = function == "cross_entropy"
            are_many = len({each.position for each in alike}) >= (_STEPS if are_classes else _STEPS_OF_RANGE).value
            if are_many and (are_classes or _stays_in_range(run, tensor)):
                seen.add((tensor.name, function))
                yield _of_values(tensor, alike[0])


def _may_be_probabilities(run: Run, use: LossUse, tensor: TensorKey) -> bool:
    if use.call.function == "cross_entropy":
        return _are_probabilities(run, use)
    return use.call.function == "binary_cross_entropy_with_logits" and moment(run, tensor, use.position) is not None


def _of_values(tensor: TensorKey, first: LossUse) -> Finding:
    """Probabilities, as their values show it."""
    of_classes = first.call.function == "cross_entropy"
    what = (
        "are probabilities: none is negative, and they sum to 1" if of_classes else "lie between 0 and 1 in all steps, like probabilities"
    )
    return RULE.finding(
        f"The values of `{tensor.name}` {what}. {first.call.function} applies a {'softmax' if of_classes else 'sigmoid'} to them. This "
        "flattens the gradients.",
        Place("tensor", *tensor),
        step=first.step,
        evidence=(Evidence(FORWARD, *tensor, first.step, None, f"The values passed to {first.call.function}."),),
        severity=None if of_classes else Severity.PROBLEM,
    )


def _stays_in_range(run: Run, tensor: TensorKey) -> bool:
    """Whether many values lie between 0 and 1 in all training steps, and take up much of it in one."""
    series = values_in_training(run, tensor)
    if series is None or not np.isfinite(series.extrema).all() or series.sizes.sum() < _VALUES.value:
        return False
    smallest, largest = float(series.extrema[:, 0].min()), float(series.extrema[:, 1].max())
    # The values of one step do: a network whose answer is the same for all samples drifts through the range.
    return smallest >= 0 and largest <= 1 and float(np.ptp(series.extrema, axis=1).max()) > _SPAN.value


def _before_log_softmax(run: Run, use: LossUse) -> Iterator[Finding]:
    """A softmax, sigmoid, ReLU or tanh whose very result the log_softmax before a loss function takes."""
    yield from _of_log_softmax(run, use.position, through_views(run, use.position, use.prediction))


def _of_log_softmax(run: Run, position: int, later: TensorKey) -> Iterator[Finding]:
    """The same, for a tensor that may be the result of a log_softmax."""
    entries = entries_of(run, position)
    parents = run.graph(position).parents.get(later, ())
    if plain_name(entries[later].operation) != "log_softmax" or len(parents) != 1 or parents[0] not in entries:
        return
    earlier = through_views(run, position, parents[0])
    activation = ACTIVATIONS.get(plain_name(entries[earlier].operation))
    if activation not in _NOT_LOGITS["cross_entropy"] - {"log_softmax"} or not _follows_directly(run, position, parents[0], later):
        return
    step = run.steps[position].step
    yield RULE.finding(
        f"`{earlier.name}` is the result of {activation}, and `{later.name}` is the log_softmax of it. This flattens the gradients.",
        Place("tensor", *earlier),
        Place("tensor", *later),
        step=step,
        evidence=(Evidence(FORWARD, *earlier, step, None, "The values of which the log_softmax is taken."),),
    )


def _follows_directly(run: Run, position: int, earlier: TensorKey, later: TensorKey) -> bool:
    """Whether a log_softmax over the classes may be that of a tensor: no logarithm is smaller or larger than its range allows."""
    before, after = moment(run, earlier, position), moment(run, later, position)
    shape = entries_of(run, position)[later].shape
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
    formula="the prediction of cross_entropy or binary_cross_entropy_with_logits was made by softmax, sigmoid, relu or (cross_entropy) "
    "tanh, perhaps through views; or its values sum to 1 over the classes in 3 steps, or lie between 0 and 1 in all of 20 steps. Or a "
    "log_softmax before nll_loss, kl_div or a loss by hand takes the very result of one of these",
    source="TheDeepChecker (redundant softmax), UMLAUT, Stack Overflow 47352366",
    needs="calls of loss functions",
    advice=("Pass the raw outputs of the last linear layer to the loss.", "Apply the activation only where you need probabilities."),
    wrong_if="The loss falls almost to 0 when a single batch is repeated. With probabilities for logits, it cannot.",
    check=_check,
    thresholds=(_SUM, _STEPS, _STEPS_OF_RANGE, _VALUES, _SPAN),
    explains=(Explains("vanishing-gradient"), Explains("loss-does-not-fall"), Explains("updates-too-small"), Explains("zero-gradient")),
    priority=0,
    while_training=0,
)

"""Something other than logarithms of probabilities is passed to `nll_loss`."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import entries_of, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

# Rounding alone can make the logarithm of a probability slightly positive.
_POSITIVE = Threshold("largest value", 1e-2, "exact up to rounding: the logarithm of a probability is never positive")


_LINEAR = frozenset({"addmm", "linear", "mm"})
_OF_LOSS = frozenset({"div", "mean", "mul", "neg", "sum", "true_divide", "squeeze", "view", "reshape"})
_CHOICES = frozenset({"gather", "getitem", "index"})
_MOST_OPERATIONS = 6


def _check(run: Run) -> Iterator[Finding]:
    by_hand = list(_by_hand(run))
    yield from by_hand
    if not by_hand:
        yield from _in_functions(run)


def _by_hand(run: Run) -> Iterator[Finding]:
    """What is minimized is the negative mean of what was chosen from the result of a linear layer, one value for each sample."""
    for position in np.flatnonzero(run.is_training).tolist():
        step = run.steps[position]
        for root in step.backward_roots:
            scores = _chosen_from(run, position, TensorKey(*root))
            series = None if scores is None else moment(run, scores, position)
            if scores is None or series is None or not series.extrema[0, 1] > _POSITIVE.value:
                continue
            largest = float(series.extrema[0, 1])
            yield RULE.finding(
                f"What is minimized is the negative mean of values chosen from `{scores.name}`, whose largest value is {largest:.3g}. The "
                "logarithm of a probability is never positive, so no log_softmax comes before.",
                Place("tensor", *scores),
                step=step.step,
                value=largest,
                limit=_POSITIVE.value,
                comparison="Logarithms of probabilities are at most 0.",
                evidence=(Evidence(FORWARD, *scores, step.step, None, "The values from which one is chosen for each sample."),),
            )
            return


def _chosen_from(run: Run, position: int, key: TensorKey) -> TensorKey | None:
    """The output of a layer `[B, C]` from which a value was chosen for each sample, whose negative mean or sum a tensor is; else None."""
    graph, entries = run.graph(position), entries_of(run, position)
    is_negative = False
    for _ in range(_MOST_OPERATIONS):
        operation, parents = plain_name(entries[key].operation) if key in entries else "", graph.parents.get(key, ())
        if len(parents) != 1 or parents[0] not in entries:
            return None
        is_negative ^= operation == "neg"
        (parent,) = parents
        if operation in _CHOICES:
            samples = run.steps[position].batch_size
            is_one_each = prod(entries[key].shape) == samples > 1 and len(entries[parent].shape) == 2
            is_linear = plain_name(entries[parent].operation) in _LINEAR and entries[parent].module is not None
            return parent if is_negative and is_one_each and is_linear and entries[parent].shape[1] > 1 else None
        if operation not in _OF_LOSS:
            return None
        key = parent
    return None


def _in_functions(run: Run) -> Iterator[Finding]:
    seen = set()
    for use in loss_uses(run, {"nll_loss"}):
        series = moment(run, use.prediction, use.position)
        if series is None or use.prediction.name in seen or not series.extrema[0, 1] > _POSITIVE.value:
            continue
        seen.add(use.prediction.name)
        largest = float(series.extrema[0, 1])
        tensor = through_views(run, use.position, use.prediction)
        yield RULE.finding(
            f"`{tensor.name}` is passed to nll_loss, and its largest value is {largest:.3g}. The logarithm of a probability is "
            "never positive, so no log_softmax comes before the loss.",
            Place("tensor", *tensor),
            step=use.step,
            value=largest,
            limit=_POSITIVE.value,
            comparison="Logarithms of probabilities are at most 0.",
            evidence=(Evidence(FORWARD, *tensor, use.step, None, "The values passed to nll_loss."),),
        )


RULE = Rule(
    name="nll-without-log-softmax",
    title="No log_softmax comes before nll_loss",
    severity=Severity.BUG,
    formula="a value of the prediction of nll_loss > 0.01. Or what is minimized is the negative mean or sum of values chosen from the "
    "result of a linear layer [B, C], one for each sample, and that has a value > 0.01",
    source="exact; TheDeepChecker (missing softmax)",
    needs="calls of loss functions, or the graph",
    advice=("Pass the raw outputs to `cross_entropy` instead.", "Or apply `log_softmax` to them before `nll_loss`."),
    wrong_if="The exponentials of the prediction sum to 1 over the classes.",
    check=_check,
    thresholds=(_POSITIVE,),
    explains=(
        Explains("negative-loss"),
        Explains("diverging-loss"),
        Explains("runaway-growth"),
        Explains("loss-does-not-fall"),
        Explains("nan-origin"),
    ),
    priority=0,
    while_training=0,
)

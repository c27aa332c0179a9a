"""Targets lie outside what the output can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.hidden_activations import activation_of
from comgra_export.analysis.findings.rules.histograms import histogram_at
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, LossUse, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, plain_name
from comgra_export.analysis.findings.rules.out_of_range import ROUNDING, count_outside, share_outside
from comgra_export.analysis.findings.rules.recurrent import RECURRENT, state_of
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold("share of targets outside", 0.05, "trials on 110 small programs; DeepDiagnosis (OutOfRange)")
_LEAST_TARGETS = Threshold("targets in all steps together, if histograms count them", 100, "own choice")

_RANGES = {
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "relu": (0.0, inf),
    "relu6": (0.0, 6.0),
    "elu": (-1.0, inf),
    "silu": (-0.2785, inf),
    "gelu": (-0.17, inf),
    "hardsigmoid": (0.0, 1.0),
    "erf": (-1.0, 1.0),
    "sin": (-1.0, 1.0),
    "cos": (-1.0, 1.0),
    "log_softmax": (-inf, 0.0),
    "softplus": (0.0, inf),
    "exp": (0.0, inf),
    "abs": (0.0, inf),
    **dict.fromkeys(RECURRENT, (-1.0, 1.0)),
}
_CLAMPS = frozenset({"clamp", "clamp_min", "clamp_max", "hardtanh"})
_FUNCTIONS = REGRESSIONS | {"binary_cross_entropy"}
_OF_SIGNS = frozenset({"cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "soft_margin_loss"})
_DIFFERENCES = frozenset({"rsub", "sub"})


def _check(run: Run) -> Iterator[Finding]:
    signs = list(_not_signs(run))
    yield from signs
    differences = list(_of_differences(run))
    yield from differences
    try:
        yield from _out_of_reach(run)
    except NotCheckedError:
        if not differences and not any(call.function in _OF_SIGNS for step in run.steps for call in step.losses):
            raise


def _not_signs(run: Run) -> Iterator[Finding]:
    """Targets other than 1 and -1, where nothing else has a meaning: a target of 0 makes a part of such a loss 0."""
    seen = set()
    for use in _uses(run, _OF_SIGNS):
        target = None if use.call.target is None else TensorKey(*use.call.target)
        series = None if target is None else moment(run, target, use.position)
        if target is None or series is None or target.name in seen or not series.is_finite[0] or not series.sizes[0]:
            continue
        least, most = (float(value) for value in series.extrema[0])
        if abs(float(series.absolute_mean[0]) - 1) <= ROUNDING and max(abs(least), abs(most)) <= 1 + ROUNDING:
            continue
        seen.add(target.name)
        yield RULE.finding(
            f"{use.call.function} takes targets of 1 and -1. Those in `{target.name}` go from {least:.3g} to {most:.3g}, and others than "
            "these two have no meaning to it.",
            Place("tensor", *target),
            Place("tensor", *use.prediction),
            step=use.step,
            evidence=(Evidence(FORWARD, *target, use.step, None, "The targets."),),
        )


def _of_differences(run: Run) -> Iterator[Finding]:
    """Differences of an output and a target that is not recorded, on the way to the loss: too large on average in all training steps."""
    graph = training_graph(run)
    roots = {TensorKey(*root) for step in run.steps for root in step.backward_roots}
    for key, entry in run.tensors.items():
        parents = graph.parents.get(key, ())
        if plain_name(entry.operation) not in _DIFFERENCES or len(parents) != 1 or parents[0] not in run.tensors:
            continue
        source = run.tensors[parents[0]]
        activation = ACTIVATIONS.get(plain_name(source.operation), plain_name(source.operation))
        output, difference = values_in_training(run, parents[0]), values_in_training(run, key)
        if activation not in _RANGES or source.module is None or output is None or difference is None or not roots & graph.descendants(key):
            continue
        if len(difference) < LEAST_STEPS or not np.array_equal(output.steps, difference.steps) or source.shape != entry.shape:
            continue
        low, high = _RANGES[activation]
        # Output less target, or the reverse.
        means = output.mean - difference.mean, output.mean + difference.mean
        is_outside = all((each < low).all() or (each > high).all() for each in means) or (difference.absolute_mean > high - low).all()
        is_below_zero = low == 0 and high == inf and bool((_share_below_zero(output, difference) > _SHARE.value).all())
        if not is_outside and not is_below_zero:
            continue
        step, magnitude = as_step(difference.steps[0]), float(np.median(difference.absolute_mean))
        span = f"at least {low:g}" if high == inf else f"from {low:g} to {high:g}"
        yield RULE.finding(
            f"`{parents[0].name}` is the result of {activation}, so its values are {span}. The target is {magnitude:.3g} away from it on "
            "average, so it is out of reach.",
            Place("tensor", *parents[0]),
            Place("tensor", *key),
            step=step,
            evidence=(Evidence(FORWARD, *key, step, "abs_mean", "How far the output is from the target."),),
        )
        return


def _share_below_zero(output: Series, difference: Series) -> Floats:
    """A lower bound of the share of targets below 0 in each of the first steps, for an output that is never negative.

    A target is the output and a difference, of whichever sign. The mean of what targets have below 0 is half of their mean magnitude less
    their mean, and each of them lies at most as far below 0 as the largest difference.
    """
    start = slice(LEAST_STEPS)
    mean, magnitude, least = difference.mean[start], difference.absolute_mean[start], output.absolute_mean[start]
    largest = np.abs(difference.extrema[start])
    # The target is the output less the difference, or the output and the difference.
    below = [(magnitude - least - (least + sign * mean)) / 2 for sign in (-1, 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Floats = np.minimum(below[0] / largest[:, 1], below[1] / largest[:, 0])
    return shares


def _uses(run: Run, functions: frozenset[str]) -> list[LossUse]:
    try:
        return loss_uses(run, functions)
    except NotCheckedError:
        return []


def _out_of_reach(run: Run) -> Iterator[Finding]:
    counted: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    first: dict[tuple[str, str], _Reach] = {}
    seen = set()
    for reach in _reaches(run):
        pair = reach.tensor.name, reach.target.name
        series = moment(run, reach.target, reach.use.position)
        if pair in seen or series is None or not series.is_finite[0] or not series.sizes[0]:
            continue
        share = share_outside(series, reach.low, reach.high)
        if share > _SHARE.value:
            seen.add(pair)
            yield _finding(reach, series, share)
            continue
        first.setdefault(pair, reach)
        histogram = histogram_at(run, reach.use.position, reach.target)
        if histogram is not None:
            counted[pair].append((count_outside(histogram, reach.low, reach.high), histogram.looked_at))
    # A batch of a few targets may have one that is far off. All steps together say more.
    for pair, counts in counted.items():
        outside, total = np.sum(counts, axis=0)
        series = moment(run, first[pair].target, first[pair].use.position)
        if pair not in seen and series is not None and total >= _LEAST_TARGETS.value and outside > _SHARE.value * total:
            yield _finding(first[pair], series, float(outside / total))


class _Reach(NamedTuple):
    """A call of a loss function whose prediction was made by a function with a range."""

    use: LossUse
    tensor: TensorKey
    target: TensorKey
    activation: str
    low: float
    high: float


def _reaches(run: Run) -> Iterator[_Reach]:
    for use in loss_uses(run, _FUNCTIONS):
        tensor = through_views(run, use.position, use.prediction)
        activation = activation_of(run, use.position, tensor)
        if activation not in _RANGES and (state := state_of(run, use.position, tensor)) is not None:
            activation, tensor = state
        span = _RANGES.get(activation) or (_clamped(run, tensor) if activation in _CLAMPS else None)
        if span is not None and use.call.target is not None:
            yield _Reach(use, tensor, TensorKey(*use.call.target), activation, *span)


def _finding(reach: _Reach, series: Series, share: float) -> Finding:
    """The finding, with the targets of a step and the share of all targets that are out of reach."""
    low, high, step = reach.low, reach.high, reach.use.step
    span = f"at least {low:g}" if high == inf else f"at most {high:g}" if low == -inf else f"from {low:g} to {high:g}"
    return RULE.finding(
        f"`{reach.tensor.name}` is the result of {reach.activation}, so its values are {span}. Its target `{reach.target.name}` has values "
        f"from {series.extrema[0, 0]:.3g} to {series.extrema[0, 1]:.3g}: at least {share:.0%} of them are out of reach.",
        Place("tensor", *reach.tensor),
        Place("tensor", *reach.target),
        step=step,
        value=share,
        limit=_SHARE.value,
        comparison="No target should be out of reach.",
        evidence=(
            Evidence(FORWARD, *reach.target, step, None, "The targets."),
            Evidence(FORWARD, *reach.tensor, step, None, "The output."),
        ),
    )


def _clamped(run: Run, tensor: TensorKey) -> tuple[float, float] | None:
    """The limits that a tensor was clamped to: extremes that are the same number in most training steps, five at least. None if none is."""
    series = values_in_training(run, tensor)
    if series is None or not np.isfinite(series.extrema).all():
        return None
    limits = []
    for extremes, outer in (
        (series.extrema[:, 0], float(series.extrema[:, 0].min())),
        (series.extrema[:, 1], float(series.extrema[:, 1].max())),
    ):
        reached = int((extremes == outer).sum())
        limits.append(outer if reached >= LEAST_STEPS and reached > len(series) / 2 else None)
    low, high = limits
    return None if low is None and high is None else (-inf if low is None else low, inf if high is None else high)


RULE = Rule(
    name="target-out-of-range",
    title="Targets lie outside what the output can be",
    severity=Severity.PROBLEM,
    formula="the prediction of a regression loss was made by a function with a range, as tanh, a clamp or a recurrent "
    "layer, and more than 5 % of the targets lie outside it in a step, or as histograms count them in all steps (lower bounds). "
    "For a loss by hand: their mean in 5 steps, or more than 5 % below 0 in each of the first 5. Or a target of a loss that takes 1 and "
    "-1 is neither",
    source="DeepDiagnosis (OutOfRange), Stack Overflow 48221692 and 48251943",
    needs="calls of loss functions, and tensors of prediction and target",
    advice=("Leave out the activation of the last layer.", "Or scale the targets into its range, to 1 and -1 if the loss compares signs."),
    wrong_if="The recorded targets lie in the range of the activation.",
    check=_check,
    neighbours=("target",),
    thresholds=(_SHARE, _LEAST_TARGETS),
    explains=(
        Explains("updates-too-small"),
        Explains("saturated-units"),
        Explains("dead-relu"),
        Explains("loss-does-not-fall"),
        Explains("vanishing-gradient"),
        Explains("same-for-all-samples"),
        Explains("negative-loss"),
        Explains("zero-gradient"),
        Explains("predictions-ignore-input"),
    ),
    priority=1,
)

"""The values of a tensor grow from step to step, far beyond where they began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.layers import is_inside_network
from comgra_export.analysis.findings.rules.loss_curve import loss_at_start_and_end
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, moment, through_views
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, values_in_training
from comgra_export.analysis.findings.rules.wording import in_short
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_GROWTH = 30.0
_SIZE = 100.0
_SIZE_IF_LOSS_RISES = 10.0
_LAST = 5
# So that the median is that of the last three.
_LEAST_STEPS = 6
# Since when it grows: from then on, it is larger than this many times the start.
_BEGINS = 2.0
# What begins at zero has no size to compare with.
_LEAST_START = 1e-3


class _Grown(NamedTuple):
    key: TensorKey
    growth: float
    start: float
    end: float
    since: float


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run, _LEAST_STEPS)
    loss = loss_at_start_and_end(run)
    limit = _SIZE_IF_LOSS_RISES if loss is not None and loss.end > loss.start else _SIZE
    # Terms of a loss grow as a network learns what they reward.
    inside = [key for key in run.of_type("calculated") if key.iteration >= 0 and is_inside_network(run, key)]
    targets = _size_of_targets(run)
    grown = {key: each for key in inside if (each := _grows(run, key, limit)) is not None and each.end > targets.get(key, 0.0)}
    graph = training_graph(run)
    roots = [each for key, each in grown.items() if not graph.ancestors(key).intersection(grown)]
    if not roots:
        return
    roots.sort(key=lambda each: (each.since, -each.growth))
    first = roots[0]
    others = f" In all, {len(grown)} tensors grow; the places are those where it begins." if len(grown) > 1 else ""
    yield RULE.finding(
        f"The mean magnitude of `{first.key.name}` grows {in_short(first.growth)}-fold, from {first.start:.3g} to {first.end:.3g}.{others}",
        *(Place("tensor", *each.key) for each in roots),
        step=first.since,
        value=first.growth,
        limit=_GROWTH,
        comparison=f"This is the ratio to the first step. There, the mean magnitude is {first.start:.3g}.",
        evidence=(Evidence(FORWARD, *first.key, first.since, "abs_mean", "The mean magnitude over the steps."),),
    )


def _size_of_targets(run: Run) -> dict[TensorKey, float]:
    """The mean magnitude of the targets of each prediction of a regression: it has to grow until it is as large."""
    sizes: dict[TensorKey, float] = {}
    for position in np.flatnonzero(run.is_training).tolist():
        for call in run.steps[position].losses:
            series = None if call.target is None else moment(run, TensorKey(*call.target), position)
            if call.function in REGRESSIONS and call.prediction is not None and series is not None:
                prediction, size = TensorKey(*call.prediction), float(series.absolute_mean[0])
                for key in (prediction, through_views(run, position, prediction)):
                    sizes[key] = max(size, sizes.get(key, 0.0))
    return sizes


def _grows(run: Run, key: TensorKey, limit: float) -> _Grown | None:
    series = values_in_training(run, key)
    if series is None:
        return None
    finite = series.at(np.isfinite(series.absolute_mean))
    sizes = finite.absolute_mean
    if len(sizes) < _LEAST_STEPS:
        return None
    last = sizes[-min(_LAST, len(sizes) // 2) :]
    start, end = max(float(sizes[0]), _LEAST_START), float(np.median(last))
    if end <= _GROWTH * start or end <= limit:
        return None
    small = np.flatnonzero(sizes <= _BEGINS * start)
    return _Grown(key, end / start, start, end, as_step(finite.steps[small[-1] + 1 if len(small) else 0]))


RULE = Rule(
    name="runaway-growth",
    title="Values grow without bounds",
    severity=Severity.PROBLEM,
    formula="median over the last five steps, at most half of all, of the mean magnitude > 30 times that of the first step, and > 100, or "
    "> 10 if the loss rose. Terms of the loss are left out",
    source="own trials: healthy tensors grow 31-fold at the 95th percentile; TheDeepChecker",
    needs="values in 6 training steps",
    advice=(
        "Add normalization, or weight decay.",
        "Lower the learning rate.",
        "If targets are computed by the network itself (bootstrapping), check discount factors and use a target network.",
    ),
    wrong_if="The values stop growing when the run goes on.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(
        Threshold("growth", _GROWTH, "own trials"),
        Threshold("mean magnitude at the end", _SIZE, "own trials"),
        Threshold("mean magnitude at the end if the loss rose", _SIZE_IF_LOSS_RISES, "own trials"),
    ),
    explains=(
        Explains("nan-origin"),
        Explains("near-overflow"),
        Explains("logit-growth"),
        Explains("attention-collapse"),
        Explains("exploding-gradient"),
        Explains("branch-without-effect", "downstream"),
        Explains("diverging-loss"),
        Explains("loss-does-not-fall"),
    ),
    priority=4,
)

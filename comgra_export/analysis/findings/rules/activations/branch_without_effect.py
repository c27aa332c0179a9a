"""A residual branch adds almost nothing to what goes around it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.layers import is_inside_network, of_operations
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_EFFECT = 1e-3
# A branch that is multiplied by a small constant may grow as long as it has no effect.
_OF_LARGE = 5e-2
_STATISTICS = 4


class _Sum(NamedTuple):
    key: TensorKey
    branch: TensorKey
    around: TensorKey
    effect: float
    factor: float
    step: float

    @property
    def is_idle(self) -> bool:
        """Whether the branch does next to nothing, or is scaled down so far that all it can do is to grow."""
        return self.effect < _EFFECT or (self.effect < _OF_LARGE and self.factor < _EFFECT)


def _check(run: Run) -> Iterator[Finding]:
    sums = list(_sums(run))
    if not sums:
        raise NotCheckedError("no sum of two recorded tensors of one shape", applies=False)
    require_training_steps(run)
    measured = [each for key, parents in sums if (each := _least_effect(run, key, parents)) is not None]
    idle = [each for each in measured if each.is_idle]
    if not idle:
        return
    first = min(idle, key=lambda each: training_graph(run).depth.get(each.key, 0))
    grown = "" if first.effect < _EFFECT else f", although it has grown to {first.effect / first.factor:.3g} of that size"
    others = f" {len(idle)} sums are like that." if len(idle) > 1 else ""
    yield RULE.finding(
        f"`{first.branch.name}` changes `{first.around.name}` by at most {first.effect:.1g} of its size in `{first.key.name}`: "
        f"the branch has almost no effect{grown}.{others}",
        *(Place("tensor", *each.branch) for each in idle),
        step=first.step,
        value=max(first.effect, 1e-9),
        limit=_EFFECT if first.effect < _EFFECT else _OF_LARGE,
        comparison=f"The mean magnitude of `{first.around.name}` counts as 1.",
        evidence=(
            Evidence(FORWARD, *first.branch, first.step, "abs_mean", "The mean magnitude of the branch."),
            Evidence(FORWARD, *first.around, first.step, "abs_mean", "The mean magnitude of what goes around it."),
        ),
    )


def _sums(run: Run) -> Iterator[tuple[TensorKey, tuple[TensorKey, TensorKey]]]:
    """The sums of two tensors with their shape, of which neither is a parameter, within the network.

    A sum through which one of the two gets no gradient is none: a straight-through estimate is meant to have the value of one of them.
    """
    graph = training_graph(run)
    for key, entry in of_operations(run, "AddBackward0").items():
        parents = graph.parents.get(key, ())
        if not is_inside_network(run, key) or any((parent, key) in graph.cut for parent in parents):
            continue
        if len(parents) == 2 and all(
            parent in run.tensors and parent.iteration >= 0 and run.tensors[parent].shape == entry.shape for parent in parents
        ):
            yield key, (parents[0], parents[1])


def _least_effect(run: Run, key: TensorKey, parents: tuple[TensorKey, TensorKey]) -> _Sum | None:
    """How much the sum differs from the parent that it is closest to. The other parent is the branch."""
    total = values_in_training(run, key)
    if total is None:
        return None
    effects = [(effect, parent) for parent in parents if (effect := _differences(total, values_in_training(run, parent))) is not None]
    if not effects:
        return None
    by_step, around = min(effects, key=lambda pair: float(_late(pair[0]).max()))
    branch = parents[1] if around == parents[0] else parents[0]
    largest = float(_late(by_step).max())
    effective = np.flatnonzero(by_step >= (_EFFECT if largest < _EFFECT else _OF_LARGE))
    since = min(int(effective[-1]) + 1 if len(effective) else 0, len(by_step) - 1)
    factor = _factor(by_step, values_in_training(run, around), values_in_training(run, branch))
    return _Sum(key, branch, around, largest, factor, as_step(total.steps[since]))


def _factor(effects: Floats, around: Series | None, branch: Series | None) -> float:
    """The largest effect of late steps in mean magnitudes of the branch; infinite if these are not known."""
    if around is None or branch is None or len(branch) != len(effects) or not (branch.absolute_mean > 0).all():
        return inf
    return float(_late(effects * around.absolute_mean / branch.absolute_mean).max())


def _late(by_step: Floats) -> Floats:
    return by_step[len(by_step) // 2 :]


def _differences(total: Series, other: Series | None) -> Floats | None:
    """`[T]`: the largest difference of a statistic over the samples, relative to the mean magnitude.

    The largest magnitude of a sample changes by about as much as the values, so the difference is small only if the branch is.
    """
    if other is None or not np.array_equal(total.steps, other.steps):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = np.abs(total.statistics - other.statistics)[:, :_STATISTICS] / other.absolute_mean[:, None, None]
    largest: Floats = np.fmax.reduce(differences.reshape(len(total), -1), axis=1)
    return largest.astype(np.float64) if np.isfinite(_late(largest)).all() else None


RULE = Rule(
    name="branch-without-effect",
    title="A residual branch has almost no effect",
    severity=Severity.PROBLEM,
    formula="|statistic(a + b) - statistic(a)| / mean magnitude of a < 0.001, for mean, mean magnitude, deviation and largest magnitude of "
    "the samples, in every step of the second half; or < 0.05, and < 0.001 of the mean magnitude of b",
    source="own trials",
    needs="a sum in the network and its two operands, in 5 training steps",
    advice=(
        "Check the factor and the initial weights of the branch.",
        "Check that gradients reach the branch.",
    ),
    wrong_if="The output changes when the branch is left out.",
    check=_check,
    thresholds=(
        Threshold("change by the branch", _EFFECT, "own trials"),
        Threshold("change by a branch that is a thousand times as large as its effect", _OF_LARGE, "own choice"),
    ),
    explains=(Explains("rank-collapse"), Explains("vanishing-gradient"), Explains("zero-gradient"), Explains("updates-too-small")),
    priority=3,
)

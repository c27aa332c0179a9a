"""An activation is applied directly to the result of another."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, log

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.hidden_activations import MONOTONE, is_result_of
from comgra_export.analysis.findings.rules.losses import entries_of, moment
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, is_view, plain_name
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_EFFECTS = {
    "relu": "It cuts off negative values before",
    "leaky_relu": "It makes negative values very small before",
    "sigmoid": "Only values from 0 to 1 reach",
    "tanh": "Only values from -1 to 1 reach",
    "softmax": "Only values from 0 to 1 reach",
}
_PRODUCTS = frozenset({"bmm", "mm", "mv", "matmul", "mul", "einsum", "baddbmm", "dot"})
_TOLERANCE = 1e-3


def _check(run: Run) -> Iterator[Finding]:
    positions = [position for position in range(len(run.steps)) if run.graph(position).shown]
    if not positions:
        raise NotCheckedError("no graph was recorded")
    seen = set()
    for position in positions:
        graph, entries = run.graph(position), entries_of(run, position)
        for key, parents in graph.parents.items():
            later = plain_name(entries[key].operation) if key in entries else ""
            hides = len(parents) == 1 and is_view(later) and key.name not in seen
            function = "sigmoid" if hides else later
            may_hide = function in {"sigmoid", "tanh"} and len(parents) == 1 and key.name not in seen
            if may_hide and is_result_of(run, parents[0], key, function, of_relu=True):
                seen.add(key.name)
                yield _of_hidden(parents[0], key, function, run.steps[position].step)
                continue
            if hides and is_result_of(run, parents[0], key, "sigmoid"):
                later = "sigmoid"
            if later not in {"sigmoid", "tanh", "softmax"} or len(parents) != 1 or parents[0] not in entries or key.name in seen:
                continue
            earlier = ACTIVATIONS.get(plain_name(entries[parents[0]].operation), "")
            if earlier not in _EFFECTS or (later == "softmax" and _is_weight(graph, key, run, position)):
                continue
            if not _is_direct(run, position, parents[0], key, later):
                continue
            seen.add(key.name)
            step = run.steps[position].step
            yield RULE.finding(
                f"`{key.name}` is the {later} of `{parents[0].name}`, which is the result of {earlier}. {_EFFECTS[earlier]} the {later}.",
                Place("tensor", *parents[0]),
                Place("tensor", *key),
                step=step,
                evidence=(
                    Evidence(FORWARD, *parents[0], step, None, f"The result of {earlier}."),
                    Evidence(FORWARD, *key, step, None, f"The result of {later}."),
                ),
            )


def _of_hidden(source: TensorKey, key: TensorKey, function: str, step: float) -> Finding:
    return RULE.finding(
        f"`{key.name}` has the values of a {function} of a ReLU of `{source.name}`. {_EFFECTS['relu']} the {function}, so no value is "
        f"below {MONOTONE[function](0):g}.",
        Place("tensor", *key),
        Place("tensor", *source),
        step=step,
        evidence=(Evidence(FORWARD, *key, step, None, f"The result of the {function}."),),
    )


def _is_direct(run: Run, position: int, parent: TensorKey, child: TensorKey, later: str) -> bool:
    """Whether nothing that is not recorded lies between the two: the extremes of the child are those that the parent's imply."""
    before, after = moment(run, parent, position), moment(run, child, position)
    if before is None or after is None or before.sizes[0] != after.sizes[0] or not before.is_finite[0] or not after.is_finite[0]:
        return False
    low, high = (float(value) for value in before.extrema[0])
    smallest, largest = (float(value) for value in after.extrema[0])
    if not isfinite(low + high + smallest + largest):
        return False
    if later == "softmax":
        # Within a group, the ratio of two probabilities is that of the exponentials.
        return smallest > 0 and log(largest / smallest) <= (high - low) + _TOLERANCE + log(before.sizes[0])
    function = MONOTONE[later]
    return abs(function(low) - smallest) <= _TOLERANCE and abs(function(high) - largest) <= _TOLERANCE


def _is_weight(graph: StepGraph, key: TensorKey, run: Run, position: int) -> bool:
    """Whether a softmax weights other tensors, as attention does."""
    entries = entries_of(run, position)
    return any(plain_name(entries[child].operation) in _PRODUCTS for child in graph.descendants(key) if child in entries)


RULE = Rule(
    name="activation-after-activation",
    title="An activation directly after another",
    severity=Severity.PROBLEM,
    formula="sigmoid, tanh or softmax takes the very result of relu, leaky_relu, sigmoid, tanh or softmax; softmax that weights other "
    "tensors is left out. A ReLU that is not recorded, or a sigmoid that a view hides, shows in the extremes of 5 steps",
    source="exact; the tutorial's bug",
    needs="graphs, and names of operations",
    advice=("Leave out the first of the two activations.", "Mute the finding if the combination is intended."),
    wrong_if="The loss ends no lower when the first of the two activations is left out.",
    check=_check,
    explains=(
        Explains("saturated-units", "downstream"),
        Explains("vanishing-gradient"),
        Explains("loss-does-not-fall"),
        Explains("zero-gradient"),
        Explains("initial-loss"),
    ),
    priority=1,
)

"""A softmax over a single value is always 1."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

# What a softmax over one value returns.
_CONSTANTS = {"softmax": 1.0, "log_softmax": 0.0}
_SATURATED = 10.0


def _check(run: Run) -> Iterator[Finding]:
    yield from _of_tensors(run)
    yield from _of_losses(run)


def _of_tensors(run: Run) -> Iterator[Finding]:
    of_name: dict[str, list[TensorKey]] = {}
    for key, entry in run.tensors.items():
        if plain_name(entry.operation) in _CONSTANTS or _is_hidden(run, key):
            of_name.setdefault(key.name, []).append(key)
    for keys in of_name.values():
        if all(_is_hidden(run, key) or _is_constant(run, key, run.tensors[key]) for key in keys):
            key, entry = keys[0], run.tensors[keys[0]]
            series = run.values(key)
            assert series is not None
            function = _function(entry)
            yield RULE.finding(
                f"`{key.name}` {list(entry.shape)} is a {function} over a single value, so all of its values are always "
                f"{_CONSTANTS[function]:g}. No gradient passes through it.",
                Place("tensor", *key),
                step=as_step(series.steps[0]),
                evidence=(Evidence(FORWARD, *key, as_step(series.steps[0]), None, "All values are the same."),),
            )


def _function(entry: TensorEntry) -> str:
    """The softmax that made a tensor; if a view hides it, the usual one."""
    name = plain_name(entry.operation)
    return name if name in _CONSTANTS else "softmax"


def _is_hidden(run: Run, key: TensorKey) -> bool:
    """Whether a view hides a softmax over one: all values are 1 in 5 training steps, and those that they were computed from differ."""
    parents = training_graph(run).parents.get(key, ())
    if not is_view(run.tensors[key].operation) or len(parents) != 1 or parents[0] not in run.tensors:
        return False
    before, after = values_in_training(run, parents[0]), values_in_training(run, key)
    if before is None or after is None or len(after) < LEAST_STEPS or not np.array_equal(before.steps, after.steps):
        return False
    # No sigmoid of smaller values is 1.
    are_small = bool((before.largest_magnitude < _SATURATED).all() and (before.extrema[:, 0] < before.extrema[:, 1]).all())
    return are_small and bool((before.sizes == after.sizes).all() and (after.extrema == _CONSTANTS["softmax"]).all())


def _is_constant(run: Run, key: TensorKey, entry: TensorEntry) -> bool:
    """Whether all values are what a softmax over one value returns. An attention over a single key is not meant: it may see more later."""
    series = run.values(key)
    if series is None or not len(series) or not series.is_finite.all() or 1 not in entry.shape[1:]:
        return False
    if len(entry.shape) > 2 and prod(entry.shape[1:]) == 1:
        return False
    return bool((series.extrema == _CONSTANTS[plain_name(entry.operation)]).all())


def _of_losses(run: Run) -> Iterator[Finding]:
    seen = set()
    for step in run.steps:
        for call in step.losses:
            entry = None if call.prediction is None else run.tensors.get(TensorKey(*call.prediction))
            if call.function != "cross_entropy" or entry is None or entry.name in seen or len(entry.shape) < 2 or entry.shape[1] != 1:
                continue
            seen.add(entry.name)
            yield RULE.finding(
                f"cross_entropy gets `{entry.name}` {list(entry.shape)} with a single class. Its softmax over one value is always 1, so "
                "there is nothing to learn.",
                Place("tensor", entry.name, entry.iteration),
                step=step.step,
                evidence=(Evidence(FORWARD, entry.name, entry.iteration, step.step, None, "The scores of the only class."),),
            )


RULE = Rule(
    name="softmax-over-one",
    title="A softmax over a single value",
    severity=Severity.BUG,
    formula="all values of a softmax are 1 (of a log_softmax: 0) in all recorded steps, and one of its sizes is 1; or cross_entropy gets "
    "a single class. A softmax that a view hides shows in values of 1 in 5 steps, of a tensor with other values",
    source="exact; Stack Overflow 31880720, 33969059, 34311586, 45442843",
    needs="names of operations, or calls of loss functions",
    advice=(
        "Use a sigmoid for a single output.",
        "Or give the last layer an output for each class.",
        "Check the dimension of the softmax.",
    ),
    wrong_if="The softmax has values other than 1 in a step that was not recorded.",
    check=_check,
    neighbours=("before", "caller"),
    explains=(
        Explains("zero-gradient"),
        Explains("vanishing-gradient"),
        Explains("loss-does-not-fall"),
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
        Explains("never-updated"),
        Explains("updates-too-small"),
        Explains("initial-loss"),
    ),
    priority=0,
    while_training=0,
)

"""A softmax over a single value is always 1."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

# What a softmax over one value returns.
_CONSTANTS = {"softmax": 1.0, "log_softmax": 0.0}


def _check(run: Run) -> Iterator[Finding]:
    yield from _of_tensors(run)
    yield from _of_losses(run)


def _of_tensors(run: Run) -> Iterator[Finding]:
    of_name: dict[str, list[TensorKey]] = {}
    for key, entry in run.tensors.items():
        if plain_name(entry.operation) in _CONSTANTS:
            of_name.setdefault(key.name, []).append(key)
    for keys in of_name.values():
        if all(_is_constant(run, key, run.tensors[key]) for key in keys):
            key, entry = keys[0], run.tensors[keys[0]]
            series = run.values(key)
            assert series is not None
            yield RULE.finding(
                f"`{key.name}` {list(entry.shape)} is a {plain_name(entry.operation)} over a single value, so all of its values are always "
                f"{_CONSTANTS[plain_name(entry.operation)]:g}. No gradient passes through it.",
                Place("tensor", *key),
                step=as_step(series.steps[0]),
                evidence=(Evidence(FORWARD, *key, as_step(series.steps[0]), None, "All values are the same."),),
            )


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
    "a single class",
    source="exact; Stack Overflow 31880720, 33969059, 34311586, 45442843",
    needs="names of operations, or calls of loss functions",
    advice=(
        "Use a sigmoid for a single output.",
        "Or give the last layer an output for each class.",
        "Check the dimension of the softmax.",
    ),
    wrong_if="The softmax has values other than 1 in a step that was not recorded.",
    check=_check,
    explains=(
        Explains("zero-gradient"),
        Explains("vanishing-gradient"),
        Explains("loss-does-not-fall"),
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
        Explains("never-updated"),
        Explains("updates-too-small"),
    ),
    priority=0,
    while_training=0,
)

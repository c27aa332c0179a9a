"""Parameters that are the same tensor, or always have the same values."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.modes import is_batch_norm
from comgra_export.analysis.findings.rules.parameters import moves
from comgra_export.analysis.findings.rules.steps import training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_TRAINED = Threshold("training steps between the first and the last comparison", 20, "trials on 110 small programs")
_NUMBER = re.compile(r"\d+")


def _check(run: Run) -> Iterator[Finding]:
    if not run.network.parameters:
        raise NotCheckedError("no parameters are known", lacks="parameters")
    names_of: defaultdict[str, list[str]] = defaultdict(list)
    for entry in run.network.parameters:
        if entry.alias_of is not None:
            names_of[entry.alias_of].append(entry.name)
    repeated: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for first, others in names_of.items():
        repeated[tuple(name.rpartition(".")[0] for name in (first, *others))].append(first)
    entries: defaultdict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for modules in repeated:
        entries[_entries_of_a_list(modules)].append(modules)
    for of_list, places in entries.items():
        shared = [name for modules in places for name in repeated[modules]]
        if of_list and {entry.name for entry in run.network.parameters if entry.name.startswith(f"{of_list[0]}.")} == set(shared):
            yield _same_module(of_list, shared)
        else:
            for modules in places:
                yield _shared_norm(run, modules) or _same_answer(run, modules) or _same_tensor(repeated[modules], names_of)
    yield from _repeated_blocks(run)
    yield from _equal_values(run)


def _entries_of_a_list(modules: tuple[str, ...]) -> tuple[str, ...]:
    """The entries of the same list that modules are, or are in the same place of; empty if there are none."""
    parts = [module.split(".") for module in modules]
    different = [number for number, of_level in enumerate(zip(*parts, strict=False)) if len(set(of_level)) > 1]
    if len({len(names) for names in parts}) > 1 or len(different) != 1:
        return ()
    (level,) = different
    return tuple(".".join(names[: level + 1]) for names in parts) if all(_NUMBER.fullmatch(names[level]) for names in parts) else ()


def _repeated_blocks(run: Run) -> Iterator[Finding]:
    """Modules with parts that stand several times in one list. The recording has the parts, and the calls, under the first name only."""
    modules = run.network.modules
    # Most steps call the same modules as often.
    runs = {(step.module_runs.modules, step.module_runs.calls) for step in run.steps if step.module_runs is not None}
    calls: Counter[int] = Counter()
    for called, times in runs:
        calls |= Counter(dict(zip(called, times, strict=True)))
    has_parts = {module.parent for module in modules} | {entry.module for entry in run.network.parameters}
    for first in sorted(has_parts & calls.keys()):
        empty = [
            position
            for position, module in enumerate(modules)
            if position > first
            and position not in has_parts
            and position not in calls
            and replace(module, name="") == replace(modules[first], name="")
            and _NUMBER.fullmatch(module.name.rpartition(".")[2])
        ]
        if empty and calls[first] > len(empty):
            inside = [entry.name for entry in run.network.parameters if entry.name.startswith(f"{modules[first].name}.")]
            yield _same_module(tuple(modules[position].name for position in (first, *empty)), inside)


def _same_module(modules: tuple[str, ...], parameters: list[str]) -> Finding:
    return RULE.finding(
        f"`{modules[0]}` and {_listed(modules[1:])} are one module, not {len(modules)}: they have the same parameters. "
        "`[layer] * n` makes such a list.",
        Place("module", modules[0]),
        *(Place("parameter", name) for name in parameters),
        severity=Severity.SYMPTOM,
    )


def _shared_norm(run: Run, names: tuple[str, ...]) -> Finding | None:
    """A batch normalization that runs in several places, each with statistics of its own. None if it is none, or runs only once.

    It is known under its first name. What is shared with the modules around it, as in a siamese network, is left to the other cases.
    """
    position = next((place for place, module in enumerate(run.network.modules) if module.name == names[0]), None)
    if position is None or not is_batch_norm(run.network.modules[position]):
        return None
    runs = [step.module_runs for step in run.steps if step.module_runs is not None]
    calls = max((dict(zip(each.modules, each.calls, strict=True)).get(position, 0) for each in runs), default=0)
    parameters = [entry.name for entry in run.network.parameters if entry.alias_of is None]
    # The modules around it have parameters of their own.
    parents = [f"{name.rpartition('.')[0]}." for name in names[1:]]
    if calls < len(names) or not all(any(name.startswith(parent) for name in parameters) for parent in parents):
        return None
    return RULE.finding(
        f"{_listed(names)} are one batch normalization, which runs {calls} times in a step. Its running statistics mix those of all of "
        "these places, and fit none of them in evaluation mode.",
        Place("module", names[0]),
        *(Place("module", name) for name in names[1:]),
        severity=Severity.PROBLEM,
    )


def _same_answer(run: Run, names: tuple[str, ...]) -> Finding | None:
    """A layer with several names that a step calls as often with the same tensor: the results are equal. None if it is none.

    It is known under its first name.
    """
    own = {entry.name for entry in run.network.parameters if entry.name.rpartition(".")[0] == names[0]}
    shared = {entry.alias_of for entry in run.network.parameters if entry.name.rpartition(".")[0] == names[1]}
    if not own or own != shared:
        return None
    graph = training_graph(run)
    calls = [f"{names[0]}{call}: output" for call in ("", *(f" (call {number})" for number in range(2, len(names) + 1)))]
    results = [TensorKey(name, 0) for name in calls]
    sources = {frozenset(graph.parents.get(result, ())) for result in results if result in graph.shown}
    values = [values_in_training(run, result) for result in results]
    known = [each for each in values if each is not None]
    if len(sources) != 1 or len(known) < len(results) or not all(_are_equal(known[0], other) for other in known[1:]):
        return None
    return RULE.finding(
        f"{_listed(names)} are one layer, which a step calls {len(names)} times with the same tensor. So {_listed(calls)} are equal in all "
        "recorded steps.",
        Place("module", names[0]),
        *(Place("tensor", *result) for result in results),
        *(Place("parameter", name) for name in sorted(own)),
        severity=Severity.PROBLEM,
    )


def _are_equal(series: Series, other: Series) -> bool:
    """Whether two tensors have the same statistics in all steps, bit by bit."""
    return np.array_equal(series.steps, other.steps) and np.array_equal(series.statistics, other.statistics, equal_nan=True)


def _same_tensor(parameters: list[str], names_of: dict[str, list[str]]) -> Finding:
    first = parameters[0]
    more = "" if len(parameters) == 1 else f" {len(parameters) - 1} more pairs are tied in the same way."
    return RULE.finding(
        f"`{first}` and {_listed(names_of[first])} are the same tensor.{more}", *(Place("parameter", name) for name in parameters)
    )


def _equal_values(run: Run) -> Iterator[Finding]:
    """Parameters that move in the same way: nothing distinguishes them."""
    same: defaultdict[bytes, list[str]] = defaultdict(list)
    for entry in run.network.parameters:
        series = run.values(TensorKey(entry.name, -1))
        is_matrix = entry.requires_grad and entry.alias_of is None and len(entry.shape) > 1
        if not is_matrix or series is None or not len(series) or not moves(run, entry.name):
            continue
        if series.steps[-1] - series.steps[0] < _TRAINED.value or (series.extrema[:, 0] == series.extrema[:, 1]).any():
            continue
        numbers = np.concatenate([series.steps, series.extrema.ravel(), series.mean, series.absolute_mean, series.root_mean_square])
        same[repr(entry.shape).encode() + numbers.astype(np.float64).tobytes()].append(entry.name)
    for names in same.values():
        if len(names) > 1:
            yield RULE.finding(
                f"`{names[0]}` and {_listed(names[1:])} have equal values in all recorded steps although they are trained. They began "
                "equal, and nothing makes them differ.",
                *(Place("parameter", name) for name in names),
                severity=Severity.PROBLEM,
                evidence=tuple(
                    Evidence(FORWARD, name, -1, as_step(run.numbers[-1]), "abs_mean", "Equal in all steps.") for name in names[:2]
                ),
            )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(names) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}" if len(names) < 5 else f"{len(names)} others"


RULE = Rule(
    name="tied-parameters",
    title="Parameters that are the same",
    severity=Severity.INFORMATION,
    formula="two names of one tensor: a symptom if all modules of a list are one; a problem if it is of a batch normalization that runs "
    "in several places, between own layers, or of a layer whose calls get the same tensor. Or two trained weights with equal "
    "statistics in all steps, over 20 or more: a problem",
    source="exact",
    needs="the network; statistics of parameters to find equal ones",
    advice=(
        "If it is not intended, make the modules one by one: `[Layer() for _ in range(n)]`.",
        "Initialize copies with different values.",
    ),
    wrong_if="The values of the two differ after some step.",
    check=_check,
    thresholds=(_TRAINED,),
    priority=2,
)

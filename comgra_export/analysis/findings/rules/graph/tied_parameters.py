"""Parameters that are the same tensor, or always have the same values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import moves
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_TRAINED = Threshold("training steps between the first and the last comparison", 20, "trials on 110 small programs")
_NUMBER = re.compile(r"\d+")


def _check(run: Run) -> Iterator[Finding]:
    if not run.network.parameters:
        raise NotCheckedError("no parameters are known")
    names_of: defaultdict[str, list[str]] = defaultdict(list)
    for entry in run.network.parameters:
        if entry.alias_of is not None:
            names_of[entry.alias_of].append(entry.name)
    repeated: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for first, others in names_of.items():
        repeated[tuple(name.rpartition(".")[0] for name in (first, *others))].append(first)
    for modules, firsts in repeated.items():
        yield _same_module(modules, firsts) if _are_neighbours(modules) else _same_tensor(firsts, names_of)
    yield from _equal_values(run)


def _are_neighbours(modules: tuple[str, ...]) -> bool:
    """Whether modules are entries of the same list."""
    lists = {module.rpartition(".")[0] for module in modules}
    return len(lists) == 1 and all(_NUMBER.fullmatch(module.rpartition(".")[2]) for module in modules)


def _same_module(modules: tuple[str, ...], parameters: list[str]) -> Finding:
    return RULE.finding(
        f"{modules[0]} and {_listed(modules[1:])} are one module, not {len(modules)}: they have the same parameters. "
        "`[layer] * n` makes such a list.",
        Place("module", modules[0]),
        *(Place("parameter", name) for name in parameters),
        severity=Severity.SYMPTOM,
    )


def _same_tensor(parameters: list[str], names_of: dict[str, list[str]]) -> Finding:
    first = parameters[0]
    more = "" if len(parameters) == 1 else f" So are {len(parameters) - 1} more."
    return RULE.finding(
        f"{first} and {_listed(names_of[first])} are the same tensor.{more}", *(Place("parameter", name) for name in parameters)
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
                f"{names[0]} and {_listed(names[1:])} have equal values in all recorded steps although they are trained. They began "
                "equal, and nothing makes them differ.",
                *(Place("parameter", name) for name in names),
                severity=Severity.PROBLEM,
                evidence=tuple(Evidence(FORWARD, name, -1, int(run.numbers[-1]), "abs_mean", "Equal in all steps.") for name in names[:2]),
            )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if len(names) < 5 else f"{len(names)} others"


RULE = Rule(
    name="tied-parameters",
    title="Parameters that are the same",
    severity=Severity.INFORMATION,
    formula="two names for one tensor (a symptom if all modules of a list are one module); or two trained weights with equal statistics "
    "in all recorded steps, over 20 steps or more (a problem)",
    source="exact",
    needs="the network; statistics of parameters to find equal ones",
    advice=(
        "If it is not intended, make the modules one by one: `[Layer() for _ in range(n)]`.",
        "Initialize copies with different values.",
    ),
    check=_check,
    thresholds=(_TRAINED,),
    priority=2,
)

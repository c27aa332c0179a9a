"""From outcomes to shares: false alarms, right rules, right places, right steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean

from comgra_export.analysis.findings.model.finding import Severity
from evaluation.outcome import Outcome, Seen
from evaluation.program import Truth

__all__ = [
    "RunScore",
    "Share",
    "flagged",
    "flagged_programs",
    "is_at",
    "over_programs",
    "precision_of_rules",
    "score_run",
    "stability",
]

_Z = 1.96
_NAN = "nan-origin"


@dataclass(frozen=True)
class Share:
    """A share of programs.

    Attributes:
        count: How many, which need not be an integer: a program counts with the share of its seeds.
        total: Of how many.
    """

    count: float
    total: int

    @property
    def value(self) -> float:
        """The share; NaN of nothing."""
        return self.count / self.total if self.total else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; everything if there is nothing."""
        if not self.total:
            return 0.0, 1.0
        centre = (self.value + _Z**2 / (2 * self.total)) / (1 + _Z**2 / self.total)
        half = _Z / (1 + _Z**2 / self.total) * sqrt(self.value * (1 - self.value) / self.total + _Z**2 / (4 * self.total**2))
        return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class RunScore:
    """How well the report of a buggy run fits what is wrong. None: it cannot be said of this run.

    Attributes:
        rule_first: Whether the cause of the first incident is a right rule.
        rule_anywhere: Whether a right rule is among all findings.
        node_first: Whether the first place of the first cause is a right one. None if the bug is in no tensor.
        node_three: Whether one of the first three places that a reader meets is: those at the head of findings, in the order of the
            report, and then the others that each finding names.
        step: Whether the first finding of a right rule names the right step. None if there is none.
        nan_step: Whether the first step with a NaN or an infinity is named exactly, recorded or not. None unless such a value is
            the bug.
        findings: How many findings there are.
    """

    rule_first: bool
    rule_anywhere: bool
    node_first: bool | None
    node_three: bool | None
    step: bool | None
    nan_step: bool | None
    findings: int


def is_at(kind: str, name: str, nodes: Sequence[str]) -> bool:
    """Whether a place is one of the right ones. A module stands for its outputs and its own parameters, on both sides.

    A right module that lies in another one also stands for all modules in it.

    Args:
        kind: The kind of the place.
        name: The name of the place.
        nodes: As in `Truth`.
    """
    return any(
        name == node or _stands_for(node, name) or _lies_in(kind, name, node) or (kind == "module" and _stands_for(name, node))
        for node in nodes
    )


def _stands_for(module: str, name: str) -> bool:
    """Whether a name is that of an output or a parameter of a module."""
    return ": " not in module and _owner(name) == module


def _lies_in(kind: str, name: str, container: str) -> bool:
    """Whether a place is a module in a container, or an output or a parameter of such a module. A whole model is no container."""
    owner = name if kind == "module" else _owner(name)
    return "." in container and ": " not in container and owner is not None and owner.startswith(f"{container}.")


def _owner(name: str) -> str | None:
    """The module whose output or parameter has a name. None for an input of a module, and for a tensor of no module."""
    port, is_port, side = name.partition(": ")
    if is_port:
        return port.partition(" (call ")[0] if side.startswith("output") else None
    return name.rpartition(".")[0] or None


def score_run(outcome: Outcome, truth: Truth) -> RunScore:
    """Compares the findings of a buggy run with what is wrong."""
    right = [seen for seen in outcome.findings if seen.rule in truth.rules]
    first = [_is_in_place(seen, place, truth) for seen in outcome.findings[:1] for place in seen.places[:1]]
    met = list(_places_as_met(outcome.findings).items())[:3]
    return RunScore(
        rule_first=bool(outcome.causes) and outcome.causes[0].rule in truth.rules,
        rule_anywhere=bool(right),
        node_first=None if not truth.nodes else any(first),
        node_three=None if not truth.nodes else any(_is_in_place(seen, place, truth) for place, seen in met),
        step=_names_the_step(right[0], outcome, truth) if right else None,
        nan_step=_names_the_nan(outcome, truth) if truth.rules == (_NAN,) else None,
        findings=len(outcome.findings),
    )


def _places_as_met(findings: Sequence[Seen]) -> dict[tuple[str, str], Seen]:
    """All places of a report as a reader meets them, with the finding that names each first: heads of findings, then what each adds."""
    met: dict[tuple[str, str], Seen] = {}
    for seen in findings:
        for place in seen.places[:1]:
            met.setdefault(place, seen)
    for seen in findings:
        for place in seen.places[1:]:
            met.setdefault(place, seen)
    return met


def _is_in_place(seen: Seen, place: tuple[str, str], truth: Truth) -> bool:
    """Whether a place of a finding is a right one, by its name or as what a right module returns."""
    returned = [*seen.returned_by, *(f"{module}: output" for module in seen.returned_by)] if place == seen.places[0] else []
    return is_at(*place, truth.nodes) or bool(set(returned).intersection(truth.nodes))


def _names_the_step(seen: Seen, outcome: Outcome, truth: Truth) -> bool:
    """Whether a finding names the first recorded step in which the bug can be seen, or the very first: a training step or an evaluation.

    A finding without a step holds from the beginning.
    """
    if seen.step is None:
        return truth.step is None
    since = truth.step or 0
    first = [min((step for step in steps if step >= since), default=None) for steps in (outcome.training_steps, outcome.other_steps)]
    return seen.step in first or seen.step == truth.step


def _names_the_nan(outcome: Outcome, truth: Truth) -> bool:
    """Whether the first step that is not finite is named. No finding is a miss."""
    steps = [seen.step for seen in outcome.findings if seen.rule == _NAN]
    return steps[:1] == [truth.step or 0]


def over_programs(values: Iterable[tuple[str, bool | None]]) -> Share:
    """The share of programs, from one value per run; a program counts with the mean of its runs. None is left out.

    Args:
        values: Names of programs and values.
    """
    runs: defaultdict[str, list[bool]] = defaultdict(list)
    for program, value in values:
        if value is not None:
            runs[program].append(value)
    return Share(sum(mean(values) for values in runs.values()), len(runs))


def flagged(outcome: Outcome, severity: Severity) -> bool:
    """Whether a run has a finding of at least a severity."""
    return any(seen.severity >= severity for seen in outcome.findings)


def flagged_programs(outcomes: Sequence[Outcome], severity: Severity) -> Share:
    """The share of programs with such a finding in any of their runs."""
    alarms: defaultdict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        alarms[outcome.program].append(flagged(outcome, severity))
    return Share(sum(map(any, alarms.values())), len(alarms))


def precision_of_rules(outcomes: Sequence[Outcome], truths: Mapping[str, Truth]) -> dict[str, Share]:
    """Per rule the share of its findings on buggy runs that are right, or explained by a cause that is right."""
    good: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for outcome in outcomes:
        right = truths[outcome.program].rules
        explained = {seen.incident for seen in outcome.causes if seen.rule in right}
        for seen in outcome.findings:
            total[seen.rule] += 1
            good[seen.rule] += seen.rule in right or seen.incident in explained
    return {rule: Share(good[rule], total[rule]) for rule in sorted(total)}


def stability(outcomes: Sequence[Outcome]) -> Share:
    """The share of pairs (program and variant, rule) that appear with every seed, among those that appear with any seed."""
    rules: defaultdict[tuple[str, str], list[set[str]]] = defaultdict(list)
    for outcome in outcomes:
        rules[outcome.program, outcome.variant].append({seen.rule for seen in outcome.findings})
    anywhere = sum(len(set.union(*seeds)) for seeds in rules.values())
    everywhere = sum(len(set.intersection(*seeds)) for seeds in rules.values())
    return Share(everywhere, anywhere)

"""Which findings are causes, which follow from others, and in which order causes are named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.report import Incident
from comgra_export.analysis.findings.model.rule import Relation, Rule
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import TensorKey

__all__ = ["group_into_incidents", "keys_of"]

_CALL = re.compile(r" \(call \d+\)")
# Later than any step.
_NEVER = 10**15


def group_into_incidents(findings: Sequence[Finding], rules: Mapping[str, Rule], graph: StepGraph) -> tuple[Incident, ...]:
    """Puts each finding under the cause that explains it, and sorts causes by importance: their own, or that of what is worse and follows.

    A finding explains another if its rule names the other's, if it began no later, and if the other lies where the rule says. A note
    explains notes only, unless a symptom has no other cause: then the note becomes a symptom, since what may be intended has done harm. If
    there are several causes, the most important one counts. What is explained explains in turn; its consequences go to the same cause.

    Args:
        findings: What the rules found.
        rules: The rules, by name.
        graph: What was computed from what in a training step.
    """
    incidents = _group(findings, rules, graph)
    roots = [incident.cause for incident in incidents]
    symptoms = [root for root in roots if root.severity == Severity.SYMPTOM]
    notes = [root for root in roots if root.severity < Severity.SYMPTOM]
    harmful = [note for note in notes if any(_is_named(note, symptom, rules, graph) for symptom in symptoms)]
    if not harmful:
        return incidents
    raised = [replace(finding, severity=Severity.SYMPTOM) if any(finding is note for note in harmful) else finding for finding in findings]
    return _group(raised, rules, graph)


def _group(findings: Sequence[Finding], rules: Mapping[str, Rule], graph: StepGraph) -> tuple[Incident, ...]:
    order = sorted(findings, key=lambda finding: _importance(finding, rules, graph))
    cause_of: dict[int, int] = {}
    for later, finding in enumerate(order):
        for earlier in range(len(order)):
            if earlier != later and earlier not in cause_of and _explains(order[earlier], finding, rules, graph):
                # Two that explain each other: the more important one is the cause.
                if earlier > later and _explains(finding, order[earlier], rules, graph):
                    continue
                cause_of[later] = earlier
                break
    incidents = []
    for position, finding in enumerate(order):
        if position not in cause_of:
            consequences = [other for other, cause in cause_of.items() if _root(cause, cause_of) == position]
            incidents.append(Incident(finding, tuple(order[other] for other in sorted(consequences))))
    return tuple(sorted(incidents, key=lambda incident: _importance_of_all(incident, rules, graph)))


def _importance_of_all(incident: Incident, rules: Mapping[str, Rule], graph: StepGraph) -> tuple[float, ...]:
    """Growth that ends in NaN counts as much as the NaN."""
    worse = [finding for finding in incident.consequences if finding.severity > incident.cause.severity]
    return min(_importance(finding, rules, graph) for finding in (incident.cause, *worse))


def _root(position: int, cause_of: Mapping[int, int]) -> int:
    seen = set()
    while position in cause_of and position not in seen:
        seen.add(position)
        position = cause_of[position]
    return position


def _importance(finding: Finding, rules: Mapping[str, Rule], graph: StepGraph) -> tuple[float, ...]:
    """What causes are sorted by: alarms before notes, the rule's priority, then the first step, the depth in the graph, and the margin."""
    keys = keys_of(finding.place, graph)
    depth = min((graph.depth[key] for key in keys), default=len(graph.shown))
    is_note = finding.severity < Severity.SYMPTOM
    since = _NEVER if finding.step is None else finding.step
    return (is_note, rules[finding.rule].priority, since, depth, -min(finding.margin, 100.0))


def _explains(cause: Finding, consequence: Finding, rules: Mapping[str, Rule], graph: StepGraph) -> bool:
    above, below = rules[cause.rule], rules[consequence.rule]
    # A note may be as it should be. What it might explain would stand below all that is wrong.
    if cause.severity < Severity.SYMPTOM <= consequence.severity:
        return False
    if below.follows_anything and above.priority < below.priority and cause.severity >= Severity.PROBLEM:
        return not _is_later(cause, consequence)
    return _is_named(cause, consequence, rules, graph)


def _is_later(cause: Finding, consequence: Finding) -> bool:
    return cause.step is not None and consequence.step is not None and cause.step > consequence.step


def _is_named(cause: Finding, consequence: Finding, rules: Mapping[str, Rule], graph: StepGraph) -> bool:
    """Whether the rule of a cause names that of a consequence, which began no earlier and lies where the rule says."""
    if _is_later(cause, consequence):
        return False
    relations = [explained.where for explained in rules[cause.rule].explains if explained.rule == consequence.rule]
    return any(_is_there(relation, cause.place, consequence.place, graph) for relation in relations)


def _is_there(relation: Relation, cause: Place, consequence: Place, graph: StepGraph) -> bool:
    if relation == "anywhere" or cause == consequence:
        return True
    sources, targets = keys_of(cause, graph), keys_of(consequence, graph)
    if relation == "same":
        return bool(sources & targets)
    reached = graph.descendants if relation == "downstream" else graph.ancestors
    return any(targets & (reached(source) | {source}) for source in sources)


def keys_of(place: Place, graph: StepGraph) -> set[TensorKey]:
    """The nodes of a place: a tensor in its iteration and in every call of its module, a parameter, or all that a module returned."""
    if place.kind == "module":
        return {key for key in graph.shown if key.name.startswith((f"{place.name}: ", f"{place.name}.", f"{place.name} (call "))}
    if place.iteration is not None:
        name = _CALL.sub("", place.name)
        return {key for key in graph.shown if key.iteration == place.iteration and _CALL.sub("", key.name) == name}
    return {key for key in graph.shown if key.name == place.name}

"""Which gradient flows can be estimated of the steps of a plan, from the gradients that were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from comgra_export.analysis.gradient_flow import ESTIMATES, MAX_ESTIMATED_FLOWS
from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.flow_estimates.limit import limit_estimates
from comgra_export.exporter.flow_estimates.sequences import Sequences
from comgra_export.exporter.flow_estimates.shortfalls import Shortfalls
from comgra_export.exporter.flow_estimates.tensors import FlowFinder, FlowTensors, Obstacle, Stage
from comgra_export.exporter.plan.estimated_flows import EstimateSource
from comgra_export.exporter.plan.plan import Plan, PlannedStep, PlannedTrial
from comgra_export.exporter.plan.selection import SampleChoice
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.storage import FlowLayer, FlowPair, GradientFlow, Recording, TensorEntry
from comgra_export.storage.model.gradient_flows import FlowRole

__all__ = ["add_estimates"]

_METHODS = {"chain_rule_estimate": "chain rule estimate", "vnittest_estimate": "vnittest estimate"}
_ROLES: Mapping[str, FlowRole] = {"input": "input", "target": "target"}

_NO_SAMPLES = Obstacle(Stage.ORDER_IS_RIGHT, "none of the samples that are wanted was recorded", "Choose others (samples=, --samples).")


def add_estimates(plan: Plan, sequences: Sequences, samples: SampleChoice | None, problems: Problems, report: Report) -> Plan:
    """Adds estimated flows to the steps of a plan, behind those that were recorded. Their numbers are worked out when they are packed.

    There are two for every sequence, iteration and group of gradients that have all that is needed: by the chain rule, and by vnittest's
    formula. What all ranks are together has none.

    `problems` gets steps without an estimate, of pairs of tensors with more than `MAX_ESTIMATED_FLOWS` flows, and of steps whose estimates
    are left out, since they would be too many in all.

    Raises:
        WrongChoiceError: A sequence names a tensor that is not there, or there is no step of which it can be estimated.
    """
    if not sequences:
        return plan
    planner = _Planner(plan, sequences, samples)
    total = sum(len(trial.steps) for trial in plan.trials)
    done = 0
    trials = []
    for trial in plan.trials:
        steps = []
        for step in trial.steps:
            report(Progress("Reading", done, total))
            steps.append(planner.with_estimates(trial, step))
            done += 1
        trials.append(replace(trial, steps=tuple(steps)))
    report(Progress("Reading", done, total))
    problems.add(planner.shortfalls.sentences(sorted(planner.finder.names)))
    return replace(plan, trials=limit_estimates(trials, problems))


class _Planner:
    """Finds what is needed, step by step."""

    def __init__(self, plan: Plan, sequences: Sequences, samples: SampleChoice | None) -> None:
        self.finder = FlowFinder(plan)
        self.shortfalls = Shortfalls()
        self._sequences = sequences
        self._samples = samples

    def with_estimates(self, trial: PlannedTrial, step: PlannedStep) -> PlannedStep:
        """A step with the flows that can be estimated. A damaged step will be left out anyway."""
        recording, label = trial.source.recording, trial.source.label
        if not isinstance(recording, Recording):
            return step
        flows, sources = list(step.description.flows), list(step.estimates)
        try:
            for names in self._sequences:
                for place in self._places(recording, step, names, label):
                    for flow, source in self._estimates(step, names, place, label):
                        flows.append(flow)
                        sources.append(source)
        except DamagedRecordingError:
            return step
        description = replace(step.description, flows=tuple(flows))
        return replace(step, description=description, flows=tuple(range(len(flows))), estimates=tuple(sources))

    def _places(self, recording: Recording, step: PlannedStep, names: tuple[str, ...], label: str) -> list[_Place]:
        """The iterations and groups of gradients of a step that have all that is needed."""
        complete: list[_Place] = []
        nearest: Obstacle | None = None
        for iteration in self.finder.iterations(step):
            for group in self.finder.groups(step):
                tensors = self.finder.find(recording, step, names, iteration, group)
                if isinstance(tensors, FlowTensors) and tensors.has_batch and not self._rows(step):
                    tensors = _NO_SAMPLES
                if isinstance(tensors, FlowTensors):
                    complete.append(_Place(iteration, str(group), tensors))
                elif nearest is None or tensors.after > nearest.after:
                    nearest = tensors
        if complete:
            self.shortfalls.note_complete(names)
        elif nearest is not None:
            self.shortfalls.add(label, step.description.step, names, nearest)
        return complete

    def _rows(self, step: PlannedStep) -> tuple[int, ...]:
        """Which of the recorded samples are wanted, counted from 0."""
        index = step.description.samples.index
        return tuple(range(len(index))) if self._samples is None else self._samples.of(index)

    def _estimates(
        self, step: PlannedStep, names: tuple[str, ...], place: _Place, label: str
    ) -> Iterator[tuple[GradientFlow, EstimateSource]]:
        """The flows of one iteration and group: one of each method, or none if all pairs would have too many."""
        tensors = place.tensors
        rows = self._rows(step) if tensors.has_batch else (0,)
        pairs = []
        for target in range(1, len(names)):
            source = target - 1
            count = len(rows) * tensors.entries[source].values_per_sample * tensors.entries[target].values_per_sample
            if count <= MAX_ESTIMATED_FLOWS:
                pairs.append(FlowPair(source, target))
            else:
                self.shortfalls.add_too_many(label, step.description.step, names[source], names[target], count, len(rows))
        if not pairs:
            return
        samples = tuple(step.description.samples.index[row] for row in rows) if tensors.has_batch else ()
        layers = tuple(_layer(name, entry) for name, entry in zip(names, tensors.entries, strict=True))
        for method in ESTIMATES:
            name = f"{_METHODS[method]}: {', '.join(names)}"
            name += f" ({place.group})" if self.finder.has_groups else ""
            name += f" (iteration {place.iteration})" if place.iteration else ""
            flow = GradientFlow(name, place.iteration, method, samples, layers, tuple(pairs))
            yield flow, EstimateSource(tensors.gradients, tensors.values, rows)


class _Place(NamedTuple):
    """An iteration and a group of gradients, and the tensors of a sequence in these."""

    iteration: int
    group: str
    tensors: FlowTensors


def _layer(name: str, entry: TensorEntry) -> FlowLayer:
    shape = tuple(size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension)
    return FlowLayer(name, shape, _ROLES.get(entry.type, "layer"), entry.name, entry.iteration)

"""What a bundle will hold, found out before any numbers are read: the steps, and the layouts and graphs that they share."""

from __future__ import annotations

from dataclasses import dataclass, replace

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.columns import lay_out
from comgra_export.exporter.facts import FactSets, parameter_array
from comgra_export.exporter.index import Interner
from comgra_export.exporter.problems import Problems
from comgra_export.exporter.progress import Progress, Report
from comgra_export.exporter.sources import Source
from comgra_export.storage import ARRAY_DTYPES, Blob, StepDescription, dumps, encode_layout, expected_arrays

__all__ = ["NO_GRAPH", "Plan", "PlannedStep", "PlannedTrial", "make_plan"]

NO_GRAPH = -1


@dataclass(frozen=True)
class PlannedStep:
    """A step whose description can be read.

    Attributes:
        description: What describes it, without what is in the other attributes.
        layout: Position of its layout.
        graphs: Position of the graph of every iteration, or `NO_GRAPH`.
        facts: Position of what else is known of it, or -1.
        parameters: The numbers about its parameters, as an array by name, or nothing.
        bytes: What its numbers should take.
    """

    description: StepDescription
    layout: int
    graphs: tuple[int, ...]
    facts: int
    parameters: dict[str, Blob]
    bytes: int


@dataclass(frozen=True)
class PlannedTrial:
    """A trial, and those of its steps whose description can be read, in ascending order."""

    source: Source
    steps: tuple[PlannedStep, ...]


@dataclass(frozen=True)
class Plan:
    """The trials of a bundle, the JSON texts of its layouts and laid-out graphs by position, and what else is known of its steps."""

    trials: tuple[PlannedTrial, ...]
    layouts: list[bytes]
    graphs: list[bytes]
    facts: FactSets

    @property
    def bytes(self) -> int:
        """How many bytes of numbers there should be."""
        return sum(step.bytes for trial in self.trials for step in trial.steps)


def make_plan(sources: tuple[Source, ...], problems: Problems, report: Report) -> Plan:
    """Reads the descriptions of all steps.

    A damaged step is left out, a damaged graph is missing in the steps that have it; `problems` is told of both.
    """
    planner = _Planner(problems)
    total = sum(len(source.recording.steps) for source in sources)
    done = 0
    trials = []
    for source in sources:
        steps = []
        for number in source.recording.steps:
            report(Progress("Reading", done, total))
            step = planner.plan_step(source, number)
            if step is not None:
                steps.append(step)
            done += 1
        trials.append(PlannedTrial(source, tuple(steps)))
    report(Progress("Reading", done, total))
    return Plan(tuple(trials), planner.layouts.values, planner.graphs.values, planner.facts)


class _Planner:
    """Reads and converts every layout and every graph once.

    A recording guarantees that equal hashes are equal content, so what one trial has need not be converted for another one. How a
    graph is laid out depends on the trial's prefixes too.
    """

    def __init__(self, problems: Problems) -> None:
        self.layouts: Interner[bytes] = Interner()
        self.graphs: Interner[bytes] = Interner()
        self.facts = FactSets()
        self._problems = problems
        self._known_layouts: dict[str, tuple[int, int]] = {}
        self._known_graphs: dict[tuple[str, tuple[str, ...]], int] = {}
        self._damaged_graphs: dict[tuple[str, str], str] = {}

    def plan_step(self, source: Source, number: int) -> PlannedStep | None:
        """Read what describes a step; None, and a problem noted, where it is damaged."""
        try:
            description = source.recording.step(number)
            layout, size = self._layout(source, description.layout)
        except DamagedRecordingError as error:
            self._problems.step_left_out(source.label, number, str(error), merged=source.rank is None)
            return None
        graphs = tuple(NO_GRAPH if digest is None else self._graph(source, number, digest) for digest in description.structures)
        facts = self.facts.add(description)
        parameters = parameter_array(description.parameters)
        size += sum(blob.data.nbytes for blob in parameters.values())
        # All descriptions are kept until the end, so they must not be large.
        return PlannedStep(replace(description, module_runs=None, parameters=None), layout, graphs, facts, parameters, size)

    def _layout(self, source: Source, digest: str) -> tuple[int, int]:
        if digest not in self._known_layouts:
            layout = source.recording.layout(digest)
            size = sum(count * ARRAY_DTYPES[dtypes[0]].itemsize for dtypes, count in expected_arrays(layout).values())
            self._known_layouts[digest] = (self.layouts.position(dumps(encode_layout(layout))), size)
        return self._known_layouts[digest]

    def _graph(self, source: Source, number: int, digest: str) -> int:
        key = (digest, source.recording.header.prefixes_for_grouping_module_parameters_visually)
        if key not in self._known_graphs and (source.label, digest) not in self._damaged_graphs:
            try:
                graph = lay_out(source.recording.structure(digest), key[1], file=f"{source.recording.name}/structures/{digest}.json")
                self._known_graphs[key] = self.graphs.position(dumps(graph))
            except DamagedRecordingError as error:
                self._damaged_graphs[source.label, digest] = str(error)
        if key in self._known_graphs:
            return self._known_graphs[key]
        self._problems.graph_left_out(source.label, number, self._damaged_graphs[source.label, digest])
        return NO_GRAPH

"""What a bundle will hold, found out before any numbers are read: the steps, and the layouts and graphs that they share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from comgra_export.analysis.history.run import trains
from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.plan.estimated_flows import EstimateSource
from comgra_export.exporter.plan.graph_layout import lay_out
from comgra_export.exporter.plan.index import Interner
from comgra_export.exporter.plan.kept_values import KeptValues, everything
from comgra_export.exporter.plan.sources import Source
from comgra_export.exporter.plan.step_details import FactSets, parameter_array
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.storage import ARRAY_DTYPES, Blob, Layout, StepDescription, dumps, encode_calls, encode_layout, expected_arrays

__all__ = ["NO_CALLS", "NO_GRAPH", "Plan", "PlannedStep", "PlannedTrial", "Reduction", "make_plan"]

NO_GRAPH = -1
NO_CALLS = -1


@dataclass(frozen=True, eq=False)
class Reduction:
    """What is kept of the values of a step. Steps share it, so that what follows from it is worked out once.

    Attributes:
        layout: What the step was recorded with.
        kept: What is kept of each of its tensors.
    """

    layout: Layout
    kept: tuple[KeptValues, ...]

    @cached_property
    def is_whole(self) -> bool:
        """Whether everything is kept, as it was recorded."""
        return list(self.kept) == [everything(entry) for entry in self.layout.tensors]

    @cached_property
    def arrays(self) -> frozenset[str]:
        """The arrays of a step that are read for what is kept of it."""
        used = {f"values.{entry.stored}" for entry, own in zip(self.layout.tensors, self.kept, strict=True) if own.samples != ()}
        used |= {f"aggregates.{entry.precision}" for entry, own in zip(self.layout.tensors, self.kept, strict=True) if own.aggregates}
        return frozenset(name for name in expected_arrays(self.layout) if name in used or not name.startswith(("values.", "aggregates.")))

    @cached_property
    def value_bytes(self) -> Counter[str]:
        """How many bytes of each class of values are kept of a step.

        The classes are `values`, `parameters` and `aggregates`, with ` rounded` where they are.
        """
        return _value_bytes(self.layout, self.kept)


@dataclass(frozen=True)
class PlannedStep:
    """A step whose description can be read.

    Attributes:
        description: What describes it, without what is in the other attributes.
        is_training: Whether it trained, as its whole description says.
        layout: Position of its layout.
        graphs: Position of the graph of every iteration, or `NO_GRAPH`.
        calls: Position of the calls of watched modules in every iteration, or `NO_CALLS`; nothing if no module was watched.
        facts: Position of what else is known of it, or -1.
        parameters: The numbers about its parameters, as an array by name, or nothing.
        parameter_positions: Which parameters these are, by their positions in the network. Steps share equal ones.
        bytes: What its numbers should take.
        reduction: What is kept of its values; None: all of them, as they were recorded.
        has_histograms: Whether it has histograms, and they are kept.
        flows: Which of its gradient flows are kept, by their positions in the description.
        estimates: What the last flows of the description are estimated from; all others were recorded.
    """

    description: StepDescription
    is_training: bool
    layout: int
    graphs: tuple[int, ...]
    calls: tuple[int, ...]
    facts: int
    parameters: dict[str, Blob]
    parameter_positions: tuple[int, ...]
    bytes: int
    reduction: Reduction | None = None
    has_histograms: bool = False
    flows: tuple[int, ...] = ()
    estimates: tuple[EstimateSource, ...] = ()


@dataclass(frozen=True)
class PlannedTrial:
    """A trial, and those of its steps whose description can be read, in ascending order.

    `findings` is the JSON text of what is wrong in it; None if no rule was checked. `problems` counts those that are likely a problem or a
    bug, without their consequences; -1 if no rule was checked. `worst` is the severity of the most severe cause; -1 if there is none.
    """

    source: Source
    steps: tuple[PlannedStep, ...]
    findings: bytes | None = None
    problems: int = -1
    worst: int = -1


@dataclass(frozen=True)
class Plan:
    """The trials of a bundle, the JSON texts of its layouts, laid-out graphs and calls by position, and what else is known of its steps.

    `recorded_layouts` are the layouts that the recordings have; once a plan has been reduced, there are others for the bundle.
    """

    trials: tuple[PlannedTrial, ...]
    recorded_layouts: list[Layout]
    layouts: list[bytes]
    graphs: list[bytes]
    calls: list[bytes]
    facts: FactSets

    @property
    def bytes(self) -> int:
        """How many bytes of numbers there should be."""
        return sum(step.bytes for trial in self.trials for step in trial.steps)


def make_plan(sources: tuple[Source, ...], problems: Problems, report: Report) -> Plan:
    """Reads the descriptions of all steps.

    A damaged step is left out. A damaged graph or damaged calls are missing in the steps that have them. `problems` gets both.
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
    return Plan(tuple(trials), planner.recorded_layouts, planner.layouts.values, planner.graphs.values, planner.calls.values, planner.facts)


class _Planner:
    """Reads and converts every layout, every graph and the calls of every kind of iteration once.

    A recording guarantees that equal hashes are equal content, so what one trial has need not be converted for another one. How a
    graph is laid out depends on the trial's prefixes too.
    """

    def __init__(self, problems: Problems) -> None:
        self.layouts: Interner[bytes] = Interner()
        self.recorded_layouts: list[Layout] = []
        self.graphs: Interner[bytes] = Interner()
        self.calls: Interner[bytes] = Interner()
        self.facts = FactSets()
        self._problems = problems
        self._known_layouts: dict[str, tuple[int, int]] = {}
        self._known_graphs: dict[tuple[str, tuple[str, ...]], int] = {}
        self._damaged_graphs: dict[tuple[str, str], str] = {}
        self._known_calls: dict[str, int] = {}
        self._damaged_calls: dict[tuple[str, str], str] = {}
        self._positions: dict[tuple[int, ...], tuple[int, ...]] = {}

    def plan_step(self, source: Source, number: float) -> PlannedStep | None:
        """Read what describes a step; None, and a problem noted, if it is damaged."""
        try:
            description = source.recording.step(number)
            layout, size = self._layout(source, description.layout)
        except DamagedRecordingError as error:
            self._problems.left_out("merged step" if source.rank is None else "step", source.label, number, str(error))
            return None
        graphs = tuple(NO_GRAPH if digest is None else self._graph(source, number, digest) for digest in description.structures)
        calls = tuple(NO_CALLS if digest is None else self._calls(source, number, digest) for digest in description.calls)
        facts = self.facts.add(description)
        parameters = parameter_array(description.parameters)
        size += sum(blob.data.nbytes for blob in parameters.values())
        positions = () if description.parameters is None else description.parameters.parameters
        return PlannedStep(
            # All descriptions are kept until the end, so they must not be large.
            description=replace(description, module_runs=None, parameters=None),
            is_training=trains(description),
            layout=layout,
            graphs=graphs,
            calls=calls,
            facts=facts,
            parameters=parameters,
            parameter_positions=self._positions.setdefault(positions, positions),
            bytes=size,
            has_histograms=any(entry.histogram for entry in self.recorded_layouts[layout].tensors),
            flows=tuple(range(len(description.flows))),
        )

    def _layout(self, source: Source, digest: str) -> tuple[int, int]:
        if digest not in self._known_layouts:
            layout = source.recording.layout(digest)
            size = sum(count * ARRAY_DTYPES[dtypes[0]].itemsize for dtypes, count in expected_arrays(layout).values())
            position = self.layouts.position(dumps(encode_layout(layout)))
            if position == len(self.recorded_layouts):
                self.recorded_layouts.append(layout)
            self._known_layouts[digest] = (position, size)
        return self._known_layouts[digest]

    def _graph(self, source: Source, number: float, digest: str) -> int:
        key = (digest, source.recording.header.prefixes_for_grouping_module_parameters_visually)
        if key not in self._known_graphs and (source.label, digest) not in self._damaged_graphs:
            try:
                graph = lay_out(source.recording.structure(digest), key[1], file=f"{source.recording.name}/structures/{digest}.json")
                self._known_graphs[key] = self.graphs.position(dumps(graph))
            except DamagedRecordingError as error:
                self._damaged_graphs[source.label, digest] = str(error)
        if key in self._known_graphs:
            return self._known_graphs[key]
        self._problems.left_out("graph", source.label, number, self._damaged_graphs[source.label, digest])
        return NO_GRAPH

    def _calls(self, source: Source, number: float, digest: str) -> int:
        # Their modules are positions in the trial's own network, so another trial's are checked again.
        if (source.label, digest) not in self._damaged_calls:
            try:
                tree = source.recording.calls(digest)
                if digest not in self._known_calls:
                    # Not the bytes of the file: a newer recorder may have written more than the bundle format has.
                    self._known_calls[digest] = self.calls.position(dumps(encode_calls(tree)))
                return self._known_calls[digest]
            except DamagedRecordingError as error:
                self._damaged_calls[source.label, digest] = str(error)
        self._problems.left_out("calls", source.label, number, self._damaged_calls[source.label, digest])
        return NO_CALLS


def _value_bytes(layout: Layout, kept: tuple[KeptValues, ...]) -> Counter[str]:
    uses = Counter(tensor for group in layout.groups for tensor in group.tensors)
    sizes: Counter[str] = Counter()
    for tensor, times in uses.items():
        entry, own = layout.tensors[tensor], kept[tensor]
        if entry.values_count:
            name = "parameters" if entry.type == "parameter" else "values"
            rounded = "" if own.stored == entry.stored else " rounded"
            width = ARRAY_DTYPES[own.stored].itemsize
            sizes[name + rounded] += times * width * own.rows(entry) * entry.values_per_sample
        if entry.aggregates_count and own.aggregates is not None:
            rounded = "" if own.aggregates == entry.precision else " rounded"
            sizes["aggregates" + rounded] += times * ARRAY_DTYPES[own.aggregates].itemsize * entry.aggregates_count
    return sizes

"""Applies what is wanted, and what fits, to a plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from comgra_export.errors import WrongChoiceError
from comgra_export.exporter.plan.index import Interner
from comgra_export.exporter.plan.kept_values import KeptValues, everything, kept_layout
from comgra_export.exporter.plan.plan import NO_CALLS, NO_GRAPH, Plan, PlannedStep, Reduction
from comgra_export.exporter.plan.rounding import ROUNDABLE, half_dtype
from comgra_export.exporter.plan.selection import Selection, chosen_names
from comgra_export.exporter.plan.step_details import NO_FACTS, FactSets
from comgra_export.exporter.plan.usefulness import usefulness
from comgra_export.exporter.size.budget import Extent, Rung
from comgra_export.exporter.size.magnitudes import AllMagnitudes
from comgra_export.exporter.size.over_time import FlowKey
from comgra_export.storage import TensorEntry, dumps

__all__ = ["Reducer", "check_samples", "select_steps"]

_SAMPLES_LISTED = 12


def select_steps(plan: Plan, selection: Selection) -> Plan:
    """Leaves out the steps that are not wanted. What only they had stays in the plan until it is reduced.

    Raises:
        WrongChoiceError: No step is wanted, or the values of a tensor are wanted that is not there.
    """
    names = [name for layout in plan.recorded_layouts for entry in layout.tensors for name in (entry.name, entry.node)]
    chosen_names((*selection.tensors, *selection.without_tensors), names, "tensor or node")
    if selection.steps is None:
        return plan
    trials = []
    for trial in plan.trials:
        by_type: defaultdict[str, list[float]] = defaultdict(list)
        for step in trial.steps:
            by_type[step.description.type_of_execution].append(step.description.step)
        wanted = {number for numbers in by_type.values() for number in selection.steps.of(numbers)}
        trials.append(replace(trial, steps=tuple(step for step in trial.steps if step.description.step in wanted)))
    if not any(trial.steps for trial in trials):
        numbers = sorted({step.description.step for trial in plan.trials for step in trial.steps})
        there = f"from {numbers[0]} to {numbers[-1]}" if numbers else "none"
        raise WrongChoiceError(
            f"No recorded step is among steps={selection.steps.text!r}. There are {len(numbers):,} recorded steps, {there}."
        )
    return replace(plan, trials=tuple(trials))


def check_samples(plan: Plan, selection: Selection) -> None:
    """Makes sure that some step has one of the samples that are wanted.

    Raises:
        WrongChoiceError: None has.
    """
    choice = selection.samples
    indices = {step.description.samples.index for trial in plan.trials for step in trial.steps}
    if choice is None or choice.count is not None or any(choice.of(index) for index in indices):
        return
    recorded = sorted(set().union(*indices))
    listed = ", ".join(map(str, recorded[:_SAMPLES_LISTED])) + (", ..." if len(recorded) > _SAMPLES_LISTED else "")
    there = f"The samples at these positions in the batch are recorded: {listed}." if recorded else "No single samples are recorded."
    raise WrongChoiceError(f"No recorded sample is among samples={choice.text!r}. {there}")


@dataclass(frozen=True)
class _Place:
    """The place of a step in the order of usefulness among `count` of its trial and type."""

    usefulness: int
    count: int


class Reducer:
    """Reduces a plan to what is wanted and what a rung keeps.

    `magnitudes` are needed where values may be rounded. `flow_sizes`, the largest first, are needed where flows may be left out to fit a
    size.
    """

    def __init__(
        self, plan: Plan, selection: Selection, magnitudes: AllMagnitudes | None, flow_sizes: Mapping[FlowKey, int] | None = None
    ) -> None:
        self.plan = plan
        self.flow_sizes = flow_sizes or {}
        self.places = [_places(trial.steps) for trial in plan.trials]
        self._selection = selection
        self._magnitudes = magnitudes
        self._known: dict[tuple[int, Extent, tuple[int, ...] | None], Reduction] = {}
        self._whole = [Reduction(layout, tuple(map(everything, layout.tensors))) for layout in plan.recorded_layouts]

    def most_steps(self) -> int:
        """The largest number of steps that a type of execution has in a trial; 0 without steps."""
        return max((place.count for places in self.places for place in places), default=0)

    def most_samples(self) -> int:
        """The largest number of samples whose values are wanted in a step; 0 without steps."""
        most = 0
        for trial in self.plan.trials:
            for step in trial.steps:
                wanted = self._wanted_samples(step)
                most = max(most, len(step.description.samples.index if wanted is None else wanted))
        return most

    def reduction(self, step: PlannedStep, extent: Extent) -> Reduction:
        """What of the values of every tensor of a step is wanted and within an extent."""
        samples = self._wanted_samples(step)
        if extent.samples is not None:
            samples = (tuple(range(len(step.description.samples.index))) if samples is None else samples)[: extent.samples]
        key = (step.layout, extent, samples)
        if key not in self._known:
            layout = self.plan.recorded_layouts[step.layout]
            kept = (self._kept(step.layout, tensor, entry, extent, samples) for tensor, entry in enumerate(layout.tensors))
            self._known[key] = Reduction(layout, tuple(kept))
        return self._known[key]

    def reduced(self, rung: Rung) -> Plan:
        """The plan with what is wanted and what the rung keeps, and nothing that no step needs."""
        layouts: Interner[bytes] = Interner()
        graphs: Interner[bytes] = Interner()
        calls: Interner[bytes] = Interner()
        facts = FactSets()
        facts.module_runs, facts.parameter_lists = self.plan.facts.module_runs, self.plan.facts.parameter_lists
        all_facts = self.plan.facts.facts.values
        documents: dict[Reduction, int] = {}
        trials = []
        for number, (trial, places) in enumerate(zip(self.plan.trials, self.places, strict=True)):
            steps = []
            for step, place in zip(trial.steps, places, strict=True):
                extent = rung.extent(place.usefulness, place.count)
                if extent is None:
                    continue
                reduction = self.reduction(step, extent)
                if reduction not in documents:
                    documents[reduction] = layouts.position(dumps(kept_layout(reduction.layout, reduction.kept)))
                steps.append(
                    replace(
                        step,
                        layout=documents[reduction],
                        graphs=tuple(NO_GRAPH if graph == NO_GRAPH else graphs.position(self.plan.graphs[graph]) for graph in step.graphs),
                        calls=tuple(NO_CALLS if tree == NO_CALLS else calls.position(self.plan.calls[tree]) for tree in step.calls),
                        facts=NO_FACTS if step.facts == NO_FACTS else facts.facts.position(all_facts[step.facts]),
                        bytes=self.statistics_bytes(step) + reduction.value_bytes.total(),
                        reduction=None if reduction.is_whole else reduction,
                        has_histograms=step.has_histograms and extent.histograms,
                        flows=self.kept_flows(number, step, rung),
                    )
                )
            trials.append(replace(trial, steps=tuple(steps)))
        return replace(self.plan, trials=tuple(trials), layouts=layouts.values, graphs=graphs.values, calls=calls.values, facts=facts)

    def kept_flows(self, trial: int, step: PlannedStep, rung: Rung) -> tuple[int, ...]:
        """Which gradient flows of a step of the trial at a position are wanted, and kept by a rung. They hold values."""
        if self._selection.precision == "none":
            return ()
        left_out = set(islice(self.flow_sizes, rung.without_flows))
        return tuple(position for position in step.flows if FlowKey(trial, step.description.step, position) not in left_out)

    def statistics_bytes(self, step: PlannedStep) -> int:
        """How many bytes of a step are no values."""
        return step.bytes - self._whole[step.layout].value_bytes.total()

    def _wanted_samples(self, step: PlannedStep) -> tuple[int, ...] | None:
        """The wanted samples of a step, as positions among those it recorded; None: all of them."""
        choice = self._selection.samples
        return None if choice is None else choice.of(step.description.samples.index)

    def _kept(self, layout: int, tensor: int, entry: TensorEntry, extent: Extent, samples: tuple[int, ...] | None) -> KeptValues:
        recorded = everything(entry)
        selection = self._selection
        is_parameter = entry.type == "parameter"
        wanted = selection.precision != "none" and selection.has_values_of(entry.name, entry.node)
        rounded = selection.precision != "float32" or (extent.rounded_parameters if is_parameter else extent.rounded)
        half = self._half(layout, tensor) if rounded and wanted else None
        stored, aggregates = recorded.stored, recorded.aggregates
        kept_samples = recorded.samples
        if entry.values_count:
            if not wanted or not (extent.parameters if is_parameter else extent.values):
                kept_samples = ()
            elif samples is not None and entry.batch_dimension is not None and len(samples) < entry.samples:
                kept_samples = samples
            # If float16 was recorded as float32, float16 was not enough.
            if kept_samples != () and half is not None and stored in ROUNDABLE and entry.dtype != "F16":
                stored = half
        if entry.aggregates_count:
            aggregates = None if not wanted or not extent.aggregates else (half or aggregates)
        return KeptValues(stored, kept_samples, aggregates)

    def _half(self, layout: int, tensor: int) -> str | None:
        if self._magnitudes is None:
            return None
        return half_dtype("BF16" if self._selection.precision == "bfloat16" else "F16", self._magnitudes[layout][tensor])


def _places(steps: Sequence[PlannedStep]) -> list[_Place]:
    counts = Counter(step.description.type_of_execution for step in steps)
    orders = {kind: iter(usefulness(count)) for kind, count in counts.items()}
    kinds = [step.description.type_of_execution for step in steps]
    return [_Place(next(orders[kind]), counts[kind]) for kind in kinds]

"""The first step of a run with a value that is not finite and not meant, and what was finite in it and what was not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite, isnan

from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, RecordKey, TensorKey

__all__ = ["NonFiniteStep", "first_non_finite_step", "last_graph"]

# Operations that take negative infinity as "leave this out".
_TAKE_MASKS = ("Softmax", "Where", "MaskedFill", "ScaledDotProduct")


@dataclass(frozen=True)
class NonFiniteStep:
    """A step with values that are not finite.

    Attributes:
        step: Its number.
        position: Its position in the run; None if it was checked only, and not recorded.
        graph: What was computed from what: in this step if it was recorded, else in the last recorded step before it.
        is_nan: For each record that is not finite, whether it holds a NaN. All others are infinite.
        known: All records of which it is known whether they are finite.
        maybe_negative: Records in which negative infinity may be all that is not finite.
    """

    step: float
    position: int | None
    graph: StepGraph
    is_nan: Mapping[RecordKey, bool]
    known: frozenset[RecordKey]
    maybe_negative: frozenset[RecordKey]


def first_non_finite_step(run: Run) -> tuple[NonFiniteStep, frozenset[TensorKey]] | None:
    """Finds the first step, recorded or only checked, in which something is not finite that is not meant to be.

    Meant are values without consequences although other values were computed from them, negative infinity before a softmax, gradients of
    targets, which only the recorder asks for, and what was not finite in an earlier step without harm. If a `GradScaler` is in use,
    gradients alone are meant too: it skips such steps.

    Returns:
        The step, and the tensors whose values are not meant; none if only gradients are not finite. None if there is no such step.
    """
    is_scaled = any(gradients.loss_scale is not None for step in run.steps for gradients in step.gradients)
    meant: set[RecordKey] = set()
    seen = set()
    for step in _candidates(run):
        # A mask is in every step.
        pattern = (id(step.graph), frozenset(step.is_nan.items()))
        if pattern in seen:
            continue
        seen.add(pattern)
        counted = frozenset(key for key in _with_consequences(run, step) if RecordKey(FORWARD, key) not in meant)
        if counted or (not is_scaled and any(key.group != FORWARD for key in step.is_nan)):
            return step, counted
        meant.update(step.is_nan)
    return None


def _candidates(run: Run) -> Iterator[NonFiniteStep]:
    """All steps with a value that is not finite, by number."""
    recorded = _recorded(run)
    known = _known(run, recorded)
    checked = {
        point.step: {
            RecordKey(group, TensorKey(name, iteration)): value
            for (group, name, iteration), value in zip(point.tensors, point.largest, strict=True)
        }
        for point in run.recording.sentinel_points
        if not all(map(isfinite, point.largest))
    }
    numbers = [step.step for step in run.steps]
    position_of = {number: position for position, number in enumerate(numbers)}
    for step in sorted(checked.keys() | {numbers[position] for position in recorded}):
        position = position_of.get(step)
        if position is None:
            values = checked[step]
            unusual = {key: isnan(value) for key, value in values.items() if not isfinite(value)}
            # The check does not know the sign of an infinity.
            negative = frozenset(key for key, nan in unusual.items() if not nan)
            yield NonFiniteStep(step, None, last_graph(run, step), unusual, frozenset(values), negative)
        elif position in recorded:
            is_nan, negative = recorded[position]
            yield NonFiniteStep(step, position, run.graph(position), is_nan, frozenset(known[position]), negative)


def _recorded(run: Run) -> Mapping[int, tuple[Mapping[RecordKey, bool], frozenset[RecordKey]]]:
    """Per position the records that are not finite and whether they hold a NaN, and those with nothing but negative infinity."""
    is_nan: dict[int, dict[RecordKey, bool]] = {}
    negative: dict[int, set[RecordKey]] = {}
    for key in run.records.keys:
        series = run.records.series(key)
        if series is None or (key.group != FORWARD and series.entry.type == "target"):
            continue
        for row in (~series.is_finite & ~series.is_absent).nonzero()[0].tolist():
            position, nan, positive = int(series.positions[row]), bool(series.counts[row, 0]), bool(series.counts[row, 1])
            is_nan.setdefault(position, {})[key] = nan
            if not nan and not positive:
                negative.setdefault(position, set()).add(key)
    return {position: (states, frozenset(negative.get(position, ()))) for position, states in is_nan.items()}


def _known(run: Run, positions: Collection[int]) -> Mapping[int, set[RecordKey]]:
    """The records of some steps, without gradients that are absent."""
    known: dict[int, set[RecordKey]] = {position: set() for position in positions}
    for key in run.records.keys:
        series = run.records.series(key)
        for position in [] if series is None else series.positions[~series.is_absent].tolist():
            if position in known:
                known[position].add(key)
    return known


def last_graph(run: Run, step: float) -> StepGraph:
    """The graph of the last recorded step that is not later and has one; else the first one; else an empty one."""
    before = int((run.numbers <= step).sum())
    for position in [*reversed(range(before)), *range(before, len(run.steps))]:
        if run.graph(position).shown:
            return run.graph(position)
    return StepGraph()


def _with_consequences(run: Run, step: NonFiniteStep) -> Iterator[TensorKey]:
    """The tensors that are not finite: what was computed from them is not finite either, or nothing was. Without masks."""
    not_finite = {key.tensor for key in step.is_nan if key.group == FORWARD}
    for key in not_finite:
        children = [child for child in step.graph.children.get(key, ()) if RecordKey(FORWARD, child) in step.known]
        is_mask = RecordKey(FORWARD, key) in step.maybe_negative and children and all(_takes_masks(run, child) for child in children)
        if not is_mask and (not children or not_finite.intersection(children)):
            yield key


def _takes_masks(run: Run, key: TensorKey) -> bool:
    entry = run.tensors.get(key)
    return entry is not None and any(word in (entry.operation or "") for word in _TAKE_MASKS)

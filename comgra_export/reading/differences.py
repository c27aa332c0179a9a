"""Comparing two trials, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from comgra_export.analysis.divergence.compare import first_difference
from comgra_export.analysis.divergence.model import AGGREGATIONS, NUMBERS, Difference, Observed
from comgra_export.analysis.history.graph import StepGraph, graph_of
from comgra_export.analysis.history.series import ITEMS, RecordKey, TensorKey
from comgra_export.errors import DamagedRecordingError, WrongChoiceError
from comgra_export.reading.layout_numbers import LayoutColumns
from comgra_export.reading.source import LayoutNumbers, Source
from comgra_export.reading.trial import Trial
from comgra_export.storage import FLAG_GRADIENT_ABSENT

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """How two trials differ.

    Attributes:
        first: The first difference; None if all that both have is equal.
        steps: How many steps both have.
        steps_only_left: Numbers of steps that only the first has, ascending.
        steps_only_right: The same of the second.
        tensors: How many tensors both have.
        tensors_only_left: Names of tensors that only the first has.
        tensors_only_right: The same of the second.
    """

    first: Difference | None
    steps: int
    steps_only_left: tuple[float, ...]
    steps_only_right: tuple[float, ...]
    tensors: int
    tensors_only_left: tuple[str, ...]
    tensors_only_right: tuple[str, ...]


def compare(left: Trial, right: Trial, tolerance: float) -> Comparison:
    """Finds the first step, and in it the first tensor in order of computation, at which two trials differ.

    Args:
        left: A trial. Its graph says what is computed first.
        right: Another one.
        tolerance: As for `first_difference`.

    Raises:
        WrongChoiceError: They have no step, or no tensor in a step, in common.
        RecordingError: One of them cannot be read.
    """
    observed = [_Steps(trial.source) for trial in (left, right)]
    numbers = [set(each.numbers) for each in observed]
    common = sorted(numbers[0] & numbers[1])
    names = [dict.fromkeys(trial.tensors["tensor"].tolist()) for trial in (left, right)]
    shared = [name for name in names[0] if name in names[1]]
    for what, shared_ones in (("step", common), ("tensor", shared)):
        if not shared_ones:
            raise WrongChoiceError(f"{left.group}/{left.name} and {right.group}/{right.name} have no {what} in common.")
    steps = ((step, observed[0].at(step), observed[1].at(step)) for step in common)
    return Comparison(
        first=first_difference(steps, lambda step: _graph(left.source, step), tolerance),
        steps=len(common),
        steps_only_left=tuple(sorted(numbers[0] - numbers[1])),
        steps_only_right=tuple(sorted(numbers[1] - numbers[0])),
        tensors=len(shared),
        tensors_only_left=tuple(name for name in names[0] if name not in names[1]),
        tensors_only_right=tuple(name for name in names[1] if name not in names[0]),
    )


class _Steps:
    """The records of all steps of a trial. `numbers` says where each step is."""

    def __init__(self, source: Source) -> None:
        self._parts = list(source.numbers())
        self._forms = [_form(numbers) for numbers in self._parts]
        self.numbers = {step: (part, row) for part, own in enumerate(self._parts) for row, step in enumerate(own.steps.tolist())}

    def at(self, step: float) -> Observed:
        """What was recorded of a step, as rows that can be compared."""
        part, row = self.numbers[step]
        numbers = self._parts[part]
        form = self._forms[part]
        observed = np.full((len(form.rows), len(NUMBERS)), np.nan)
        observed[form.records[:, None], form.places[:, None] + np.arange(len(AGGREGATIONS))] = numbers.statistics[row]
        observed[:, -2:] = numbers.extrema[row]
        counts = numbers.counts[row].copy()
        counts[:, -1] &= FLAG_GRADIENT_ABSENT
        return Observed(form.rows, observed, counts, form.shapes)


@dataclass(frozen=True, eq=False)
class _Form:
    """Where the numbers of a layout go: per pair of a record and an item the record, and the first of its three numbers."""

    rows: Mapping[RecordKey, int]
    shapes: tuple[tuple[int, ...], ...]
    records: np.ndarray[tuple[int], np.dtype[np.int64]]
    places: np.ndarray[tuple[int], np.dtype[np.int64]]


def _form(numbers: LayoutNumbers) -> _Form:
    columns = LayoutColumns(numbers.layout)
    keys = [RecordKey(place.group, TensorKey(place.entry.name, place.entry.iteration)) for place in columns.places]
    items = [0 if item == "single_value" else ITEMS.index(item) for _, item in columns.pairs]
    return _Form(
        rows={key: row for row, key in enumerate(keys)},
        shapes=tuple(place.entry.shape for place in columns.places),
        records=np.array([record for record, _ in columns.pairs], np.int64),
        places=np.array(items, np.int64) * len(AGGREGATIONS),
    )


def _graph(source: Source, step: float) -> StepGraph:
    try:
        return graph_of([source.structure(digest) for digest in source.step(step).structures if digest is not None])
    except DamagedRecordingError:
        return StepGraph()

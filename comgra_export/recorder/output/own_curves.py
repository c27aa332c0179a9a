"""The curves that a recording of watched modules has without a word in the script. They come from what its steps hold anyway."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.output.curve_thinning import CurveThinning
from comgra_export.recorder.output.finished_step import StepNumbers
from comgra_export.storage.arrays.counts import COUNTS, COUNTS_PER_RECORD
from comgra_export.storage.arrays.layout_arrays import RecordPlace, iterate_records
from comgra_export.storage.model.layout import FLAG_GRADIENT_ABSENT, Blob, Layout
from comgra_export.storage.model.lines import CurvePoint
from comgra_export.storage.model.step_description import StepDescription, TensorReference

__all__ = ["OwnCurves"]

_FLAGS = COUNTS_PER_RECORD - 1
_OF_ALL_CALLS = "loss", "gradient norm"
_RECENT = 8
"""So many layouts are remembered."""


class _Gradients(NamedTuple):
    """The gradients of parameters in a group that have statistics of one precision.

    Attributes:
        array: The name of the array of their statistics.
        records: Their rows in `counts`.
        starts: Where in the array the statistics of each begin: mean, mean magnitude, standard deviation.
        sizes: How many values each has.
    """

    array: str
    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.float64]

    def square(self, arrays: Mapping[str, Blob]) -> float | None:
        """The sum of the squares of all their values; None if none is there."""
        there = arrays[COUNTS].data.reshape(-1, COUNTS_PER_RECORD)[self.records, _FLAGS].astype(np.int64) & FLAG_GRADIENT_ABSENT == 0
        if not there.any():
            return None
        flat, starts, sizes = arrays[self.array].data.reshape(-1), self.starts[there], self.sizes[there]
        mean, deviation = flat[starts].astype(np.float64), flat[starts + 2].astype(np.float64)
        # The deviation is the unbiased one.
        return float((sizes * mean**2 + (sizes - 1) * deviation**2).sum())


class _Places(NamedTuple):
    """Where the numbers are in the arrays of a layout: those of single values, and those of gradients by their groups."""

    single_values: Mapping[TensorReference, tuple[str, int]]
    gradients: Mapping[str, list[_Gradients]]


class OwnCurves:
    """Computes the points of the recorder's own curves from what is written of each step.

    The curves are: what backward passes began at, without the loss scale; in evaluations, the result of the first loss function; the
    learning rate of each group of each optimizer; the norm of the gradient; and the seconds per step since the last recorded one of the
    same type. They are thinned as the curves of a script are.

    If a step has several losses, those are summed that the gradients are the sum of. An optimizer that computes the loss again and
    again, as LBFGS does, sets the gradients to zero in between: the first loss counts, which is what its `step` returns.
    """

    def __init__(self) -> None:
        self._thinning = CurveThinning()
        self._places: dict[str, _Places] = {}
        self._last: dict[tuple[int, str], tuple[float, float]] = {}

    def points(
        self, step: StepDescription, numbers: StepNumbers, arrays: Mapping[str, Blob], trained: int | None, lacks_calls: bool
    ) -> list[CurvePoint]:
        """The points of a step that are kept. Empty if no module is watched.

        `trained` training steps were made before. If that is None, the numbers of steps count them.
        A step that `lacks_calls` went on after what is recorded of it. Its loss and its gradient are not known.
        """
        if not step.calls:
            return []
        places = self._places.get(step.layout)
        if places is None:
            if len(self._places) == _RECENT:
                # The one that came first: layouts are as many as batches of different shapes.
                del self._places[next(iter(self._places))]
            places = self._places[step.layout] = _places_of(numbers.layout)
        points = []
        for group, name, value in self._values(step, numbers, arrays, places, trained):
            if lacks_calls and group in _OF_ALL_CALLS:
                continue
            curve = group, step.type_of_execution, name
            time = self._thinning.time_of(*curve, step.step)
            if time is not None and self._thinning.keeps(*curve, time, value):
                points.append(CurvePoint(group, name, step.type_of_execution, time, value, is_own=True))
        return points

    def _values(
        self, step: StepDescription, numbers: StepNumbers, arrays: Mapping[str, Blob], places: _Places, trained: int | None
    ) -> Iterator[tuple[str, str, float]]:
        loss = _loss_of(step, arrays, places)
        if loss is not None:
            yield "loss", "loss", loss
        if step.gradients or step.backward_roots:
            for optimizer, rates in zip(numbers.optimizers, step.learning_rates or (), strict=False):
                for number, rate in enumerate(rates):
                    if not math.isnan(rate):
                        yield "learning rate", optimizer if len(rates) == 1 else f"{optimizer}, group {number + 1}", rate
        for group, parts in places.gradients.items():
            squares = [square for part in parts if (square := part.square(arrays)) is not None]
            if squares:
                yield "gradient norm", group, math.sqrt(sum(squares))
        seconds = self._seconds_per_step(step, step.step if trained is None else trained)
        if seconds is not None:
            yield "seconds per step", step.type_of_execution, seconds

    def _seconds_per_step(self, step: StepDescription, count: float) -> float | None:
        """The seconds since the last such step, by how much further the count of training steps is."""
        if step.time is None or not (step.gradients or step.backward_roots):
            return None
        key = step.session, step.type_of_execution
        last, self._last[key] = self._last.get(key), (count, step.time)
        return None if last is None or count <= last[0] else round((step.time - last[1]) / (count - last[0]), 6)


def _loss_of(step: StepDescription, arrays: Mapping[str, Blob], places: _Places) -> float | None:
    """What the step minimizes, or the loss of an evaluation; None if it is not known, or is no number."""
    is_evaluation = not (step.backward_roots or step.gradients)
    results = [call.result for call in step.losses[:1]] if is_evaluation else list(step.backward_roots[: _summed(step)])
    known = [place for result in results if result is not None and (place := places.single_values.get(result)) is not None]
    if not known or len(known) < len(results):
        return None
    scale = next((group.loss_scale for group in step.gradients if group.loss_scale), None)
    if scale is not None and not is_evaluation and len(results) < len(step.backward_roots):
        # The scaler has skipped updates, and the factor of the first loss was another one.
        return None
    return sum(float(arrays[array].data.reshape(-1)[start]) for array, start in known) / (scale or 1.0)


def _summed(step: StepDescription) -> int | None:
    """How many losses, from the first on, the gradients of a step are the sum of; None: all of them, or it is not known."""
    return step.gradients[0].backward_passes or None if len(step.gradients) == 1 else None


def _places_of(layout: Layout) -> _Places:
    single_values: dict[TensorReference, tuple[str, int]] = {}
    gradients: dict[str, dict[str, list[RecordPlace]]] = {}
    for place in iterate_records(layout):
        entry, array = place.entry, f"statistics.{place.entry.precision}"
        if place.group == FORWARD:
            if entry.kind == "single_value":
                single_values[TensorReference(entry.name, entry.iteration)] = array, place.statistics
        elif entry.type == "parameter" and 0 not in entry.shape:
            gradients.setdefault(place.group, {}).setdefault(array, []).append(place)
    # The part that one process has says nothing of the whole.
    whole = {group: parts for group, parts in gradients.items() if not any(place.entry.shard for part in parts.values() for place in part)}
    return _Places(single_values, {group: [_part(array, part) for array, part in parts.items()] for group, parts in whole.items()})


def _part(array: str, places: list[RecordPlace]) -> _Gradients:
    return _Gradients(
        array,
        np.array([place.counts for place in places]),
        np.array([place.statistics for place in places]),
        np.array([math.prod(place.entry.shape) for place in places], np.float64),
    )

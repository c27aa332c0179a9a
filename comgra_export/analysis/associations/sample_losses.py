"""The loss of every recorded sample: what a loss function returned for it, or what follows from what the function compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.associations.loss_values import FUNCTIONS, loss_per_sample
from comgra_export.analysis.associations.sample_steps import StepOfSamples
from comgra_export.analysis.history.series import Floats, TensorKey
from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import LossCall, Recording, RecordPlace, TensorEntry

__all__ = ["LossOfSamples", "losses_of_samples"]


class LossOfSamples(NamedTuple):
    """The loss of each sample.

    Attributes:
        function: The loss function.
        tensors: What it compared and returned, as far as it is recorded.
        values: `[n]`: the loss of each row; NaN if it is not known.
    """

    function: str
    tensors: tuple[TensorKey, ...]
    values: Floats


def losses_of_samples(recording: Recording, steps: Sequence[StepOfSamples]) -> LossOfSamples | None:
    """The loss of all samples of some steps: of the function whose result is minimized, or of the first one if none is."""
    wanted = next((_name(call) for step in steps for call in _candidates(step) if _of_call(recording, step, call) is not None), None)
    if wanted is None:
        return None
    columns, tensors = [], dict[TensorKey, None]()
    for step in steps:
        # A step may compute a loss in every iteration.
        calls = [call for call in step.step.losses if _name(call) == wanted]
        values = _of_call(recording, step, calls[-1]) if calls else None
        columns.append(np.full(step.samples, np.nan) if values is None else values)
        for call in calls:
            tensors.update({TensorKey(*each): None for each in (call.prediction, call.target, call.result) if each is not None})
    return LossOfSamples(wanted[0], tuple(tensors), np.concatenate(columns))


def _candidates(step: StepOfSamples) -> list[LossCall]:
    minimized = [call for call in step.step.losses if call.result in step.step.backward_roots]
    return minimized or list(step.step.losses)


def _name(call: LossCall) -> tuple[str, str | None]:
    return call.function, None if call.prediction is None else call.prediction.name


def _of_call(recording: Recording, step: StepOfSamples, call: LossCall) -> Floats | None:
    result = None if call.result is None else step.statistics.get(TensorKey(*call.result))
    if result is not None:
        return np.asarray(result[0], np.float64)
    if call.function not in FUNCTIONS or call.prediction is None or call.target is None:
        return None
    places = [step.places.get(TensorKey(*each)) for each in (call.prediction, call.target)]
    values = [None if place is None else _values(step, place) for place in places]
    unknown = [place for place, known in zip(places, values, strict=True) if known is None]
    stored = [place for place in unknown if place is not None and place.entry.values_count]
    if len(stored) < len(unknown):
        return None
    try:
        read = recording.values(step.step.step, stored) if stored else []
    except DamagedRecordingError:
        return None
    rest = (array.astype(np.float64).reshape(_shape(place.entry))[: step.samples] for array, place in zip(read, stored, strict=True))
    prediction, target = (next(rest) if known is None else known for known in values)
    return loss_per_sample(call.function, call.options, prediction, target)


def _values(step: StepOfSamples, place: RecordPlace) -> Floats | None:
    """The values of a tensor with one value per sample, which is its own mean. None if it has more."""
    if place.entry.values_per_sample != 1:
        return None
    mean: Floats = step.statistics[TensorKey(place.entry.name, place.entry.iteration)][0].astype(np.float64)
    return mean.reshape(step.samples, *_shape(place.entry)[1:])


def _shape(entry: TensorEntry) -> tuple[int, ...]:
    return entry.samples, *(size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension)

"""Recording the values of one step's tensors."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.host.dtypes import device_name, number_type, why_not_recordable
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part
from comgra_export.recorder.modules.training_watch import TrainingWatch
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.step.parameters import StepParameters
from comgra_export.recorder.step.state import StepState
from comgra_export.recorder.step.unit_dimension import unit_dimension
from comgra_export.recorder.tracing.registrations import Registration, tensor_entry
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.storage.model.layout import Kind, Shard
from comgra_export.storage.model.lines import Gap

__all__ = ["LocalValues", "TensorRecording", "local_values"]


LocalValues = tuple[Tensor, Shard | None, Exception | None]
"""The values of a tensor that this process holds, worked out once per registration.

The first is what `local_part` returns, or the tensor itself if this process holds no part of it. The second says which part of the whole it
is; None for all of it. The third says why there are no values; None if there are. A plain tuple, since each microsecond counts here.
"""


def local_values(tensor: Tensor) -> LocalValues:
    """Finds the values of a tensor that this process holds. Raises nothing."""
    try:
        values, shard = local_part(tensor)
    except Exception as error:
        return tensor, None, error
    return values, shard, None


class TensorRecording:
    """Takes the values of tensors when they are registered, and begins to watch their gradients.

    Neither this nor what its `measurements` report to refers to the step. Hooks know both, and must not keep the step alive.
    """

    def __init__(
        self,
        state: StepState,
        registrations: list[Registration],
        *,
        measurements: Measurements,
        gradients: GradientWatch,
        tracer: Tracer[Any],
        parameters: StepParameters,
        training_watch: TrainingWatch,
        gap_keeper: GapKeeper,
    ) -> None:
        self._state = state
        self._registrations = registrations
        self._measurements = measurements
        self._gradients = gradients
        self._tracer = tracer
        self._parameters = parameters
        self._training_watch = training_watch
        self._gap_keeper = gap_keeper

    def record_values(self, registration: Registration, tensor: Tensor, local: LocalValues) -> None:
        """Takes the values that a tensor has now, and begins to watch its gradient. What cannot be recorded is a gap.

        `local` has the values of it that this process holds.
        """
        values, shard, missing = local
        if missing is not None:
            self._report_error(registration, missing)
            return
        try:
            reason = why_not_recordable(values)
            if id(tensor) in self._parameters.changed:
                reason = "it was changed before it was decided to record this step"
            if reason is None:
                is_used = registration.traced.is_used and not registration.is_result
                if registration.is_watched:
                    self._gradients.watch(registration.number, tensor, is_used)
                self._measure_values(registration, tensor, values, shard)
            else:
                self._report("unsupported tensor", registration, reason)
        except (MisuseError, RecordingGapError):
            raise
        except Exception as error:
            self._report_error(registration, error)

    def read_together(self) -> AbstractContextManager[None]:
        """Within this context, tensors do not change, so their numbers are computed together at its end."""
        return self._measurements.read_together()

    def watch_again(self, registration: Registration, tensor: Tensor) -> None:
        """Watches the gradient of a tensor that was met again, with the values that were recorded."""
        self._gradients.watch_again(registration.number, tensor)

    def add_histogram(self, registration: Registration, tensor: Tensor, histogram_values: int) -> None:
        """Takes the values of a tensor a second time, for a histogram that it did not have at first.

        The tensor still has the values that it had when it was registered.
        """
        entry, numbers = registration.entry, registration.numbers
        registration.histogram_values = histogram_values
        if entry is not None and numbers is not None:
            registration.entry = replace(entry, histogram=True)
            local, _ = local_part(tensor)
            key = FORWARD, registration.number
            self._measurements.add_at_once(key, registration.entry, numbers, local, histogram_values=histogram_values)

    def accept(self) -> None:
        """Computes what was held back: the step is recorded after all, with its samples of now."""
        samples = self._state.samples.index
        for registration in self._registrations:
            if registration.entry is not None and registration.traits.per_sample:
                registration.entry = replace(registration.entry, samples=len(samples))
        self._measurements.settle(samples)

    def _measure_values(self, registration: Registration, tensor: Tensor, values: Tensor, shard: Shard | None) -> None:
        traits, reference = registration.traits, registration.first
        numbers = number_type(values.dtype)
        assert numbers is not None
        if values.dtype == torch.float16 and self._training_watch.scaling.scale is not None:
            # Without the loss scale, its gradients may be smaller than what float16 holds.
            numbers = replace(numbers, stored="F32", stored_dtype=torch.float32)
        # The singular values of a part say nothing of the whole.
        kind: Kind = "kpis" if shard is not None and traits.kind == "kpis_and_svd" else traits.kind
        operation = self._tracer.operation(tensor)
        entry = tensor_entry(
            name=reference.name,
            iteration=reference.iteration,
            node=reference.node,
            role=reference.role,
            type=traits.type,
            kind=kind,
            dtype=numbers.name,
            stored=numbers.stored,
            shape=values.shape,
            batch_dimension=traits.batch_dimension,
            samples=len(self._state.samples.index) if traits.per_sample else 0,
            operation=operation,
            module=self._training_watch.module_of(tensor),
            shard=shard,
            histogram=registration.histogram_values > 0,
            device=device_name(values.device),
            source=self._tracer.made_at(tensor),
            unit_dimension=unit_dimension(tensor, operation, traits.batch_dimension) if kind == "kpis" and shard is None else None,
        )
        key, histogram_values = (FORWARD, registration.number), registration.histogram_values
        before = self._parameters.values_before.get(id(tensor))
        if before is None:
            self._measurements.add_at_once(key, entry, numbers, values, histogram_values=histogram_values)
        else:
            self._measurements.add(key, entry, numbers, before, lasts=True, histogram_values=histogram_values)
        registration.entry, registration.numbers = entry, numbers

    def _report_error(self, registration: Registration, error: Exception) -> None:
        if isinstance(error, NoLocalPartError):
            self._report("unsupported tensor", registration, str(error))
        else:
            self._report("values", registration, f"it could not be recorded ({describe_error(error)})", error)

    def _report(self, kind: str, registration: Registration, reason: str, error: Exception | None = None) -> None:
        reference = registration.first
        self._gap_keeper.report(kind, Gap(reason, self._state.number, reference.iteration, None, reference.name), error)

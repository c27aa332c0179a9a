"""Recording the values of one step's tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.gradients.watch import GradientWatch
from comgra_export.recorder.host.dtypes import device_name, number_type, why_not_recordable
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part
from comgra_export.recorder.modules.training_state import StepFacts
from comgra_export.recorder.numbers.buffers import HistogramCopies, Scratch
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.numbers.finish import FinishedNumbers, report_missing_numbers
from comgra_export.recorder.numbers.parts import FORWARD, RecordKey
from comgra_export.recorder.step.parameters import StepParameters
from comgra_export.recorder.tracing.registrations import Registration, tensor_entry
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.storage.model import Gap, Shard

__all__ = ["TensorRecording", "measurements_of_step"]


class TensorRecording:
    """Takes the values of tensors when they are registered, and begins to watch their gradients.

    It does not refer to the step, and what its `measurements` report to does not either: those who listen to the operations of a step know
    them, and must not lead back to it.

    Args:
        step: The step.
        registrations: Its tensors, by number.
        measurements: What computes their numbers.
        gradients: What watches their gradients.
        tracer: Knows what was computed from what.
        parameters: Knows the values of parameters before the step.
        facts: Knows where in the modules the step is, and the scale of the loss.
        gap_keeper: Where trouble goes.
        samples: How many samples are recorded one by one.
    """

    def __init__(
        self,
        step: int,
        registrations: list[Registration],
        *,
        measurements: Measurements,
        gradients: GradientWatch,
        tracer: Tracer[Any],
        parameters: StepParameters,
        facts: StepFacts,
        gap_keeper: GapKeeper,
        samples: int,
    ) -> None:
        self._step = step
        self._registrations = registrations
        self._measurements = measurements
        self._gradients = gradients
        self._tracer = tracer
        self._parameters = parameters
        self._facts = facts
        self._gap_keeper = gap_keeper
        self._samples = samples

    @property
    def held_bytes(self) -> int:
        """The most memory that was held: values and gradients whose numbers were not computed yet."""
        return self._measurements.held_bytes + self._gradients.held_bytes

    def record_values(self, registration: Registration, tensor: Tensor) -> None:
        """Takes the values that a tensor has now, and begins to watch its gradient. What cannot be recorded is a gap."""
        reference = registration.first
        try:
            try:
                local, shard = local_part(tensor)
                reason = why_not_recordable(local)
                if id(tensor) in self._parameters.changed:
                    reason = "it was changed before it was decided to record this step"
            except NoLocalPartError as error:
                reason = str(error)
            if reason is None:
                is_used = registration.traced.is_used and not registration.is_result
                self._gradients.watch(registration.number, tensor, is_used)
                self._measure_values(registration, tensor, local, shard)
            else:
                self._gap_keeper.report("unsupported tensor", Gap(reason, self._step, reference.iteration, None, reference.name))
        except (MisuseError, RecordingGapError):
            raise
        except Exception as error:
            reason = f"it could not be recorded ({describe_error(error)})"
            self._gap_keeper.report("values", Gap(reason, self._step, reference.iteration, None, reference.name), error)

    def add_histogram(self, registration: Registration, tensor: Tensor, histogram_values: int) -> None:
        """Takes the values of a tensor once more, since it was recorded without a histogram and is to have one.

        Args:
            registration: The tensor, which has the values that it had when it was registered.
            tensor: Likewise.
            histogram_values: How many of its values, at most, are looked at.
        """
        entry, numbers = registration.entry, registration.numbers
        registration.histogram_values = histogram_values
        if entry is not None and numbers is not None:
            registration.entry = replace(entry, histogram=True)
            local, _ = local_part(tensor)
            key = FORWARD, registration.number
            self._measurements.add_at_once(key, registration.entry, numbers, local, histogram_values=histogram_values)

    def see_again(self, registration: Registration, tensor: Tensor) -> None:
        """Takes note that a tensor was met again, with the values that were recorded."""
        self._gradients.watch_again(registration.number, tensor)

    def has_gradients(self) -> bool:
        """Whether gradients have come."""
        return self._gradients.have_come()

    def give_up(self) -> None:
        """Lets go of all values."""
        self._measurements.give_up()

    def settle(self, samples: Sequence[int]) -> None:
        """The step is recorded after all, with these samples: what was held back is computed."""
        self._samples = len(samples)
        for registration in self._registrations:
            if registration.entry is not None and registration.traits.per_sample:
                registration.entry = replace(registration.entry, samples=len(samples))
        self._measurements.settle(samples)

    def finish(self, groups: Sequence[str]) -> FinishedNumbers:
        """Computes what has to be computed now. Afterwards, the copies of parameters belong to what is returned.

        Args:
            groups: In which order they are recorded.
        """
        rest = self._measurements.finish()
        return FinishedNumbers(
            self._step,
            groups,
            {one.number: one.entry for one in self._registrations if one.entry is not None},
            absent=self._measurements.absent,
            parts=self._measurements.parts,
            sums=self._measurements.sums,
            rest=rest,
            samples=self._measurements.samples,
            gap_keeper=self._gap_keeper,
            copies=self._measurements.copies,
            when_computed=self._parameters.hand_over(),
        )

    def _measure_values(self, registration: Registration, tensor: Tensor, local: Tensor, shard: Shard | None) -> None:
        traits, reference = registration.traits, registration.first
        numbers = number_type(local.dtype)
        assert numbers is not None
        if local.dtype == torch.float16 and self._facts.has_scaler:
            # Without the loss scale, its gradients may be smaller than what float16 holds.
            numbers = replace(numbers, stored="F32", stored_dtype=torch.float32)
        # Looked up by position, which takes a quarter of the time.
        entry = tensor_entry(
            reference.name,
            reference.iteration,
            reference.node,
            reference.role,
            traits.type,
            # The singular values of a part say nothing of the whole.
            "kpis" if shard is not None and traits.kind == "kpis_and_svd" else traits.kind,
            numbers.name,
            numbers.stored,
            local.shape,
            traits.batch_dimension,
            self._samples if traits.per_sample else 0,
            self._tracer.operation(tensor),
            self._facts.module_of(tensor),
            shard,
            registration.histogram_values > 0,
            device_name(local.device),
        )
        key, values = (FORWARD, registration.number), registration.histogram_values
        before = self._parameters.values_before.get(id(tensor))
        if before is None:
            self._measurements.add_at_once(key, entry, numbers, local, histogram_values=values)
        else:
            self._measurements.add(key, entry, numbers, before, lasts=True, histogram_values=values)
        registration.entry, registration.numbers = entry, numbers


def measurements_of_step(
    step: int,
    registrations: list[Registration],
    samples: Sequence[int],
    scratch: Scratch,
    copies: HistogramCopies,
    gap_keeper: GapKeeper,
    *,
    provisional: bool,
) -> Measurements:
    """Makes what computes the numbers of a step's tensors. What it cannot compute is a gap.

    Args:
        step: The step.
        registrations: Its tensors, by number.
        samples: Positions in the batch that are recorded one by one.
        scratch: Where intermediate results lie.
        copies: Where the values lie that histograms are made of.
        gap_keeper: Where trouble goes.
        provisional: Whether it is not known yet that the step is to be recorded.
    """

    def fail(key: RecordKey, error: Exception) -> None:
        group, number = key
        reference = registrations[number].first
        report_missing_numbers(gap_keeper, step, group, reference.name, reference.iteration, error)

    return Measurements(samples, fail, scratch, copies, provisional=provisional)

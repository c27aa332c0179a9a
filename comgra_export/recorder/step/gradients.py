"""Recording the gradients of one step's tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from comgra_export.recorder.gradients.sums import GradientSum
from comgra_export.recorder.gradients.watch import GradientWatch
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.sharding import local_part
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.training_state import StepFacts
from comgra_export.recorder.numbers.collector import Measurements, TensorNumbers
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.storage.model import Gap

__all__ = ["GradientRecording"]


class GradientRecording:
    """Takes the gradients of tensors when they are asked for. Like `TensorRecording`, it does not refer to the step.

    Args:
        step: The step.
        registrations: Its tensors, by number.
        measurements: What computes their numbers.
        gradients: What watches their gradients.
        call_gradients: What watches the gradients through single calls of watched modules; None where no module is watched.
        facts: Knows the scale of the loss.
        gap_keeper: Where trouble goes.
    """

    def __init__(
        self,
        step: int,
        registrations: list[Registration],
        *,
        measurements: Measurements,
        gradients: GradientWatch,
        call_gradients: CallGradients | None,
        facts: StepFacts,
        gap_keeper: GapKeeper,
    ) -> None:
        self._step = step
        self._registrations = registrations
        self._measurements = measurements
        self._gradients = gradients
        self._call_gradients = call_gradients
        self._facts = facts
        self._gap_keeper = gap_keeper

    def record(self, group: str, clear: bool) -> bool:
        """Takes the gradients that the tensors have now.

        Args:
            group: Name of the recording type.
            clear: Whether to forget them afterwards, save those of parameters.

        Returns:
            Whether any of them has one.
        """
        self._gradients.note_held()
        found = False
        try:
            for registration in self._registrations:
                found = self._measure_gradient(registration, group) or found
                self._explain_absent_gradient(registration, group)
                if clear and registration.traits.type != "parameter":
                    self._gradients.clear(registration.number)
            if self._call_gradients is not None:
                for registration, sums in self._call_gradients.partial_gradients():
                    self._measure_partial_gradient(registration, sums, group)
                if clear:
                    self._call_gradients.clear()
        finally:
            # Afterwards, large gradients may change.
            self._measurements.compute_pressing()
        return found

    def _measure_gradient(self, registration: Registration, group: str) -> bool:
        """Whether the tensor has a gradient, as far as that can be known."""
        entry, numbers = registration.entry, registration.numbers
        if entry is None or numbers is None or registration.is_state:
            return False
        key = (group, registration.number)
        try:
            found = self._gradients.looked_at(registration.number)
            if found is not None:
                self._add_looked_at(registration, group, found)
                return True
            gradient = self._gradients.gradient(registration.number)
            if gradient is None:
                self._measurements.add_absent(key, entry, numbers)
                return False
            parameter, lasts = self._gradients.parameter(registration.number), self._gradients.lasts(registration.number)
            self._add_gradient(registration, group, gradient, parameter, lasts)
        except Exception as error:
            self._measurements.fail(key, error)
        return True

    def _measure_partial_gradient(self, registration: Registration, sums: Sequence[GradientSum], group: str) -> None:
        """Takes the gradient through a call.

        Args:
            registration: Its record.
            sums: What it is the total of.
            group: Name of the recording type.
        """
        entry, numbers = registration.entry, registration.numbers
        assert entry is not None
        assert numbers is not None
        try:
            if len(sums) == 1 and sums[0].looked_at is not None:
                self._add_looked_at(registration, group, sums[0].looked_at)
                return
            parts = [part for part in (one.total() for one in sums) if part is not None]
            if parts:
                lasts = len(parts) > 1 or all(one.is_copy for one in sums)
                self._add_gradient(registration, group, _sum(parts), None, lasts)
            else:
                self._measurements.add_absent((group, registration.number), entry, numbers)
        except Exception as error:
            self._measurements.fail((group, registration.number), error)

    def _add_gradient(self, registration: Registration, group: str, gradient: Tensor, parameter: nn.Parameter | None, lasts: bool) -> None:
        entry, numbers = registration.entry, registration.numbers
        assert entry is not None
        assert numbers is not None
        local, _ = local_part(gradient)
        dense = local if local.layout == torch.strided else local.to_dense()
        dense = self._facts.without_scale(dense, parameter)
        values = registration.histogram_values
        self._measurements.add(
            (group, registration.number), entry, numbers, dense, lasts=lasts, is_copy=dense is not local, histogram_values=values
        )

    def _add_looked_at(self, registration: Registration, group: str, found: TensorNumbers) -> None:
        assert registration.entry is not None
        self._measurements.add_numbers((group, registration.number), registration.entry, found)
        if registration.histogram_values > found.histogram_values:
            reference = registration.first
            reason = "there is no histogram of its gradient, since it came before a watched module was called with this tensor"
            self._gap_keeper.note(Gap(reason, self._step, reference.iteration, group, reference.name))

    def _explain_absent_gradient(self, registration: Registration, group: str) -> None:
        reason, reference = self._gradients.why_absent(registration.number), registration.first
        if reason is not None:
            gap = Gap(f"its gradient is not known: {reason}", self._step, reference.iteration, group, reference.name)
            self._gap_keeper.report("gradient", gap)


def _sum(parts: Sequence[Tensor]) -> Tensor:
    with torch.no_grad():
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

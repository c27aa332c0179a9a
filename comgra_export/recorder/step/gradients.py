"""Recording the gradients of one step's tensors, in groups of which each has a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from comgra_export.errors import MisuseError
from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.gradients.scaling import StepScaling
from comgra_export.recorder.gradients.sums import TakenGradient, take_together
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.sharding import local_part
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.training_watch import TrainingWatch
from comgra_export.recorder.numbers.collector import Measurements, TensorNumbers
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, Registration
from comgra_export.storage.model.lines import Gap

__all__ = ["GradientGroups", "GradientRecording"]


class GradientGroups:
    """The groups under which the gradients of one step are recorded, one after the other.

    Attributes:
        names: The groups recorded so far, in order: the forward pass, then every group of gradients.
        may_come: Whether a tensor was registered that requires a gradient.
    """

    def __init__(
        self,
        step: float,
        recording: GradientRecording,
        modules: ModuleRegistry,
        training_watch: TrainingWatch,
        unusual_steps: UnusualSteps | None,
        gap_keeper: GapKeeper,
    ) -> None:
        self.names = [FORWARD]
        self.may_come = False
        self._step = step
        self._recording = recording
        self._modules = modules
        self._training_watch = training_watch
        self._unusual_steps = unusual_steps
        self._gap_keeper = gap_keeper
        self._checked: set[str] = set()

    def check(self, group: str) -> None:
        """Checks the gradients that the parameters have now.

        Raises:
            MisuseError: The name is taken.
        """
        if group in self._checked:
            raise _taken(group, "another call in this training step")
        self._checked.add(group)
        # While a scaler searches for its factor, gradients overflow as a matter of course.
        if self._unusual_steps is not None and self._training_watch.scaling.scale is None:
            gradients = ((name, parameter.grad) for name, parameter in self._modules.parameters().items())
            self._unusual_steps.add_all(
                ((group, name, INITIAL_ITERATION), gradient) for name, gradient in gradients if gradient is not None
            )

    def record(self, group: str, clear: bool, iteration: int | None) -> None:
        """Records the gradients that all registered tensors have now. With `clear`, they are forgotten afterwards; parameters keep theirs.

        Raises:
            MisuseError: The name is taken.
        """
        if group in self.names:
            raise _taken(group, "the values of the forward pass" if group == FORWARD else "another call in this training step")
        self.names.append(group)
        watch = self._training_watch
        has_any = self._recording.record(group, clear)
        if not has_any and self.may_come and torch.is_grad_enabled() and watch.backward_passes() == 0:
            reason = "there were no gradients yet: no backward pass came before it. Call record_current_gradients after loss.backward()"
            self._gap_keeper.report("no gradients yet", Gap(reason, self._step, iteration, group))
        with self._gap_keeper.guard("modules and gradients", "what happened to the gradients is not known", step=self._step):
            watch.note_gradients(group)
        if watch.scaling.is_doubtful:
            reason = "gradients of some parameters may still be multiplied by the loss scale. Give their optimizer to track_optimizers"
            self._gap_keeper.report("loss scale", Gap(reason, self._step, iteration, group))


def _taken(group: str, taken_by: str) -> MisuseError:
    return MisuseError(f"record_current_gradients: the name {group!r} is taken by {taken_by}. Give every call of a step a name of its own.")


class GradientRecording:
    """Takes the gradients of tensors when the script asks for it. Like `TensorRecording`, it does not refer to the step."""

    def __init__(
        self,
        step: float,
        registrations: list[Registration],
        *,
        measurements: Measurements,
        gradients: GradientWatch,
        call_gradients: CallGradients | None,
        scaling: StepScaling,
        gap_keeper: GapKeeper,
    ) -> None:
        self._step = step
        self._registrations = registrations
        self._measurements = measurements
        self._gradients = gradients
        self._call_gradients = call_gradients
        self._scaling = scaling
        self._gap_keeper = gap_keeper

    def record(self, group: str, clear: bool) -> bool:
        """Takes the gradients that the tensors have now, as `GradientGroups.record` says.

        Returns whether any tensor has a gradient, as far as that is known.
        """
        self._gradients.note_held()
        has_any = False
        try:
            for registration in self._registrations:
                number = registration.number
                if not registration.is_watched:
                    continue
                if registration.entry is not None and registration.numbers is not None and not registration.is_state:
                    has_any = self._measure(registration, group, partial(self._gradients.take, number)) or has_any
                self._explain_absent_gradient(registration, group)
                if clear and registration.traits.type != "parameter":
                    self._gradients.clear(number)
            if self._call_gradients is not None:
                for registration, sums in self._call_gradients.partial_gradients():
                    self._measure(registration, group, partial(take_together, sums))
                if clear:
                    self._call_gradients.clear()
        finally:
            # Afterwards, large gradients may change.
            self._measurements.compute_pressing()
        return has_any

    def _measure(self, registration: Registration, group: str, take: Callable[[], TakenGradient | None]) -> bool:
        """Takes a gradient, and has its numbers computed. Returns whether there is a gradient, as far as that is known."""
        entry, numbers = registration.entry, registration.numbers
        assert entry is not None
        assert numbers is not None
        key = (group, registration.number)
        try:
            gradient = take()
            if gradient is None:
                self._measurements.add_absent(key, entry, numbers)
                return False
            if gradient.statistics is not None:
                self._measurements.add_numbers(key, entry, gradient.statistics)
                self._explain_absent_histogram(registration, group, gradient.statistics)
                return True
            assert gradient.values is not None
            local, _ = local_part(gradient.values)
            dense = local if local.layout == torch.strided else local.to_dense()
            dense = self._scaling.without_scale(dense, gradient.parameter)
            values = registration.histogram_values
            self._measurements.add(key, entry, numbers, dense, lasts=gradient.lasts, is_copy=dense is not local, histogram_values=values)
        except Exception as error:
            self._measurements.fail(key, error)
        return True

    def _explain_absent_histogram(self, registration: Registration, group: str, statistics: TensorNumbers) -> None:
        if registration.histogram_values > statistics.histogram_values:
            reference = registration.first
            reason = "there is no histogram of its gradient, since it came before a watched module was called with this tensor"
            self._gap_keeper.note(Gap(reason, self._step, reference.iteration, group, reference.name))

    def _explain_absent_gradient(self, registration: Registration, group: str) -> None:
        reason, reference = self._gradients.why_absent(registration.number), registration.first
        if reason is not None:
            gap = Gap(f"its gradient is not known: {reason}", self._step, reference.iteration, group, reference.name)
            self._gap_keeper.report("gradient", gap)

"""The groups under which the gradients of a step are recorded, one after the other."""

from __future__ import annotations

import torch

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.training_state import StepFacts
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.step.gradients import GradientRecording
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION
from comgra_export.storage.model import Gap

__all__ = ["GradientGroups"]


class GradientGroups:
    """The groups of one step.

    Args:
        step: The step.
        recording: What takes the gradients.
        modules: The tracked modules.
        facts: Knows of backward passes and of the scale of the loss.
        unusual_steps: Checks the gradients of parameters; None where nothing does.
        gap_keeper: Where trouble goes.

    Attributes:
        names: Under which numbers were recorded, in order: the forward pass, then every group of gradients.
        may_come: Whether a tensor was registered that requires a gradient.
    """

    def __init__(
        self,
        step: int,
        recording: GradientRecording,
        modules: ModuleRegistry,
        facts: StepFacts,
        unusual_steps: UnusualSteps | None,
        gap_keeper: GapKeeper,
    ) -> None:
        self.names = [FORWARD]
        self.may_come = False
        self._step = step
        self._recording = recording
        self._modules = modules
        self._facts = facts
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
        # While a scaler looks for its factor, gradients overflow as a matter of course.
        if self._unusual_steps is not None and not self._facts.has_scaler:
            gradients = ((name, parameter.grad) for name, parameter in self._modules.parameters().items())
            self._unusual_steps.add_all(
                ((group, name, INITIAL_ITERATION), gradient) for name, gradient in gradients if gradient is not None
            )

    def record(self, group: str, clear: bool, iteration: int | None) -> None:
        """Records the gradients that all registered tensors have now.

        Args:
            group: Name of the recording type.
            clear: Whether to forget them afterwards, save those of parameters.
            iteration: The iteration in progress, or the last one; None before the first.

        Raises:
            MisuseError: The name is taken.
        """
        if group in self.names:
            raise _taken(group, "the values of the forward pass" if group == FORWARD else "another call in this training step")
        self.names.append(group)
        found = self._recording.record(group, clear)
        if not found and self.may_come and torch.is_grad_enabled() and self._facts.backward_passes() == 0:
            reason = "there were no gradients yet: no backward pass came before it. Call record_current_gradients after loss.backward()"
            self._gap_keeper.report("no gradients yet", Gap(reason, self._step, iteration, group))
        with self._gap_keeper.guard("facts", "what became of the gradients is not known", step=self._step):
            self._facts.note_gradients(group)
        if self._facts.scale_is_doubtful:
            reason = "gradients of some parameters may still be multiplied by the loss scale. Give their optimizer to track_optimizers"
            self._gap_keeper.report("loss scale", Gap(reason, self._step, iteration, group))


def _taken(group: str, taken_by: str) -> MisuseError:
    return MisuseError(f"record_current_gradients: the name {group!r} is taken by {taken_by}. Give every call of a step a name of its own.")

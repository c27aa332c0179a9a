"""What a recorder that detects its steps must be able to do."""

from __future__ import annotations

from collections.abc import Sized
from typing import Protocol

from torch import nn
from torch.optim.optimizer import Optimizer

__all__ = ["StepControl"]


class StepControl(Protocol):
    """The calls by which a `StepDetector` begins and ends steps in place of the script. `StepLifecycle` provides them."""

    @property
    def step(self) -> float | None:
        """The number of the step in progress, or of the last one; None before the first."""

    @property
    def is_between_steps(self) -> bool:
        """Whether no step is in progress."""

    @property
    def is_recording(self) -> bool:
        """Whether a step is in progress and being recorded, or may turn out to be."""

    @property
    def waiting_findings(self) -> Sized:
        """What `deliver_findings` would deliver now: the same object always."""

    @property
    def is_due(self) -> bool:
        """Whether the schedule has chosen the step in progress."""

    @property
    def has_gradients(self) -> bool:
        """Whether a step is being recorded, and gradients have reached its tensors."""

    def skip_batch(self, training_step: float, type_of_execution: str, *, turn: int) -> bool:
        """Begins a step if nothing of it is recorded. Returns whether that is so: if not, `start_batch` has to begin it."""

    def skip_next(self, training_step: int) -> bool:
        """Begins the training step with the number after the last one, as `skip_batch` does. False if `skip_batch` has to decide."""

    def leave_skipped(self) -> None:
        """Ends a step that is not recorded, unless the script has ended it."""

    def start_batch(self, training_step: float, batch_size: int, type_of_execution: str, *, trained: int, turn: int) -> None:
        """Begins a step. `trained`: so many training steps were made before. `turn`: the number by which the schedule decides."""

    def start_iteration(self) -> None:
        """Begins an iteration of it."""

    def end_interrupted_calls(self, entering: nn.Module) -> None:
        """Notes that Ctrl-C has ended the calls of watched modules in progress, save those around a call of this module that begins."""

    def record_gradients(self, group: str) -> None:
        """Records the gradients as they are now."""

    def end_evaluation(self) -> None:
        """Notes that the call of an evaluation is over, and only its losses may follow."""

    def note_optimizer(self, optimizer: Optimizer) -> None:
        """Tracks an optimizer that has made a step."""

    def note_missing_calls(self) -> None:
        """Notes that the step goes on after its last recorded iteration."""

    def finish_iteration(self) -> None:
        """Ends the iteration."""

    def finish_batch(self) -> None:
        """Ends the step."""

    def deliver_findings(self) -> None:
        """Warns of what was found in steps, and lets a function of the user's have it, which may raise anything."""

    def leave_out_batch(self) -> None:
        """Ends a step of which nothing is recorded. Its number may be used again."""

    def abandon_batch(self) -> None:
        """Drops the step in progress, if there is one."""

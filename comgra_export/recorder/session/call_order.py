"""Which call may follow which within a training step, and in which thread."""

from __future__ import annotations

from threading import get_ident
from typing import Literal

from comgra_export.errors import MisuseError
from comgra_export.storage.text.steps import MAX_EVALUATIONS, evaluation_number, parts_of_step

__all__ = ["CallOrder", "Stage"]

Stage = Literal["inactive", "started", "forward", "after_iteration"]
"""Where in a step the script is: in none, before the first iteration, within an iteration, or after one."""


class CallOrder:
    """Where in a training step the script is. A check that fails raises a `MisuseError`.

    Attributes:
        step: The number of the step in progress, or of the last one; None before the first.
        has_begun: Whether there was a step.
        iteration: The number of the iteration in progress, or of the last one of the step; -1 before the first, or if none is recorded.
        was_recorded: Whether the last step was recorded to its end. True before the first.
        thread: The number of the thread of `start_batch`.
        begun: How many steps were begun by `begin_step`.
    """

    def __init__(self) -> None:
        self.stage: Stage = "inactive"
        self.step: float | None = None
        self.has_begun = False
        self.iteration = -1
        self.was_recorded = True
        self.begun = 0
        self._step_before: float | None = None
        self.thread = get_ident()

    def begin_step(self, step: float) -> None:
        """Begins a step, which belongs to this thread."""
        self._step_before, self.step = self.step, step
        self.thread = get_ident()
        self.stage = "started"
        self.has_begun = True
        self.begun += 1
        self.iteration = -1
        self.was_recorded = False

    def begin_next_step(self, step: float) -> bool:
        """Begins a step in the thread of the last one, in which nothing was recorded. Returns whether it was its turn."""
        if self.stage != "inactive" or self.step != step - 1:
            return False
        # An interrupt cannot come between these.
        self._step_before = self.step
        self.step = step
        self.stage = "started"
        return True

    def forget_step(self) -> None:
        """Lets the number of the step in progress be used again."""
        self.step = self._step_before

    def is_here(self) -> bool:
        """Whether this is the thread of `start_batch`. What watches the functions called there can end only there."""
        return get_ident() == self.thread

    def check_thread(self, call: str) -> None:
        """Checks that a call is made in the thread of `start_batch`."""
        if not self.is_here():
            raise MisuseError(
                f"{call} was called in a different thread from start_batch of step {self.step}. Make both calls in the same thread, "
                "or call abandon_batch to drop the step."
            )

    def check_next_step(self, step: float) -> None:
        """Checks that a step may begin: none is in progress, and its number is greater than that of the one before."""
        if self.stage != "inactive":
            raise MisuseError(
                f"start_batch: step {self.step} is still in progress. Call finish_batch first; "
                "or, if an exception kept the script from reaching it, call abandon_batch to drop that step."
            )
        if self.step is not None and step <= self.step:
            remedy = (
                "Give the evaluation, or whatever comes second, the next number: a counter that every step increases will do."
                if step == self.step
                else "To go on from an earlier step, finalize this recorder and make a new one with existing_trial='append'."
            )
            raise MisuseError(
                f"start_batch: training_step {step} does not come after {self.step}. Every step needs a number of its own, greater than "
                f"the one before, whatever its type_of_execution. {remedy}"
            )

    def number_before_training(self, step: int) -> float:
        """The number of a step to which the script gives one below 0: that of the next evaluation before training.

        After a training step it is none, and the number that the script gave is returned.
        """
        if self.step is not None and self.step >= 0:
            return step
        _, made = (0, 0) if self.step is None else parts_of_step(self.step)
        if made == MAX_EVALUATIONS:
            raise MisuseError(f"start_batch: there were {MAX_EVALUATIONS:,} evaluations before training. Count steps from 0.")
        return evaluation_number(0, made + 1)

    def check_gradient_flow(self) -> None:
        """Checks that it is the time to record a gradient flow."""
        if self.stage != "forward":
            remedy = "Call it within an iteration, after the forward pass and before loss.backward()."
            raise self.error("record_gradient_flow", remedy)

    def check_registration(self, tensor_name: str, is_parameter: bool, is_initial_value: bool) -> None:
        """Checks that it is the time to register a tensor."""
        if is_initial_value:
            if self.stage != "started":
                remedy = "Register an initial value after start_batch and before the first start_iteration."
                raise self.error(f"register_tensor({tensor_name!r})", remedy)
        elif self.stage != "forward" and not is_parameter:
            remedy = "Call start_iteration first, or pass is_initial_value=True for what exists before any iteration."
            raise self.error(f"register_tensor({tensor_name!r})", remedy)

    def error(self, call: str, remedy: str) -> MisuseError:
        """Makes the error for a call that may not come here. `remedy` says what to do, as a sentence."""
        where = {
            "inactive": "outside a step",
            "started": f"in step {self.step}, in which no iteration has begun",
            "forward": f"within an iteration of step {self.step}",
            "after_iteration": f"after an iteration of step {self.step} was finished",
        }[self.stage]
        return MisuseError(f"{call} was called {where}. {remedy}")

"""The step in progress of a recorder that detects its steps, from its beginning to its end."""

from __future__ import annotations

import threading
import weakref
from typing import Any, Literal

from torch import nn

from comgra_export.recorder.detection.control import StepControl
from comgra_export.recorder.detection.hooks import DetectionHooks
from comgra_export.recorder.detection.numbering import StepNumbers
from comgra_export.recorder.detection.optimizers import SharedUpdates
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.storage.model.lines import Gap
from comgra_export.storage.text.steps import MAX_EVALUATIONS

__all__ = ["DetectedSteps", "UnrecordedCall"]

_MAX_ITERATIONS = 100
"""At most this many calls of a training step are recorded. Gradient accumulation takes a few; a step whose end is not seen takes all."""


UnrecordedCall = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]
"""The first call in a training step that is not recorded: of which module, without wrappers, and with which arguments."""


class DetectedSteps:
    """Begins, continues, ends and drops steps by a `StepControl`.

    Attributes:
        updates: The optimizers that have made their steps.
        kind: Of the step in progress; None between steps.
        outermost: The module whose call is in progress. It was called neither by another module nor by one that is not watched.
        is_to_drop: Whether the step is to be dropped, which could not be done where that was seen.
        awaits_losses: Whether an evaluation is over, except for the losses that the script computes from its result, and for further calls.
        awaits_followers: Whether a training step is over, except for the steps of further optimizers.
        iterations: How many calls the step in progress, or the last one, has had.
        unrecorded_call: The first call in the step in progress, if it is kept. It keeps the inputs alive until the end of the step.
    """

    def __init__(self, control: weakref.ref[StepControl], hooks: DetectionHooks, numbers: StepNumbers, gap_keeper: GapKeeper) -> None:
        self._control = control
        self._hooks = hooks
        self._numbers = numbers
        self._gap_keeper = gap_keeper
        self._groups: dict[int, str] = {}
        self._has_too_many = False
        self._home = self._thread = threading.get_ident()
        self.updates = SharedUpdates()
        self.kind: Literal["train", "eval"] | None = None
        self.outermost: nn.Module | None = None
        self.is_to_drop = False
        self.awaits_losses = False
        self.awaits_followers = False
        self.iterations = 0
        self.unrecorded_call: UnrecordedCall | None = None

    @property
    def is_here(self) -> bool:
        """Whether this thread is that of the step in progress, or of the last one."""
        return threading.get_ident() == self._thread

    def skip(self, control: StepControl, is_training: bool, type_of_evaluation: str) -> bool:
        """Begins a step if nothing of it is recorded, and returns whether that is so. If not, `begin` has to begin it."""
        self._thread = threading.get_ident()
        number = self._numbers.take(is_training, control.step)
        if number is None or not control.skip_batch(number[0], "train" if is_training else type_of_evaluation, turn=number[1]):
            return False
        self._pass_over(control, is_training)
        return True

    def begin(self, control: StepControl, is_training: bool, type_of_evaluation: str, batch_size: int) -> None:
        """Begins a step that `skip` has left, with its first iteration."""
        number = self._numbers.take(is_training, control.step)
        if number is None:
            self._note_too_many()
            return
        step, turn = number
        kind = "train" if is_training else type_of_evaluation
        control.start_batch(step, batch_size, kind, trained=self._numbers.trained_in_all, turn=turn)
        if control.is_due and not is_training:
            self._numbers.note_due_evaluation()
        if not control.is_recording:
            self._pass_over(control, is_training)
            return
        self._hooks.open_exit()
        self.kind = "train" if is_training else "eval"
        self.iterations = 1
        self.updates.begin_step()

    def go_on(self, control: StepControl) -> None:
        """A further call within a training step: if the step is being recorded, the next iteration begins."""
        if not control.is_recording:
            return
        self.iterations += 1
        if self.iterations <= _MAX_ITERATIONS:
            control.finish_iteration()
            control.start_iteration()
            return
        reason = f"only the first {_MAX_ITERATIONS} calls of watched modules within this step were recorded"
        self._gap_keeper.report("calls", Gap(reason, control.step))
        control.note_missing_calls()
        self._finish(control)
        self._hooks.close_entrance()

    def record_gradients(self, source: int) -> None:
        """Records the gradients, once for each optimizer that is about to use them."""
        control = self._control()
        if control is not None and self._hooks.has_exit and source not in self._groups:
            count = len(self._groups)
            self._groups[source] = "gradients" if count == 0 else f"gradients {count + 1}"
            control.record_gradients(self._groups[source])

    def await_losses(self, is_last: bool) -> None:
        """A call of an evaluation has returned. In another thread than that of the script, nobody might come to end the step.

        `is_last`: no other call follows, so that what comes now are losses.
        """
        control = self._control()
        if control is None or self._thread != self._home:
            self.end()
        else:
            if is_last:
                control.end_evaluation()
            self.awaits_losses = True

    def end(self) -> None:
        """Ends the step in progress. If it is being recorded, it is written."""
        control = self._control()
        if control is None or not self._hooks.has_exit or not control.is_recording:
            self.end_skipped()
            return
        self._numbers.count(self.kind == "train")
        try:
            self._finish(control)
        finally:
            self._forget()

    def end_skipped(self) -> None:
        """Ends a step in progress that is not recorded."""
        control = self._control()
        self._numbers.count(self.kind == "train")
        try:
            if control is not None:
                control.leave_skipped()
        finally:
            self._forget()

    def drop(self) -> None:
        """Drops the step in progress."""
        control = self._control()
        if control is not None:
            control.abandon_batch()
        self._forget()

    def _pass_over(self, control: StepControl, is_training: bool) -> None:
        """Goes on with a step that is not recorded. Such an evaluation is over at once."""
        if is_training:
            self._hooks.close_entrance()
            self.kind = "train"
            self.iterations = 1
            self.updates.begin_step()
        else:
            control.leave_out_batch()
            self._numbers.count(is_training)

    def _note_too_many(self) -> None:
        if not self._has_too_many:
            self._has_too_many = True
            reason = f"at most {MAX_EVALUATIONS:,} evaluations between two training steps can be recorded. Those that followed are missing"
            self._gap_keeper.report("evaluations", Gap(reason))

    def _finish(self, control: StepControl) -> None:
        if self.kind == "train" and not self._groups:
            self.record_gradients(0)
        control.finish_iteration()
        self._hooks.close_exit()
        control.finish_batch()

    def _forget(self) -> None:
        """No step is in progress any more."""
        self.kind = self.outermost = self.unrecorded_call = None
        self.is_to_drop = self.awaits_losses = self.awaits_followers = False
        self._groups.clear()
        if self._hooks.has_exit:
            self._hooks.close_exit()
        self._hooks.open_entrance()

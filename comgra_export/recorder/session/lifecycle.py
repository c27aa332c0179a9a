"""The order of calls by which a script goes through its steps: begin, decide, iterate, finish or abandon."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence, Sized
from threading import get_ident

from torch import nn
from torch.optim import Optimizer

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.isolation import Caller, call_forwards, choose_caller, is_running_backwards
from comgra_export.recorder.host.optimizer_hooks import hold_optimizer_hooks
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.session.arguments import check_step_numbers, check_type_of_execution
from comgra_export.recorder.session.call_order import CallOrder
from comgra_export.recorder.session.curve_points import CurvePoints
from comgra_export.recorder.session.step_recording import StepRecording
from comgra_export.recorder.session.training_steps import TrainingSteps
from comgra_export.recorder.tracing.registrations import check_text
from comgra_export.storage.model.lines import SessionEnd
from comgra_export.storage.text.names import shown
from comgra_export.storage.text.steps import step_in_words

__all__ = ["StepLifecycle"]


class StepLifecycle:
    """Takes the calls that begin, decide and end steps. Checks that each comes at its time and in its thread.

    `StepRecording` does what they ask for. This is the `StepControl` of a recorder that detects its steps itself. `output` and `curves` are
    None for a recorder that is turned off.

    Attributes:
        call: Makes a call of the script that records something, unless it is to be ignored.
        explains_missing_steps: Whether `close` says why no step was recorded.
        training_steps: Counts them.
        waiting_findings: What `deliver_findings` would deliver now.
    """

    def __init__(
        self,
        output: RecordingOutput | None,
        order: CallOrder,
        recording: StepRecording,
        curves: CurvePoints | None,
        *,
        watches_functions: bool,
    ) -> None:
        self.call: Caller = call_forwards
        self.explains_missing_steps = True
        self.training_steps = TrainingSteps()
        self._dropped: float | None = None
        # The step that was begun last, by its number in `CallOrder.begun`, if `skip_batch` has begun it.
        self._skipped: tuple[int, str] | None = None
        self._is_next_due = recording.is_next_due
        self.waiting_findings: Sized = () if output is None else output.waiting_findings
        self._output = output
        self._order = order
        self._recording = recording
        self._curves = curves
        self._watches_functions = watches_functions
        self._checked_types: set[str] = set()
        self._release_hooks = hold_optimizer_hooks(self)

    @property
    def step(self) -> float | None:
        """The number of the step in progress, or of the last one; None before the first."""
        return self._order.step

    @property
    def step_of_exception(self) -> float | None:
        """The step in which an exception came that is passing: a context may have dropped it. Between steps, the last one."""
        return self._order.step if self._dropped is None else self._dropped

    @property
    def is_between_steps(self) -> bool:
        """Whether no step is in progress."""
        return self._order.stage == "inactive"

    @property
    def is_recording(self) -> bool:
        """Whether a step is in progress and being recorded, or may turn out to be."""
        return self._recording.step is not None

    @property
    def is_due(self) -> bool:
        """Whether the schedule has chosen the step in progress, as far as that is known."""
        return bool(self._recording.is_due)

    @property
    def unrecorded_step(self) -> float | None:
        """The number of the step in progress in this thread, if nothing of it is recorded; None otherwise."""
        order = self._order
        if self._recording.step is not None or order.stage == "inactive":
            return None
        return order.step if get_ident() == order.thread else None

    @property
    def has_gradients(self) -> bool:
        """Whether a step is being recorded, and gradients have reached its tensors."""
        return self._recording.step is not None and self._recording.step.has_gradients()

    def set_epoch(self, number: float) -> None:
        """As `ComgraRecorder.set_epoch`."""
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise MisuseError(f"set_epoch: the epoch is {shown(number)}. Give a finite number.")
        self._recording.epoch = number

    def skip_batch(self, training_step: float, type_of_execution: str, *, turn: int) -> bool:
        """Begins a step that was detected, if nothing of it is recorded. Returns whether that is so: if not, `start_batch` begins it.

        This is all that most steps of a training need. The number has to be right, and no step may be in progress.
        """
        if self._output is None or not self._recording.skip(turn, type_of_execution):
            return False
        self._order.begin_step(training_step)
        self._dropped = None
        self._skipped = self._order.begun, type_of_execution
        return True

    def skip_next(self, training_step: int) -> bool:
        """Begins a training step as `skip_batch` does, if the last step was begun by one of the two, and in this thread.

        Returns whether it has begun it.
        """
        if self._skipped != (self._order.begun, "train") or self._is_next_due is None or self._is_next_due(training_step, "train"):
            return False
        if not self._order.begin_next_step(training_step):
            return False
        self._dropped = None
        return True

    def leave_skipped(self) -> None:
        """Ends a step that `skip_batch` has begun in this thread, unless the script has ended it."""
        if self._order.stage == "inactive":
            return
        if self._recording.step is not None:
            self._leave_step()
            return
        self._order.stage = "inactive"
        if self._curves is not None:
            self._curves.finish()

    def start_batch(
        self,
        training_step: float,
        batch_size: int,
        type_of_execution: str | None,
        *,
        per_sample_by_default: bool = True,
        override: bool | None = None,
        categories: Sequence[object] | None = None,
        ids: Sequence[object] | None = None,
        trained: int | None = None,
        turn: int | None = None,
    ) -> None:
        """As `ComgraRecorder.start_batch`. A detector also gives `trained` and `turn`, as `StepControl.start_batch` describes."""
        if self._output is None:
            # A script may ask for both.
            self._order.step, self._recording.type_of_execution = training_step, type_of_execution
            return
        if type_of_execution is not None:
            self._check_type(type_of_execution)
        step = training_step
        if turn is None:
            turn, batch_size = check_step_numbers(training_step, batch_size)
            step = turn if turn >= 0 else self._order.number_before_training(turn)
        self._order.check_next_step(step)
        samples = self._recording.plan(turn, batch_size, type_of_execution, override, categories, ids)
        self._order.begin_step(step)
        self._dropped = None
        if turn < 0:
            self._output.gaps.warn(
                "steps below 0",
                f"start_batch: the number {turn} is below 0. Steps count from 0, so this step is recorded as {step_in_words(step)}, and "
                "further steps below 0 as the next ones. If the step belongs to the training, give it a number of 0 or more.",
            )
        self.training_steps.begin_step()
        if samples is not None:
            self.call = choose_caller()
            try:
                self._recording.begin(step, batch_size, per_sample_by_default, samples, trained)
            except BaseException:
                self.abandon_batch()
                raise

    def decide(self, type_of_execution: str | None, categories: Sequence[object] | None, ids: Sequence[object] | None) -> None:
        """As `ComgraRecorder.decide_recording_of_batch`."""
        if self._output is None or is_running_backwards():
            return
        order, recording = self._order, self._recording
        if order.stage == "inactive":
            raise order.error("decide_recording_of_batch", "Call it between start_batch and finish_batch.")
        order.check_thread("decide_recording_of_batch")
        with without_function_overrides():
            if type_of_execution is not None:
                self._check_type(type_of_execution)
            if recording.type_of_execution is not None:
                if type_of_execution != recording.type_of_execution:
                    raise MisuseError(
                        f"decide_recording_of_batch: the type of step {order.step} is already {recording.type_of_execution!r}, not "
                        f"{type_of_execution!r}. To give the type later, pass type_of_execution=None to start_batch."
                    )
                return
            samples = recording.take_type(type_of_execution, categories, ids)
            if type_of_execution is not None and self._curves is not None and order.step is not None:
                self._curves.add_held_back(type_of_execution, order.step, bool(recording.is_due))
            recording.decide(samples)

    def start_iteration(self) -> None:
        """As `ComgraRecorder.start_iteration`."""
        if self._output is None or is_running_backwards():
            return
        order, step = self._order, self._recording.step
        if order.stage != "started" and order.stage != "after_iteration":
            raise order.error("start_iteration", "Call start_batch first." if order.stage == "inactive" else "Call finish_iteration first.")
        order.check_thread("start_iteration")
        order.stage = "forward"
        if step is not None:
            step.start_iteration()
            order.iteration += 1

    def finish_iteration(self) -> None:
        """As `ComgraRecorder.finish_iteration`."""
        if self._output is None or is_running_backwards():
            return
        order, step = self._order, self._recording.step
        if order.stage != "forward":
            raise order.error("finish_iteration", "Call start_batch first." if order.stage == "inactive" else "Call start_iteration first.")
        order.check_thread("finish_iteration")
        if step is not None:
            with without_function_overrides():
                step.finish_iteration()
        order.stage = "after_iteration"

    def record_gradients(self, group: str, clear: bool = False) -> None:
        """As `ComgraRecorder.record_current_gradients`."""
        self.training_steps.note_gradients()
        if self._recording.step is not None:
            self.call(self._record_gradients, group, clear)
        else:
            self._recording.has_ignored_calls = True

    def end_interrupted_calls(self, entering: nn.Module) -> None:
        """As `RecordedStep.end_interrupted_calls`, if a step is being recorded."""
        if self._recording.step is not None:
            self._recording.step.end_interrupted_calls(entering)

    def end_evaluation(self) -> None:
        """As `RecordedStep.end_evaluation`, if a step is being recorded."""
        if self._recording.step is not None:
            with without_function_overrides():
                self._recording.step.end_evaluation()

    def note_missing_calls(self) -> None:
        """Notes, if a step is being recorded, that it goes on after its last recorded iteration."""
        if self._recording.step is not None:
            self._recording.step.state.lacks_calls = True

    def note_optimizer(self, optimizer: Optimizer) -> None:
        """As `StepRecording.note_optimizer`."""
        self._recording.note_optimizer(optimizer)

    def finish_batch(self) -> None:
        """As `ComgraRecorder.finish_batch`."""
        if self._output is None:
            return
        order, recording = self._order, self._recording
        step, is_due = recording.step, recording.is_due
        if order.stage == "inactive":
            raise order.error("finish_batch", "Call start_batch first. A step that was dropped has no end.")
        order.check_thread("finish_batch")
        if is_due is None:
            raise order.error("finish_batch", "Call decide_recording_of_batch first, since start_batch got no type.")
        if step is not None and order.stage != "after_iteration" and (is_due or not step.state.is_provisional):
            missing = "finish_iteration" if order.stage == "forward" else "start_iteration and finish_iteration"
            raise order.error("finish_batch", f"Call {missing} first, or abandon_batch to drop the step.")
        try:
            if step is not None:
                with without_function_overrides():
                    recording.finish()
                order.was_recorded = not step.state.is_provisional
        finally:
            self._leave_step()

    def deliver_findings(self, *, to_user: bool = True) -> None:
        """As `RecordingOutput.deliver_findings`."""
        if self._output is not None:
            self._output.deliver_findings(to_user=to_user)

    def leave_out_batch(self) -> None:
        """Ends a step of which nothing is recorded. Its number may be used again, but its points of curves are not expected again."""
        self._order.forget_step()
        self._leave_step()

    def abandon_batch(self) -> None:
        """As `ComgraRecorder.abandon_batch`."""
        order, step = self._order, self._recording.step
        if order.stage == "inactive":
            return
        self._dropped = order.step
        dropped = "The step" if order.step is None else step_in_words(order.step).capitalize()
        order.forget_step()
        if self._curves is not None:
            self._curves.allow_repetition()
        self._leave_step()
        if step is not None and self._watches_functions and self._output is not None and not order.is_here():
            self._output.gaps.warn(
                "another thread",
                f"{dropped} was dropped in a different thread from its start_batch, so an idle PyTorch mode of the recorder stays behind "
                "there. It records nothing, but PyTorch functions take a little longer, and modules do not take their fast path. Call "
                "abandon_batch or finalize in the thread of start_batch.",
            )
        if self._output is not None and sys.exc_info()[0] is not None:
            # The steps before an exception are those that explain it, and the process may not live much longer.
            self._output.flush()

    def end_with(self, error: str | None) -> SessionEnd:
        """What the journal says about an exception that is passing. Called before the step in progress is dropped."""
        is_between = self._dropped is None and self.is_between_steps and self._order.step is not None
        return SessionEnd(None, error, self.step_of_exception, is_between)

    def close(self, end: SessionEnd | None = None) -> str | None:
        """Drops the step in progress, and ends the recording. `end` is what the journal says about an exception that ended the run.

        Returns:
            A sentence that says which step was lost, or why no step was recorded. None if neither is so, or it was said before.
        """
        recording = self._recording
        self._order.was_recorded = False
        lost = None if recording.step is None or not recording.is_due else self._order.step
        self.abandon_batch()
        self._release_hooks()
        if self._output is not None:
            self._output.close((end or SessionEnd())._replace(trained=self.training_steps.take()))
        explanation = self._why_there_is_no_step() if self.explains_missing_steps else None
        self.explains_missing_steps = False
        if lost is not None:
            return f"{step_in_words(lost)} is not finished, so it is not in the recording. Call finish_batch before finalize."
        return explanation

    def _record_gradients(self, group: str, clear: bool) -> None:
        step = self._recording.step
        assert step is not None
        check_text("record_current_gradients", "group", group)
        call = f"record_current_gradients({group!r})"
        if self._order.stage == "started":
            raise self._order.error(call, "Call start_iteration first.")
        if self._recording.is_due is None:
            raise self._order.error(call, "Call decide_recording_of_batch first: gradients cannot be held back.")
        step.gradients.check(group)
        self._recording.judge()
        if not step.state.is_provisional:
            step.gradients.record(group, clear, step.state.iteration)

    def _leave_step(self) -> None:
        self._order.stage = "inactive"
        try:
            if self._recording.step is not None:
                self._recording.end()
        finally:
            if self._curves is not None:
                self._curves.finish()

    def _check_type(self, type_of_execution: object) -> None:
        if not isinstance(type_of_execution, str) or type_of_execution not in self._checked_types:
            self._checked_types.add(check_type_of_execution(type_of_execution))

    def _why_there_is_no_step(self) -> str | None:
        """Why nothing was recorded although there were calls that record. None if there were none, or a step was recorded."""
        has_begun = self._recording.has_begun
        if self._output is None or self._output.steps_finished or not (has_begun or self._recording.has_ignored_calls):
            return None
        if has_begun:
            return "no step was recorded, since all steps were dropped before their end, or failed, which is a gap."
        if self._order.has_begun:
            return (
                "no step was recorded, since no step was due. Give another schedule in place of decision_maker_for_recordings: every=1 "
                "records every step."
            )
        return (
            "no step was recorded, since start_batch was never called, and all that is registered outside a step is ignored. Put each "
            "training step between start_batch and finish_batch, or into `with recorder.batch(step, batch_size):`."
        )

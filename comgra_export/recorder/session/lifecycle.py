"""The course of a recording: the calls by which a training script says where in its steps it is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.isolation import Caller, call_forwards, choose_caller, is_running_backwards
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.session.curve_points import CurvePoints
from comgra_export.recorder.session.schedules import Agenda
from comgra_export.recorder.session.step_arguments import check_numbers_of_step, check_type_of_execution
from comgra_export.recorder.session.step_recording import StepRecording
from comgra_export.recorder.session.tracking import Tracking
from comgra_export.recorder.step.options import StepOptions
from comgra_export.storage.text.names import shown

__all__ = ["StepCourse"]


class StepCourse(Tracking):
    """The part of the recorder that knows where in a training step the script is.

    Args:
        output: Where steps are written; None for a recorder that is turned off.
        agenda: Which steps are recorded.
        training: The tracked modules, optimizers and scaler.
        options: How steps are recorded.
        unusual_steps: Finds steps that are worth to be recorded although they are not due; None to look for none.
    """

    def __init__(
        self,
        output: RecordingOutput | None,
        agenda: Agenda,
        training: TrainingState,
        options: StepOptions,
        unusual_steps: UnusualSteps | None,
    ) -> None:
        super().__init__(output, training)
        self._agenda = agenda
        self._options = options
        self._curves = None if output is None else CurvePoints(output)
        self._recording = StepRecording(output, agenda, training, options, unusual_steps)
        self._call: Caller = call_forwards
        self._checked_types: set[str] = set()

    def recording_is_active(self) -> bool:
        """Whether a step is in progress and being recorded, or may turn out to be."""
        return self._recording.step is not None

    def set_epoch(self, number: float) -> None:
        """Says in which epoch the steps are that begin from now on, whatever their type. It can be the axis of what is shown over time.

        Args:
            number: Any finite number: 0, 1, 2, ..., or a fraction where something within an epoch counts. A later one need not be greater.

        Raises:
            MisuseError: It is no finite number.
        """
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise MisuseError(f"set_epoch: the epoch is {shown(number)}. Give a finite number.")
        self._recording.epoch = number

    def start_batch(
        self,
        training_step: int,
        current_batch_size: int,
        type_of_execution: str | None = "main_execution_type",
        record_all_tensors_per_batch_index_by_default: bool = True,
        override__recording_is_active: bool | None = None,
        *,
        category_per_sample: Sequence[object] | None = None,
        sample_ids: Sequence[object] | None = None,
    ) -> None:
        """Begins a training step. What begins, ends or decides something within it has to be called in the same thread.

        Args:
            training_step: Its number; greater than that of the step before, whatever its type.
            current_batch_size: `B` of this step.
            type_of_execution: Name of a category of steps, of letters, digits, `-` and `_`. Each is scheduled, and can be selected, on
                its own. None: it is not known yet, and `decide_recording_of_batch` will tell it. Until then the step is held back: the
                recorder keeps references to what is registered, and copies what is small or about to be overwritten.
            record_all_tensors_per_batch_index_by_default: What `record_per_batch_index` of `register_tensor` is where it is not given.
            override__recording_is_active: True or False records or leaves out this step, whatever the schedule says.
            category_per_sample: A category for each sample of the batch. Samples are then recorded from all categories in turn, not
                from the first on.
            sample_ids: An id for each sample of the batch by which it can be found again, such as its index in the data set.

        Raises:
            MisuseError: The step before is not finished, or an argument is not usable.
        """
        if self._output is None:
            return
        if type_of_execution is not None:
            self._check_type(type_of_execution)
        step, batch_size = check_numbers_of_step(training_step, current_batch_size)
        self._order.check_next_step(step)
        samples = self._recording.plan(step, batch_size, type_of_execution, override__recording_is_active, category_per_sample, sample_ids)
        self._order.begin_step(step)
        if samples is not None:
            self._call = choose_caller()
            try:
                self._recording.begin(step, batch_size, record_all_tensors_per_batch_index_by_default, samples)
            except BaseException:
                self.abandon_batch()
                raise

    def decide_recording_of_batch(
        self,
        type_of_execution: str | None,
        category_per_sample: Sequence[object] | None = None,
        *,
        sample_ids: Sequence[object] | None = None,
    ) -> None:
        """Says what the type of this step is, which `start_batch` was not told, and so whether it is recorded.

        Call it before `record_current_gradients`. Where the step is not due, what was held back of it is dropped. Where `start_batch` was
        told the type already, this does nothing.

        Args:
            type_of_execution: As for `start_batch`. None leaves the step out, whatever it is.
            category_per_sample: As for `start_batch`.
            sample_ids: As for `start_batch`.

        Raises:
            MisuseError: No step is in progress, or it is one of another thread; an argument is not usable; or the type is not the one that
                `start_batch` was told.
        """
        with without_function_overrides():
            self._decide(type_of_execution, category_per_sample, sample_ids)

    def _decide(
        self, type_of_execution: str | None, category_per_sample: Sequence[object] | None, sample_ids: Sequence[object] | None
    ) -> None:
        if self._output is None or is_running_backwards():
            return
        order, recording = self._order, self._recording
        if order.stage == "inactive":
            raise order.error("decide_recording_of_batch", "Call it between start_batch and finish_batch.")
        order.check_thread("decide_recording_of_batch")
        if type_of_execution is not None:
            self._check_type(type_of_execution)
        if recording.type_of_execution is not None:
            if type_of_execution != recording.type_of_execution:
                raise MisuseError(
                    f"decide_recording_of_batch: the type of step {order.step} is {recording.type_of_execution!r}, and not "
                    f"{type_of_execution!r}. Give start_batch type_of_execution=None where the type is not known yet."
                )
            return
        samples = recording.take_type(type_of_execution, category_per_sample, sample_ids)
        if type_of_execution is not None and self._curves is not None and order.step is not None:
            self._curves.add_held_back(type_of_execution, order.step, bool(recording.is_due))
        recording.decide(samples)

    def declare_that_all_different_types_of_execution_have_been_encountered(self) -> None:
        """Lets steps whose type is not known yet pass without any work where none of the types met so far is due."""
        self._agenda.declare_that_all_types_were_met()

    def start_iteration(self) -> None:
        """Begins the next iteration of the step. Most networks have one per step; recurrent ones may have many.

        Raises:
            MisuseError: No step is in progress, or it is one of another thread, or the iteration before is not finished.
        """
        if self._output is None or is_running_backwards():
            return
        order, step = self._order, self._recording.step
        if order.stage != "started" and order.stage != "after_iteration":
            raise order.error("start_iteration", "Call start_batch first." if order.stage == "inactive" else "Call finish_iteration first.")
        order.check_thread("start_iteration")
        order.stage = "forward"
        if step is not None:
            step.start_iteration()

    def finish_iteration(self) -> None:
        """Ends the iteration, and builds its dependency graph.

        Raises:
            MisuseError: None is in progress, or the step is one of another thread; or the graph shows that nodes or connections contradict
                each other.
        """
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

    def finish_batch(self) -> None:
        """Ends the step: writes it, and gives back whatever was borrowed of the user's tensors.

        Raises:
            MisuseError: No step is in progress, or it is one of another thread; or, in a recorded step, an iteration is, or there was none.
        """
        if self._output is None:
            return
        order, recording = self._order, self._recording
        step, is_due = recording.step, recording.is_due
        if order.stage == "inactive":
            raise order.error("finish_batch", "Call start_batch first. A step that was dropped has no end.")
        order.check_thread("finish_batch")
        if is_due is None:
            raise order.error("finish_batch", "Call decide_recording_of_batch first, since start_batch was not told the type.")
        if step is not None and order.stage != "after_iteration" and (is_due or not step.is_provisional):
            missing = "finish_iteration" if order.stage == "forward" else "start_iteration and finish_iteration"
            raise order.error("finish_batch", f"Call {missing} first, or abandon_batch to drop the step.")
        try:
            if step is not None:
                with without_function_overrides():
                    recording.finish()
        finally:
            self._leave_step()

    def abandon_batch(self) -> None:
        """Drops the step in progress, if there is one. It may be called in any thread, but only that of `start_batch` is left as it was.

        Nothing of it is written, no hook or flag is left, and its number may be used again. Notes and points of curves stay; when the
        step is run again, the points that are there are kept as they are.
        """
        order, step = self._order, self._recording.step
        if order.stage == "inactive":
            return
        dropped = order.step
        order.forget_step()
        if self._curves is not None:
            self._curves.allow_repetition()
        self._leave_step()
        if step is not None and self._options.graph == "data_flow" and self._output is not None and not order.is_here():
            self._output.gaps.warn(
                "another thread",
                f"Step {dropped} was dropped in another thread than that of its start_batch. Something of the recorder stays behind there: "
                "it does nothing, but functions of PyTorch take a little longer, and modules with a fast path do not take it. Call "
                "abandon_batch or finalize in the thread of start_batch.",
            )

    @contextmanager
    def batch(
        self,
        training_step: int,
        current_batch_size: int,
        type_of_execution: str | None = "main_execution_type",
        record_all_tensors_per_batch_index_by_default: bool = True,
        override__recording_is_active: bool | None = None,
        *,
        category_per_sample: Sequence[object] | None = None,
        sample_ids: Sequence[object] | None = None,
    ) -> Iterator[None]:
        """`start_batch` and `finish_batch` as a context, with the same arguments.

        If the body raises, the step is dropped and the exception passes.
        """
        self.start_batch(
            training_step,
            current_batch_size,
            type_of_execution,
            record_all_tensors_per_batch_index_by_default,
            override__recording_is_active,
            category_per_sample=category_per_sample,
            sample_ids=sample_ids,
        )
        try:
            yield
            # The body may have dropped the step, and caught the exception for which it did.
            if self._order.stage != "inactive":
                self.finish_batch()
        except BaseException:
            self.abandon_batch()
            raise

    @contextmanager
    def iteration(self) -> Iterator[None]:
        """`start_iteration` and `finish_iteration` as a context. If the body raises, the whole step is dropped and the exception passes."""
        if is_running_backwards():
            # Recomputation ends with an exception of torch's own as soon as it has what it needs.
            yield
            return
        self.start_iteration()
        try:
            yield
            # The body may have dropped the step, and caught the exception for which it did.
            if self._order.stage != "inactive":
                self.finish_iteration()
        except BaseException:
            self.abandon_batch()
            raise

    def _leave_step(self) -> None:
        self._order.stage = "inactive"
        try:
            self._recording.end()
        finally:
            if self._curves is not None:
                self._curves.finish()

    def _check_type(self, type_of_execution: object) -> None:
        if not isinstance(type_of_execution, str) or type_of_execution not in self._checked_types:
            self._checked_types.add(check_type_of_execution(type_of_execution))

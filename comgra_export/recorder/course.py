"""The course of a recording: which call may follow which, and which steps are recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import index
from threading import get_ident
from typing import Literal
from weakref import WeakMethod

from comgra_export.errors import MisuseError
from comgra_export.recorder.calls import Caller, call_forwards, choose_caller, is_running_backwards, unseen
from comgra_export.recorder.categories import recorded_samples
from comgra_export.recorder.curve_points import CurvePoints
from comgra_export.recorder.facts import TrainingState
from comgra_export.recorder.output import RecordingOutput
from comgra_export.recorder.schedules import Agenda
from comgra_export.recorder.steps import RecordedStep, StepOptions
from comgra_export.recorder.unusual_steps import UnusualSteps
from comgra_export.storage.model import Gap, RecordedSamples

__all__ = ["StepCourse"]

_MAX_STEP = 999_999_999_999
_TYPE_OF_EXECUTION = re.compile(r"[a-zA-Z0-9-_]+")


_Stage = Literal["inactive", "started", "forward", "after_iteration"]


class StepCourse:
    """The half of the recorder that knows where in a training step the script is.

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
        self._output = output
        self._agenda = agenda
        self._unusual_steps = unusual_steps
        self._training = training
        self._options = options
        self._curves = None if output is None else CurvePoints(output)
        # Calls that record look at this one attribute, and return at once where it is None.
        self._step: RecordedStep | None = None
        self._call: Caller = call_forwards
        self._stage: _Stage = "inactive"
        self._thread = get_ident()
        self._training_step: int | None = None
        self._training_step_before: int | None = None
        self._type_of_execution: str | None = None
        self._checked_types: set[str] = set()
        # None: that is decided later in the step.
        self._is_due: bool | None = False
        self._is_overridden = False
        self._labels: tuple[Sequence[object] | None, Sequence[object] | None] = (None, None)

    def recording_is_active(self) -> bool:
        """Whether a step is in progress and being recorded, or may turn out to be."""
        return self._step is not None

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
            training_step: Its number; greater than that of the step before.
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
        output = self._output
        if output is None:
            return
        step_number, batch_size = self._check_start(training_step, current_batch_size, type_of_execution)
        if override__recording_is_active is None:
            is_due = self._agenda.is_due(step_number, type_of_execution)
            is_looked_at = is_due is not False or self._unusual_steps is not None
        else:
            is_due = bool(override__recording_is_active) and (None if type_of_execution is None else True)
            is_looked_at = is_due is not False
        samples = None
        if is_looked_at:
            samples = recorded_samples("start_batch", batch_size, self._options.max_samples, category_per_sample, sample_ids)
            self._labels = category_per_sample, sample_ids
        self._is_due = is_due
        self._is_overridden = override__recording_is_active is not None
        self._training_step_before, self._training_step = self._training_step, step_number
        self._type_of_execution = type_of_execution
        self._stage = "started"
        self._thread = get_ident()
        if samples is not None:
            self._begin_step(output, step_number, batch_size, record_all_tensors_per_batch_index_by_default, samples)

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
        with unseen():
            self._decide(type_of_execution, category_per_sample, sample_ids)

    def _decide(
        self, type_of_execution: str | None, category_per_sample: Sequence[object] | None, sample_ids: Sequence[object] | None
    ) -> None:
        if self._output is None or is_running_backwards():
            return
        if self._stage == "inactive":
            raise self._out_of_order("decide_recording_of_batch", "Call it between start_batch and finish_batch.")
        self._check_thread("decide_recording_of_batch")
        if type_of_execution is not None:
            self._check_type(type_of_execution)
        if self._type_of_execution is not None:
            if type_of_execution != self._type_of_execution:
                raise MisuseError(
                    f"decide_recording_of_batch: the type of step {self._training_step} is {self._type_of_execution!r}, and not "
                    f"{type_of_execution!r}. Give start_batch type_of_execution=None where the type is not known yet."
                )
            return
        step = self._step
        samples = None
        if step is not None:
            categories, ids = self._labels
            categories = categories if category_per_sample is None else category_per_sample
            ids = ids if sample_ids is None else sample_ids
            samples = recorded_samples("decide_recording_of_batch", step.batch_size, self._options.max_samples, categories, ids)
        self._type_of_execution = type_of_execution
        if type_of_execution is None or step is None:
            self._is_due = False
        elif self._is_due is None:
            self._is_due = self._is_overridden or self._agenda.is_due(step.number, type_of_execution)
        if type_of_execution is not None:
            self._agenda.meet(type_of_execution)
            if self._curves is not None and self._training_step is not None:
                self._curves.add_held_back(type_of_execution, self._training_step, bool(self._is_due))
        if step is not None and samples is not None and self._is_due:
            self._accept(step, samples)
        elif type_of_execution is None or self._unusual_steps is None:
            self._drop_step()

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
        if self._stage != "started" and self._stage != "after_iteration":
            remedy = "Call start_batch first." if self._stage == "inactive" else "Call finish_iteration first."
            raise self._out_of_order("start_iteration", remedy)
        self._check_thread("start_iteration")
        self._stage = "forward"
        if self._step is not None:
            self._step.start_iteration()

    def finish_iteration(self) -> None:
        """Ends the iteration, and builds its dependency graph.

        Raises:
            MisuseError: None is in progress, or the step is one of another thread; or the graph shows that nodes or connections contradict
                each other.
        """
        if self._output is None or is_running_backwards():
            return
        if self._stage != "forward":
            remedy = "Call start_batch first." if self._stage == "inactive" else "Call start_iteration first."
            raise self._out_of_order("finish_iteration", remedy)
        self._check_thread("finish_iteration")
        if self._step is not None:
            with unseen():
                self._step.finish_iteration()
        self._stage = "after_iteration"

    def finish_batch(self) -> None:
        """Ends the step: writes it, and gives back whatever was borrowed of the user's tensors.

        Raises:
            MisuseError: No step is in progress, or it is one of another thread; or, in a recorded step, an iteration is, or there was none.
        """
        step, output = self._step, self._output
        if output is None:
            return
        if self._stage == "inactive":
            raise self._out_of_order("finish_batch", "Call start_batch first. A step that was dropped has no end.")
        self._check_thread("finish_batch")
        if self._is_due is None:
            raise self._out_of_order("finish_batch", "Call decide_recording_of_batch first, since start_batch was not told the type.")
        if step is not None and self._stage != "after_iteration" and (self._is_due or not step.is_provisional):
            missing = "finish_iteration" if self._stage == "forward" else "start_iteration and finish_iteration"
            raise self._out_of_order("finish_batch", f"Call {missing} first, or abandon_batch to drop the step.")
        try:
            if step is not None:
                with unseen():
                    self._finish_step(output, step)
        finally:
            self._leave_step()

    def abandon_batch(self) -> None:
        """Drops the step in progress, if there is one. It may be called in any thread, but only that of `start_batch` is left as it was.

        Nothing of it is written, no hook or flag is left, and its number may be used again. Notes and points of curves stay; when the
        step is run again, the points that are there are kept as they are.
        """
        step, dropped = self._step, self._training_step
        if self._stage == "inactive":
            return
        try:
            if step is not None:
                step.release()
        finally:
            self._training_step = self._training_step_before
            if self._curves is not None:
                self._curves.allow_repetition()
            self._leave_step()
        if step is not None and self._options.graph == "data_flow" and self._output is not None and not self._is_here():
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
            if self._stage != "inactive":
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
            if self._stage != "inactive":
                self.finish_iteration()
        except BaseException:
            self.abandon_batch()
            raise

    def _begin_step(self, output: RecordingOutput, number: int, batch_size: int, per_sample: bool, samples: RecordedSamples) -> None:
        self._call = choose_caller()
        try:
            with unseen(), output.gaps.guard("step", "the step could not be recorded", step=number):
                if self._is_due:
                    self._write_changed_network(output)
                self._step = output.step_in_progress = RecordedStep(
                    number=number,
                    batch_size=batch_size,
                    per_sample_by_default=per_sample,
                    samples=samples,
                    options=self._options,
                    training=self._training,
                    gap_keeper=output.gaps,
                    is_provisional=not self._is_due,
                    unusual_steps=self._unusual_steps,
                    decide=WeakMethod(self._decide_before_update) if self._unusual_steps is not None else None,
                )
                if self._unusual_steps is not None:
                    self._unusual_steps.begin()
                with output.gaps.guard("parameters", "the parameters could not be recorded", step=number):
                    self._step.begin()
        except BaseException:
            self.abandon_batch()
            raise

    def _finish_step(self, output: RecordingOutput, step: RecordedStep) -> None:
        """Writes the step, unless it was only held back and nothing unusual came up in it."""
        if self._type_of_execution is None:
            step.release()
            return
        try:
            self._judge_step()
        finally:
            step.release()
        if self._unusual_steps is not None:
            point = self._unusual_steps.end(step.number, self._type_of_execution)
            if point is not None:
                output.add_sentinel_point(point)
        if step.is_provisional:
            return
        output.write_step(step, self._type_of_execution)
        if self._is_due:
            self._agenda.note_recorded(step.number, self._type_of_execution)

    def _judge_step(self) -> None:
        """Decides, by what was checked so far, whether a step that is not due is recorded all the same."""
        step, unusual_steps = self._step, self._unusual_steps
        if step is None or unusual_steps is None or self._type_of_execution is None:
            return
        reason = None
        with step.gap_keeper.guard("sentinels", f"step {step.number} could not be checked for what is unusual"):
            reason = unusual_steps.judge(step.number, self._type_of_execution)
        if reason is None or not step.is_provisional:
            return
        if step.is_given_up:
            if self._output is not None:
                late = f"step {step.number} was unusual, which came up too late to record it: {reason}"
                self._output.gaps.report("unusual step", Gap(late))
            return
        unusual_steps.reason = step.triggered = reason
        self._accept(step, step.samples)

    def _accept(self, step: RecordedStep, samples: RecordedSamples) -> None:
        if self._output is not None:
            self._write_changed_network(self._output)
        step.accept(samples)

    def _decide_before_update(self) -> None:
        """Decides whether to record the step before an optimizer changes what is held back of the parameters."""
        if self._is_due is False and self._type_of_execution is not None:
            self._judge_step()
            if self._step is not None and self._step.is_provisional:
                self._step.give_up()

    def _drop_step(self) -> None:
        """Ends the recording of the step, which itself goes on."""
        step, self._step = self._step, None
        if self._output is not None:
            self._output.step_in_progress = None
        if step is not None:
            try:
                step.release()
            finally:
                step.discard()

    def _leave_step(self) -> None:
        step, self._step = self._step, None
        self._stage = "inactive"
        if step is not None:
            step.release()
            step.discard()
        if self._output is not None:
            self._output.step_in_progress = None
        if self._curves is not None:
            self._curves.finish()

    def _write_changed_network(self, output: RecordingOutput) -> None:
        try:
            has_changed = self._training.refresh()
        except MisuseError as error:
            output.gaps.report("network", Gap(f"what was added to the tracked modules has no name: {error}", self._training_step), error)
        else:
            if has_changed:
                output.write_network(self._training.network())

    def _check_start(self, training_step: int, current_batch_size: int, type_of_execution: str | None) -> tuple[int, int]:
        if self._stage != "inactive":
            raise MisuseError(
                f"start_batch: step {self._training_step} is still in progress. Call finish_batch first; "
                "or, if an exception kept the script from reaching it, call abandon_batch to drop that step."
            )
        if type_of_execution is not None:
            self._check_type(type_of_execution)
        step_number = _as_integer(training_step)
        if step_number is None:
            raise MisuseError(f"start_batch: training_step is {training_step!r}. Give an integer.")
        if self._training_step is not None and step_number <= self._training_step:
            raise MisuseError(
                f"start_batch: training_step {step_number} does not come after {self._training_step}. Steps of a recording must increase; "
                "to go on from an earlier step, finalize this recorder and make a new one with existing_trial='append'."
            )
        if not 0 <= step_number <= _MAX_STEP:
            raise MisuseError(f"start_batch: training_step {step_number} is not between 0 and {_MAX_STEP}. Count steps from 0.")
        batch_size = _as_integer(current_batch_size)
        if batch_size is None or batch_size < 0:
            raise MisuseError(
                f"start_batch: current_batch_size is {current_batch_size!r} in step {step_number}. Give the number of samples."
            )
        return step_number, batch_size

    def _check_type(self, type_of_execution: object) -> None:
        if not isinstance(type_of_execution, str) or type_of_execution not in self._checked_types:
            self._checked_types.add(_checked_type_of_execution(type_of_execution))

    def _is_here(self) -> bool:
        """Whether this is the thread of `start_batch`. Only there can the watch of the functions called end that began there."""
        return get_ident() == self._thread

    def _check_thread(self, call: str) -> None:
        if not self._is_here():
            raise MisuseError(
                f"{call} was called in another thread than start_batch of step {self._training_step}. Make both calls in the same thread; "
                "or, if that is not possible any more, call abandon_batch to drop the step."
            )

    def _out_of_order(self, call: str, remedy: str) -> MisuseError:
        where = {
            "inactive": "outside of a step",
            "started": f"in step {self._training_step}, in which no iteration has begun",
            "forward": f"within an iteration of step {self._training_step}",
            "after_iteration": f"after an iteration of step {self._training_step} was finished",
        }[self._stage]
        return MisuseError(f"{call} was called {where}. {remedy}")


def _as_integer(value: object) -> int | None:
    try:
        return index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError):  # The last two are those of tensors.
        return None


def _checked_type_of_execution(type_of_execution: object) -> str:
    if not isinstance(type_of_execution, str) or not _TYPE_OF_EXECUTION.fullmatch(type_of_execution):
        raise MisuseError(f"The type_of_execution is {type_of_execution!r}. Use only letters, digits, - and _.")
    if type_of_execution == "any_value" or type_of_execution.startswith("__"):
        raise MisuseError(
            f"The type_of_execution is {type_of_execution!r}, which is reserved. Choose another name, without __ at its beginning."
        )
    return type_of_execution

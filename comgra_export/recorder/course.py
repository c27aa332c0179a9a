"""The course of a recording: which call may follow which, and which steps are recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Literal

from comgra_export.errors import MisuseError
from comgra_export.recorder.calls import Caller, call_forwards, choose_caller, is_running_backwards
from comgra_export.recorder.curves import CurveThinning
from comgra_export.recorder.networks import ModuleRegistry
from comgra_export.recorder.output import RecordingOutput
from comgra_export.recorder.schedules import DecisionMakerForRecordings
from comgra_export.recorder.steps import RecordedStep, StepOptions

__all__ = ["StepCourse"]

_MAX_STEP = 999_999_999_999
_TYPE_OF_EXECUTION = re.compile(r"[a-zA-Z0-9-_]+")

_Stage = Literal["inactive", "started", "forward", "after_iteration"]


class StepCourse:
    """The half of the recorder that knows where in a training step the script is.

    Args:
        output: Where steps are written; None for a recorder that is turned off.
        decision_maker_for_recordings: The schedule.
        modules: The tracked modules.
        options: How steps are recorded.
    """

    def __init__(
        self,
        output: RecordingOutput | None,
        decision_maker_for_recordings: DecisionMakerForRecordings,
        modules: ModuleRegistry,
        options: StepOptions,
    ) -> None:
        self.decision_maker_for_recordings = decision_maker_for_recordings
        self._output = output
        self._modules = modules
        self._options = options
        self._curves = CurveThinning()
        # Calls that record look at this one attribute, and return at once where it is None.
        self._step: RecordedStep | None = None
        self._call: Caller = call_forwards
        self._stage: _Stage = "inactive"
        self._training_step: int | None = None
        self._training_step_before: int | None = None
        self._type_of_execution: str | None = None
        self._known_types: set[str] = set()
        self._last_step_was_due = False

    def recording_is_active(self) -> bool:
        """Whether a step is in progress and being recorded."""
        return self._step is not None

    def start_batch(
        self,
        training_step: int,
        current_batch_size: int,
        type_of_execution: str = "main_execution_type",
        record_all_tensors_per_batch_index_by_default: bool = True,
        override__recording_is_active: bool | None = None,
    ) -> None:
        """Begins a training step.

        Args:
            training_step: Its number; greater than that of the step before.
            current_batch_size: `B` of this step.
            type_of_execution: Name of a category of steps, of letters, digits, `-` and `_`. Each is scheduled, and can be selected, on
                its own.
            record_all_tensors_per_batch_index_by_default: What `record_per_batch_index` of `register_tensor` is where it is not given.
            override__recording_is_active: True or False records or leaves out this step, whatever the schedule says.

        Raises:
            MisuseError: The step before is not finished, or an argument is not usable.
        """
        output = self._output
        if output is None:
            return
        step_number, batch_size = self._check_start(training_step, current_batch_size, type_of_execution)
        is_due = override__recording_is_active
        if is_due is None:
            is_due = self.decision_maker_for_recordings.is_record_on_this_step(step_number, type_of_execution)
        self._training_step_before, self._training_step = self._training_step, step_number
        self._type_of_execution = type_of_execution
        self._stage = "started"
        self._last_step_was_due = bool(is_due)
        if is_due:
            self._call = choose_caller()
            self._step = output.step_in_progress = RecordedStep(
                number=step_number,
                type_of_execution=type_of_execution,
                batch_size=batch_size,
                per_sample_by_default=record_all_tensors_per_batch_index_by_default,
                options=self._options,
                gap_keeper=output.gaps,
                untouchable=self._modules.buffers(),
            )
            try:
                with output.gaps.guard("parameters", "the parameters could not be recorded", step=step_number):
                    self._step.register_parameters(self._modules.parameters())
            except BaseException:
                self.abandon_batch()
                raise

    def start_iteration(self) -> None:
        """Begins the next iteration of the step. Most networks have one per step; recurrent ones may have many.

        Raises:
            MisuseError: No step is in progress, or the iteration before is not finished.
        """
        if self._output is None or is_running_backwards():
            return
        if self._stage != "started" and self._stage != "after_iteration":
            remedy = "Call start_batch first." if self._stage == "inactive" else "Call finish_iteration first."
            raise self._out_of_order("start_iteration", remedy)
        self._stage = "forward"
        if self._step is not None:
            self._step.start_iteration()

    def finish_iteration(self) -> None:
        """Ends the iteration, and builds its dependency graph.

        Raises:
            MisuseError: None is in progress; or the graph shows that nodes or connections contradict each other.
        """
        if self._output is None or is_running_backwards():
            return
        if self._stage != "forward":
            remedy = "Call start_batch first." if self._stage == "inactive" else "Call start_iteration first."
            raise self._out_of_order("finish_iteration", remedy)
        if self._step is not None:
            self._step.finish_iteration()
        self._stage = "after_iteration"

    def finish_batch(self) -> None:
        """Ends the step: writes it, and gives back whatever was borrowed of the user's tensors.

        Raises:
            MisuseError: No step is in progress; or, in a recorded step, an iteration is, or there was none.
        """
        step, output = self._step, self._output
        if output is None:
            return
        if self._stage == "inactive":
            raise self._out_of_order("finish_batch", "Call start_batch first. A step that was dropped has no end.")
        if step is not None and self._stage != "after_iteration":
            missing = "finish_iteration" if self._stage == "forward" else "start_iteration and finish_iteration"
            raise self._out_of_order("finish_batch", f"Call {missing} first, or abandon_batch to drop the step.")
        try:
            if step is not None:
                step.release()
                output.write_step(step)
                self.decision_maker_for_recordings.mark_recording_on_this_step(step.number, step.type_of_execution)
        finally:
            self._leave_step()

    def abandon_batch(self) -> None:
        """Drops the step in progress, if there is one.

        Nothing of it is written, no hook or flag is left, and its number may be used again. Notes and points of curves stay; when the
        step is run again, the points that are there are kept as they are.
        """
        if self._stage == "inactive":
            return
        try:
            if self._step is not None:
                self._step.release()
        finally:
            self._leave_step()
            self._training_step = self._training_step_before
            self._curves.allow_repetition()

    @contextmanager
    def batch(
        self,
        training_step: int,
        current_batch_size: int,
        type_of_execution: str = "main_execution_type",
        record_all_tensors_per_batch_index_by_default: bool = True,
        override__recording_is_active: bool | None = None,
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
            self.finish_iteration()
        except BaseException:
            self.abandon_batch()
            raise

    def _leave_step(self) -> None:
        if self._step is not None:
            self._step.discard()
        self._step = None
        self._stage = "inactive"
        if self._output is not None:
            self._output.step_in_progress = None

    def _check_start(self, training_step: int, current_batch_size: int, type_of_execution: str) -> tuple[int, int]:
        if self._stage != "inactive":
            raise MisuseError(
                f"start_batch: step {self._training_step} is still in progress. Call finish_batch first; "
                "or, if an exception kept the script from reaching it, call abandon_batch to drop that step."
            )
        if not isinstance(type_of_execution, str) or type_of_execution not in self._known_types:
            _check_type_of_execution(type_of_execution)
            self._known_types.add(type_of_execution)
        step_number = _as_integer(training_step)
        if step_number is None:
            raise MisuseError(f"start_batch: training_step is {training_step!r}. Give an integer.")
        if self._training_step is not None and step_number <= self._training_step:
            raise MisuseError(
                f"start_batch: training_step {step_number} does not come after {self._training_step}. Steps of a recording must increase; "
                "to go on from an earlier step, make a new recorder with another trial_id."
            )
        if not 0 <= step_number <= _MAX_STEP:
            raise MisuseError(f"start_batch: training_step {step_number} is not between 0 and {_MAX_STEP}. Count steps from 0.")
        batch_size = _as_integer(current_batch_size)
        if batch_size is None or batch_size < 0:
            raise MisuseError(
                f"start_batch: current_batch_size is {current_batch_size!r} in step {step_number}. Give the number of samples."
            )
        return step_number, batch_size

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


def _check_type_of_execution(type_of_execution: object) -> None:
    if type_of_execution is None:
        raise MisuseError(
            "start_batch: type_of_execution=None, which decides at the end of a step whether to record it, is not available yet. "
            "Give a type, or leave it out."
        )
    if not isinstance(type_of_execution, str) or not _TYPE_OF_EXECUTION.fullmatch(type_of_execution):
        raise MisuseError(f"start_batch: type_of_execution is {type_of_execution!r}. Use only letters, digits, - and _.")
    if type_of_execution == "any_value" or type_of_execution.startswith("__"):
        raise MisuseError(
            f"start_batch: type_of_execution is {type_of_execution!r}, which is reserved. Choose another name, without __ at its beginning."
        )

"""Which steps are recorded: those that are due, and those that turn out to be unusual."""

from __future__ import annotations

from collections.abc import Sequence

from torch.optim import Optimizer

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.host.weak_methods import WeakMethod
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.session.samples import recorded_samples
from comgra_export.recorder.session.schedules import DueSteps
from comgra_export.recorder.step.options import StepOptions
from comgra_export.recorder.step.recorded_step import RecordedStep
from comgra_export.recorder.step.state import StepState
from comgra_export.recorder.step.wiring import make_step
from comgra_export.storage.model.lines import Gap
from comgra_export.storage.model.network import MOST_OPTIMIZERS
from comgra_export.storage.model.step_description import RecordedSamples
from comgra_export.storage.text.steps import step_in_words

__all__ = ["StepRecording"]


class StepRecording:
    """Records steps, one after another. `StepLifecycle` checks the order of calls before it calls these methods.

    Attributes:
        step: The step that is being recorded or held back. Calls that record test this one attribute, and return at once if it is None.
        is_due: Whether the training step in progress, or the last one, is to be recorded; None if that is decided later in the step.
        type_of_execution: Its type; None if it is not known yet.
        has_begun: Whether there was a step that was to be recorded.
        has_ignored_calls: Whether a call that records came while no step was recorded.
        epoch: The epoch of the steps that begin from now on; None if that is not known.
        is_next_due: Whether the next step is due, by its number and its type, if that is the type of the last one. If it is not, nothing of
            it is recorded. None: `skip` and `plan` have to decide.
    """

    def __init__(
        self,
        output: RecordingOutput | None,
        due_steps: DueSteps,
        training: TrainingState,
        options: StepOptions,
        unusual_steps: UnusualSteps | None,
    ) -> None:
        self.step: RecordedStep | None = None
        self.is_due: bool | None = False
        self.type_of_execution: str | None = None
        self.has_begun = False
        self.has_ignored_calls = False
        self.epoch: float | None = None
        self._output = output
        self._due_steps = due_steps
        self._training = training
        self._options = options
        self._unusual_steps = unusual_steps
        self.is_next_due = None if unusual_steps is not None else due_steps.question
        self._is_overridden = False
        self._answer: tuple[int, str | None, bool | None] | None = None
        self._turn = 0
        self._labels: tuple[Sequence[object] | None, Sequence[object] | None] = (None, None)

    def skip(self, turn: int, type_of_execution: str) -> bool:
        """Decides as `plan`, for a step without labels, and returns whether nothing of it is recorded. If not, `plan` follows."""
        is_due = self._due_steps.is_due(turn, type_of_execution)
        if is_due or self._unusual_steps is not None:
            self._answer = turn, type_of_execution, is_due
            return False
        self.is_due, self.type_of_execution, self._is_overridden = False, type_of_execution, False
        return True

    def plan(
        self,
        turn: int,
        batch_size: int,
        type_of_execution: str | None,
        override: bool | None,
        categories: Sequence[object] | None,
        ids: Sequence[object] | None,
    ) -> RecordedSamples | None:
        """Decides, before a step begins, whether it is recorded. `ComgraRecorder.start_batch` describes the arguments.

        `turn` is the number by which the schedule decides: that of the step, unless the recorder has detected it.

        Returns:
            The samples to record one by one; None if nothing of the step is recorded, checked or held back.

        Raises:
            MisuseError: The categories or ids are not usable.
        """
        if override is None:
            # The schedule is asked once for each step.
            answer, self._answer = self._answer, None
            if answer is None or answer[:2] != (turn, type_of_execution):
                answer = turn, type_of_execution, self._due_steps.is_due(turn, type_of_execution)
            is_due = answer[2]
            is_observed = is_due is not False or self._unusual_steps is not None
        else:
            is_due = bool(override) and (None if type_of_execution is None else True)
            is_observed = is_due is not False
        samples = None
        if is_observed:
            samples = recorded_samples("start_batch", batch_size, self._options.max_samples, categories, ids)
            self._labels = categories, ids
        self.is_due, self.type_of_execution = is_due, type_of_execution
        self._turn = turn
        self._is_overridden = override is not None
        return samples

    def begin(self, step: float, batch_size: int, per_sample: bool, samples: RecordedSamples, trained: int | None) -> None:
        """Begins to record a step, or to hold it back. If that fails, it is not recorded, which is a gap.

        `trained`: so many training steps were made before; None if that is not known.
        """
        output = self._output
        assert output is not None
        with without_function_overrides(), output.gaps.guard("step", "the step could not be recorded", step=step, whole_step=True):
            if self.is_due:
                self.has_begun = True
                self._write_changed_network(output, step)
            self.step = make_step(
                StepState(
                    number=step,
                    batch_size=batch_size,
                    per_sample_by_default=per_sample,
                    samples=samples,
                    epoch=self.epoch,
                    trained=trained,
                    is_provisional=not self.is_due,
                ),
                self._options,
                self._training,
                gap_keeper=output.gaps,
                unusual_steps=self._unusual_steps,
                decide_before_update=WeakMethod(self._decide_before_update) if self._unusual_steps is not None else None,
            )
            output.take_gap = self.step.take_gap
            if self._unusual_steps is not None:
                self._unusual_steps.begin()
            with output.gaps.guard("parameters", "the parameters could not be recorded", step=step):
                self.step.begin()

    def note_optimizer(self, optimizer: Optimizer) -> None:
        """Tracks an optimizer that has made a step, unless it is tracked already."""
        output, optimizers = self._output, self._training.optimizers
        if output is None:
            return
        had_left_out = optimizers.has_left_out
        if optimizers.track_found(optimizer):
            output.write_network(self._training.network())
        elif optimizers.has_left_out and not had_left_out:
            output.gaps.note(Gap(f"the training has more than {MOST_OPTIMIZERS} optimizers, and those after them are left out"))

    def take_type(
        self, type_of_execution: str | None, categories: Sequence[object] | None, ids: Sequence[object] | None
    ) -> RecordedSamples | None:
        """Takes the type that was not known when the step began. From then on, it is known whether the step is due.

        None leaves the step out. The categories and ids count if they were not given to `plan`.

        Returns:
            The samples to record one by one; None if nothing of the step was held back.

        Raises:
            MisuseError: The categories or ids are not usable.
        """
        step, samples = self.step, None
        if step is not None:
            categories_before, ids_before = self._labels
            categories = categories_before if categories is None else categories
            ids = ids_before if ids is None else ids
            samples = recorded_samples("decide_recording_of_batch", step.state.batch_size, self._options.max_samples, categories, ids)
        self.type_of_execution = type_of_execution
        if type_of_execution is None or step is None:
            self.is_due = False
        elif self.is_due is None:
            self.is_due = self._is_overridden or self._due_steps.is_due(self._turn, type_of_execution)
        if type_of_execution is not None:
            self._due_steps.add_type(type_of_execution)
        return samples

    def decide(self, samples: RecordedSamples | None) -> None:
        """Accepts what was held back of a step, or drops it if nothing could ask for it any more."""
        if self.step is not None and samples is not None and self.is_due:
            self._accept(self.step, samples)
        elif self.type_of_execution is None or self._unusual_steps is None:
            self.end()

    def judge(self) -> None:
        """Decides, by what was checked so far, whether a step that is not due is still recorded."""
        step, unusual_steps = self.step, self._unusual_steps
        if step is None or unusual_steps is None or self.type_of_execution is None:
            return
        state, reason = step.state, None
        with step.gap_keeper.guard("sentinels", f"{step_in_words(state.number)} could not be checked for what is unusual"):
            reason = unusual_steps.judge(state.number, self.type_of_execution)
        if reason is None or not state.is_provisional:
            return
        if state.is_given_up:
            late = f"{step_in_words(state.number)} was unusual, which came up too late to record it: {reason}"
            step.gap_keeper.report("unusual step", Gap(late))
            return
        unusual_steps.reason = state.triggered = reason
        self._accept(step, state.samples)

    def finish(self) -> None:
        """Writes the step, unless it was only held back and nothing unusual came up in it."""
        step, output = self.step, self._output
        if step is None or output is None:
            return
        if self.type_of_execution is None:
            step.release()
            return
        try:
            self.judge()
        finally:
            step.release()
        number = step.state.number
        if self._unusual_steps is not None:
            point = self._unusual_steps.end(number, self.type_of_execution)
            if point is not None:
                output.add_sentinel_point(point)
        if step.state.is_provisional:
            return
        finished = None
        try:
            with output.gaps.guard("step", "the step could not be finished", step=number, whole_step=True):
                finished = step.finish(self.type_of_execution)
        finally:
            # From here on, a gap comes too late for the step.
            output.take_gap = None
        if finished is not None:
            output.write_step(finished)
        if self.is_due:
            self._due_steps.note_recorded(self._turn, self.type_of_execution)

    def end(self) -> None:
        """Ends the recording of the step, whether it is written or not. The training step itself may go on."""
        step, self.step = self.step, None
        if self._output is not None:
            self._output.take_gap = None
        if self._unusual_steps is not None:
            self._unusual_steps.forget()
        if step is not None:
            try:
                step.release()
            finally:
                step.discard()

    def _accept(self, step: RecordedStep, samples: RecordedSamples) -> None:
        self.has_begun = True
        if self._output is not None:
            self._write_changed_network(self._output, step.state.number)
        step.accept(samples)

    def _decide_before_update(self) -> None:
        """Decides whether to record the step before an optimizer changes what is held back of the parameters."""
        if self.is_due is False and self.type_of_execution is not None:
            self.judge()
            if self.step is not None and self.step.state.is_provisional:
                self.step.give_up()

    def _write_changed_network(self, output: RecordingOutput, step: float) -> None:
        try:
            has_changed = self._training.refresh()
        except MisuseError as error:
            output.gaps.report("network", Gap(f"what was added to the tracked modules has no name: {error}", step), error)
        except Exception as error:
            output.gaps.report("network", Gap("it could not be found out what was added to the tracked modules", step), error)
        else:
            if has_changed:
                output.write_network(self._training.network())

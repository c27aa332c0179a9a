"""Writing finished steps and gaps into a recording, in any thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError, RecordingError, RecordingGapError
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.output.announcements import Announcements, StepChecker
from comgra_export.recorder.output.finished_step import FinishedStep, RecordedFlow, StepNumbers
from comgra_export.recorder.output.own_curves import OwnCurves
from comgra_export.storage.arrays.layout_arrays import RecordPlace, iterate_records, values_of_record
from comgra_export.storage.model.gradient_flows import FlowLayer
from comgra_export.storage.model.layout import Blob, Layout
from comgra_export.storage.model.lines import Gap, JournalEntry, SessionEnd
from comgra_export.storage.model.step_description import StepDescription
from comgra_export.storage.writer import RecordingWriter

__all__ = ["StepFiles"]

_MAX_GAPS_KEPT = 1000


class StepFiles:
    """What the thread that writes needs of a recording. It knows neither the recorder nor the network.

    `take_gap` refers weakly to a function that may keep a gap as part of the step in progress, and returns whether it did. `checker` gets
    each step that is written; what it finds goes to `announcements`.
    """

    def __init__(
        self,
        writer: RecordingWriter,
        strict: bool,
        take_gap: Callable[[], Callable[[Gap], bool] | None],
        checker: StepChecker | None = None,
    ) -> None:
        self.gaps = GapKeeper(strict, self._keep_gap)
        self.announcements = Announcements()
        self._checker = checker
        self._curves: OwnCurves | None = OwnCurves()
        self._writer = writer
        self._take_gap = take_gap
        self._step_gaps: tuple[float, list[Gap]] | None = None
        # A full disk has no room for a gap either. It may have room later.
        self._unwritten_gaps: deque[Gap] = deque(maxlen=_MAX_GAPS_KEPT)
        self._is_foreign = False

    def write(self, work: tuple[FinishedStep, JournalEntry]) -> None:
        """Writes a step, and has it checked. If that fails, keeps a gap that says why. Raises nothing."""
        step, entry = work
        gaps = list(step.gaps)
        self._step_gaps = step.number, gaps
        with self.gaps.in_background():
            try:
                description, numbers = self._write(step, entry, gaps)
                self._step_gaps = None
                arrays = dict(numbers.arrays)
                self._write_curves(step, description, numbers, arrays)
                self._check(description, arrays)
            except (KeyboardInterrupt, RecordingGapError):
                raise
            # This includes what would end the thread: no step may take the next ones with it.
            except BaseException as error:
                self._step_gaps = None
                for gap in gaps:
                    self._keep_gap(gap)
                lost = Gap(f"the step could not be written ({describe_error(error)})", step.number, whole_step=True)
                self.gaps.report("step", lost, error)
            finally:
                self._step_gaps = None

    def note_loss(self, reason: str, work: tuple[FinishedStep, JournalEntry] | None) -> None:
        """Says that the thread is of no use, and which step it took with it."""
        with self.gaps.in_background():
            self.gaps.warn("thread", f"From now on, recorded steps are written while the training waits: {reason}.")
            if work is not None:
                self.gaps.report("thread", Gap(f"the step could not be written: {reason}", work[0].number, whole_step=True))

    def warn_of_waiting(self) -> None:
        """Says that steps come faster than the disk takes them."""
        with self.gaps.in_background():
            self.gaps.warn(
                "waiting",
                "The training waits, because recorded steps come faster than they can be written to disk. Record fewer steps "
                "(decision_maker_for_recordings), fewer samples (max_num_batch_size_to_record), or only statistics "
                "(recording_type='kpis').",
            )

    def note_waiting(self, seconds: float) -> None:
        """Keeps for how long the training waited."""
        self._keep_gap(Gap(f"nothing is missing, but the training waited {seconds:.1f} s in all for recorded steps to be written"))

    def close(self, end: SessionEnd | None) -> None:
        """Ends the recording."""
        self._write_gaps()
        self._writer.close(end=end)

    def end(self) -> None:
        """Closes the files of a recording that was not finalized, without saying that it is whole."""
        self._write_gaps()
        self._writer.close(ended=False)
        self.gaps.deliver_the_last()
        self.announcements.deliver_the_last()

    def leave_to_parent(self) -> None:
        """Writes nothing any more: this is a forked child."""
        self._is_foreign = True

    def _check(self, step: StepDescription, arrays: Mapping[str, Blob]) -> None:
        """Has a step checked that is on the disk. If that fails, nothing is missing, and no further step is checked."""
        if self._checker is None:
            return
        try:
            announcements, failures = self._checker.check(step, arrays)
        except KeyboardInterrupt:
            raise
        # Rules may be somebody's, and must not end the thread either.
        except BaseException as error:
            self._checker = None
            announcements, failures = (), (f"no step is checked any more ({describe_error(error)})",)
        for failure in failures:
            self.gaps.note(Gap(f"nothing is missing, but {failure}", step.step))
            self.gaps.warn(f"check: {failure}", f"{failure[:1].upper()}{failure[1:]}. The training and the recording are not affected.")
        for announcement in announcements:
            self.announcements.add(announcement)

    def _write(self, step: FinishedStep, entry: JournalEntry, gaps: list[Gap]) -> tuple[StepDescription, StepNumbers]:
        """Writes a step. Returns what was written of it, without its flows."""
        numbers = step.numbers.compute()
        layout, arrays = numbers.layout, numbers.arrays
        flows = [_with_recorded_values(recorded, layout, dict(arrays), step.samples.index) for recorded in step.flows]
        description = StepDescription(
            step=step.number,
            type_of_execution=step.type_of_execution,
            batch_size=step.batch_size,
            layout=self._writer.write_layout(layout),
            structures=tuple(None if structure is None else self._writer.write_structure(structure) for structure in step.structures),
            samples=step.samples,
            time=entry.time,
            session=entry.session,
            triggered=step.triggered,
            learning_rates=numbers.learning_rates,
            module_runs=step.module_runs,
            parameters=numbers.parameters,
            gradients=numbers.gradients,
            held_bytes=None if step.held_bytes is None else step.held_bytes + sum(blob.data.nbytes for _, blob in arrays),
            gaps=tuple(gaps),
            calls=tuple(None if calls is None else self._writer.write_calls(calls) for calls in step.calls),
            epoch=step.epoch,
            flows=tuple(recorded.flow for recorded in flows),
            losses=step.losses,
            backward_roots=step.backward_roots,
            target_facts=numbers.target_facts,
            token_facts=numbers.token_facts,
            exceptions=step.exceptions,
            dropouts=step.dropouts,
        )
        self._writer.write_step(description, arrays, [recorded.numbers for recorded in flows])
        return description, numbers

    def _write_curves(self, finished: FinishedStep, step: StepDescription, numbers: StepNumbers, arrays: Mapping[str, Blob]) -> None:
        """Writes the recorder's own curves. If that fails, the step is still whole, and they end."""
        if self._curves is None:
            return
        try:
            points = self._curves.points(step, numbers, arrays, finished.trained, finished.lacks_calls)
            if points:
                self._writer.add_curve_point(*points)
        except Exception as error:
            self._curves = None
            reason = f"the curves of the loss, the learning rate, the gradient and the time end here ({describe_error(error)})"
            self.gaps.note(Gap(reason, step.step))

    def _keep_gap(self, gap: Gap) -> None:
        if self._is_foreign:
            return
        # A step that is missing holds no gap.
        if gap.whole_step or not self._put_into_step(gap):
            self._unwritten_gaps.append(gap)
            self._write_gaps()

    def _put_into_step(self, gap: Gap) -> bool:
        """Gives a gap to the step that is being written, or to the one in progress. Returns whether it belongs to either."""
        # Only the thread that writes a step knows whether what is added to it still gets in.
        being_written = self._step_gaps if self.gaps.is_in_background else None
        if being_written is not None and gap.step == being_written[0]:
            being_written[1].append(gap)
            return True
        take = self._take_gap()
        return take is not None and take(gap)

    def _write_gaps(self) -> None:
        # If closing has failed, the gap about it must not open the recording again.
        while self._unwritten_gaps and self._writer.is_open:
            try:
                gap = self._unwritten_gaps.popleft()
            except IndexError:  # The other thread has just written the last one.
                return
            try:
                self._writer.add_gap(gap)
            except (OSError, MisuseError, RecordingError):
                self._unwritten_gaps.appendleft(gap)
                return


def _with_recorded_values(recorded: RecordedFlow, layout: Layout, arrays: Mapping[str, Blob], samples: Sequence[int]) -> RecordedFlow:
    """Adds values that the step has recorded to layers whose tensors were gone or overwritten when the flow was recorded."""
    flow, numbers = recorded
    if all(values is not None for values in numbers.values):
        return recorded
    records = {(place.entry.name, place.entry.iteration): place for place in iterate_records(layout) if place.group == FORWARD}
    places = [None if layer.record_name is None else records.get((layer.record_name, layer.record_iteration or 0)) for layer in flow.layers]
    values = tuple(
        _values_of(flow.samples, layer, place, arrays, samples) if known is None and place is not None else known
        for known, layer, place in zip(numbers.values, flow.layers, places, strict=True)
    )
    return RecordedFlow(flow, replace(numbers, values=values))


def _values_of(
    wanted: Sequence[int], layer: FlowLayer, place: RecordPlace, arrays: Mapping[str, Blob], samples: Sequence[int]
) -> NDArray[np.float32] | None:
    """The values of a layer as the step has recorded them, `[F, N]`; None if it has not."""
    entry = place.entry
    shape = tuple(size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension)
    has_batch = entry.batch_dimension is not None
    if entry.values_count == 0 or shape != layer.shape or has_batch != bool(wanted) or not set(wanted) <= set(samples):
        return None
    return values_of_record(place, arrays, [samples.index(sample) for sample in wanted] if has_batch else [0])

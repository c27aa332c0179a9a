"""Writing finished steps into a recording, in whichever thread that happens, and keeping the gaps of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from comgra_export.errors import MisuseError, RecordingError, RecordingGapError
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.output.finished_step import FinishedStep
from comgra_export.recorder.output.recorded_flow import with_recorded_values
from comgra_export.storage.model import Gap, JournalEntry, StepDescription
from comgra_export.storage.writer import RecordingWriter

__all__ = ["StepFiles"]

_MAX_GAPS_KEPT = 1000


class StepFiles:
    """What the writing thread needs of a recording; it knows neither the recorder nor the network.

    Args:
        writer: The recording.
        strict: As for `GapKeeper`.
        take_gap: A weak reference to what may keep a gap, as part of the step in progress, and says whether it did.

    Attributes:
        gaps: Where trouble goes.
    """

    def __init__(self, writer: RecordingWriter, strict: bool, take_gap: Callable[[], Callable[[Gap], bool] | None]) -> None:
        self.gaps = GapKeeper(strict, self._keep_gap)
        self._writer = writer
        self._take_gap = take_gap
        self._step_gaps: tuple[int, list[Gap]] | None = None
        # On a full disk there is no room for a gap either. There may be later.
        self._unwritten_gaps: deque[Gap] = deque(maxlen=_MAX_GAPS_KEPT)
        self._is_foreign = False

    def write(self, work: tuple[FinishedStep, JournalEntry]) -> None:
        """Writes a step; where that fails, keeps a gap that says why. Raises nothing."""
        step, entry = work
        gaps = list(step.gaps)
        self._step_gaps = step.number, gaps
        with self.gaps.in_background():
            try:
                self._write(step, entry, gaps)
            except (KeyboardInterrupt, RecordingGapError):
                raise
            # Also what would end the thread: no step may take the next ones with it.
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
                "The training waits for recorded steps to be written, which come faster than the disk takes them. Record fewer steps "
                "(decision_maker_for_recordings), fewer samples (max_num_batch_size_to_record), or only statistics "
                "(recording_type='kpis').",
            )

    def note_waiting(self, seconds: float) -> None:
        """Keeps for how long the training waited."""
        self._keep_gap(Gap(f"nothing is missing, but the training waited {seconds:.1f} s in all for recorded steps to be written"))

    def close(self) -> None:
        """Ends the recording."""
        self._write_gaps()
        self._writer.close()

    def end(self) -> None:
        """Closes the files, without saying that the recording is whole: it was not finalized."""
        self._write_gaps()
        self._writer.close(ended=False)
        self.gaps.deliver_the_last()

    def leave_to_parent(self) -> None:
        """In a forked child: nothing is written any more."""
        self._is_foreign = True

    def _write(self, step: FinishedStep, entry: JournalEntry, gaps: list[Gap]) -> None:
        layout, blobs = step.numbers()
        flows = [with_recorded_values(recorded, layout, dict(blobs), step.samples.index) for recorded in step.flows]
        parameters = step.parameters()
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
            learning_rates=step.learning_rates(),
            module_runs=step.module_runs,
            parameters=parameters,
            gradients=step.gradients(),
            held_bytes=None if step.held_bytes is None else step.held_bytes + sum(blob.data.nbytes for _, blob in blobs),
            gaps=tuple(gaps),
            calls=tuple(None if calls is None else self._writer.write_calls(calls) for calls in step.calls),
            epoch=step.epoch,
            flows=tuple(recorded.flow for recorded in flows),
        )
        self._writer.write_step(description, blobs, [recorded.numbers for recorded in flows])

    def _keep_gap(self, gap: Gap) -> None:
        if self._is_foreign:
            return
        # A step that is missing holds no gap.
        if gap.whole_step or not self._put_into_step(gap):
            self._unwritten_gaps.append(gap)
            self._write_gaps()

    def _put_into_step(self, gap: Gap) -> bool:
        """Whether a gap belongs to the step that is being written, or to the one in progress, which then has it."""
        # Only the thread that writes a step knows whether what is added to it still gets in.
        being_written = self._step_gaps if self.gaps.is_in_background else None
        if being_written is not None and gap.step == being_written[0]:
            being_written[1].append(gap)
            return True
        take = self._take_gap()
        return take is not None and take(gap)

    def _write_gaps(self) -> None:
        # Where closing has failed, the gap that says so must not open the recording again.
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

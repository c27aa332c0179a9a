"""The recording that a recorder writes: its folder, its steps, and what is missing from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence, Sized
from dataclasses import replace
from datetime import datetime, timezone

import torch

from comgra_export.errors import RecordingError
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.weak_methods import WeakMethod
from comgra_export.recorder.output.announcements import OnFinding, StepChecker
from comgra_export.recorder.output.finished_step import FinishedStep
from comgra_export.recorder.output.step_files import StepFiles
from comgra_export.recorder.output.trial_folder import ClaimedFolder, cannot_be_written_to
from comgra_export.recorder.output.writing_thread import WORTH_A_WARNING_SECONDS, WritingThread
from comgra_export.storage import open_recording
from comgra_export.storage.codec.config import MAX_ENTRIES, Config
from comgra_export.storage.model.lines import CurvePoint, Gap, JournalEntry, Note, SentinelPoint, SessionEnd
from comgra_export.storage.model.network import Network
from comgra_export.storage.model.recording import Header
from comgra_export.storage.sessions import next_training_step
from comgra_export.storage.writer import STARTED_FORMAT, RecordingWriter
from comgra_export.version import __version__

__all__ = ["RecordingOutput"]

_PROBLEMS_NAMED = 3


class RecordingOutput:
    """Writes a recording. A disk that fails makes gaps, and no exception.

    A thread of its own writes whole steps. Everything else is written at once. A forked child, such as a worker that loads data, writes
    nothing.

    Args:
        claimed: The folder, which is this recording's until it is closed.
        header: What the recording is. The time and the versions are added to it. A recording that is appended to keeps its own header.
        strict: Whether gaps raise `RecordingGapError`. The next call raises what goes wrong while a step is written.
        checker: Checks the steps that are written; None if nothing does.
        on_finding: Gets what it finds, from `deliver_findings`.
        durable: Whether every step is written before the training goes on.

    Attributes:
        folder: The rank folder.
        gaps: Where trouble goes.
        take_gap: Offers a gap to the step in progress, and returns whether it belongs to that step. None between steps.
        steps_finished: How many steps were handed over to be written.
        waiting_findings: What `deliver_findings` would deliver now.

    Raises:
        MisuseError: The folder cannot be written to, or holds the recording of another run.
        RecordingError: The recording to append to is damaged or newer.
    """

    def __init__(
        self,
        claimed: ClaimedFolder,
        header: Header,
        strict: bool,
        checker: StepChecker | None = None,
        on_finding: OnFinding | None = None,
        *,
        durable: bool = False,
    ) -> None:
        self.folder = claimed.folder
        self._is_durable = durable
        self.take_gap: Callable[[Gap], bool] | None = None
        self.steps_finished = 0
        # The processes of a distributed run may hold different evaluations, and must agree on the numbers of the next ones.
        self._keeps_last_steps = claimed.append and header.world_size == 1
        self._goes_on = claimed.append
        complete = replace(
            header,
            writer=f"comgra_export {__version__}",
            torch_version=torch.__version__,
            started=datetime.now(timezone.utc).strftime(STARTED_FORMAT),
        )
        try:
            self._writer = RecordingWriter(claimed.folder, complete, append=claimed.append, lock=claimed.lock)
        except OSError as error:
            raise cannot_be_written_to(claimed.folder, error) from error
        # The thread must hold nothing that leads back to the recorder, or neither could be garbage-collected.
        self._files = files = StepFiles(self._writer, strict, WeakMethod(self._give_to_step), checker)
        self.gaps: GapKeeper = files.gaps
        # Not for the thread: it may refer to the recorder.
        self._on_finding = on_finding
        self.waiting_findings: Sized = files.announcements.waiting
        self._thread: WritingThread[tuple[FinishedStep, JournalEntry]] = WritingThread(
            files.write, files.end, files.warn_of_waiting, files.note_loss, files.leave_to_parent
        )
        self._thread.end_with(self)

    @property
    def is_foreign(self) -> bool:
        """Whether this is a forked child, which writes nothing."""
        return self._thread.is_foreign

    @property
    def rank(self) -> int:
        """Which process of a distributed run writes it."""
        return self._writer.header.rank

    @property
    def seconds_waited(self) -> float:
        """How long the training waited for steps to be written, since the queue was full."""
        return self._thread.seconds_waited

    def next_training_step(self) -> int:
        """The number of the next training step, if the recording is appended to. 0 if it is not, or if it cannot be read."""
        if not self._goes_on:
            return 0
        try:
            return next_training_step(open_recording(self.folder).journal)
        except RecordingError:
            return 0

    def last_step_before(self, trainings: int) -> float | None:
        """The last step that the recording holds from before it had made this many training steps, if it is appended to.

        None if there is none, or the recording cannot be read, or is one of several processes.
        """
        if not self._keeps_last_steps:
            return None
        try:
            return max((step for step in open_recording(self.folder).steps if step < trainings), default=None)
        except RecordingError:
            return None

    def write_network(self, network: Network) -> None:
        """Writes the modules, parameters and optimizers, in place of those written before."""
        self._attempt("the list of modules and parameters could not be written", None, self._writer.write_network, network)

    def write_config(self, values: Config, surplus: int = 0, problems: Sequence[str] = ()) -> None:
        """Writes hyperparameters, beside and in place of those written before. `surplus` of them, and those of `problems`, are left out."""
        self._attempt("the hyperparameters could not be written", None, self._write_config, values, surplus, problems)

    def add_note(self, note: Note) -> None:
        """Adds a note."""
        self._attempt("a note could not be written", note.step, self._writer.add_note, note)

    def add_curve_point(self, point: CurvePoint, step: float) -> None:
        """Adds a point to a curve."""
        self._attempt(f"a point of the curve {point.name!r} could not be written", step, self._writer.add_curve_point, point)

    def add_sentinel_point(self, point: SentinelPoint) -> None:
        """Adds the cheap check of a step."""
        self._attempt("the check of a step could not be written", point.step, self._writer.add_sentinel_point, point)

    def write_step(self, finished: FinishedStep) -> None:
        """Notes that a step is finished, and has it written. The step also keeps gaps that come to light while it is written.

        Waits until it is written if the recording is durable, if the step was triggered, or if an exception is on its way: these are the
        steps that whoever looks for the reason of a crash needs.
        """
        self._attempt("the step could not be written", finished.number, self._hand_over, finished, whole_step=True)
        if self._is_durable or finished.triggered is not None or sys.exc_info()[0] is not None:
            self.flush()

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every finished step is on disk, or is a gap, and returns whether that is so.

        Without `timeout`, it waits as long as it takes.
        """
        is_done = self._thread.flush(timeout)
        self.gaps.deliver()
        return is_done

    def deliver_findings(self, *, to_user: bool = True) -> None:
        """Warns, in this thread, of what the checker has found since the last call. Then the user's function gets it, if `to_user`.

        What that function raises passes.
        """
        announcements = self._files.announcements
        if announcements.waiting and not self.is_foreign:
            announcements.deliver(self._on_finding if to_user else None)

    def is_stop(self, error: BaseException) -> bool:
        """Whether an exception is the one with which the user's function has stopped the training."""
        return self._files.announcements.is_stop(error)

    def close(self, end: SessionEnd | None = None) -> None:
        """Waits until everything is on disk, and ends the recording. Writing to it again begins another session.

        `end` is what the journal says about it; None: nothing is known.
        """
        if self.is_foreign:
            return
        self._thread.stop()
        if self.seconds_waited >= WORTH_A_WARNING_SECONDS:
            self._files.note_waiting(self.seconds_waited)
        self._attempt("the recording could not be closed", None, self._files.close, end)

    def _write_config(self, values: Config, surplus: int, problems: Sequence[str]) -> None:
        surplus += self._writer.write_config(values)
        if surplus:
            self.gaps.report("config", Gap(f"{surplus:,} hyperparameters are left out: a recording holds {MAX_ENTRIES:,}"))
        if problems:
            more = f" and {len(problems) - _PROBLEMS_NAMED:,} more" if len(problems) > _PROBLEMS_NAMED else ""
            self.gaps.report("config", Gap(f"hyperparameters are left out: {'; '.join(problems[:_PROBLEMS_NAMED])}{more}"))

    def _hand_over(self, finished: FinishedStep) -> None:
        entry = self._writer.add_finished_step(finished.number)
        self.steps_finished += 1
        self._thread.put((finished, entry), finished.size)

    def _attempt(
        self, reason: str, step: float | None, action: Callable[..., object], *arguments: object, whole_step: bool = False
    ) -> None:
        if self.is_foreign:
            self.gaps.warn(
                "forked",
                "Nothing is recorded in this process, because it was forked from the one that records, as the workers of a DataLoader are. "
                "Call the recorder in the original process.",
            )
            return
        with self.gaps.guard("disk", reason, step=step, whole_step=whole_step):
            action(*arguments)
        self.gaps.deliver()

    def _give_to_step(self, gap: Gap) -> bool:
        """Gives a gap to the step in progress. Returns whether it belongs to that step."""
        return self.take_gap is not None and self.take_gap(gap)

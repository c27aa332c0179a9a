"""The recording that a recorder writes: its folder, its steps, and what is missing from it."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import torch

from comgra_export.errors import MisuseError
from comgra_export.recorder.gaps import GapKeeper
from comgra_export.recorder.steps import RecordedStep
from comgra_export.storage.model import CurvePoint, Gap, Header, Network, Note, RecordedSamples, StepDescription
from comgra_export.storage.writer import RecordingWriter
from comgra_export.version import __version__

__all__ = ["RecordingOutput"]


class RecordingOutput:
    """Writes a recording. A disk that fails makes gaps, and no exception.

    Args:
        folder: The rank folder, which must not hold a recording.
        header: What the recording is; the time and the versions are added to it.
        strict: Whether gaps raise `RecordingGapError`.

    Attributes:
        folder: As given.
        gaps: Where trouble goes.
        step_in_progress: The step whose description takes the gaps that belong to it.
        steps_written: How many steps were written.

    Raises:
        MisuseError: The folder cannot be written to.
    """

    def __init__(self, folder: Path, header: Header, strict: bool) -> None:
        self.folder = folder
        self.gaps = GapKeeper(strict, self._keep_gap)
        self.step_in_progress: RecordedStep | None = None
        self.steps_written = 0
        self._started = time.time()
        complete = replace(
            header,
            writer=f"comgra_export {__version__}",
            torch_version=torch.__version__,
            started=datetime.fromtimestamp(self._started, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        try:
            self._writer = RecordingWriter(folder, complete)
        except OSError as error:
            raise MisuseError(
                f"ComgraRecorder: the folder {folder} cannot be written to ({error.strerror}). Choose another comgra_root_path."
            ) from error

    def write_network(self, network: Network) -> None:
        """Writes the modules and parameters, in place of those written before."""
        with self._guard("the list of modules and parameters could not be written", None):
            self._writer.write_network(network)

    def add_note(self, note: Note) -> None:
        """Adds a note."""
        with self._guard("a note could not be written", note.step):
            self._writer.add_note(note)

    def add_curve_point(self, point: CurvePoint, step: int) -> None:
        """Adds a point to a curve."""
        with self._guard(f"a point of the curve {point.name!r} could not be written", step):
            self._writer.add_curve_point(point)

    def write_step(self, step: RecordedStep) -> None:
        """Writes the step in progress, which ends with it. If that fails, the gap is kept outside of the step."""
        with self.gaps.guard("step", "the step could not be written", step=step.number):
            try:
                layout, blobs = step.finish()
            finally:
                self.step_in_progress = None
            hashes = [None if structure is None else self._writer.write_structure(structure) for structure in step.structures]
            description = StepDescription(
                step=step.number,
                type_of_execution=step.type_of_execution,
                batch_size=step.batch_size,
                layout=self._writer.write_layout(layout),
                structures=tuple(hashes),
                samples=RecordedSamples(tuple(range(step.samples))),
                time=round(time.time() - self._started, 3),
                gaps=tuple(step.gaps),
            )
            self._writer.write_step(description, blobs)
            self.steps_written += 1

    def close(self) -> None:
        """Ends the recording; writing to it again is possible."""
        with self._guard("the recording could not be closed", None):
            self._writer.close()

    def _guard(self, reason: str, step: int | None) -> AbstractContextManager[None]:
        return self.gaps.guard("disk", reason, step=step)

    def _keep_gap(self, gap: Gap) -> None:
        if self.step_in_progress is not None and gap.step == self.step_in_progress.number:
            self.step_in_progress.gaps.append(gap)
            return
        # On a full disk there is no room for the gap either. The warning has been given.
        with suppress(OSError):
            self._writer.add_gap(gap)

"""Writing a recording so that a killed process loses at most the steps being written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from threading import RLock

from comgra_export.errors import MisuseError
from comgra_export.storage.arrays.counts import COUNTS, split_counts
from comgra_export.storage.arrays.layout_arrays import in_rows
from comgra_export.storage.arrays.safetensors import encode_blobs
from comgra_export.storage.codec.config import MAX_ENTRIES, MAX_TEXT, Config, encode_config
from comgra_export.storage.codec.encode import (
    JsonMapping,
    encode_calls,
    encode_curve_point,
    encode_gap_line,
    encode_journal_entry,
    encode_layout,
    encode_network,
    encode_note,
    encode_sentinel_point,
    encode_sentinel_tensors,
    encode_step,
    encode_structure,
)
from comgra_export.storage.codec.flow_codec import encode_flow_numbers
from comgra_export.storage.files.hashed import HashedFiles
from comgra_export.storage.files.lock import WritingLock
from comgra_export.storage.files.writing import LineFiles, write_json, write_whole
from comgra_export.storage.model.calls import CallTree
from comgra_export.storage.model.gradient_flows import MAX_FLOWS_OF_STEP, FlowNumbers
from comgra_export.storage.model.layout import Blob, Layout, Structure
from comgra_export.storage.model.lines import CurvePoint, Gap, JournalEntry, JournalEvent, Note, SentinelPoint, SessionEnd
from comgra_export.storage.model.network import Network
from comgra_export.storage.model.recording import Header
from comgra_export.storage.model.step_description import StepDescription
from comgra_export.storage.network_positions import continue_network
from comgra_export.storage.opening import begin_recording, continue_recording
from comgra_export.storage.text import paths
from comgra_export.storage.text.steps import MAX_STEP, is_step

__all__ = ["STARTED_FORMAT", "RecordingWriter"]

STARTED_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
"""How `started` of the header is written."""


class RecordingWriter:
    """Writes the recording of one process.

    Every method lets an `OSError` through (disk full, folder gone). What was written before stays readable, and the next call may
    succeed. Lines may be added from several threads at once; whole steps by one thread at a time.

    Args:
        folder: The rank folder; it is created with its parents.
        header: The content of `recording.json`.
        append: Whether to go on with the recording that is in the folder, if there is one. Its header stays as it is.
        lock: The lock of the folder if the caller holds it already; it is the writer's from then on.

    Attributes:
        folder: The rank folder.
        header: As it is on disk.
        session: Which opening of the recording this is, counted from 0.

    Raises:
        MisuseError: The folder holds a recording, and it is not to be appended to, or it is that of another group, trial, rank or number
            of processes; or another process is writing one in it; or the header has too many prefixes.
        RecordingError: The recording to append to is damaged or newer.
        OSError: The folder cannot be made or written to.
    """

    def __init__(self, folder: str | os.PathLike[str], header: Header, *, append: bool = False, lock: WritingLock | None = None) -> None:
        self.folder = folder = Path(folder)
        self.header = header
        self.session = 0
        self._network = Network()
        self._config: Config = {}
        self._lines = LineFiles(folder, checksums=header.checksums)
        self._line_lock = RLock()
        self._lock: WritingLock | None = None
        self._checked_tensors: tuple[tuple[str, str, int], ...] | None = None
        self._started: datetime | None = None
        self._last_time = 0.0
        self._hashed = HashedFiles(folder)
        if lock is None:
            folder.mkdir(parents=True, exist_ok=True)
            lock = WritingLock(folder / paths.LOCK)
        self._open(lock, append)

    def __repr__(self) -> str:
        return f"RecordingWriter({str(self.folder)!r})"

    @property
    def is_open(self) -> bool:
        """Whether a session is in progress."""
        return self._lock is not None

    def write_network(self, network: Network) -> None:
        """Writes `network.json`, in place of one written before.

        What an earlier session wrote stays where the new lists agree with it, so that positions keep their meaning.
        """
        with self._line_lock:
            self._make_open()
            self._network = continue_network(self._network, network, self.session)
            write_json(self.folder / paths.NETWORK, encode_network(self._network), checksum=self.header.checksums)

    def write_config(self, values: Config) -> int:
        """Writes `config.json`. Values of the same name are replaced, and all others stay, those of earlier sessions too.

        Returns:
            How many of the values are left out, since there would be more than `MAX_ENTRIES`.

        Raises:
            MisuseError: A name or a value has more than `MAX_TEXT` characters.
        """
        for name, value in values.items():
            if len(name) > MAX_TEXT or (isinstance(value, str) and len(value) > MAX_TEXT):
                raise MisuseError(f"The hyperparameter {name[:100]!r} has more than {MAX_TEXT:,} characters. Cut it.")
        with self._line_lock:
            self._make_open()
            merged = {**self._config, **values}
            kept = dict(islice(merged.items(), MAX_ENTRIES))
            write_json(self.folder / paths.CONFIG, encode_config(kept), checksum=self.header.checksums)
            self._config = kept
            return len(merged) - len(kept)

    def add_note(self, note: Note) -> None:
        """Appends a line to `notes.jsonl`."""
        self._append(paths.NOTES, encode_note(note))

    def add_curve_point(self, *points: CurvePoint) -> None:
        """Appends a line to `curves.jsonl` for each point."""
        self._append(paths.CURVES, *map(encode_curve_point, points))

    def add_gap(self, gap: Gap) -> None:
        """Appends a line to `gaps.jsonl`: for what belongs to no recorded step."""
        self._append(paths.GAPS, encode_gap_line(gap))

    def add_sentinel_point(self, point: SentinelPoint) -> None:
        """Appends a line to `sentinels.jsonl`, and before it another one if it is about other tensors than the one before."""
        with self._line_lock:
            contents = [encode_sentinel_point(point)]
            if point.tensors != self._checked_tensors:
                contents.insert(0, encode_sentinel_tensors(point.tensors))
            # If a line could not be written whole, a reader cannot know what the next one is about.
            self._checked_tensors = None
            self._append(paths.SENTINELS, *contents)
            self._checked_tensors = point.tensors

    def add_finished_step(self, step: float) -> JournalEntry:
        """Notes in the journal that a step was finished and is to be written.

        Returns:
            What was noted. The step's description has the same session and time.

        Raises:
            MisuseError: The step's number is out of range.
        """
        _check_step(step)
        with self._line_lock:
            self._make_open()
            return self._add_to_journal("finished", step)

    def write_layout(self, layout: Layout) -> str:
        """Writes a layout unless it is there already, and returns its hash."""
        return self._hashed.write(paths.LAYOUTS, layout, encode_layout)

    def write_structure(self, structure: Structure) -> str:
        """Writes a structure unless it is there already, and returns its hash."""
        return self._hashed.write(paths.STRUCTURES, structure, encode_structure)

    def write_calls(self, calls: CallTree) -> str:
        """Writes the calls of an iteration unless they are there already, and returns their hash."""
        (self.folder / paths.CALLS).mkdir(exist_ok=True)
        return self._hashed.write(paths.CALLS, calls, encode_calls)

    def write_step(self, description: StepDescription, blobs: Sequence[tuple[str, Blob]], flows: Sequence[FlowNumbers] = ()) -> None:
        """Writes a step: its numbers first, its description last. Its layout, structures and calls must have been written before.

        Args:
            description: The content of `steps/STEP.json`.
            blobs: The arrays of the step as `Recording.blobs` returns them, in any order and with any shape of the right number of
                elements; empty ones are left out.
            flows: The numbers of `description.flows`, in the same order.

        Raises:
            MisuseError: The step's number is out of range, or an array is not what its name or dtype says, or numbers of a gradient flow
                contradict its description or each other, or there are more flows than a step may hold.
        """
        _check_step(description.step)
        if not len(flows) == len(description.flows) <= MAX_FLOWS_OF_STEP:
            raise MisuseError(
                f"The step describes {len(description.flows)} gradient flows, but has the numbers of {len(flows)}. "
                f"Give those of each, of at most {MAX_FLOWS_OF_STEP}."
            )
        encoded_flows = [
            encode_flow_numbers(flow, numbers, checksums=self.header.checksums)
            for flow, numbers in zip(description.flows, flows, strict=True)
        ]
        described = self.folder / paths.STEPS / paths.description_name(description.step)
        arrays: list[tuple[str, Blob]] = []
        for name, blob in blobs:
            if blob.data.size:
                rows = in_rows(name, blob)
                arrays += split_counts(rows) if name == COUNTS else [(name, rows)]
        if described.exists():
            # It would not fit the new numbers, and its flows would stay. Looking through the flows of all steps takes long.
            described.unlink()
            for stale in (self.folder / paths.FLOWS).glob(paths.flow_pattern(description.step)):
                stale.unlink()
        write_whole(described.with_name(paths.blob_name(description.step)), encode_blobs(arrays, checksums=self.header.checksums))
        for position, encoded in enumerate(encoded_flows):
            (self.folder / paths.FLOWS).mkdir(exist_ok=True)
            write_whole(self.folder / paths.FLOWS / paths.flow_name(description.step, position), encoded)
        write_json(described, encode_step(description), checksum=self.header.checksums)

    def close(self, *, ended: bool = True, end: SessionEnd | None = None) -> None:
        """Closes the files that are appended to, and lets other processes write. A later call begins another session.

        Args:
            ended: Whether the recording is whole, which the journal then says.
            end: What else the journal says about the end. By default, nothing is known.
        """
        with self._line_lock:
            lock, self._lock = self._lock, None
            if lock is None:
                return
            try:
                if ended:
                    self._add_to_journal("closed", None, end or SessionEnd())
            finally:
                self._lines.close()
                lock.release()

    def _open(self, lock: WritingLock, append: bool) -> None:
        try:
            # What another process did to the folder since this one closed it is not known.
            self._checked_tensors = None
            self._hashed.forget()
            if append and os.path.lexists(self.folder / paths.HEADER):
                self.header, self.session, self._network, self._config = continue_recording(self.folder, self.header)
                self._lines.checksums = self.header.checksums
                self._lines.mend()
            else:
                begin_recording(self.folder, self.header, lock)
            for name in (paths.LAYOUTS, paths.STRUCTURES):
                (self.folder / name).mkdir(exist_ok=True)
            self._started = _as_time(self.header.started)
            self._add_to_journal("opened")
        except BaseException:
            self._lines.close()
            lock.release()
            raise
        self._lock = lock

    def _make_open(self) -> None:
        if self._lock is None:
            self._open(WritingLock(self.folder / paths.LOCK), append=True)

    def _add_to_journal(self, event: JournalEvent, step: float | None = None, end: SessionEnd | None = None) -> JournalEntry:
        time = None
        if self._started is not None:
            # A clock may be set back, also before the start.
            time = self._last_time = max(self._last_time, round((datetime.now(timezone.utc) - self._started).total_seconds(), 3))
        entry = JournalEntry(event, self.session, step, time, end)
        self._lines.append(paths.JOURNAL, encode_journal_entry(entry))
        return entry

    def _append(self, name: str, *contents: JsonMapping) -> None:
        with self._line_lock:
            self._make_open()
            self._lines.append(name, *contents)


def _check_step(step: float) -> None:
    if not is_step(step):
        raise MisuseError(f"The step {step} is not between 0 and {MAX_STEP}. Count steps from 0.")


def _as_time(started: str) -> datetime | None:
    try:
        return datetime.strptime(started, STARTED_FORMAT).replace(tzinfo=timezone.utc)
    except ValueError:
        return None

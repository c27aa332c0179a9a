"""Writing a recording so that a killed process loses at most the step being written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from io import FileIO
from pathlib import Path

from comgra_export.errors import MisuseError
from comgra_export.storage.arrays import in_rows
from comgra_export.storage.blobs import encode_blobs
from comgra_export.storage.decode import MAX_PREFIXES, MAX_STEP
from comgra_export.storage.encode import (
    encode_curve_point,
    encode_gap,
    encode_header,
    encode_layout,
    encode_network,
    encode_note,
    encode_step,
    encode_structure,
)
from comgra_export.storage.json_codec import dumps
from comgra_export.storage.model import Blob, CurvePoint, Gap, Header, Layout, Network, Note, StepDescription, Structure
from comgra_export.storage.paths import (
    CURVES,
    GAPS,
    HEADER,
    LAYOUTS,
    NETWORK,
    NOTES,
    STEPS,
    STRUCTURES,
    blob_name,
    description_name,
    hash_name,
    hash_of,
)

__all__ = ["RecordingWriter"]


class RecordingWriter:
    """Writes the recording of one process.

    Every method lets an `OSError` through (disk full, folder gone). What was written before stays readable, and the next call may
    succeed.

    Args:
        folder: The rank folder; it is created with its parents, and must not hold a recording yet.
        header: The content of `recording.json`.

    Raises:
        MisuseError: The folder holds a recording, or another process is beginning one in it; or the header has too many prefixes.
        OSError: The folder cannot be made or written to.
    """

    def __init__(self, folder: Path, header: Header) -> None:
        if len(header.prefixes_for_grouping_module_parameters_visually) > MAX_PREFIXES:
            raise MisuseError(f"prefixes_for_grouping_module_parameters_visually has more than {MAX_PREFIXES:,} prefixes. Give fewer.")
        self.folder = folder
        self._written_hashes: set[tuple[str, str]] = set()
        self._streams: dict[str, FileIO] = {}
        self._cut_off: set[str] = set()
        _take(folder)
        try:
            _write_whole(folder / HEADER, [dumps(encode_header(header))])
        except BaseException:
            (folder / STEPS).rmdir()
            raise
        for name in (LAYOUTS, STRUCTURES):
            (folder / name).mkdir(exist_ok=True)

    def __repr__(self) -> str:
        return f"RecordingWriter({str(self.folder)!r})"

    def write_network(self, network: Network) -> None:
        """Writes `network.json`, in place of one written before."""
        _write_whole(self.folder / NETWORK, [dumps(encode_network(network))])

    def add_note(self, note: Note) -> None:
        """Appends a line to `notes.jsonl`."""
        self._append(NOTES, encode_note(note))

    def add_curve_point(self, point: CurvePoint) -> None:
        """Appends a line to `curves.jsonl`."""
        self._append(CURVES, encode_curve_point(point))

    def add_gap(self, gap: Gap) -> None:
        """Appends a line to `gaps.jsonl`: for what belongs to no recorded step."""
        self._append(GAPS, encode_gap(gap))

    def write_layout(self, layout: Layout) -> str:
        """Writes a layout unless it is there already, and returns its hash."""
        return self._write_hashed(LAYOUTS, encode_layout(layout))

    def write_structure(self, structure: Structure) -> str:
        """Writes a structure unless it is there already, and returns its hash."""
        return self._write_hashed(STRUCTURES, encode_structure(structure))

    def write_step(self, description: StepDescription, blobs: Sequence[tuple[str, Blob]]) -> None:
        """Writes a step: its numbers first, its description last. Its layout and structures must have been written before.

        Args:
            description: The content of `steps/STEP.json`.
            blobs: The arrays of `steps/STEP.safetensors`, in any order and with any shape of the right number of elements; empty
                ones are left out.

        Raises:
            MisuseError: The step's number is out of range, or an array is not what its name or dtype says.
        """
        if not 0 <= description.step <= MAX_STEP:
            raise MisuseError(f"The step {description.step} is not between 0 and {MAX_STEP}. Count steps from 0.")
        steps = self.folder / STEPS
        arrays = [(name, in_rows(name, blob)) for name, blob in blobs if blob.data.size]
        _write_whole(steps / blob_name(description.step), encode_blobs(arrays))
        _write_whole(steps / description_name(description.step), [dumps(encode_step(description))])

    def close(self) -> None:
        """Closes the files that are appended to. Everything is on disk already; a later call opens them again."""
        for stream in self._streams.values():
            stream.close()
        self._streams.clear()

    def _append(self, name: str, content: Mapping[str, object]) -> None:
        if name not in self._streams:
            self._streams[name] = FileIO(self.folder / name, "ab")
        line = dumps(content) + b"\n"
        if name in self._cut_off:
            # The line that a full disk cut off gets its own end, so that it does not spoil this one.
            line = b"\n" + line
        self._cut_off.add(name)
        if self._streams[name].write(line) != len(line):
            raise OSError(f"A line of {name} could not be written whole; the disk may be full.")
        self._cut_off.discard(name)

    def _write_hashed(self, folder: str, content: Mapping[str, object]) -> str:
        data = dumps(content)
        digest = hash_of(data)
        if (folder, digest) not in self._written_hashes:
            _write_whole(self.folder / folder / hash_name(digest), [data])
            self._written_hashes.add((folder, digest))
        return digest


def _take(folder: Path) -> None:
    """Creates the folder of a recording that is not there yet: of several processes that try it at the same instant, one succeeds."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = (folder / HEADER).exists()
    if not taken:
        try:
            (folder / STEPS).mkdir()
        except FileExistsError:
            taken = True
    if taken:
        raise MisuseError(f"There is a recording in {folder} already. Choose another trial name, or remove that folder first.")


def _write_whole(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Writes a file under a temporary name and renames it, so that the file is there whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as stream:
            for piece in pieces:
                stream.write(piece)
        os.replace(temporary, path)
    except BaseException:
        # On a full disk the half-written file must not take the room that the next, smaller one could use.
        temporary.unlink(missing_ok=True)
        raise

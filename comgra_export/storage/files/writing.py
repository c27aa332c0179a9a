"""Files that are there whole or not at all, and files that grow by whole lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from io import BufferedWriter, FileIO
from pathlib import Path

from comgra_export.storage.text.checksums import with_checksum
from comgra_export.storage.text.json_codec import dumps
from comgra_export.storage.text.paths import FOLDERS, LINES, is_part_of_recording

__all__ = ["LineFiles", "remove_temporary_files", "write_json", "write_whole"]

_BLOCK = 65_536


def write_whole(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Writes a file under a temporary name and renames it, so that the file is there whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with _create(temporary) as stream:
            for piece in pieces:
                stream.write(piece)
        os.replace(temporary, path)
    except BaseException:
        # On a full disk the half-written file must not take the room that the next, smaller one could use.
        temporary.unlink(missing_ok=True)
        raise


def _create(path: Path) -> BufferedWriter:
    """Makes a new file: never through a link, which would lead to a file that belongs to somebody else."""
    try:
        return path.open("xb")
    except FileExistsError:
        # Left by a killed process, or put there.
        path.unlink()
        return path.open("xb")


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def write_json(path: Path, content: Mapping[str, object], *, checksum: bool) -> None:
    """Writes a JSON object as `write_whole`."""
    text = dumps(content)
    write_whole(path, [with_checksum(text) if checksum else text])


def remove_temporary_files(folder: Path) -> None:
    """Removes what a killed process left half-written in a rank folder."""
    for part in (folder, *(folder / name for name in FOLDERS)):
        for file in part.glob("*.tmp"):
            if is_part_of_recording(file.relative_to(folder).as_posix()):
                file.unlink(missing_ok=True)


class LineFiles:
    """The files of a rank folder that are appended to, each opened when it is first needed.

    Attributes:
        checksums: Whether every line gets a checksum.
    """

    def __init__(self, folder: Path, *, checksums: bool) -> None:
        self.checksums = checksums
        self._folder = folder
        self._streams: dict[str, FileIO] = {}
        self._cut_off: set[str] = set()

    def __del__(self) -> None:
        self.close()

    def append(self, name: str, *contents: Mapping[str, object]) -> None:
        """Appends a line per content, all at once. They are with the operating system when this returns.

        Raises:
            OSError: They could not be written whole.
        """
        if name not in self._streams:
            self._streams[name] = FileIO(self._folder / name, "ab", opener=_open_no_link)
        texts = (dumps(content) for content in contents)
        lines = b"".join((with_checksum(text) if self.checksums else text) + b"\n" for text in texts)
        if name in self._cut_off and not _ends_with_newline(self._folder / name):
            # The line that a full disk or an interrupt cut off gets its own end, so that it does not spoil this one.
            lines = b"\n" + lines
        self._cut_off.add(name)
        if self._streams[name].write(lines) != len(lines):
            raise OSError(f"A line of {name} could not be written whole; the disk may be full.")
        self._cut_off.discard(name)

    def mend(self) -> None:
        """Removes last lines that a killed process did not end, so that they do not spoil what comes after them."""
        for name in LINES:
            path = self._folder / name
            if path.is_file() and not path.is_symlink():
                _cut_after_last_newline(path)

    def close(self) -> None:
        """Closes the files; appending opens them again."""
        for stream in self._streams.values():
            stream.close()
        self._streams.clear()


def _ends_with_newline(path: Path) -> bool:
    """Whether the last line of a file is whole, as that of an empty file is."""
    with path.open("rb", buffering=0) as stream:
        if not stream.seek(0, os.SEEK_END):
            return True
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"


def _cut_after_last_newline(path: Path) -> None:
    with path.open("r+b", buffering=0) as stream:
        end = length = stream.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - _BLOCK)
            stream.seek(begin)
            newline = stream.read(end - begin).rfind(b"\n")
            if newline >= 0:
                end = begin + newline + 1
                break
            end = begin
        if end < length:
            stream.truncate(end)

"""Reading the files of a recording, none of which is trusted: not that it is one, nor its size, nor its content."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage.files.lock import is_locked
from comgra_export.storage.files.places import Place, exists, is_file, names_in
from comgra_export.storage.text.checksums import check_json
from comgra_export.storage.text.json_codec import damaged, loads
from comgra_export.storage.text.limits import Limit, are_limits_lifted, check_limit
from comgra_export.storage.text.paths import LOCK, hash_name, hash_of

__all__ = ["RecordingFiles", "is_being_written", "read_file", "refuse_links_in", "size_of"]

_T = TypeVar("_T")

_NOTHING = 0


class RecordingFiles:
    """The files of a rank folder, by their names in it. Messages call it `name`, and do not say where it is.

    Attributes:
        checksums: Whether every file and line must have a checksum.
    """

    def __init__(self, folder: Place, name: str, *, checksums: bool) -> None:
        self.checksums = checksums
        self._folder = folder
        self._name = name

    def label(self, name: str) -> str:
        """What messages call a file."""
        return f"{self._name}/{name}"

    @contextmanager
    def opened(self, name: str) -> Iterator[tuple[BufferedReader, str]]:
        """Opens a file, and says what messages call it.

        Raises:
            DamagedRecordingError: It cannot be read.
        """
        label = self.label(name)
        with _opened(self._folder, name, label) as stream:
            yield stream, label

    def json(self, name: str, most_bytes: int | None = None) -> tuple[object, str]:
        """The content of a JSON file, and what messages call it.

        Raises:
            DamagedRecordingError: It cannot be read, or is no JSON, or has more than `most_bytes`.
        """
        label = self.label(name)
        if most_bytes is not None:
            with _opened(self._folder, name, label) as stream:
                data = stream.read(most_bytes + 1)
            if len(data) > most_bytes:
                raise damaged(label, f"it has more than {most_bytes:,} bytes")
        else:
            data = read_file(self._folder, name, label)
        return self._parse(data, label), label

    def hashed_json(self, folder: str, digest: str) -> tuple[object, str]:
        """As `json`, of a file that is named by the hash of its content.

        Raises:
            DamagedRecordingError: As `json`; or its content has another hash.
        """
        name = f"{folder}/{hash_name(digest)}"
        label = self.label(name)
        data = read_file(self._folder, name, label)
        if hash_of(data) != digest:
            raise damaged(label, "its content does not have the hash that its name says")
        return loads(data, label), label

    def lines(self, name: str, decode: Callable[[object, str], _T], skip: Callable[[], None]) -> tuple[tuple[_T, ...], list[str]]:
        """The lines of a file that is appended to; none if there is no file.

        `decode` gets the content of a line and what messages call it. `skip` is called for a line that is no JSON, or
        not what was written.

        Returns:
            The decoded lines, and a sentence for each of those that are damaged.

        Raises:
            DamagedRecordingError: The file cannot be read.
        """
        if not exists(self._folder / name):
            return (), []
        file = self.label(name)
        decoded: list[_T] = []
        faults: list[str] = []
        with _opened(self._folder, name, file) as stream:
            check_limit(Limit.LINES_BYTES, size_of(stream), file)
            # A file of zeros is one line.
            most = -1 if are_limits_lifted() else Limit.JSON_BYTES.most
            for number, line in enumerate(iter(lambda: stream.readline(most), b""), start=1):
                if line == b"\n":
                    continue
                label = f"{file}, line {number}"
                if len(line) == most:
                    faults.append(str(damaged(label, f"it has {most:,} bytes and more, so it and what follows is not read")))
                    break
                if not line.endswith(b"\n"):
                    if self.checksums and not is_being_written(self._folder):
                        faults.append(str(damaged(label, "it was cut off while it was being written")))
                    break
                check_limit(Limit.LINES, len(decoded) + len(faults) + 1, file)
                try:
                    content = self._parse(line[:-1], label)
                except DamagedRecordingError as error:
                    faults.append(str(error))
                    skip()
                    continue
                try:
                    decoded.append(decode(content, label))
                except DamagedRecordingError as error:
                    faults.append(str(error))
        return tuple(decoded), faults

    def _parse(self, text: bytes, label: str) -> object:
        content = loads(text, label)
        if self.checksums:
            check_json(text, label)
        return content

    def names_in(self, folder: str) -> list[str]:
        """The names of what is in a folder; none if there is no folder.

        Raises:
            DamagedRecordingError: It cannot be read, or is a link.
        """
        try:
            if isinstance(self._folder, Path):
                _mode_behind_no_link(self._folder, folder, self.label(folder))
            return names_in(self._folder / folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(self.label(folder), error) from None


def read_file(folder: Place, name: str, label: str) -> bytes:
    """Reads a file with JSON of a rank folder. Messages call it `label`.

    Raises:
        DamagedRecordingError: It cannot be read, or has more bytes than the limits allow.
    """
    with _opened(folder, name, label) as stream:
        check_limit(Limit.JSON_BYTES, size_of(stream), label)
        return stream.read()


def size_of(stream: BufferedReader) -> int:
    """How many bytes an open file has. It is then read from its beginning."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return size


def is_being_written(folder: Place) -> bool:
    """Whether a living process holds the lock of a rank folder. False if that cannot be seen, as in a copy or at an address."""
    return isinstance(folder, Path) and is_locked(folder / LOCK)


def refuse_links_in(folder: Path) -> None:
    """Refuses to write in a rank folder that holds links: they would lead to files that belong to somebody else.

    Raises:
        DamagedRecordingError: One of its files or folders is a link.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                raise damaged(str(folder / entry.name), "it is a symbolic link, and a recording has none, so nothing is written there")


@contextmanager
def _opened(folder: Place, name: str, label: str) -> Iterator[BufferedReader]:
    # A pipe or a device under this name would block or never end.
    if isinstance(folder, Path):
        mode = _mode_behind_no_link(folder, name, label)
        is_regular = stat.S_ISREG(mode)
        is_missing = mode == _NOTHING
    else:
        is_regular = is_file(folder / name)
        is_missing = not is_regular and not exists(folder / name)
    if not is_regular:
        raise damaged(label, "it is missing" if is_missing else "it is not a file")
    try:
        with open(os.path.join(folder, name), "rb") if isinstance(folder, Path) else (folder / name).open("rb") as stream:
            yield stream
    except OSError as error:
        raise _unreadable(label, error) from None
    except MemoryError:
        raise DamagedRecordingError(
            f"{label} cannot be used: it is too large for the memory of this machine. Read it on a larger one, or record less per step."
        ) from None


def _mode_behind_no_link(folder: Path, name: str, label: str) -> int:
    """The mode of what lies under a name, or `_NOTHING`.

    Links below the rank folder are refused: they would bring other files of the reader's machine into what is shared. Thousands of files
    are opened, so each part of a name is asked for once.

    Raises:
        DamagedRecordingError: A part of the name is a link.
    """
    path, mode = os.fspath(folder), _NOTHING
    for part in name.split("/"):
        path = os.path.join(path, part)
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):
            return _NOTHING
        if stat.S_ISLNK(mode):
            raise damaged(label, "it is a symbolic link, or behind one, and a recording has none")
    return mode


def _unreadable(label: str, error: OSError) -> DamagedRecordingError:
    return damaged(label, f"it cannot be read ({error.strerror})")

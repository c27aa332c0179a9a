"""Where files are: in a folder of this machine, or at an address such as `s3://bucket/runs`, which fsspec opens."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from comgra_export.storage.files.remote import RemotePath, open_address

__all__ = ["Place", "bytes_in", "exists", "is_address", "is_file", "names_in", "place_of"]

Place: TypeAlias = Path | RemotePath

# One letter is a drive of Windows.
_ADDRESS = re.compile("[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether this is an address, and not a path of this machine."""
    return isinstance(path, RemotePath) or _ADDRESS.match(os.fspath(path)) is not None


def place_of(path: str | os.PathLike[str]) -> Place:
    """Understands what a user wrote. Nothing is read.

    Args:
        path: A path of this machine, or an address: `s3://`, `gs://`, `hf://`, `memory://`, or another that fsspec knows.

    Raises:
        MisuseError: It is an address, and fsspec is not installed, or lacks what this kind of address needs.
    """
    if isinstance(path, RemotePath):
        return path
    return open_address(os.fspath(path)) if is_address(path) else Path(path)


def is_file(path: Place) -> bool:
    """Whether this is a file, or on this machine a link to one."""
    return os.path.isfile(path) if isinstance(path, Path) else path.is_file()


def exists(path: Place) -> bool:
    """Whether something is there, be it a link that leads nowhere."""
    return os.path.lexists(path) if isinstance(path, Path) else path.exists()


def names_in(folder: Place) -> list[str]:
    """The names of what is in a folder.

    Raises:
        OSError: It cannot be read.
    """
    return os.listdir(folder) if isinstance(folder, Path) else [child.name for child in folder.iterdir()]


def bytes_in(folder: Place) -> int:
    """The size of all files in a folder, without those behind links."""
    if isinstance(folder, RemotePath):
        return folder.bytes()
    size = 0
    for file in folder.rglob("*"):
        # While a recording is being written, a temporary file may be gone.
        with suppress(OSError):
            size += file.stat().st_size if file.is_file() and not file.is_symlink() else 0
    return size

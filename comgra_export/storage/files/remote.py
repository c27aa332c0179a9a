"""Files at an address, through fsspec: what is read of them is fetched as ranges, and nothing else is."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from comgra_export.errors import MisuseError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["RemotePath", "open_address"]

RANGE_BYTES = 65_536
"""The least that is fetched at once: the header of most files of numbers."""


def open_address(address: str) -> RemotePath | Path:
    """Finds what opens an address. Nothing is read, and what was listed of that store before is forgotten.

    Returns:
        The place; a path of this machine for `file://`.

    Raises:
        MisuseError: fsspec is not installed, lacks what this kind of address needs, or does not know it.
    """
    try:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem
    except ImportError:
        raise MisuseError(f"{address} needs fsspec, which is not installed. Run: pip install 'comgra-export[remote]'") from None
    try:
        files, path = url_to_fs(address)
    except ImportError as error:
        raise MisuseError(f"{address} cannot be opened: {error}.") from None
    except ValueError as error:
        raise MisuseError(f"{address} is not understood: {error}.") from None
    if isinstance(files, LocalFileSystem):
        return Path(path)
    files.invalidate_cache()
    return RemotePath(files, PurePosixPath(path))


class RemotePath(os.PathLike[str]):
    """A place at an address, with the members of `pathlib.Path` that storage and output use.

    It has no links. Errors of a store and of the network become `OSError`, whose text names no address. It can be pickled.

    Args:
        files: The file system of fsspec.
        path: The path in it, without the protocol.
    """

    def __init__(self, files: Any, path: PurePosixPath) -> None:  # noqa: ANN401 - fsspec has no types.
        self._files = files
        self._path = path

    def __fspath__(self) -> str:
        return str(self._files.unstrip_protocol(str(self._path)))

    def __str__(self) -> str:
        return self.__fspath__()

    def __repr__(self) -> str:
        return f"RemotePath({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemotePath) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __lt__(self, other: RemotePath) -> bool:
        return self._path < other._path

    def __truediv__(self, name: str) -> RemotePath:
        return RemotePath(self._files, self._path / name)

    @property
    def name(self) -> str:
        """The last part."""
        return self._path.name

    @property
    def suffix(self) -> str:
        """The ending of the last part."""
        return self._path.suffix

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts of the path."""
        return self._path.parts

    @property
    def parent(self) -> RemotePath:
        """The folder around it."""
        return RemotePath(self._files, self._path.parent)

    def resolve(self) -> RemotePath:
        """The place itself: nothing here is relative or a link."""
        return self

    def relative_to(self, other: RemotePath) -> PurePosixPath:
        """The path from another place to this one."""
        return self._path.relative_to(other._path)

    def is_symlink(self) -> bool:
        """Always False."""
        return False

    def exists(self) -> bool:
        """Whether there is a file or a folder."""
        return self._type() is not None

    def is_file(self) -> bool:
        """Whether there is a file."""
        return self._type() == "file"

    def is_dir(self) -> bool:
        """Whether there is a folder: in most stores, something whose name begins like that."""
        return self._type() == "directory"

    def iterdir(self) -> Iterator[RemotePath]:
        """What is in the folder.

        Raises:
            OSError: It cannot be listed.
        """
        with _as_os_error():
            entries = self._files.ls(str(self._path), detail=False)
        names = dict.fromkeys(PurePosixPath(entry).name for entry in entries if PurePosixPath(entry) != self._path)
        return (self / name for name in names if name)

    def bytes(self) -> int:
        """The size of the file, or of all files in the folder."""
        with _as_os_error():
            return int(self._files.du(str(self._path)))

    def open(self, mode: str = "rb") -> BufferedReader:
        """Opens the file for reading. Every piece that is read, of 64 KiB or more, is a request of its own.

        Raises:
            OSError: There is no file, or it cannot be read.
        """
        if mode != "rb":
            raise ValueError("A file at an address is only read.")
        with _as_os_error():
            # Whatever the file system would fetch ahead, the buffer around it fetches already.
            opened = self._files.open(str(self._path), "rb", block_size=RANGE_BYTES, cache_type="none")
        return BufferedReader(_Ranges(opened), RANGE_BYTES)

    def upload(self, file: Path) -> None:
        """Writes a file of this machine here, whole.

        Raises:
            OSError: That failed.
        """
        with _as_os_error():
            self._files.put_file(str(file), str(self._path))

    def unlink(self) -> None:
        """Removes the file.

        Raises:
            OSError: That failed.
        """
        with _as_os_error():
            self._files.rm_file(str(self._path))

    def _type(self) -> str | None:
        try:
            with _as_os_error():
                return str(self._files.info(str(self._path))["type"])
        except FileNotFoundError:
            return None


class _Ranges(RawIOBase):
    """A file of fsspec, whose errors are all `OSError`."""

    def __init__(self, opened: Any) -> None:  # noqa: ANN401 - fsspec has no types.
        self._opened = opened

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return int(self._opened.seek(offset, whence))

    def tell(self) -> int:
        return int(self._opened.tell())

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        with _as_os_error():
            data = self._opened.read(view.nbytes)
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        with _as_os_error():
            return bytes(self._opened.read())

    def close(self) -> None:
        if not self.closed:
            self._opened.close()
        super().close()


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Makes an `OSError` of what clients of stores raise. Its text is the kind of the error: their own texts hold addresses."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise type(error)(error.errno or errno.EIO, _KINDS.get(type(error), type(error).__name__)) from error
        raise
    except Exception as error:
        raise OSError(errno.EIO, type(error).__name__) from error


_KINDS: dict[type[OSError], str] = {FileNotFoundError: "it is not there", PermissionError: "access is denied"}

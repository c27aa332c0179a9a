"""The three shapes of a bundle: one file, a folder, a zip file. Each is written into a workplace of its own."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from comgra_export.errors import ExportError
from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.format.constants import INLINE_JSON_BYTES
from comgra_export.exporter.format.index import Index
from comgra_export.exporter.output.page import InlineChunk, readme

__all__ = [
    "DATA_FOLDER",
    "PAGE",
    "README",
    "VERSION_FILE",
    "FolderShape",
    "OneFileShape",
    "Shape",
    "ZipShape",
    "chunk_file_name",
    "generation_of",
    "zipped_bytes",
]

PAGE = "index.html"
README = "README.txt"
NO_JEKYLL = ".nojekyll"
"""Tells GitHub Pages to publish the files as they are."""
DATA_FOLDER = "data"
VERSION_FILE = f"{DATA_FOLDER}/version.js"
"""Says which generation is the newest."""

MAX_ONE_FILE_BYTES = 500_000_000

_DATA_FILE = re.compile("c[0-9]{6,}(?:-([0-9]{1,9}))?[.]js|index-([0-9]{1,9})[.]js|version[.]js")
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_ZIP_UNIX = 3
# Base64 deflates to three quarters at any level, and this one is the fastest.
_ZIP_CHUNK_LEVEL = 1
# What six bits in eight can be deflated to at best, if they are deflated already or were not worth deflating.
_LEAST_ZIPPED_SHARE = 0.7


def chunk_file_name(number: int, generation: int = 0) -> str:
    """Path of a chunk's file, relative to the page."""
    return f"{DATA_FOLDER}/c{number:06d}{f'-{generation}' if generation else ''}.js"


def generation_of(file_name: str) -> int | None:
    """The generation that a file of the data folder belongs to, 0 if its name says none; None for a file that is no part of a bundle."""
    match = _DATA_FILE.fullmatch(file_name)
    return None if match is None else int(match[1] or match[2] or 0)


class InlineChunks:
    """Chunks that will be inside the page. They wait in a file, since the page holds the index in front of them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._entries: list[tuple[int, int]] = []
        self.bytes = 0

    def append(self, number: int, encoded: bytes) -> None:
        """Adds a chunk."""
        self._file.write(encoded)
        self._entries.append((number, len(encoded)))
        self.bytes += len(encoded)

    @property
    def lengths(self) -> list[int]:
        """How many bytes each chunk has here."""
        return [length for _, length in self._entries]

    def __iter__(self) -> Iterator[InlineChunk]:
        self._file.seek(0)
        for number, length in self._entries:
            yield InlineChunk(number, self._file.read(length))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class Shape(ABC):
    """A bundle being written, in an empty folder.

    Attributes:
        identities: What tells chunks apart, an entry for each so far; empty if no open page compares them with others.
        inline_chunks: The chunks that will be inside the page.
        has_chunk_files: Whether a chunk went into a file of its own.
        file_bytes: What the files of chunks take, as they are written.
    """

    def __init__(self, workplace: Path) -> None:
        self.identities: list[int] = []
        self.inline_chunks = InlineChunks(workplace / "inline-chunks")
        self.has_chunk_files = False
        self.file_bytes = 0

    @property
    def least_bytes(self) -> int:
        """The least that the bundle will have, with the chunks so far."""
        return self.inline_chunks.bytes + self.file_bytes

    @property
    @abstractmethod
    def result(self) -> Path:
        """What was written: a file or a folder inside the workplace."""

    @abstractmethod
    def add_chunk(self, number: int, chunk: EncodedChunk, is_json: bool) -> bool:
        """Takes a chunk, in the order of their numbers, and says whether it will be inside the page."""

    @abstractmethod
    def write_page(self, pieces: Iterable[bytes], index: Index) -> None:
        """Writes the page, after all chunks; and the index once more, if open pages are to read it."""

    def close(self) -> None:
        """Closes all files."""
        self.inline_chunks.close()


class OneFileShape(Shape):
    """Everything in one page."""

    def __init__(self, workplace: Path) -> None:
        super().__init__(workplace)
        self._page = workplace / PAGE

    @property
    def result(self) -> Path:
        """The page."""
        return self._page

    def add_chunk(self, number: int, chunk: EncodedChunk, is_json: bool) -> bool:  # noqa: ARG002 - the page takes them all
        """Takes a chunk.

        Raises:
            ExportError: The page would be too large to open.
        """
        self.inline_chunks.append(number, chunk.base64)
        if self.inline_chunks.bytes > MAX_ONE_FILE_BYTES:
            raise ExportError(
                f"As one file this would be larger than {MAX_ONE_FILE_BYTES // 1_000_000} MB, which browsers open slowly or not at all. "
                "Export a folder instead: give an output name without .html."
            )
        return True

    def write_page(self, pieces: Iterable[bytes], index: Index) -> None:  # noqa: ARG002 - it is in the page
        """Writes the page."""
        _write(self._page, pieces)


class _ShapeWithChunkFiles(Shape):
    """A page with the small JSON chunks in it, and all other chunks in files of their own."""

    def add_chunk(self, number: int, chunk: EncodedChunk, is_json: bool) -> bool:
        """Takes a chunk."""
        if is_json and self.inline_chunks.bytes + len(chunk.base64) <= INLINE_JSON_BYTES:
            self.inline_chunks.append(number, chunk.base64)
            return True
        self.has_chunk_files = True
        self._add_file(chunk_file_name(number), b'__comgraChunk(%d,"%s")\n' % (number, chunk.base64))
        return False

    @abstractmethod
    def _add_file(self, name: str, content: bytes) -> None:
        """Adds a file with a chunk."""


class FolderShape(_ShapeWithChunkFiles):
    """A folder."""

    def __init__(self, workplace: Path) -> None:
        super().__init__(workplace)
        self._folder = workplace / "folder"
        (self._folder / DATA_FOLDER).mkdir(parents=True)
        (self._folder / NO_JEKYLL).touch()
        (self._folder / README).write_bytes(readme().encode("ascii"))

    @property
    def result(self) -> Path:
        """The folder."""
        return self._folder

    def _add_file(self, name: str, content: bytes) -> None:
        (self._folder / name).write_bytes(content)
        self.file_bytes += len(content)

    def write_page(self, pieces: Iterable[bytes], index: Index) -> None:  # noqa: ARG002 - it is in the page
        """Writes the page."""
        _write(self._folder / PAGE, pieces)


class ZipShape(_ShapeWithChunkFiles):
    """The folder as a zip file. Its entries come in the order of their names: the page is last."""

    def __init__(self, workplace: Path) -> None:
        super().__init__(workplace)
        self._path = workplace / "bundle.zip"
        self._zip = zipfile.ZipFile(self._path, "w")
        self._zip.writestr(_zip_entry(NO_JEKYLL), b"")
        self._zip.writestr(_zip_entry(README), readme().encode("ascii"))

    @property
    def least_bytes(self) -> int:
        """The least that the zip file will have, with the chunks so far."""
        return int(self.inline_chunks.bytes * _LEAST_ZIPPED_SHARE) + self.file_bytes

    @property
    def result(self) -> Path:
        """The zip file."""
        return self._path

    def _add_file(self, name: str, content: bytes) -> None:
        entry = _zip_entry(name)
        self._zip.writestr(entry, content, compresslevel=_ZIP_CHUNK_LEVEL)
        self.file_bytes += entry.compress_size

    def write_page(self, pieces: Iterable[bytes], index: Index) -> None:  # noqa: ARG002 - it is in the page
        """Writes the page."""
        with self._zip.open(_zip_entry(PAGE), "w") as page:
            for piece in pieces:
                page.write(piece)
        self._zip.close()

    def close(self) -> None:
        """Closes all files."""
        super().close()
        self._zip.close()


def zipped_bytes(content: bytes) -> int:
    """What a zip file makes of a part of a page, or of a file with a chunk."""
    compressor = zlib.compressobj(_ZIP_CHUNK_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return len(compressor.compress(content) + compressor.flush())


def _zip_entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _ZIP_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = _ZIP_UNIX
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    return entry


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    with path.open("wb") as stream:
        stream.writelines(pieces)

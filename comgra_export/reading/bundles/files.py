"""The three shapes of a bundle, as an index and encoded chunks by their numbers."""

from __future__ import annotations

import mmap
import os
import re
import stat
import zipfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from comgra_export.errors import NotARecordingError
from comgra_export.reading.bundles.damage import damaged
from comgra_export.reading.bundles.pages import MOST_INDEX_BYTES, Page, WholePage, has_index
from comgra_export.reading.bundles.ranged_page import RangedPage, begins_with_index
from comgra_export.storage import Place

__all__ = ["BundleFiles", "is_page_folder", "open_files"]

_PAGE = "index.html"
_SCRIPT = re.compile(rb'__comgraChunk\(([0-9]{1,9}),"([A-Za-z0-9+/=]*)"(?:,([0-9]{1,18}))?\)\n?')
_BASE64_OF_THREE_BYTES = 4
_AROUND_BASE64 = 100


class BundleFiles:
    """A bundle on disk, or at an address.

    Args:
        label: What messages call it.
        page: The page.
        read: Reads another file of the bundle by its name: at most so many bytes. Raises `DamagedRecordingError` if it cannot.
    """

    def __init__(self, label: str, page: Page, read: Callable[[str, int], bytes] | None) -> None:
        self.label = label
        self.index = page.index
        self._page = page
        self._read = read

    def expect(self, lengths: Mapping[int, int]) -> None:
        """Takes from the index which chunks are inside the page, and how long the base64 of each is."""
        self._page.expect(lengths)

    def encoded(self, number: int, most_bytes: int, generation: int) -> bytes:
        """The base64 of a chunk.

        Args:
            number: Its number.
            most_bytes: How many bytes it may stand for.
            generation: The generation of the folder.

        Raises:
            DamagedRecordingError: It is not there, or is longer.
        """
        limit = -(-most_bytes // 3) * _BASE64_OF_THREE_BYTES
        inside = self._page.encoded(number, limit)
        if inside is not None:
            return inside
        name = f"data/c{number:06d}{f'-{generation}' if generation else ''}.js"
        if self._read is None:
            raise damaged(self.label, f"chunk {number} is missing; the file may have been cut off")
        script = self._read(name, limit + _AROUND_BASE64)
        match = _SCRIPT.fullmatch(script)
        if match is None or (int(match[1]), int(match[3] or 0)) != (number, generation):
            raise damaged(f"{self.label}/{name}", "it does not hold the chunk of its name")
        return match[2]


def is_page_folder(folder: Place) -> bool:
    """Whether the `index.html` of a folder is a page of ours. Recordings may lie beside any other.

    Raises:
        OSError: The folder is at an address that cannot be read.
    """
    page = folder / _PAGE
    if not page.is_file():
        return False
    return has_index(_mapped(page)) if isinstance(page, Path) else begins_with_index(page)


def open_files(path: Place) -> BundleFiles:
    """Opens a page, a folder with one, or a zip with one.

    Raises:
        NotARecordingError: It is none of these.
        DamagedRecordingError: It cannot be read.
    """
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise damaged(path.name, f"it cannot be read ({error.strerror})") from None
    if is_folder:
        return BundleFiles(path.name, _page_at(path / _PAGE, path.name), lambda name, most: _read_file(path, name, most))
    if _is_zip(path):
        return _open_zip(path)
    return BundleFiles(path.name, _page_at(path, path.name), None)


def _page_at(place: Place, label: str) -> Page:
    return WholePage(label, _mapped(place)) if isinstance(place, Path) else RangedPage(label, place)


def _mapped(page: Path) -> bytes | mmap.mmap:
    try:
        with page.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise NotARecordingError(f"{page.name} is not a file.")
            # An empty file cannot be mapped.
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(stream.fileno()).st_size else b""
    except OSError as error:
        raise damaged(page.name, f"it cannot be read ({error.strerror})") from None


def _read_file(folder: Place, name: str, most: int) -> bytes:
    label = f"{folder.name}/{name}"
    file = folder / name
    try:
        if not file.is_file():
            raise damaged(label, "it is missing")
        with file.open("rb") as stream:
            content = stream.read(most + 1)
    except OSError as error:
        raise damaged(label, f"it cannot be read ({error.strerror})") from None
    if len(content) > most:
        raise damaged(label, "it is longer than the index says")
    return content


def _is_zip(path: Place) -> bool:
    if isinstance(path, Path):
        return zipfile.is_zipfile(path)
    try:
        with path.open() as stream:
            return zipfile.is_zipfile(stream)
    except OSError as error:
        raise damaged(path.name, f"it cannot be read ({error.strerror})") from None


def _open_zip(path: Place) -> BundleFiles:
    opened = _archive(path)

    def read(name: str, most: int) -> bytes:
        label = f"{path.name}/{name}"
        try:
            with opened() as archive, archive.open(name) as stream:
                # What is announced is not trusted: no more is unpacked than this.
                content = stream.read(most + 1)
        except KeyError:
            raise damaged(label, "it is missing") from None
        except Exception as error:
            # What zlib, bz2 and lzma raise has no common root.
            raise damaged(label, f"it cannot be unpacked ({type(error).__name__})") from None
        if len(content) > most:
            raise damaged(label, "it is longer than the index says")
        return content

    return BundleFiles(path.name, WholePage(path.name, read(_PAGE, 2 * MOST_INDEX_BYTES)), read)


def _archive(path: Place) -> Callable[[], AbstractContextManager[zipfile.ZipFile]]:
    """Opens a zip of this machine each time, so that no file stays open. One at an address stays open: its directory is fetched once."""
    if isinstance(path, Path):
        return lambda: zipfile.ZipFile(path)
    try:
        archive = zipfile.ZipFile(path.open())
    except (OSError, zipfile.BadZipFile) as error:
        raise damaged(path.name, f"it cannot be unpacked ({type(error).__name__})") from None
    return lambda: nullcontext(archive)

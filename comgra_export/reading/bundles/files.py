"""The three shapes of a bundle, as an index and encoded chunks by their numbers."""

from __future__ import annotations

import mmap
import os
import re
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

from comgra_export.errors import NotARecordingError
from comgra_export.storage.text.json_codec import damaged

__all__ = ["MOST_INDEX_BYTES", "BundleFiles", "is_page_folder", "open_files"]

MOST_INDEX_BYTES = 512 * 1024 * 1024
"""How large the index of a bundle may be."""

_PAGE = "index.html"
_INDEX_BEGIN = b'<script type="application/json" id="bundle-index">'
_INDEX_END = b"</script>"
_TEMPLATE = re.compile(rb'<template id="chunk-([0-9]{1,9})">([A-Za-z0-9+/=]*)</template>')
_SCRIPT = re.compile(rb'__comgraChunk\(([0-9]{1,9}),"([A-Za-z0-9+/=]*)"(?:,([0-9]{1,18}))?\)\n?')
_BASE64_OF_THREE_BYTES = 4
_AROUND_BASE64 = 100

Page = bytes | mmap.mmap


class BundleFiles:
    """A bundle on disk.

    Args:
        label: What messages call it.
        page: The content of the page.
        read: Reads another file of the bundle by its name: at most so many bytes. Raises `DamagedRecordingError` if it cannot.
    """

    def __init__(self, label: str, page: Page, read: Callable[[str, int], bytes] | None) -> None:
        self.label = label
        self._page = page
        self._read = read
        begin = page.find(_INDEX_BEGIN)
        end = page.find(_INDEX_END, begin)
        if begin < 0 or end < 0:
            raise NotARecordingError(f"{label} is not a page of comgra_export: there is no index in it. Give a page, or a recording.")
        if end - begin > MOST_INDEX_BYTES:
            raise damaged(label, f"its index has more than {MOST_INDEX_BYTES:,} bytes")
        self.index: bytes = page[begin + len(_INDEX_BEGIN) : end]
        # The text of the page before the chunks cannot hold a template: it is escaped.
        self._chunks = {int(match[1]): match.span(2) for match in _TEMPLATE.finditer(page, end)}

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
        if number in self._chunks:
            begin, end = self._chunks[number]
            if end - begin > limit:
                raise damaged(self.label, f"chunk {number} is longer than its index says")
            return self._page[begin:end]
        name = f"data/c{number:06d}{f'-{generation}' if generation else ''}.js"
        if self._read is None:
            raise damaged(self.label, f"chunk {number} is missing; the file may have been cut off")
        script = self._read(name, limit + _AROUND_BASE64)
        match = _SCRIPT.fullmatch(script)
        if match is None or (int(match[1]), int(match[3] or 0)) != (number, generation):
            raise damaged(f"{self.label}/{name}", "it does not hold the chunk of its name")
        return match[2]


def is_page_folder(folder: Path) -> bool:
    """Whether the `index.html` of a folder is a page of ours. Recordings may lie beside any other."""
    page = folder / _PAGE
    return page.is_file() and _mapped(page).find(_INDEX_BEGIN) >= 0


def open_files(path: Path) -> BundleFiles:
    """Opens a page, a folder with one, or a zip with one.

    Raises:
        NotARecordingError: It is none of these.
        DamagedRecordingError: It cannot be read.
    """
    if path.is_dir():
        page = path / _PAGE
        return BundleFiles(path.name, _mapped(page), lambda name, most: _read_file(path, name, most))
    if zipfile.is_zipfile(path):
        return _open_zip(path)
    return BundleFiles(path.name, _mapped(path), None)


def _mapped(page: Path) -> Page:
    try:
        with page.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise NotARecordingError(f"{page.name} is not a file.")
            # An empty file cannot be mapped.
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(stream.fileno()).st_size else b""
    except OSError as error:
        raise damaged(page.name, f"it cannot be read ({error.strerror})") from None


def _read_file(folder: Path, name: str, most: int) -> bytes:
    label = f"{folder.name}/{name}"
    file = folder / name
    if not file.is_file():
        raise damaged(label, "it is missing")
    try:
        with file.open("rb") as stream:
            content = stream.read(most + 1)
    except OSError as error:
        raise damaged(label, f"it cannot be read ({error.strerror})") from None
    if len(content) > most:
        raise damaged(label, "it is longer than the index says")
    return content


def _open_zip(path: Path) -> BundleFiles:
    def read(name: str, most: int) -> bytes:
        label = f"{path.name}/{name}"
        try:
            with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
                # What is announced is not trusted: no more is unpacked than this.
                content = stream.read(most + 1)
        except KeyError:
            raise damaged(label, "it is missing") from None
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
            raise damaged(label, f"it cannot be unpacked ({type(error).__name__})") from None
        except Exception as error:
            # What zlib, bz2 and lzma raise has no common root.
            raise damaged(label, f"it cannot be unpacked ({type(error).__name__})") from None
        if len(content) > most:
            raise damaged(label, "it is longer than the index says")
        return content

    return BundleFiles(path.name, read(_PAGE, 2 * MOST_INDEX_BYTES), read)

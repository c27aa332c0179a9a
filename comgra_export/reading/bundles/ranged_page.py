"""A page at an address, of which no more is fetched than is needed: the front up to the end of the index, and single chunks."""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from io import BufferedReader

from comgra_export.errors import NotARecordingError
from comgra_export.reading.bundles.damage import damaged
from comgra_export.reading.bundles.pages import MOST_FRONT_BYTES, WholePage, has_index, index_span
from comgra_export.storage import RemotePath

__all__ = ["RangedPage", "begins_with_index"]

_FIRST_RANGE = 128 * 1024
"""Holds the style sheet and the index of a small page."""

_CHUNK_BEGIN = b'<template id="chunk-%d">'
_CHUNK_END = b"</template>\n"
_PAGE_END = b"</body>\n</html>\n"


class RangedPage:
    """A page at an address.

    Its chunks are the last of it, and the index says how long they are. If they are not where that leads to, as in pages of earlier
    versions, the whole page is fetched into a temporary file, once.

    Args:
        label: What messages call it.
        place: Where it is.

    Raises:
        NotARecordingError: It is no page of ours.
        DamagedRecordingError: It cannot be read.
    """

    def __init__(self, label: str, place: RemotePath) -> None:
        self._label = label
        self._spans: dict[int, tuple[int, int]] = {}
        self._has_lengths = False
        self._whole: WholePage | None = None
        try:
            self._file = place.open()
            self._size = self._file.seek(0, os.SEEK_END)
            self.index = self._read_index()
        except OSError as error:
            raise damaged(label, f"it cannot be read ({error.strerror})") from None

    def expect(self, lengths: Mapping[int, int]) -> None:
        """Finds where chunks are, from the end of the page backwards."""
        self._has_lengths = True
        at = self._size - len(_PAGE_END)
        for number, length in sorted(lengths.items(), reverse=True):
            end = at
            at -= len(_CHUNK_BEGIN % number) + length + len(_CHUNK_END)
            self._spans[number] = (at, end)

    def encoded(self, number: int, limit: int) -> bytes | None:
        """The base64 of a chunk; None if it is not inside."""
        if self._whole is None and (number in self._spans or not self._has_lengths):
            encoded = self._fetched(number, limit)
            if encoded is not None:
                return encoded
            self._whole = self._fetch_all()
        return None if self._whole is None else self._whole.encoded(number, limit)

    def _fetched(self, number: int, limit: int) -> bytes | None:
        """The base64 of a chunk; None if it is not where the lengths lead to."""
        begin, end = self._spans.get(number, (-1, -1))
        before = _CHUNK_BEGIN % number
        if begin < 0 or end - begin > limit + len(before) + len(_CHUNK_END):
            return None
        try:
            self._file.seek(begin)
            content = self._file.read(end - begin)
        except OSError as error:
            raise damaged(self._label, f"chunk {number} cannot be read ({error.strerror})") from None
        if not (content.startswith(before) and content.endswith(_CHUNK_END)):
            return None
        return content[len(before) : -len(_CHUNK_END)]

    def _fetch_all(self) -> WholePage:
        try:
            with tempfile.TemporaryFile() as copy:
                self._file.seek(0)
                shutil.copyfileobj(self._file, copy, 1024 * 1024)
                copy.flush()
                # The map keeps the file.
                return WholePage(self._label, mmap.mmap(copy.fileno(), 0, access=mmap.ACCESS_READ))
        except OSError as error:
            raise damaged(self._label, f"it cannot be read ({error.strerror})") from None

    def _read_index(self) -> bytes:
        for front in _fronts(self._file):
            span = index_span(self._label, front)
            if span is not None:
                return front[slice(*span)]
            if len(front) > MOST_FRONT_BYTES and not has_index(front):
                break
        raise NotARecordingError(f"{self._label} is not a page of comgra_export: there is no index in it. Give a page, or a recording.")


def begins_with_index(place: RemotePath) -> bool:
    """Whether a file at an address is a page of ours.

    Raises:
        OSError: It cannot be read.
    """
    with place.open() as file:
        for front in _fronts(file):
            if has_index(front) or len(front) > MOST_FRONT_BYTES:
                return has_index(front)
    return False


def _fronts(file: BufferedReader) -> Iterator[bytes]:
    """More and more of the front of a file, up to all of it."""
    file.seek(0)
    front = b""
    while piece := file.read(max(len(front), _FIRST_RANGE)):
        front += piece
        yield front

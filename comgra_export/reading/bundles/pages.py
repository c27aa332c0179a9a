"""The page of a bundle: the index in it, and the chunks that are inside it."""

from __future__ import annotations

import mmap
import re
from collections.abc import Mapping
from typing import Protocol

from comgra_export.errors import NotARecordingError
from comgra_export.reading.bundles.damage import damaged
from comgra_export.storage.text.limits import Limit, are_limits_lifted, check_limit

__all__ = ["INDEX_BEGIN", "MOST_FRONT_BYTES", "MOST_INDEX_BYTES", "Page", "WholePage", "has_index", "index_span"]

MOST_INDEX_BYTES = 512 * 1024 * 1024
"""How large the index of a bundle may be."""

MOST_FRONT_BYTES = 4 * 1024 * 1024
"""The index of a page of ours begins before this, so no more is read of other files."""

_MOST_BYTES_OUTSIDE_CHUNKS = 64 * 1024 * 1024
"""How much of a page behind its index is searched for chunks: the viewer is small. A file can claim any size without taking room."""

INDEX_BEGIN = b'<script type="application/json" id="bundle-index">'
_INDEX_END = b"</script>"
_TEMPLATE_BEGIN = b'<template id="chunk-'
_TEMPLATE = re.compile(rb'<template id="chunk-([0-9]{1,9})">([A-Za-z0-9+/=]*)</template>')


class Page(Protocol):
    """A page.

    Attributes:
        index: The JSON of its index.
    """

    index: bytes

    def expect(self, lengths: Mapping[int, int]) -> None:
        """Takes from the index which chunks are inside, and how long the base64 of each is. Called once; not for pages without these."""

    def encoded(self, number: int, limit: int) -> bytes | None:
        """The base64 of a chunk; None if it is not inside.

        Raises:
            DamagedRecordingError: It is longer than the limit, or cannot be read.
        """


class WholePage:
    """A page in memory, or mapped into it: chunks are where they are found.

    Args:
        label: What messages call it.
        content: The page.
    """

    def __init__(self, label: str, content: bytes | mmap.mmap) -> None:
        span = index_span(label, content)
        if span is None:
            raise NotARecordingError(f"{label} is not a page of comgra_export: there is no index in it. Give a page, or a recording.")
        self.index: bytes = content[slice(*span)]
        self._label = label
        self._content = content
        self._chunks = _chunk_spans(content, span[1])

    def expect(self, lengths: Mapping[int, int]) -> None:
        """Needs no lengths."""

    def encoded(self, number: int, limit: int) -> bytes | None:
        """The base64 of a chunk; None if it is not inside."""
        if number not in self._chunks:
            return None
        begin, end = self._chunks[number]
        if end - begin > limit:
            raise damaged(self._label, f"chunk {number} is longer than its index says")
        return self._content[begin:end]


def index_span(label: str, content: bytes | mmap.mmap) -> tuple[int, int] | None:
    """Where the index begins and ends; None if it is not there, or not to its end.

    Raises:
        DamagedRecordingError: It is larger than any index may be.
    """
    begin = content.find(INDEX_BEGIN, 0, MOST_FRONT_BYTES)
    if begin < 0:
        return None
    most = MOST_INDEX_BYTES if are_limits_lifted() else min(MOST_INDEX_BYTES, Limit.JSON_BYTES.most)
    end = content.find(_INDEX_END, begin, begin + most)
    if end < 0 and len(content) - begin > most:
        check_limit(Limit.JSON_BYTES, len(content) - begin, label)
        raise damaged(label, f"its index has more than {most:,} bytes")
    return None if end < 0 else (begin + len(INDEX_BEGIN), end)


def has_index(front: bytes | mmap.mmap) -> bool:
    """Whether a file that begins in this way is a page of ours."""
    return front.find(INDEX_BEGIN, 0, MOST_FRONT_BYTES) >= 0


def _chunk_spans(content: bytes | mmap.mmap, begin: int) -> dict[int, tuple[int, int]]:
    """Where the base64 of each chunk begins and ends. The text of the page before the chunks cannot hold a template: it is escaped."""
    spans = {}
    most = _MOST_BYTES_OUTSIDE_CHUNKS
    while (at := content.find(_TEMPLATE_BEGIN, begin, begin + most)) >= 0:
        match = _TEMPLATE.match(content, at)
        if match is not None:
            spans[int(match[1])] = match.span(2)
        following = at + len(_TEMPLATE_BEGIN) if match is None else match.end()
        most -= (following if match is None else at) - begin
        begin = following
    return spans

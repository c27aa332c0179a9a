"""The page of a bundle: the index in it, and the chunks that are inside it."""

from __future__ import annotations

import mmap
import re
from collections.abc import Mapping
from typing import Protocol

from comgra_export.errors import NotARecordingError
from comgra_export.reading.bundles.damage import damaged

__all__ = ["INDEX_BEGIN", "MOST_INDEX_BYTES", "Page", "WholePage", "index_span"]

MOST_INDEX_BYTES = 512 * 1024 * 1024
"""How large the index of a bundle may be."""

INDEX_BEGIN = b'<script type="application/json" id="bundle-index">'
_INDEX_END = b"</script>"
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
        # The text of the page before the chunks cannot hold a template: it is escaped.
        self._chunks = {int(match[1]): match.span(2) for match in _TEMPLATE.finditer(content, span[1])}

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
    begin = content.find(INDEX_BEGIN)
    end = content.find(_INDEX_END, begin)
    if begin < 0 or end < 0:
        return None
    if end - begin > MOST_INDEX_BYTES:
        raise damaged(label, f"its index has more than {MOST_INDEX_BYTES:,} bytes")
    return begin + len(INDEX_BEGIN), end

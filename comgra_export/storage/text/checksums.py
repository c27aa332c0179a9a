"""Checksums, by which a reader notices that a file is not what was written.

A JSON object has its own as its last member, so that it stays JSON that every program reads:

    {"text": "Warm-up is over.", "step": 1200, "xxh3_64": "5a0f3cb5d1f7a6c2"}
"""

from __future__ import annotations

import re

import xxhash

from comgra_export.storage.text.json_codec import damaged

__all__ = ["CHECKSUM", "check_json", "checksum_of", "has_checksum", "with_checksum"]

CHECKSUM = "xxh3_64"
"""The name of the function (XXH3 with 64 bits), and of the member that holds its result."""

_LAST_MEMBER = re.compile(rb'"xxh3_64":"([0-9a-f]{16})"\}\Z')


def checksum_of(data: bytes | memoryview) -> str:
    """The checksum of some bytes: 16 hexadecimal digits."""
    return xxhash.xxh3_64_hexdigest(data)


def with_checksum(text: bytes) -> bytes:
    """Adds its checksum to a JSON object: that of all bytes before the added member.

    Args:
        text: The object as `dumps` writes it, without spaces.
    """
    before = text[:-1] if text == b"{}" else text[:-1] + b","
    return before + f'"{CHECKSUM}":"{checksum_of(before)}"}}'.encode()


def has_checksum(text: bytes) -> bool:
    """Whether a JSON object ends with a checksum, be it right or wrong."""
    return _LAST_MEMBER.search(text, max(0, len(text) - 64)) is not None


def check_json(text: bytes, file: str) -> None:
    """Checks what `with_checksum` added.

    Raises:
        DamagedRecordingError: There is no checksum at the end, or it is that of other bytes.
    """
    member = _LAST_MEMBER.search(text, max(0, len(text) - 64))
    if member is None:
        raise damaged(file, "it does not end with its checksum, so something changed it")
    if checksum_of(text[: member.start()]) != member[1].decode():
        raise damaged(file, "its checksum is that of other bytes, so something changed it")

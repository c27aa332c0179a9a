"""One chunk: raw bytes, shuffled by the width of their elements, deflated, and written as base64."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["EncodedChunk", "encode_json_chunk", "encode_lane_chunk", "shuffle"]

STORED = 0
DEFLATED = 1

_LEVEL = 6
_MEMORY_LEVEL = 9
_RAW_DEFLATE = -15
_WORTHWHILE = 0.95


@dataclass(frozen=True)
class EncodedChunk:
    """A chunk as a bundle holds it.

    Attributes:
        raw_bytes: Length before encoding.
        crc32: CRC-32 of the raw bytes, before shuffling.
        codec: `DEFLATED` or `STORED`.
    """

    raw_bytes: int
    crc32: int
    codec: int
    width: int
    base64: bytes


def shuffle(raw: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    """Groups the bytes of a flat array of elements by their place within the element, which has `width` bytes.

    Returns:
        Byte 0 of every element, then byte 1 of every element, and so on; for width 1 the argument itself.
    """
    if width == 1:
        return raw
    return np.ascontiguousarray(raw.reshape(-1, width).T).reshape(-1)


def encode_lane_chunk(raw: NDArray[np.uint8], width: int) -> EncodedChunk:
    """Encodes numbers.

    Run-length matching is 4 to 40 times as fast on tensors as looking for any match, at about the same size: what repeats in
    shuffled numbers is their sign and exponent bytes.
    """
    return _encode(raw, width, zlib.Z_RLE)


def encode_json_chunk(raw: bytes) -> EncodedChunk:
    """Encodes text, which repeats names rather than bytes."""
    return _encode(np.frombuffer(raw, dtype=np.uint8), 1, zlib.Z_DEFAULT_STRATEGY)


def _encode(raw: NDArray[np.uint8], width: int, strategy: int) -> EncodedChunk:
    shuffled = shuffle(raw, width)
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW_DEFLATE, _MEMORY_LEVEL, strategy)
    deflated = compressor.compress(shuffled.data) + compressor.flush()
    worthwhile = len(deflated) <= _WORTHWHILE * raw.size
    return EncodedChunk(
        raw_bytes=raw.size,
        crc32=zlib.crc32(raw.data),
        codec=DEFLATED if worthwhile else STORED,
        width=width,
        base64=base64.b64encode(deflated if worthwhile else shuffled.data),
    )

"""Chunks: decoded, checked, and kept while there is room."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError
from comgra_export.reading.bundles.damage import damaged
from comgra_export.reading.bundles.files import BundleFiles
from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.text.json_codec import loads
from comgra_export.storage.text.limits import Limit, check_limit

__all__ = ["CHUNK_BYTES", "HISTOGRAM_CHUNK_BYTES", "ChunkReader"]

CHUNK_BYTES = 4 * 1024 * 1024
"""Raw bytes of a chunk of a lane, except for its last one."""

HISTOGRAM_CHUNK_BYTES = 512 * 1024
"""The same of a lane of histograms."""

_MOST_BYTES = 512 * 1024 * 1024
"""What a chunk may hold. One of numbers has `CHUNK_BYTES`, one of JSON is as large as its largest document."""

_KEPT_BYTES = 64 * 1024 * 1024
_WIDTHS = (1, 2, 4, 8)

_T = TypeVar("_T")


class ChunkReader:
    """The chunks of a bundle.

    Args:
        files: Where they are.
        table: `chunks` of the index.
        generation: The generation of the folder.
    """

    def __init__(self, files: BundleFiles, table: JsonObject, generation: int) -> None:
        self.label = files.label
        self._files = files
        self._generation = generation
        self._bytes = table.integers("bytes", 0, _MOST_BYTES)
        self._crc32 = table.integers("crc32", 0, 2**32 - 1)
        self._codec = table.integers("codec", 0, 1)
        self._width = table.integers("width", 1, 8)
        if any(len(column) != len(self._bytes) for column in (self._crc32, self._codec, self._width)):
            raise damaged(self.label, "the columns of its chunks differ in length")
        if not set(self._width) <= set(_WIDTHS):
            raise damaged(self.label, "a chunk has elements of an impossible width")
        if table.has("encoded"):
            inline = [number for number, is_inline in enumerate(table.integers("inline", 0, 1)) if is_inline]
            lengths = table.integers("encoded", 0)
            if len(lengths) != len(inline):
                raise damaged(self.label, "it does not say of each chunk in the page how long it is")
            files.expect(dict(zip(inline, lengths, strict=True)))
        self._raw: OrderedDict[int, bytes] = OrderedDict()
        self._documents: dict[int, object] = {}

    def __len__(self) -> int:
        return len(self._bytes)

    def raw(self, number: int) -> bytes:
        """The bytes of a chunk.

        Raises:
            DamagedRecordingError: It is missing, or is not what the index says.
        """
        if not 0 <= number < len(self._bytes):
            raise damaged(self.label, f"it refers to chunk {number}, which there is not")
        if number in self._raw:
            self._raw.move_to_end(number)
            return self._raw[number]
        raw = self._decoded(number)
        if len(raw) != self._bytes[number] or zlib.crc32(raw) != self._crc32[number]:
            raise damaged(self.label, f"chunk {number} does not have the length and checksum that the index says")
        self._raw[number] = raw
        while len(self._raw) > 1 and sum(map(len, self._raw.values())) > _KEPT_BYTES:
            self._raw.popitem(last=False)
        return raw

    def document(self, number: int, decode: Callable[[object, str], _T]) -> _T:
        """The decoded content of a chunk of JSON.

        Raises:
            DamagedRecordingError: As `raw`; or it is not JSON, or not what `decode` expects.
        """
        label = f"{self.label}, chunk {number}"
        if number not in self._documents:
            self._documents[number] = loads(self.raw(number), label)
        return decode(self._documents[number], label)

    def elements(self, first: int, dtype: np.dtype[np.generic], start: int, count: int, size: int = CHUNK_BYTES) -> NDArray[np.generic]:
        """Elements of a lane, one after another.

        Args:
            first: The first chunk of the lane.
            dtype: What they are.
            start: Which element is the first.
            count: How many.
            size: Raw bytes of a chunk of this lane.

        Raises:
            DamagedRecordingError: As `raw`; or the lane is shorter.
        """
        begin, end = start * dtype.itemsize, (start + count) * dtype.itemsize
        if count == 0:
            return np.zeros(0, dtype)
        if first < 0 or start < 0 or first + (end - 1) // size >= len(self._bytes):
            raise damaged(self.label, "it refers to numbers that it does not hold")
        parts = []
        for place in range(begin // size, (end - 1) // size + 1):
            if self._width[first + place] != dtype.itemsize:
                raise damaged(self.label, f"chunk {first + place} holds numbers of another width than expected")
            parts.append(self.raw(first + place)[max(0, begin - place * size) : end - place * size])
        content = parts[0] if len(parts) == 1 else b"".join(parts)
        if len(content) != end - begin:
            raise damaged(self.label, "it refers to numbers that it does not hold")
        return np.frombuffer(content, dtype)

    def _decoded(self, number: int) -> bytes:
        length, width = self._bytes[number], self._width[number]
        # A few bytes unpack to a thousand times as many.
        check_limit(Limit.JSON_BYTES, length, f"{self.label}, chunk {number}")
        try:
            # Deflate that saves nothing is a little longer than what it stands for.
            encoded = self._files.encoded(number, length + length // 1000 + 64, self._generation)
            data = base64.b64decode(encoded, validate=True)
            if self._codec[number]:
                unpacker = zlib.decompressobj(-15)
                data = unpacker.decompress(data, length + 1)
        except (binascii.Error, zlib.error) as error:
            raise damaged(self.label, f"chunk {number} cannot be decoded ({error})") from None
        except MemoryError:
            raise DamagedRecordingError(
                f"{self.label} cannot be used: chunk {number} is too large for the memory of this machine."
            ) from None
        if width == 1 or len(data) != length or length % width:
            return data
        return np.ascontiguousarray(np.frombuffer(data, np.uint8).reshape(width, -1).T).tobytes()

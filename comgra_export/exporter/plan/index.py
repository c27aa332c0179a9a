"""The index of a bundle: columns of positions in lists of distinct things, so that opening thousands of steps costs little."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Hashable, Mapping
from typing import Generic, TypeAlias, TypeVar

from comgra_export.exporter.format.index import ChunkTable, Index, Places, StepColumns
from comgra_export.exporter.format.over_time import HistogramRecords, SeriesRecords

__all__ = ["Digest", "Interner", "content_digest", "empty_columns", "index_json", "places", "with_checksum"]

Digest: TypeAlias = "hashlib._Hash"
_T = TypeVar("_T", bound=Hashable)
_Columns = TypeVar("_Columns", ChunkTable, HistogramRecords, SeriesRecords, StepColumns)

_NOT_HASHED = frozenset({"content_digest", "generation", "story", "start"})


class Interner(Generic[_T]):
    """Distinct values in the order in which they first came."""

    def __init__(self) -> None:
        self._positions: dict[_T, int] = {}

    def position(self, value: _T) -> int:
        """Returns the position of the value, which is added if it is new."""
        return self._positions.setdefault(value, len(self._positions))

    @property
    def values(self) -> list[_T]:
        """The values by position."""
        return list(self._positions)


def empty_columns(columns: type[_Columns]) -> _Columns:
    """Returns columns without entries, in the order of the format."""
    return {name: [] for name in columns.__annotations__}  # type: ignore[return-value]


def places(chunk_of: list[int]) -> Places:
    """Returns where documents are, given the number of the chunk of each. Those of one chunk follow one another."""
    position: list[int] = []
    for number, chunk in enumerate(chunk_of):
        position.append(position[-1] + 1 if number and chunk_of[number - 1] == chunk else 0)
    return {"chunk": chunk_of, "position": position}


def index_json(index: Mapping[str, object]) -> str:
    """Writes an index, or a part of it, as its digest is taken of it: ASCII, no spaces, keys in the order of the specification."""
    return json.dumps(index, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def with_checksum(index: str) -> str:
    """Adds its checksum to the JSON of an index, as its last member: the CRC-32 of the ASCII before that member."""
    before = index[:-1]
    return f'{before},"crc32":{zlib.crc32(before.encode("ascii"))}}}'


def content_digest(index: Index, chunks: Digest) -> str:
    """Returns the `content_digest` of a bundle, in hexadecimal: equal for equal content, whatever its shape and the build of zlib.

    Args:
        index: The index. How its chunks are stored and what tells them apart, its generation, its story, the view that it opens with, and
            the digest itself, are left out.
        chunks: The SHA-256 of the raw bytes of all chunks; not changed.
    """
    unstored = {key: value for key, value in index["chunks"].items() if key not in ("codec", "inline", "identity", "encoded")}
    hashed = {key: unstored if key == "chunks" else value for key, value in index.items() if key not in _NOT_HASHED}
    digest = chunks.copy()
    digest.update(index_json(hashed).encode("ascii"))
    return digest.hexdigest()

"""The index of a bundle: columns of positions in lists of distinct things, so that opening thousands of steps costs little."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping
from typing import Generic, TypeAlias, TypeVar

from comgra_export.exporter.format import ArraySet, ChunkTable, Index, Places, SampleSet, StepColumns
from comgra_export.storage import Blob, RecordedSamples, StepDescription, encode_number

__all__ = [
    "Digest",
    "Interner",
    "SharedSets",
    "content_digest",
    "empty_chunk_table",
    "empty_steps",
    "index_json",
    "places",
    "sample_labels",
]

Digest: TypeAlias = "hashlib._Hash"
_T = TypeVar("_T", bound=Hashable)


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


class SharedSets:
    """What many steps of a bundle have in common, and the strings in it."""

    def __init__(self) -> None:
        self._strings: Interner[str] = Interner()
        self._array_sets: Interner[tuple[tuple[str, str, int], ...]] = Interner()
        self._sample_sets: Interner[tuple[tuple[int, str], ...]] = Interner()
        self._structure_sets: Interner[tuple[int, ...]] = Interner()
        self._call_sets: Interner[tuple[int, ...]] = Interner()

    def append_step(
        self,
        columns: StepColumns,
        step: StepDescription,
        layout: int,
        structures: tuple[int, ...],
        calls: tuple[int, ...],
        arrays: Mapping[str, Blob],
        lanes: Mapping[int, int],
        facts: int,
    ) -> None:
        """Appends a step to the columns of its trial.

        Args:
            columns: The columns, changed in place.
            step: The step.
            layout: Position of its layout.
            structures: Position of the graph of every iteration, or -1.
            calls: Position of the calls of every iteration, or -1; nothing where no module was watched.
            arrays: Its arrays by name, in the order of its lanes.
            lanes: First chunk of every lane by width, or -1.
            facts: Position of what else is known of it, or -1.
        """
        samples = zip(step.samples.index, sample_labels(step.samples), strict=True)
        columns["step"].append(step.step)
        columns["type"].append(self._strings.position(step.type_of_execution))
        columns["batch_size"].append(step.batch_size)
        columns["time"].append(None if step.time is None else encode_number(step.time))
        columns["layout"].append(layout)
        columns["structure_set"].append(self._structure_sets.position(structures))
        columns["call_set"].append(self._call_sets.position(calls) if calls else -1)
        columns["sample_set"].append(self._sample_sets.position(tuple(samples)))
        columns["array_set"].append(
            self._array_sets.position(tuple((name, array.dtype, array.data.size) for name, array in arrays.items()))
        )
        columns["lane8"].append(lanes[8])
        columns["lane4"].append(lanes[4])
        columns["lane2"].append(lanes[2])
        columns["lane1"].append(lanes[1])
        columns["gaps"].append(len(step.gaps))
        columns["triggered"].append(-1 if step.triggered is None else self._strings.position(step.triggered))
        columns["facts"].append(facts)
        columns["epoch"].append(None if step.epoch is None else encode_number(step.epoch))

    @property
    def array_sets(self) -> list[ArraySet]:
        """The `array_sets` of the index."""
        position = self._strings.position
        return [
            {
                "name": [position(name) for name, _, _ in arrays],
                "dtype": [position(dtype) for _, dtype, _ in arrays],
                "count": [count for _, _, count in arrays],
            }
            for arrays in self._array_sets.values
        ]

    @property
    def sample_sets(self) -> list[SampleSet]:
        """The `sample_sets` of the index."""
        position = self._strings.position
        return [
            {"index": [index for index, _ in samples], "label": [position(label) for _, label in samples]}
            for samples in self._sample_sets.values
        ]

    @property
    def structure_sets(self) -> list[list[int]]:
        """The `structure_sets` of the index."""
        return [list(structures) for structures in self._structure_sets.values]

    @property
    def call_sets(self) -> list[list[int]]:
        """The `call_sets` of the index."""
        return [list(calls) for calls in self._call_sets.values]

    @property
    def strings(self) -> list[str]:
        """The `strings` of the index. Only complete once the sets have been asked for."""
        return self._strings.values


def sample_labels(samples: RecordedSamples) -> list[str]:
    """Returns what to show for each recorded sample: its index in the batch, its id and its category, as far as they are known."""
    labels = []
    for place, index in enumerate(samples.index):
        parts = [f"Sample {index:03d}" if samples.category else f"Sample {index}"]
        if samples.id is not None:
            parts.append(samples.id[place])
        if samples.category is not None:
            parts.append(samples.category[place])
        labels.append(" | ".join(parts))
    return labels


def empty_steps() -> StepColumns:
    """Returns the columns of a trial without steps."""
    return {
        "step": [],
        "type": [],
        "batch_size": [],
        "time": [],
        "layout": [],
        "structure_set": [],
        "call_set": [],
        "sample_set": [],
        "array_set": [],
        "lane8": [],
        "lane4": [],
        "lane2": [],
        "lane1": [],
        "gaps": [],
        "triggered": [],
        "facts": [],
        "epoch": [],
    }


def empty_chunk_table() -> ChunkTable:
    """Returns the table of a bundle without chunks."""
    return {"bytes": [], "crc32": [], "codec": [], "width": [], "inline": [], "identity": []}


def places(chunk_of: list[int]) -> Places:
    """Returns where documents are that were put into chunks in order.

    Args:
        chunk_of: For every document the number of its chunk; those of one chunk follow one another.
    """
    position: list[int] = []
    for number, chunk in enumerate(chunk_of):
        position.append(position[-1] + 1 if number and chunk_of[number - 1] == chunk else 0)
    return {"chunk": chunk_of, "position": position}


def index_json(index: Mapping[str, object]) -> str:
    """Writes an index, or a part of it, as its digest is taken of it: ASCII, no spaces, keys in the order of the specification."""
    return json.dumps(index, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def content_digest(index: Index, chunks: Digest) -> str:
    """Returns the `content_digest` of a bundle, in hexadecimal: equal for equal content, whatever its shape and the build of zlib.

    Args:
        index: The index. How its chunks are stored and what tells them apart, its generation, and the digest itself, are left out.
        chunks: The SHA-256 of the raw bytes of all chunks; not changed.
    """
    unstored = {key: value for key, value in index["chunks"].items() if key not in ("codec", "inline", "identity")}
    hashed = {key: unstored if key == "chunks" else value for key, value in index.items() if key not in ("content_digest", "generation")}
    digest = chunks.copy()
    digest.update(index_json(hashed).encode("ascii"))
    return digest.hexdigest()

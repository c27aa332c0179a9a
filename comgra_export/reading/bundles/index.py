"""The index of a bundle: checked, with the entries of its trials."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from comgra_export.errors import NewerFormatError, NotARecordingError
from comgra_export.reading.bundles.chunks import ChunkReader
from comgra_export.reading.bundles.damage import damaged
from comgra_export.reading.bundles.files import BundleFiles, open_files
from comgra_export.storage import ARRAY_DTYPES, Place
from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.text.json_codec import loads

__all__ = ["FORMAT", "VERSION", "Bundle", "Places", "TrialEntry", "open_bundle"]

FORMAT = "comgra-bundle"
VERSION = 1

_STEP_COLUMNS = ("layout", "structure_set", "sample_set", "array_set")
_CHECKSUM = re.compile(rb',"crc32":([0-9]{1,10})}\s*\Z')
_CHECKSUM_BYTES = 64
_LANES = ("lane8", "lane4", "lane2", "lane1")


@dataclass(frozen=True)
class Places:
    """Where documents are: per document a chunk, and a position in the list that the chunk holds."""

    chunks: Sequence[int]
    positions: Sequence[int]


@dataclass(frozen=True)
class TrialEntry:
    """An entry of `trials` of the index.

    Attributes:
        position: Its position in `trials` and in `runs`.
        name: The name of the trial.
        rank: Its rank; None: all ranks together.
        columns: The columns of its steps, all of the same length: integers.
        numbers: The numbers of its steps, ascending.
        times: Seconds since the start, or None.
        epochs: The epochs of its steps, or None.
        chunks: The chunks of `network`, `notes`, `curves`, `gaps`, `findings` and `series`, or -1.
        histograms: The chunks of its histograms.
    """

    position: int
    name: str
    rank: int | None
    columns: Mapping[str, Sequence[int]]
    numbers: Sequence[float]
    times: Sequence[float | None]
    epochs: Sequence[float | None]
    chunks: Mapping[str, int]
    histograms: Sequence[int]


@dataclass(frozen=True, eq=False)
class Bundle:
    """An opened bundle.

    Attributes:
        index: The index.
        chunks: Its chunks.
        group: The name of the group.
        strings: The strings to which positions refer.
        array_sets: Per set the arrays: name, dtype and number of elements.
        sample_sets: Per set the positions in the batch.
        structure_sets: Per set the graphs, or -1.
        places: The chunks of documents, by kind.
        trials: The entries.
        omissions: What was left out, in sentences.
        problems: What could not be read, in sentences.
    """

    index: JsonObject
    chunks: ChunkReader
    group: str
    strings: Sequence[str]
    array_sets: Sequence[Sequence[tuple[str, str, int]]]
    sample_sets: Sequence[tuple[int, ...]]
    structure_sets: Sequence[tuple[int, ...]]
    places: Mapping[str, Places]
    trials: Sequence[TrialEntry]
    omissions: tuple[str, ...]
    problems: tuple[str, ...]


def open_bundle(path: Place) -> Bundle:
    """Reads the index of a bundle, and nothing else.

    Raises:
        NotARecordingError: It is not a bundle.
        NewerFormatError: A newer version wrote it.
        DamagedRecordingError: It contradicts the format.
    """
    files = open_files(path)
    _check_checksum(files)
    index = JsonObject(loads(files.index, files.label), files.label)
    if not index.has("format") or index.text("format") != FORMAT:
        raise NotARecordingError(f'{files.label} does not say "format": "{FORMAT}", so this is not a page of comgra_export.')
    version = index.integer("version", 1)
    if version > VERSION:
        raise NewerFormatError(
            f"{files.label} has version {version} of the bundle format, but this comgra_export reads versions up to {VERSION}. "
            "Upgrade it: pip install --upgrade comgra-export"
        )
    return _bundle(index, files)


def _check_checksum(files: BundleFiles) -> None:
    """Compares an index with its checksum. Bundles had none at first."""
    member = _CHECKSUM.search(files.index, max(0, len(files.index) - _CHECKSUM_BYTES))
    if member is not None and zlib.crc32(files.index[: member.start()]) != int(member[1]):
        raise damaged(files.label, "its index does not have the checksum that it names, so something changed it")


def _bundle(index: JsonObject, files: BundleFiles) -> Bundle:
    strings = index.texts("strings")
    about = index.member("about")
    array_sets = [_array_set(each, strings) for each in index.objects("array_sets")]
    sample_sets = [tuple(each.integers("index", 0)) for each in index.objects("sample_sets")]
    places = {kind: _places(index, kind) for kind in ("layouts", "structures", "facts")}
    structure_sets = [
        tuple(index.as_integers(each, "structure_sets", -1, len(places["structures"].chunks) - 1))
        for each in index.entries("structure_sets")
    ]
    sizes = {
        "layout": len(places["layouts"].chunks),
        "structure_set": len(structure_sets),
        "sample_set": len(sample_sets),
        "array_set": len(array_sets),
        "type": len(strings),
        "facts": len(places["facts"].chunks),
    }
    entries = index.objects("trials")
    return Bundle(
        index=index,
        chunks=ChunkReader(files, index.member("chunks"), index.integer("generation", 0, default=0)),
        group=index.text("group"),
        strings=strings,
        array_sets=array_sets,
        sample_sets=sample_sets,
        structure_sets=structure_sets,
        places=places,
        trials=[_trial(position, each, sizes, files.label) for position, each in enumerate(entries)],
        omissions=tuple(about.texts("omissions")),
        problems=tuple(about.texts("problems")),
    )


def _array_set(columns: JsonObject, strings: Sequence[str]) -> Sequence[tuple[str, str, int]]:
    last = len(strings) - 1
    names, dtypes, counts = columns.integers("name", 0, last), columns.integers("dtype", 0, last), columns.integers("count", 0)
    if not len(names) == len(dtypes) == len(counts):
        raise columns.wrong("name", "has another length than the other columns")
    arrays = [(strings[name], strings[dtype], count) for name, dtype, count in zip(names, dtypes, counts, strict=True)]
    if not {dtype for _, dtype, _ in arrays} <= set(ARRAY_DTYPES):
        raise columns.wrong("dtype", "names an unknown dtype")
    return arrays


def _places(index: JsonObject, kind: str) -> Places:
    if not index.has(kind):
        return Places((), ())
    places = index.member(kind)
    chunks, positions = places.integers("chunk", 0), places.integers("position", 0)
    if len(chunks) != len(positions):
        raise places.wrong("chunk", "has another length than the positions")
    return Places(chunks, positions)


def _trial(position: int, entry: JsonObject, sizes: Mapping[str, int], file: str) -> TrialEntry:
    steps = entry.member("steps")
    numbers = steps.steps("step")
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise steps.wrong("step", "is not in ascending order")
    columns = {name: steps.integers(name, 0, sizes[name] - 1) for name in (*_STEP_COLUMNS, "type")}
    columns["batch_size"] = steps.integers("batch_size", 0)
    for name in _LANES:
        columns[name] = steps.integers(name, -1)
    sizes = {**sizes, "triggered": sizes["type"]}
    for name in ("triggered", "facts"):
        columns[name] = steps.integers(name, -1, sizes[name] - 1) if steps.has(name) else [-1] * len(numbers)
    times = steps.optional_numbers("time")
    epochs = steps.optional_numbers("epoch") if steps.has("epoch") else [None] * len(numbers)
    if any(len(column) != len(numbers) for column in (*columns.values(), times, epochs)):
        raise damaged(file, f"the columns of the steps of trial {position} differ in length")
    return TrialEntry(
        position=position,
        name=entry.text("name"),
        rank=entry.optional_integer("rank", 0),
        columns=columns,
        numbers=numbers,
        times=times,
        epochs=epochs,
        chunks={name: entry.integer(name, -1, default=-1) for name in ("network", "notes", "curves", "gaps", "findings", "series")},
        histograms=entry.integers("histograms", 0) if entry.has("histograms") else (),
    )

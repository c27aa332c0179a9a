"""Reading layouts and structures: tables with tens of thousands of rows, kept as columns, checked column by column."""

from __future__ import annotations

from typing import cast, get_args

from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.model.layout import (
    Group,
    Kind,
    Layout,
    NotKnown,
    Shard,
    ShownTensor,
    SourceLine,
    Structure,
    TensorEntry,
    TensorType,
)
from comgra_export.storage.text.json_codec import damaged

__all__ = ["decode_layout", "decode_structure"]

_TYPES = frozenset(get_args(TensorType))
_REASONS = frozenset(get_args(NotKnown))
_KINDS = frozenset(get_args(Kind))
_EIGHT_BIT_FLOATS = frozenset({"F8_E4M3", "F8_E5M2"})
_DTYPES = frozenset(["F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"]) | _EIGHT_BIT_FLOATS


def decode_layout(content: object, file: str) -> Layout:
    """Reads `layouts/HASH.json`.

    Raises:
        DamagedRecordingError: Columns differ in length, a value is not allowed, a tensor occurs twice, a shape has more elements than 53
            bits can count, or a group names a tensor that is not there.
    """
    layout = JsonObject(content, file)
    sources = _source_lines(layout.member("sources"), file) if layout.has("sources") else []
    tensors = _tensor_entries(layout.member("tensors"), sources, file)
    if len({(tensor.name, tensor.iteration) for tensor in tensors}) != len(tensors):
        raise damaged(file, "a tensor occurs twice in the same iteration")
    groups = tuple(Group(group.text("name"), tuple(group.integers("tensors", 0, len(tensors) - 1))) for group in layout.objects("groups"))
    if len({group.name for group in groups}) != len(groups):
        raise damaged(file, "two groups have the same name")
    for group in groups:
        if len(set(group.tensors)) != len(group.tensors):
            raise damaged(file, "a group holds a tensor twice")
    return Layout(tensors, groups)


def _tensor_entries(columns: JsonObject, sources: list[SourceLine], file: str) -> tuple[TensorEntry, ...]:
    names = columns.texts("name")
    rows = len(names)
    table = (
        names,
        columns.integers("iteration", -1),
        columns.texts("node"),
        columns.texts("role"),
        cast("list[TensorType]", columns.choices("type", _TYPES)),
        cast("list[Kind]", columns.choices("kind", _KINDS)),
        columns.choices("dtype", _DTYPES),
        columns.choices("stored", _DTYPES),
        [tuple(shape) for shape in columns.shapes("shape")],
        columns.optional_integers("batch_dimension", 0),
        columns.integers("samples", 0),
        columns.optional_texts("operation") if columns.has("operation") else [None] * rows,
        columns.optional_texts("module") if columns.has("module") else [None] * rows,
        [_shard(member) for member in columns.optional_objects("shard")] if columns.has("shard") else [None] * rows,
        columns.booleans("histogram") if columns.has("histogram") else [False] * rows,
        columns.optional_texts("device") if columns.has("device") else [None] * rows,
        _sources(columns, sources, file) if columns.has("source") else [None] * rows,
        columns.optional_integers("unit_dimension", 0) if columns.has("unit_dimension") else [None] * rows,
    )
    if any(len(column) != rows for column in table):
        raise damaged(file, "the columns of its tensors differ in length")
    entries = tuple(TensorEntry(*row) for row in zip(*table, strict=True))
    for position, entry in enumerate(entries):
        fault = _fault(entry)
        if fault is not None:
            raise damaged(file, f"the tensor in row {position} {fault}")
    return entries


def _source_lines(columns: JsonObject, file: str) -> list[SourceLine]:
    table = columns.texts("file"), columns.integers("line", 1), columns.texts("function")
    if any(len(column) != len(table[0]) for column in table):
        raise damaged(file, "the columns of its sources differ in length")
    return [SourceLine(*row) for row in zip(*table, strict=True)]


def _sources(columns: JsonObject, sources: list[SourceLine], file: str) -> list[SourceLine | None]:
    positions = columns.optional_integers("source", 0)
    if any(position is not None and position >= len(sources) for position in positions):
        raise damaged(file, "a tensor refers to a source that is not there")
    return [None if position is None else sources[position] for position in positions]


def _shard(shard: JsonObject | None) -> Shard | None:
    if shard is None:
        return None
    count = shard.integer("count", 1)
    return Shard(tuple(shard.shape("shape")), shard.integer("index", 0, count - 1), count)


def _fault(entry: TensorEntry) -> str | None:
    if entry.stored != ("F32" if entry.dtype in _EIGHT_BIT_FLOATS else entry.dtype) and (entry.dtype, entry.stored) != ("F16", "F32"):
        return f"has the dtype {entry.dtype} but is stored as {entry.stored}"
    if entry.unit_dimension is not None and (entry.unit_dimension >= len(entry.shape) or entry.unit_dimension == entry.batch_dimension):
        return "has a dimension of units that its shape does not have, or that is its batch dimension"
    if entry.batch_dimension is None:
        return None if entry.samples == 0 else "has recorded samples but no batch dimension"
    if entry.batch_dimension >= len(entry.shape):
        return "has a batch dimension that its shape does not have"
    if entry.samples > entry.shape[entry.batch_dimension]:
        return "has more recorded samples than its batch dimension is long"
    return None


def decode_structure(content: object, file: str) -> Structure:
    """Reads `structures/HASH.json`. That the graph has no cycle is not checked here.

    Raises:
        DamagedRecordingError: Columns differ in length, a value is not allowed, a dependency occurs twice or names a row that is not there.
    """
    structure = JsonObject(content, file)
    columns = structure.member("tensors")
    names = columns.texts("name")
    table = (
        names,
        columns.texts("node"),
        columns.texts("role"),
        cast("list[TensorType]", columns.choices("type", _TYPES)),
        columns.texts("record_name"),
        columns.integers("record_iteration", -1),
    )
    if any(len(column) != len(names) for column in table):
        raise damaged(file, "the columns of its tensors differ in length")
    sources = structure.integers("from", 0, len(names) - 1)
    sinks = structure.integers("to", 0, len(names) - 1)
    if len(sources) != len(sinks):
        raise damaged(file, "its columns from and to differ in length")
    dependencies = tuple(zip(sources, sinks, strict=True))
    if len(set(dependencies)) != len(dependencies):
        raise damaged(file, "a dependency occurs twice")
    without_gradient = structure.ascending("without_gradient", 0, len(dependencies) - 1) if structure.has("without_gradient") else []
    shown = tuple(ShownTensor(*row) for row in zip(*table, strict=True))
    return Structure(shown, dependencies, tuple(without_gradient), _not_known(structure, len(names), file))


def _not_known(structure: JsonObject, tensors: int, file: str) -> tuple[tuple[int, NotKnown | None], ...]:
    """Reasons of a later version are no reasons here; that something is not known still counts."""
    if not structure.has("not_known"):
        return ()
    columns = structure.member("not_known")
    positions = columns.ascending("tensor", 0, tensors - 1)
    reasons = columns.optional_texts("reason")
    if len(positions) != len(reasons):
        raise damaged(file, "the columns of what is not known differ in length")
    known = [cast("NotKnown", reason) if reason in _REASONS else None for reason in reasons]
    return tuple(zip(positions, known, strict=True))

"""Which records of several ranks are one, and how their numbers become one.

What a rank holds of a tensor is known from its layout:

- **Samples.** It has a batch dimension, and every rank has samples of its own.
- **Parts.** It is sharded; every rank has a part, and several may have the same one. If the batch dimension is what is sharded, the parts
  are samples as above.
- **Replicas.** It has no batch dimension and is not sharded: a parameter, the loss, a gradient of a parameter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from comgra_export.storage import Gap, Group, Kind, Layout, RecordPlace, TensorEntry, iterate_records

__all__ = ["MergePlan", "MergedRecord", "TensorKey", "plan_merge", "ranks_in_words"]

Rule = Literal["samples", "parts", "parts_of_samples", "replicas"]
TensorKey = tuple[str, int]

_NAMES_LISTED = 20


@dataclass(frozen=True)
class _MergedTensor:
    """A tensor that all ranks have.

    Attributes:
        entry: What it is, over all ranks.
        rule: How its numbers become one.
        holders: For every rank, the position of the first one that holds the same.
        sizes: For every rank, what its numbers weigh: samples for the rule `samples`, else values.
    """

    entry: TensorEntry
    rule: Rule
    holders: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class MergedRecord:
    """A record that all ranks have.

    Attributes:
        places: Where its numbers are on every rank.
        target: Where they go.
        rule: How they become one.
        holders: As in the tensor's plan, and so are `sizes`.
    """

    places: tuple[RecordPlace, ...]
    target: RecordPlace
    rule: Rule
    holders: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class MergePlan:
    """How steps with these layouts are merged.

    Attributes:
        layout: What a merged step holds.
        records: Its records, in order.
        gaps: What a rank holds and the merged step does not, and what is less of it.
        holders: For every sharded parameter by name, and every rank, the position of the first rank that holds the same part.
    """

    layout: Layout
    records: tuple[MergedRecord, ...]
    gaps: tuple[Gap, ...]
    holders: dict[str, tuple[int, ...]]


def plan_merge(layouts: Sequence[Layout], ranks: Sequence[int], differing: Collection[TensorKey] = ()) -> MergePlan:
    """Plans how steps are merged.

    `differing` are tensors of which it is known that their values differ between the ranks where they could be equal. These values are left
    out. `ranks` are numbers for sentences.
    """
    omitted: defaultdict[tuple[str | None, str], list[str]] = defaultdict(list)
    tensors = _common_tensors(layouts, ranks, differing, omitted)
    places = [{(place.group, *_key(place.entry)): place for place in iterate_records(layout)} for layout in layouts]
    groups = _common_groups(layouts, ranks, tensors, places, omitted)
    positions = {key: position for position, key in enumerate(tensors)}
    layout = Layout(
        tuple(tensor.entry for tensor in tensors.values()),
        tuple(Group(group, tuple(positions[key] for key in keys)) for group, keys in groups.items()),
    )
    records = []
    for target in iterate_records(layout):
        key = _key(target.entry)
        tensor = tensors[key]
        record = (target.group, *key)
        own = tuple(of_rank[record] for of_rank in places)
        records.append(MergedRecord(own, target, tensor.rule, tensor.holders, tensor.sizes))
    sharded = {key[0]: tensor.holders for key, tensor in tensors.items() if tensor.rule == "parts" and tensor.entry.type == "parameter"}
    return MergePlan(layout, tuple(records), _gaps(omitted), sharded)


def ranks_in_words(ranks: Sequence[int]) -> str:
    """`rank 1`, or `ranks 1, 3`."""
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"


_Omitted = defaultdict[tuple[str | None, str], list[str]]


def _key(entry: TensorEntry) -> TensorKey:
    return entry.name, entry.iteration


def _common_tensors(
    layouts: Sequence[Layout], ranks: Sequence[int], differing: Collection[TensorKey], omitted: _Omitted
) -> dict[TensorKey, _MergedTensor]:
    by_rank = [{_key(entry): entry for entry in layout.tensors} for layout in layouts]
    tensors: dict[TensorKey, _MergedTensor] = {}
    for key in dict.fromkeys(key for entries in by_rank for key in entries):
        entries = [of_rank[key] for of_rank in by_rank if key in of_rank]
        if len(entries) < len(by_rank):
            lacking = [rank for rank, of_rank in zip(ranks, by_rank, strict=True) if key not in of_rank]
            omitted[None, f"{ranks_in_words(lacking)} did not record it, so it is shown per rank only"].append(key[0])
            continue
        try:
            tensor = _merge_tensor(entries)
        except _NotMergeableError as error:
            omitted[None, f"{error}, so it is shown per rank only"].append(key[0])
            continue
        if tensor.entry.values_count and key in differing:
            tensor = replace(tensor, entry=replace(tensor.entry, kind="kpis"))
        elif tensor.entry.kind != entries[0].kind:
            omitted[None, "its neurons are shown per rank only, since the ranks hold different ones"].append(key[0])
        tensors[key] = tensor
    return tensors


class _NotMergeableError(Exception):
    """The ranks contradict each other. The message is the beginning of a sentence about the tensor."""


def _merge_tensor(entries: Sequence[TensorEntry]) -> _MergedTensor:
    first = entries[0]
    for what in ("type", "kind", "dtype", "batch_dimension"):
        if any(getattr(entry, what) != getattr(first, what) for entry in entries):
            raise _NotMergeableError(f"its {what.replace('_', ' ')} differs between the ranks")
    if any(len(entry.shape) != len(first.shape) for entry in entries):
        raise _NotMergeableError("its number of dimensions differs between the ranks")
    whole = replace(
        first,
        samples=0,
        shard=None,
        operation=first.operation if all(entry.operation == first.operation for entry in entries) else None,
        histogram=all(entry.histogram for entry in entries),
        # The statistics of single units are not merged.
        unit_dimension=None,
        module=first.module if all(entry.module == first.module for entry in entries) else None,
        device=first.device if all(entry.device == first.device for entry in entries) else None,
        source=first.source if all(entry.source == first.source for entry in entries) else None,
    )
    if any(entry.shard is not None for entry in entries):
        return _merge_shards(entries, whole)
    shape = tuple(max(sizes) for sizes in zip(*(entry.shape for entry in entries), strict=True))
    batch = first.batch_dimension
    if batch is None:
        kind = first.kind if all(entry.shape == shape for entry in entries) else _without_neurons(first.kind)
        sizes = tuple(prod(entry.shape) for entry in entries)
        return _MergedTensor(replace(whole, shape=shape, kind=kind), "replicas", (0,) * len(entries), sizes)
    kind = first.kind if all(_without(entry.shape, batch) == _without(shape, batch) for entry in entries) else _without_neurons(first.kind)
    sizes = tuple(entry.shape[batch] for entry in entries)
    shape = (*shape[:batch], sum(sizes), *shape[batch + 1 :])
    return _MergedTensor(replace(whole, shape=shape, kind=kind), "samples", tuple(range(len(entries))), sizes)


def _merge_shards(entries: Sequence[TensorEntry], whole: TensorEntry) -> _MergedTensor:
    shards = [entry.shard for entry in entries if entry.shard is not None]
    shape, count = shards[0].shape, shards[0].count
    if len(shards) < len(entries) or any((shard.shape, shard.count) != (shape, count) for shard in shards):
        raise _NotMergeableError("the ranks do not agree on how it is sharded")
    first_holders: dict[int, int] = {}
    holders = tuple(first_holders.setdefault(shard.index, position) for position, shard in enumerate(shards))
    missing = [str(index) for index in range(min(count, len(entries) + 1)) if index not in first_holders]
    if missing:
        raise _NotMergeableError(f"these recordings lack some of its {count} parts (the first is part {missing[0]})")
    sizes = tuple(prod(entry.shape) for entry in entries)
    if len(shape) != len(whole.shape) or sum(sizes[position] for position in first_holders.values()) != prod(shape):
        raise _NotMergeableError("its parts do not add up to the whole")
    batch = whole.batch_dimension
    if batch is not None and all(_without(entry.shape, batch) == _without(shape, batch) for entry in entries):
        return _MergedTensor(replace(whole, shape=shape), "samples", holders, tuple(entry.shape[batch] for entry in entries))
    rule: Rule = "parts" if batch is None else "parts_of_samples"
    return _MergedTensor(replace(whole, shape=shape, kind=_without_neurons(whole.kind)), rule, holders, sizes)


def _without(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


def _without_neurons(kind: Kind) -> Kind:
    return "kpis" if kind == "neuron" else kind


def _common_groups(
    layouts: Sequence[Layout],
    ranks: Sequence[int],
    tensors: Collection[TensorKey],
    places: Sequence[Collection[tuple[str, str, int]]],
    omitted: _Omitted,
) -> dict[str, list[TensorKey]]:
    groups: dict[str, list[TensorKey]] = {}
    for group in dict.fromkeys(group.name for layout in layouts for group in layout.groups):
        lacking = [rank for rank, layout in zip(ranks, layouts, strict=True) if all(other.name != group for other in layout.groups)]
        if lacking:
            omitted[group, f"{ranks_in_words(lacking)} did not record this group, so it is shown per rank only"] = []
            continue
        groups[group] = []
        for key in tensors:
            lacking = [rank for rank, of_rank in zip(ranks, places, strict=True) if (group, *key) not in of_rank]
            if not lacking:
                groups[group].append(key)
            elif len(lacking) < len(ranks):
                omitted[group, f"{ranks_in_words(lacking)} did not record it, so it is shown per rank only"].append(key[0])
    return groups


def _gaps(omitted: _Omitted) -> tuple[Gap, ...]:
    """A gap per reason: runs whose ranks hold different tensors would have one per tensor and step."""
    gaps = []
    for (group, reason), names in omitted.items():
        listed = list(dict.fromkeys(names))
        if len(listed) > 1:
            more = f" and {len(listed) - _NAMES_LISTED:,} more" if len(listed) > _NAMES_LISTED else ""
            reason = f"{reason} (and so for each of {len(listed):,} tensors: {', '.join(listed[:_NAMES_LISTED])}{more})"
        gaps.append(Gap(f"all ranks together: {reason}", group=group, tensor=listed[0] if len(listed) == 1 else None))
    return tuple(gaps)

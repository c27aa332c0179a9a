"""The values that parameters had before a step, and by how much the step changed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.dtypes import number_type, why_not_recordable
from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part
from comgra_export.recorder.host.torch_internals import copy_together
from comgra_export.recorder.numbers.buffers import PIECE, SnapshotBlock, SnapshotMemory, pieces_of
from comgra_export.recorder.numbers.histogram_values import values_for_histogram
from comgra_export.recorder.numbers.kernels import are_worthwhile, norms_before_and_of_change
from comgra_export.recorder.numbers.parameter_norms import CopyPlace, ParameterNorms

__all__ = ["SAMPLE_BYTES", "SNAPSHOT_BYTES", "ParameterSnapshots"]

SNAPSHOT_BYTES = 512_000_000
"""How much memory copies of parameters may take on a device: a training that fits on it leaves about so much free."""

SAMPLE_BYTES = 128_000_000
"""How much they take if there is no room for all: some elements of each large parameter are copied. The norm of an update of normally
distributed elements is then known to 1 in 1,000, even if there are a hundred large parameters."""

# Differences are computed for so many values at a time: what stays in the cache of a processor, and what fills another device.
_CHANGES = 256 * PIECE
_CHANGES_ELSEWHERE = 4096 * PIECE
# Between these norms, squares neither overflow nor vanish.
_SMALLEST, _LARGEST = 1e-12, 1e18

_Kind = tuple[torch.device, torch.dtype]


class _Group(NamedTuple):
    """Copies of one dtype and device: either all whole, or all samples."""

    kind: _Kind
    is_sample: bool


class ParameterSnapshots:
    """Copies of parameters, made before a step.

    If copies of all would take more than `SNAPSHOT_BYTES` of a device, those of its larger parameters are samples: every `k`-th element.
    Parameters that the format has no numbers for are left out.
    """

    def __init__(self, parameters: Mapping[int, nn.Parameter], memory: SnapshotMemory) -> None:
        self.bytes = 0
        self._memory = memory
        self._missing: dict[int, str] = {}
        self._parameters = dict(parameters)
        self._places: dict[_Group, list[CopyPlace]] = {}
        self._blocks: dict[_Group, SnapshotBlock] = {}
        self._copies: dict[int, Tensor] = {}
        with undisturbed():
            values = self._choose()
            for group, members in self._places.items():
                block = self._blocks[group] = memory.take(*group.kind, [place.shape for place in members], is_sample=group.is_sample)
                _copy(block.tensors, [values[place.position] for place in members])
                if not group.is_sample:
                    self._copies.update(zip((place.position for place in members), block.tensors, strict=True))

    def values(self, position: int) -> Tensor | None:
        """A parameter's values before the step, in memory that stays as it is until `give_back`; None if not all were copied."""
        return self._copies.get(position)

    def finish(self, parameters: Mapping[int, nn.Parameter]) -> tuple[list[Tensor], ParameterNorms]:
        """Computes the norms. Afterwards, nothing of the user's is used any more. Nothing waits for an accelerator.

        Args:
            parameters: The parameters as they are now. A parameter has no update if it was replaced, or changed its shape, dtype or device.

        Returns:
            Norms of pieces, on the devices, and the object that puts them together on the CPU.
        """
        norms: list[Tensor] = []
        members: list[tuple[list[CopyPlace], list[int]]] = []
        with undisturbed():
            for group, places in self._places.items():
                is_float32 = group.kind == (torch.device("cpu"), torch.float32)
                # The error of a sample is worked out from the norms of its pieces.
                if is_float32 and not group.is_sample and are_worthwhile(len(self._blocks[group].memory)):
                    norms.append(self._compiled_norms(group, parameters))
                    pieces = [1] * len(places)
                else:
                    norms.append(self._norms_of_pieces(group, parameters))
                    pieces = [pieces_of(place.shape) for place in places]
                members.append((places, pieces))
        self._parameters.clear()
        return norms, ParameterNorms(members, self._missing)

    def give_back(self) -> None:
        """Gives up the copies, and their memory."""
        self._copies.clear()
        while self._blocks:
            self._memory.give_back(self._blocks.popitem()[1])

    def _compiled_norms(self, group: _Group, parameters: Mapping[int, nn.Parameter]) -> Tensor:
        """`[2, P]`: norms of the parameters of a group, and of their changes since then."""
        places = self._places[group]
        norms = torch.empty(len(places), 2, dtype=torch.float64, device="cpu")
        for row, place in zip(norms.unbind(), places, strict=True):
            now = self._values_now(place, group.kind, parameters)
            before = self._copies[place.position].view(-1)
            norms_before_and_of_change(before, None if now is None else now.contiguous().resolve_neg(), row)
        return norms.T

    def _norms_of_pieces(self, group: _Group, parameters: Mapping[int, nn.Parameter]) -> Tensor:
        """`[2, P]`: norms of the pieces of the parameters of a group, and of their changes."""
        memory, start = self._blocks[group].memory, 0
        before: list[Tensor] = []
        changes: list[Tensor] = []
        limit = _CHANGES if group.kind[0].type == "cpu" else _CHANGES_ELSEWHERE
        room, filled = torch.empty(min(len(memory), limit), dtype=_wide_dtype(group.kind), device=group.kind[0]), 0
        for wide in (part.to(room.dtype) for part in memory.split(limit)):
            before.append(_norms(wide.view(-1, PIECE)))
        for place in self._places[group]:
            end = start + pieces_of(place.shape) * PIECE
            now = self._values_now(place, group.kind, parameters)
            while start < end:
                size = min(end - start, len(room) - filled)
                part = room[filled : filled + size].copy_(memory[start : start + size])
                if now is not None:
                    part[: len(now)].sub_(now[:size])
                    now = now[size:]
                start += size
                filled += size
                if filled == len(room):
                    changes.append(_norms(room.view(-1, PIECE)))
                    filled = 0
        if filled:
            changes.append(_norms(room[:filled].view(-1, PIECE)))
        return torch.stack([torch.cat(before), torch.cat(changes)])

    def _values_now(self, place: CopyPlace, kind: _Kind, parameters: Mapping[int, nn.Parameter]) -> Tensor | None:
        """What was copied of a parameter, with its values of now, in one row; None if it is another parameter now."""
        parameter = parameters.get(place.position)
        values = None if parameter is not self._parameters[place.position] else _values_of(parameter)
        if values is None or (values.shape, values.device, values.dtype) != (place.whole, *kind):
            self._missing[place.position] = "its update is not known: it was replaced or changed its shape during the step"
            return None
        return values.reshape(-1) if place.limit is None else values_for_histogram(values, place.limit)

    def _choose(self) -> dict[int, Tensor]:
        """What to copy of each parameter. Notes where it belongs."""
        recordable = {position: values for position, parameter in self._parameters.items() if (values := _values_of(parameter)) is not None}
        by_device: dict[torch.device, list[Tensor]] = {}
        for values in recordable.values():
            by_device.setdefault(values.device, []).append(values)
        limits = {device: _limit(members) for device, members in by_device.items()}
        chosen: dict[int, Tensor] = {}
        taken: dict[torch.device, int] = {}
        for position, values in recordable.items():
            device, whole, limit = values.device, values.shape, limits[values.device]
            if limit is None or whole.numel() <= limit or not is_plain(values):
                limit = None
            else:
                values = values_for_histogram(values, limit)
            size = _values_in_copy(values) * values.element_size()
            if taken.get(device, 0) + size > SNAPSHOT_BYTES:
                self._missing[position] = f"its update is not known: copies of parameters take more than {SNAPSHOT_BYTES // 1_000_000} MB"
                continue
            taken[device] = taken.get(device, 0) + size
            place = CopyPlace(position, values.shape, whole, limit)
            self._places.setdefault(_Group((device, values.dtype), place.is_sample), []).append(place)
            chosen[position] = values
        self.bytes = sum(taken.values())
        return chosen


def _values_in_copy(values: Tensor) -> int:
    return pieces_of(values.shape) * PIECE


def _limit(parameters: Sequence[Tensor]) -> int | None:
    """How many elements of each parameter of a device are copied at most: a power of two; None: all."""
    sizes = [(_values_in_copy(each), each.element_size()) for each in parameters]
    if sum(count * size for count, size in sizes) <= SNAPSHOT_BYTES:
        return None
    limit = 1 << max(count for count, _ in sizes).bit_length()
    while limit > PIECE and sum(min(limit, count) * size for count, size in sizes) > SAMPLE_BYTES:
        limit //= 2
    return limit


def _values_of(parameter: nn.Parameter) -> Tensor | None:
    try:
        values, _ = local_part(parameter)
    except NoLocalPartError:
        return None
    values = values.detach()
    # Storage that was freed temporarily has no values, whatever the shape says.
    is_there = why_not_recordable(values) is None and values.untyped_storage().nbytes() >= values.numel() * values.element_size()
    return values if is_there else None


def _copy(copies: list[Tensor], values: list[Tensor]) -> None:
    # A subclass often knows how to copy itself, but not together with others.
    if all(map(is_plain, values)):
        copy_together(copies, values)
        return
    for copy, parameter in zip(copies, values, strict=True):
        copy.copy_(parameter)


def _wide_dtype(kind: _Kind) -> torch.dtype:
    device, dtype = kind
    numbers = number_type(dtype)
    return torch.float32 if numbers is None or device.type == "mps" else numbers.precision


def _norms(pieces: Tensor) -> Tensor:
    """`[P, M]` to `[P]`, in float64 if the device has it."""
    if pieces.dtype == torch.float64 or pieces.device.type == "mps":
        scale = pieces.abs().amax(dim=1)
        scale = torch.where((scale > 0) & scale.isfinite(), scale, 1.0)
        scaled: Tensor = torch.linalg.vector_norm(pieces / scale[:, None], dim=1)
        return scaled * scale
    if pieces.device.type != "cpu":
        wide: Tensor = torch.linalg.vector_norm(pieces, dim=1, dtype=torch.float64)
        return wide
    norms: Tensor = torch.linalg.vector_norm(pieces, dim=1)
    result = norms.double()
    is_odd = ~((norms > _SMALLEST) & (norms < _LARGEST))
    if bool(is_odd.any()):
        odd = is_odd.nonzero().squeeze(1)
        # Most of them are zero, since the parameter was not changed.
        odd = odd[pieces[odd].abs().amax(dim=1) != 0]
        result[odd] = torch.linalg.vector_norm(pieces[odd].double(), dim=1)
    return result

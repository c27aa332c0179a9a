"""The values that parameters had before a step, and by how much the step changed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from comgra_export.recorder.host.dtypes import number_type, why_not_recordable
from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part
from comgra_export.recorder.host.torch_internals import copy_together
from comgra_export.recorder.numbers.buffers import PIECE, SnapshotBlock, SnapshotMemory, pieces_of
from comgra_export.recorder.numbers.kernels import are_worthwhile, norms_before_and_of_change
from comgra_export.storage.model.step_description import ParameterFacts

__all__ = ["SNAPSHOT_BYTES", "ParameterNorms", "ParameterSnapshots"]

SNAPSHOT_BYTES = 512_000_000
"""How much memory copies of parameters may take on a device: a training that fits on it leaves about so much free."""

# Differences are computed for so many values at a time: what stays in the cache of a processor, and what fills another device.
_CHANGES = 256 * PIECE
_CHANGES_ELSEWHERE = 4096 * PIECE
# Between these norms, squares neither overflow nor vanish.
_SMALLEST, _LARGEST = 1e-12, 1e18

_Kind = tuple[torch.device, torch.dtype]


class ParameterNorms:
    """Norms of parameters that have been computed, piece by piece, and may still be on their way from the device.

    Args:
        members: Per tensor of norms: the positions of the parameters in it, and how many pieces each has.
        missing: Why the update of a parameter is not known, as a sentence, by position.
    """

    def __init__(self, members: Sequence[tuple[Sequence[int], Sequence[int]]], missing: Mapping[int, str]) -> None:
        self.missing = missing
        self._members = members

    def put_together(self, norms: Sequence[Tensor], gradient_differences: Mapping[int, float]) -> ParameterFacts:
        """Puts the norms together.

        Args:
            norms: The norms that `ParameterSnapshots.finish` returned, on the CPU.
            gradient_differences: By position, if it is known: what a gradient holds besides the part that the step has added.
        """
        by_position: dict[int, tuple[float, float]] = {}
        for (positions, pieces), both in zip(self._members, norms, strict=True):
            before, update = (_together(row, pieces) for row in both.double().numpy())
            for position, norm, change in zip(positions, before, update, strict=True):
                by_position[position] = norm, torch.nan if position in self.missing else change
        order = tuple(sorted(by_position))
        return ParameterFacts(
            parameters=order,
            norm=tuple(by_position[position][0] for position in order),
            update_norm=tuple(by_position[position][1] for position in order),
            accumulated_gradient_difference=tuple(gradient_differences.get(position) for position in order),
        )


class ParameterSnapshots:
    """Copies of parameters, made before a step.

    Parameters that the format has no numbers for are left out, and so are those beyond `SNAPSHOT_BYTES` of a device.
    """

    def __init__(self, parameters: Mapping[int, nn.Parameter], memory: SnapshotMemory) -> None:
        self.bytes = 0
        self._memory = memory
        self._missing: dict[int, str] = {}
        self._parameters = dict(parameters)
        self._places: dict[_Kind, list[tuple[int, torch.Size]]] = {}
        self._blocks: dict[_Kind, SnapshotBlock] = {}
        self._copies: dict[int, Tensor] = {}
        with undisturbed():
            values = self._choose()
            for kind, members in self._places.items():
                block = self._blocks[kind] = memory.take(*kind, [shape for _, shape in members])
                _copy(block.tensors, [values[position] for position, _ in members])
                self._copies.update(zip((position for position, _ in members), block.tensors, strict=True))

    def values(self, position: int) -> Tensor | None:
        """A parameter's values before the step, in memory that stays as it is until `give_back`; None if it was left out."""
        return self._copies.get(position)

    def finish(self, parameters: Mapping[int, nn.Parameter]) -> tuple[list[Tensor], ParameterNorms]:
        """Computes the norms. Afterwards, nothing of the user's is used any more. Nothing waits for an accelerator.

        Args:
            parameters: The parameters as they are now. A parameter has no update if it was replaced, or changed its shape, dtype or device.

        Returns:
            Norms of pieces, on the devices, and the object that puts them together on the CPU.
        """
        norms: list[Tensor] = []
        members: list[tuple[list[int], list[int]]] = []
        with undisturbed():
            for kind, places in self._places.items():
                if kind == (torch.device("cpu"), torch.float32) and are_worthwhile(len(self._blocks[kind].memory)):
                    norms.append(self._compiled_norms(kind, parameters))
                    pieces = [1] * len(places)
                else:
                    before = self._blocks[kind].memory.to(_wide_dtype(kind)).view(-1, PIECE)
                    norms.append(torch.stack([_norms(before), self._norms_of_changes(kind, parameters)]))
                    pieces = [pieces_of(shape) for _, shape in places]
                members.append(([position for position, _ in places], pieces))
        self._parameters.clear()
        return norms, ParameterNorms(members, self._missing)

    def give_back(self) -> None:
        """Gives up the copies, and their memory."""
        self._copies.clear()
        while self._blocks:
            self._memory.give_back(self._blocks.popitem()[1])

    def _compiled_norms(self, kind: _Kind, parameters: Mapping[int, nn.Parameter]) -> Tensor:
        """`[2, P]`: norms of the parameters of a kind, and of their changes since then."""
        places = self._places[kind]
        norms = torch.empty(len(places), 2, dtype=torch.float64, device="cpu")
        for row, (position, shape) in zip(norms.unbind(), places, strict=True):
            now = self._values_now(position, shape, kind, parameters)
            norms_before_and_of_change(self._copies[position].view(-1), None if now is None else now.contiguous().resolve_neg(), row)
        return norms.T

    def _norms_of_changes(self, kind: _Kind, parameters: Mapping[int, nn.Parameter]) -> Tensor:
        """`[P]`: norms of the pieces of the changes of the parameters of a kind."""
        memory, start, norms = self._blocks[kind].memory, 0, []
        limit = _CHANGES if kind[0].type == "cpu" else _CHANGES_ELSEWHERE
        changes, filled = torch.empty(min(len(memory), limit), dtype=_wide_dtype(kind), device=kind[0]), 0
        for position, shape in self._places[kind]:
            end = start + pieces_of(shape) * PIECE
            now = self._values_now(position, shape, kind, parameters)
            while start < end:
                size = min(end - start, len(changes) - filled)
                part = changes[filled : filled + size].copy_(memory[start : start + size])
                if now is not None:
                    part[: len(now)].sub_(now[:size])
                    now = now[size:]
                start += size
                filled += size
                if filled == len(changes):
                    norms.append(_norms(changes.view(-1, PIECE)))
                    filled = 0
        if filled:
            norms.append(_norms(changes[:filled].view(-1, PIECE)))
        return torch.cat(norms)

    def _values_now(self, position: int, shape: torch.Size, kind: _Kind, parameters: Mapping[int, nn.Parameter]) -> Tensor | None:
        """A parameter's values, in one row; None if it is another parameter now."""
        parameter = parameters.get(position)
        values = None if parameter is not self._parameters[position] else _values_of(parameter)
        if values is None or (values.shape, values.device, values.dtype) != (shape, *kind):
            self._missing[position] = "its update is not known: it was replaced or changed its shape during the step"
            return None
        return values.reshape(-1)

    def _choose(self) -> dict[int, Tensor]:
        chosen: dict[int, Tensor] = {}
        taken: dict[torch.device, int] = {}
        for position, parameter in self._parameters.items():
            values = _values_of(parameter)
            if values is None:
                continue
            size = pieces_of(values.shape) * PIECE * values.element_size()
            if taken.get(values.device, 0) + size > SNAPSHOT_BYTES:
                self._missing[position] = f"its update is not known: copies of parameters take more than {SNAPSHOT_BYTES // 1_000_000} MB"
                continue
            taken[values.device] = taken.get(values.device, 0) + size
            self._places.setdefault((values.device, values.dtype), []).append((position, values.shape))
            chosen[position] = values
        self.bytes = sum(taken.values())
        return chosen


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


def _together(norms: NDArray[np.float64], pieces: Sequence[int]) -> list[float]:
    starts = np.concatenate([[0], np.cumsum(pieces)[:-1]])
    with np.errstate(all="ignore"):
        largest = np.maximum.reduceat(norms, starts)
        scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
        total: list[float] = (np.sqrt(np.add.reduceat(np.square(norms / np.repeat(scale, pieces)), starts)) * scale).tolist()
    return total

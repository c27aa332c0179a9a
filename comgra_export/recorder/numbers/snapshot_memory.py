"""Memory for copies of parameters, used again from step to step: fresh memory costs the CPU more than the copy."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

__all__ = ["PIECE", "SnapshotBlock", "SnapshotMemory", "pieces_of"]

PIECE = 1024
"""Every tensor takes a whole number of pieces of so many values: a norm in float32 over no more than this is good to six digits."""


class SnapshotBlock:
    """Memory for tensors of one dtype and device, one after the other, in whole pieces. It is filled with zeros.

    Args:
        device: The device.
        dtype: The dtype.
        shapes: The shapes of the tensors.

    Attributes:
        memory: All of it, in one row. What belongs to no tensor stays zero.
        tensors: The tensors, which are parts of it.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype, shapes: Sequence[torch.Size]) -> None:
        self.shapes = tuple(shapes)
        sizes = [pieces_of(shape) * PIECE for shape in shapes]
        self.memory = torch.zeros(sum(sizes), dtype=dtype, device=device)
        parts = zip(self.memory.split(sizes), shapes, strict=True)
        self.tensors: list[Tensor] = [part[: prod(shape)].view(shape) for part, shape in parts]


class SnapshotMemory:
    """Blocks on the CPU that nobody uses at the moment, one of a dtype. Other devices manage their memory themselves."""

    def __init__(self) -> None:
        self._free: dict[torch.dtype, SnapshotBlock] = {}

    def take(self, device: torch.device, dtype: torch.dtype, shapes: Sequence[torch.Size]) -> SnapshotBlock:
        """A block whose tensors may hold anything. It belongs to the caller until `give_back`."""
        # What is for other tensors now is let go of.
        block = self._free.pop(dtype, None) if device.type == "cpu" else None
        return SnapshotBlock(device, dtype, shapes) if block is None or block.shapes != tuple(shapes) else block

    def give_back(self, block: SnapshotBlock) -> None:
        """Takes back a block that nobody uses any more, from any thread."""
        if block.memory.device.type == "cpu":
            self._free[block.memory.dtype] = block


def pieces_of(shape: torch.Size) -> int:
    """How many pieces a tensor takes, at least one."""
    return max(1, -(-prod(shape) // PIECE))

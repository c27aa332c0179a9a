"""Memory for the values that histograms are made of, used again from step to step: what is fresh costs more than the copy into it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.torch_internals import innermost_transform
from comgra_export.recorder.numbers.histograms import values_for_histogram

__all__ = ["CHUNK_VALUES", "PIECE", "HistogramCopies", "HistogramMemory", "Scratch", "SnapshotBlock", "SnapshotMemory", "pieces_of"]

CHUNK_VALUES = 1_048_576
"""How many values a piece of memory has room for: those of a dozen tensors or more, if nobody asks for more than the usual number."""

# 64 MB: those of 250 tensors.
_CHUNKS_KEPT = 16


class _Chunk(NamedTuple):
    """A piece of memory, float32 `[CHUNK_VALUES]`, and where it is."""

    values: NDArray[np.float32]
    address: int


class HistogramMemory:
    """Pieces of memory that no step needs at the moment. They are numpy's, which no mode of torch sees."""

    def __init__(self) -> None:
        self._free: list[_Chunk] = []

    def take(self) -> _Chunk:
        """A piece that may hold anything. It belongs to the caller until `give_back`."""
        try:
            return self._free.pop()
        except IndexError:
            values = np.empty(CHUNK_VALUES, np.float32)
            return _Chunk(values, values.ctypes.data)

    def give_back(self, chunk: _Chunk) -> None:
        """Takes back what nobody uses any more, from any thread."""
        if len(self._free) < _CHUNKS_KEPT:
            self._free.append(chunk)


class HistogramCopies:
    """Copies of the values of one step.

    Args:
        memory: Where they lie.
    """

    def __init__(self, memory: HistogramMemory) -> None:
        self._memory = memory
        self._chunks: list[_Chunk] = []
        self._used = 0

    def copy(self, values: Tensor, limit: int) -> Tensor:
        """As `values_for_histogram`, as a row `[1, n]`, in memory that stays as it is until `give_back`."""
        taken = values_for_histogram(values, limit)
        count = len(taken)
        is_within_transformation = innermost_transform() is not None
        if taken.device.type != "cpu" or taken.dtype != torch.float32 or count > CHUNK_VALUES or is_within_transformation:
            return taken.clone()[None]
        copy, _ = self.reserve(count)
        # numpy needs two thirds of the time to copy values that do not lie beside each other.
        np.copyto(copy, taken.numpy())
        return torch.from_numpy(copy)[None]

    def reserve(self, count: int) -> tuple[NDArray[np.float32], int]:
        """Memory that stays as it is until `give_back`, as `[count]`, contiguous, and where it is. It may hold anything.

        Args:
            count: How many values there is to be room for, no more than `CHUNK_VALUES`.
        """
        if not self._chunks or self._used + count > CHUNK_VALUES:
            self._chunks.append(self._memory.take())
            self._used = 0
        chunk, start = self._chunks[-1], self._used
        self._used += count
        return chunk.values[start : self._used], chunk.address + start * chunk.values.itemsize

    def give_back(self) -> None:
        """Gives up the copies, and their memory."""
        while self._chunks:
            self._memory.give_back(self._chunks.pop())


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


class Scratch:
    """Buffers for intermediate results. They grow as needed, and are kept as long as this object."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[str, torch.dtype], Tensor] = {}

    def take(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """A tensor on the CPU that may hold anything; what was taken under this name and dtype before is given up."""
        count = prod(shape)
        if innermost_transform() is not None:
            # Within a transformation such as `torch.func.grad`, whatever is made belongs to it, and is of no use afterwards.
            return torch.empty(shape, dtype=dtype, device="cpu")
        buffer = self._buffers.get((name, dtype))
        if buffer is None or len(buffer) < count:
            buffer = self._buffers[name, dtype] = torch.empty(count, dtype=dtype, device="cpu")
        return buffer[:count].view(shape)

"""Memory that is used again from step to step, because fresh memory costs the CPU more than what is written into it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.torch_internals import innermost_transform
from comgra_export.storage.arrays.histograms import BINS_PER_SIDE, HISTOGRAM_COLUMNS, QUANTILES

__all__ = [
    "CHUNK_VALUES",
    "PIECE",
    "CountingMemory",
    "HistogramCopies",
    "HistogramMemory",
    "Scratch",
    "SnapshotBlock",
    "SnapshotMemory",
    "SumsMemory",
    "pieces_of",
]

CHUNK_VALUES = 1_048_576
"""How many values a chunk of memory has room for: those of a dozen histograms with the default number of values."""

PIECE = 1024
"""Every parameter takes a whole number of pieces of so many values. A float32 norm over so many values is right to six digits."""

# 64 MB, enough for the histograms of 250 tensors.
_CHUNKS_KEPT = 16

# 128 KB.
_SUMS_TOGETHER = 16_384


class _Chunk(NamedTuple):
    """Memory, float32 `[CHUNK_VALUES]`, and its address."""

    values: NDArray[np.float32]
    address: int


class HistogramMemory:
    """Chunks that no step needs at the moment. They are numpy's memory, which no mode of torch sees."""

    def __init__(self) -> None:
        self._free: list[_Chunk] = []

    def take(self) -> _Chunk:
        """A chunk that may hold anything. It belongs to the caller until `give_back`."""
        try:
            return self._free.pop()
        except IndexError:
            values = np.empty(CHUNK_VALUES, np.float32)
            return _Chunk(values, values.ctypes.data)

    def give_back(self, chunk: _Chunk) -> None:
        """Takes back a chunk that nobody uses any more, from any thread."""
        if len(self._free) < _CHUNKS_KEPT:
            self._free.append(chunk)


class HistogramCopies:
    """Copies of the values that the histograms of one step count."""

    def __init__(self, memory: HistogramMemory) -> None:
        self._memory = memory
        self._chunks: list[_Chunk] = []
        self._used = 0

    def copy(self, values: Tensor) -> Tensor:
        """Copies values `[n]` to a row `[1, n]`, in memory that stays as it is until `give_back`."""
        count = len(values)
        is_within_transform = innermost_transform() is not None
        if values.device.type != "cpu" or values.dtype != torch.float32 or count > CHUNK_VALUES or is_within_transform:
            return values.clone()[None]
        copy, _ = self.reserve(count)
        # numpy needs two thirds of the time to copy values that do not lie beside each other.
        np.copyto(copy, values.numpy())
        return torch.from_numpy(copy)[None]

    def reserve(self, count: int) -> tuple[NDArray[np.float32], int]:
        """Reserves memory for at most `CHUNK_VALUES` values, which stays as it is until `give_back`. It may hold anything.

        Returns:
            The memory, contiguous, `[count]`, and its address.
        """
        if not self._chunks or self._used + count > CHUNK_VALUES:
            self._chunks.append(self._memory.take())
            self._used = 0
        chunk, start = self._chunks[-1], self._used
        self._used += count
        return chunk.values[start : self._used], chunk.address + start * chunk.values.itemsize

    def give_back(self) -> None:
        """Gives up the copies and their memory."""
        while self._chunks:
            self._memory.give_back(self._chunks.pop())


class SnapshotBlock:
    """Memory for copies of parameters of one dtype and device, one after the other, in whole pieces. It is filled with zeros.

    Attributes:
        memory: All of it, in one row. Values that belong to no tensor stay zero.
        tensors: The tensors, which are parts of it.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype, shapes: Sequence[torch.Size], is_sample: bool) -> None:
        self.shapes = tuple(shapes)
        self.is_sample = is_sample
        sizes = [pieces_of(shape) * PIECE for shape in shapes]
        self.memory = torch.zeros(sum(sizes), dtype=dtype, device=device)
        parts = zip(self.memory.split(sizes), shapes, strict=True)
        self.tensors: list[Tensor] = [part[: prod(shape)].view(shape) for part, shape in parts]


class SnapshotMemory:
    """Blocks on the CPU that nobody uses at the moment: for each dtype, one for whole parameters and one for samples of them.

    Other devices manage their memory themselves.
    """

    def __init__(self) -> None:
        self._free: dict[tuple[torch.dtype, bool], SnapshotBlock] = {}

    def take(self, device: torch.device, dtype: torch.dtype, shapes: Sequence[torch.Size], *, is_sample: bool = False) -> SnapshotBlock:
        """A block whose tensors may hold anything. It belongs to the caller until `give_back`."""
        # A block for other shapes is released.
        block = self._free.pop((dtype, is_sample), None) if device.type == "cpu" else None
        return SnapshotBlock(device, dtype, shapes, is_sample) if block is None or block.shapes != tuple(shapes) else block

    def give_back(self, block: SnapshotBlock) -> None:
        """Takes back a block that nobody uses any more, from any thread."""
        if block.memory.device.type == "cpu":
            self._free[block.memory.dtype, block.is_sample] = block


def pieces_of(shape: torch.Size) -> int:
    """How many pieces a tensor takes, at least one."""
    return max(1, -(-prod(shape) // PIECE))


class Scratch:
    """Buffers for intermediate results. They grow as needed, and live as long as this object."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[str, torch.dtype], Tensor] = {}

    def take(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """A tensor on the CPU that may hold anything. It replaces the tensor that was taken before under this name and dtype."""
        count = prod(shape)
        if innermost_transform() is not None:
            # A tensor that is made within a transform such as `torch.func.grad` belongs to it, and cannot be used afterwards.
            return torch.empty(shape, dtype=dtype, device="cpu")
        buffer = self._buffers.get((name, dtype))
        if buffer is None or len(buffer) < count:
            buffer = self._buffers[name, dtype] = torch.empty(count, dtype=dtype, device="cpu")
        return buffer[:count].view(shape)


class SumsMemory(threading.local):
    """Memory for the sums of rows. Many tensors share a piece: to allocate memory and ask for its address takes longer than to split it."""

    def __init__(self) -> None:
        self._use(np.empty(0))

    def take(self, rows: int) -> tuple[NDArray[np.float64], int]:
        """Room for `[5 * rows]`, which belongs to the caller, and where it is."""
        count = 5 * rows
        if self._used + count > len(self._piece):
            self._use(np.empty(max(count, _SUMS_TOGETHER)))
        start = self._used
        self._used += count
        return self._piece[start : self._used], self._address + start * self._piece.itemsize

    def _use(self, piece: NDArray[np.float64]) -> None:
        self._piece, self._address, self._used = piece, piece.ctypes.data, 0


class CountingMemory(threading.local):
    """Memory for counting values, which is used again: to ask for an address takes longer than to count the values of a small tensor.

    Attributes:
        addresses: Those of the four arrays.
    """

    def __init__(self) -> None:
        self.ascending = np.empty(0, np.float32)
        self.summary = np.empty(HISTOGRAM_COLUMNS, np.int64)
        self.counts = np.empty(2 * BINS_PER_SIDE, np.int64)
        self.quantiles = np.empty(len(QUANTILES), np.float32)
        self.addresses: tuple[int, ...] = (0, 0, 0, 0)

    def with_room_for(self, values: int) -> CountingMemory:
        """Makes sure that so many values fit."""
        if not self.addresses[1] or len(self.ascending) < values:
            self.ascending = np.empty(values, np.float32)
            arrays = (self.ascending, self.summary, self.counts, self.quantiles)
            self.addresses = tuple(array.ctypes.data for array in arrays)
        return self

"""Memory for the values that histograms are made of, used again from step to step: what is fresh costs more than the copy into it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.torch_internals import innermost_transform
from comgra_export.recorder.numbers.histograms import looked_at

__all__ = ["CHUNK_VALUES", "HistogramCopies", "HistogramMemory"]

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
        """As `looked_at`, as a row `[1, n]`, in memory that stays as it is until `give_back`."""
        taken = looked_at(values, limit)
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

"""Memory for the values that histograms are made of, used again from step to step: what is fresh costs more than the copy into it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from comgra_export.recorder.histograms import looked_at
from comgra_export.recorder.undisturbed import undisturbed

__all__ = ["CHUNK_VALUES", "HistogramCopies", "HistogramMemory"]

CHUNK_VALUES = 1_048_576
"""How many values a piece of memory has room for: those of a dozen tensors or more, if nobody asks for more than the usual number."""

# 64 MB: those of 250 tensors.
_CHUNKS_KEPT = 16


class HistogramMemory:
    """Pieces of memory that no step needs at the moment."""

    def __init__(self) -> None:
        self._free: list[Tensor] = []

    def take(self) -> Tensor:
        """A float32 tensor on the CPU, `[CHUNK_VALUES]`, that may hold anything. It belongs to the caller until `give_back`."""
        try:
            return self._free.pop()
        except IndexError:
            return torch.empty(CHUNK_VALUES, dtype=torch.float32, device="cpu")

    def give_back(self, chunk: Tensor) -> None:
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
        self._chunks: list[Tensor] = []
        self._used = 0

    def copy(self, values: Tensor, limit: int) -> Tensor:
        """As `looked_at`, as a row `[1, n]`, in memory that stays as it is until `give_back`."""
        taken = looked_at(values, limit)
        count = len(taken)
        is_within_transformation = torch._C._functorch.peek_interpreter_stack() is not None
        if taken.device.type != "cpu" or taken.dtype != torch.float32 or count > CHUNK_VALUES or is_within_transformation:
            return taken.clone()[None]
        copy = self.reserve(count)
        # numpy needs two thirds of the time to copy values that do not lie beside each other.
        np.copyto(copy.numpy()[0], taken.numpy())
        return copy

    def reserve(self, count: int) -> Tensor:
        """A row of memory that stays as it is until `give_back`: float32 `[1, count]` on the CPU, contiguous. It may hold anything.

        Args:
            count: How many values there is to be room for, no more than `CHUNK_VALUES`.
        """
        if not self._chunks or self._used + count > CHUNK_VALUES:
            with undisturbed():
                self._chunks.append(self._memory.take())
            self._used = 0
        row = self._chunks[-1].as_strided((1, count), (count, 1), self._used)
        self._used += count
        return row

    def give_back(self) -> None:
        """Gives up the copies, and their memory."""
        while self._chunks:
            self._memory.give_back(self._chunks.pop())

"""Memory of CUDA devices for the kernels, and for what they write."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from comgra_export.native.cuda.kernels import ROOM_COUNTERS, ROOM_DOUBLES, ROOM_MAGNITUDES, Room

__all__ = ["Queue", "Rooms", "Slots"]


class Queue(NamedTuple):
    """A stream of a device. What it is given is computed in this order."""

    device: torch.device
    stream: int


class Rooms:
    """The intermediate results of kernels: 400 KB for each queue, which are used again and again."""

    def __init__(self) -> None:
        self._rooms: dict[Queue, tuple[Room, list[Tensor]]] = {}

    def of(self, queue: Queue) -> Room:
        """The memory for the kernels of a queue, which is the current one."""
        known = self._rooms.get(queue)
        if known is None:
            device = queue.device
            doubles = torch.empty(ROOM_DOUBLES, dtype=torch.float64, device=device)
            magnitudes = torch.empty(ROOM_MAGNITUDES, dtype=torch.int32, device=device)
            counters = torch.zeros(ROOM_COUNTERS, dtype=torch.int32, device=device)
            room = Room(doubles.data_ptr(), magnitudes.data_ptr(), counters.data_ptr())
            known = self._rooms[queue] = room, [doubles, magnitudes, counters]
        return known[0]


class Slots:
    """Memory of a queue that is handed out piece by piece.

    Args:
        queue: The queue.
        dtype: The dtype of the memory.
        width: How many elements belong together.
        count: How many of these are allocated at once, at least.
    """

    def __init__(self, queue: Queue, dtype: torch.dtype, width: int, count: int) -> None:
        self._queue, self._dtype, self._width, self._count = queue, dtype, width, count
        self._blocks: list[Tensor] = []
        self._used: list[int] = []
        self._address = 0

    def take(self, count: int = 1) -> tuple[int, bool]:
        """Takes `count` slots that lie side by side.

        Returns:
            Their address, and whether they are the first of a new block. They may hold anything.
        """
        is_new = not self._blocks or self._used[-1] + count > len(self._blocks[-1])
        if is_new:
            block = torch.empty(max(count, self._count), self._width, dtype=self._dtype, device=self._queue.device)
            self._blocks.append(block)
            self._used.append(0)
            self._address = block.data_ptr()
        address = self._address + self._used[-1] * self._width * self._blocks[-1].element_size()
        self._used[-1] += count
        return address, is_new

    def blocks(self) -> list[Tensor]:
        """What was taken, block by block: `[count, width]` each. It can be read in the queue that is current now."""
        _wait_for(self._queue, self._blocks)
        return [block[:used] for block, used in zip(self._blocks, self._used, strict=True)]


def _wait_for(queue: Queue, blocks: list[Tensor]) -> None:
    """Lets the current queue of the device read memory of another one. Nothing waits on the CPU."""
    if queue.device.type != "cuda":
        return
    current = torch.cuda.current_stream(queue.device)
    if current.cuda_stream != queue.stream:
        current.wait_stream(torch.cuda.ExternalStream(queue.stream, device=queue.device))
        for block in blocks:
            block.record_stream(current)

"""Memory of CUDA devices for the kernels, and for what they write."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from comgra_export.native.cuda.kernels import SCRATCH_COUNTERS, SCRATCH_DOUBLES, SCRATCH_MAGNITUDES, KernelScratch

__all__ = ["DeviceScratch", "DeviceStream", "Slots"]


class DeviceStream(NamedTuple):
    """A stream of a device, and the number by which the driver knows it. What it is given is computed in this order."""

    device: torch.device
    handle: int


class DeviceScratch:
    """The intermediate results of kernels: 400 KB for each stream, which are used again and again."""

    def __init__(self) -> None:
        self._by_stream: dict[DeviceStream, tuple[KernelScratch, list[Tensor]]] = {}

    def of(self, stream: DeviceStream) -> KernelScratch:
        """The memory for the kernels of a stream, which is the current one."""
        known = self._by_stream.get(stream)
        if known is None:
            device = stream.device
            doubles = torch.empty(SCRATCH_DOUBLES, dtype=torch.float64, device=device)
            magnitudes = torch.empty(SCRATCH_MAGNITUDES, dtype=torch.int32, device=device)
            counters = torch.zeros(SCRATCH_COUNTERS, dtype=torch.int32, device=device)
            scratch = KernelScratch(doubles.data_ptr(), magnitudes.data_ptr(), counters.data_ptr())
            known = self._by_stream[stream] = scratch, [doubles, magnitudes, counters]
        return known[0]


class Slots:
    """Memory of a stream that is handed out piece by piece.

    Args:
        stream: The stream.
        dtype: The dtype of the memory.
        width: How many elements belong together.
        count: How many of these are allocated at once, at least.
    """

    def __init__(self, stream: DeviceStream, dtype: torch.dtype, width: int, count: int) -> None:
        self._stream, self._dtype, self._width, self._count = stream, dtype, width, count
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
            block = torch.empty(max(count, self._count), self._width, dtype=self._dtype, device=self._stream.device)
            self._blocks.append(block)
            self._used.append(0)
            self._address = block.data_ptr()
        address = self._address + self._used[-1] * self._width * self._blocks[-1].element_size()
        self._used[-1] += count
        return address, is_new

    def blocks(self) -> list[Tensor]:
        """What was taken, block by block: `[count, width]` each. It can be read in the stream that is current now."""
        _wait_for(self._stream, self._blocks)
        return [block[:used] for block, used in zip(self._blocks, self._used, strict=True)]


def _wait_for(stream: DeviceStream, blocks: list[Tensor]) -> None:
    """Lets the current stream of the device read memory of another one. Nothing waits on the CPU."""
    if stream.device.type != "cuda":
        return
    current = torch.cuda.current_stream(stream.device)
    if current.cuda_stream != stream.handle:
        # 0 means no stream to `ExternalStream`.
        default = torch.cuda.default_stream(stream.device)
        current.wait_stream(default if stream.handle == default.cuda_stream else torch.cuda.ExternalStream(stream.handle, stream.device))
        for block in blocks:
            block.record_stream(current)

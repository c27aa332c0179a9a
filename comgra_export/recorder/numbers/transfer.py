"""Copies results from their devices to the CPU without waiting for them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from comgra_export.recorder.host.isolation import undisturbed
from comgra_export.recorder.host.memory import bytes_of

__all__ = ["Transfer"]


class Transfer:
    """Tensors on their way to the CPU: one copy per device and dtype, into pinned memory if the device is CUDA.

    Create it in the thread that made the tensors, because it follows their work in the queue of the device. Any thread may wait for it.
    Tensors on the CPU are not copied, and must not be changed any more.

    Attributes:
        size: How many bytes the tensors take.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.size = sum(map(bytes_of, tensors))
        self._arrived = list(tensors)
        self._copies: list[tuple[list[int], Tensor]] = []
        self._events: list[torch.cuda.Event] = []
        groups: dict[tuple[torch.device, torch.dtype], list[int]] = {}
        for index, tensor in enumerate(tensors):
            if tensor.device.type != "cpu":
                groups.setdefault((tensor.device, tensor.dtype), []).append(index)
        with undisturbed():
            for (device, _), indices in groups.items():
                self._copies.append((indices, self._copy(device, torch.cat([tensors[index].reshape(-1) for index in indices]))))
        for device in {device for device, _ in groups if device.type == "cuda"}:
            with torch.cuda.device(device):
                self._events.append(event := torch.cuda.Event())
                event.record()

    def has_arrived(self) -> bool:
        """Whether `wait` would return at once."""
        return all(event.query() for event in self._events)

    def wait(self) -> list[Tensor]:
        """Waits for the tensors, and returns them on the CPU.

        Raises:
            RuntimeError: The device failed.
        """
        for event in self._events:
            event.synchronize()
        for indices, together in self._copies:
            parts = together.split([self._arrived[index].numel() for index in indices])
            for index, part in zip(indices, parts, strict=True):
                self._arrived[index] = part.view(self._arrived[index].shape)
        self._copies.clear()
        return self._arrived

    @staticmethod
    def _copy(device: torch.device, together: Tensor) -> Tensor:
        if device.type != "cuda":
            return together.cpu()
        pinned = torch.empty(together.shape, dtype=together.dtype, device="cpu", pin_memory=True)
        return pinned.copy_(together, non_blocking=True)

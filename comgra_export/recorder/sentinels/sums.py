"""Sums of tensors, and their way from a device that nobody waits for. A sum is not finite if a value is not."""

from __future__ import annotations

from math import isfinite

import torch
from torch import Tensor

from comgra_export.recorder.numbers.transfer import Transfer

__all__ = ["WIDE", "SumsOnDevice", "sum_of"]

# How many sums wait on their device before they are copied together: up to two for each step.
_SUMS_AT_ONCE = 64

WIDE = (torch.float32, torch.float64)
"""Sums of these keep their dtype. Others are added up in float32."""


class SumsOnDevice:
    """Sums on CUDA devices, that are read some steps later without waiting for them."""

    def __init__(self) -> None:
        self._collected: list[tuple[float, str, Tensor]] = []
        self._travelling: list[tuple[list[tuple[float, str, Tensor]], Transfer]] = []

    def add(self, step: float, name: str, total: Tensor) -> tuple[float, str, float] | None:
        """Adds a sum, `[]`. Returns the first that is not finite and has arrived, if any, with its step and name."""
        self._collected.append((step, name, total))
        if len(self._collected) < _SUMS_AT_ONCE:
            return None
        self._send()
        return self._first_not_finite(wait=False)

    def wait(self) -> tuple[float, str, float] | None:
        """As `add`, of all sums. Waits for the devices."""
        self._send()
        return self._first_not_finite(wait=True)

    def _send(self) -> None:
        collected, self._collected = self._collected, []
        if collected:
            self._travelling.append((collected, Transfer([total for _, _, total in collected])))

    def _first_not_finite(self, *, wait: bool) -> tuple[float, str, float] | None:
        while self._travelling and (wait or self._travelling[0][1].has_arrived()):
            collected, transfer = self._travelling.pop(0)
            for (step, name, _), arrived in zip(collected, transfer.wait(), strict=True):
                if not isfinite(total := float(arrived)):
                    return step, name, total
        return None


def sum_of(tensor: Tensor) -> Tensor:
    """The sum of all values, `[]`, on their device, without a gradient."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    return tensor.sum() if tensor.dtype in WIDE else tensor.sum(dtype=torch.float32)

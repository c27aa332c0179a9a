"""Memory of the CPU that is used again and again: what is fresh costs more than what is done with it."""

from __future__ import annotations

from math import prod

import torch
from torch import Tensor

from comgra_export.recorder.host.torch_internals import innermost_transform

__all__ = ["Scratch"]


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

"""Computing with other tensors than the user's, so that the results are the same to the last bit."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from comgra_export.recorder.host.torch_internals import free_weak_storage, weak_storage
from comgra_export.recorder.tracing.functions import Function
from comgra_export.recorder.tracing.values import Inputs

__all__ = ["RandomNumbers", "SavedCopy", "graft"]

_ALIGNMENT = 64


class _Graft(torch.autograd.Function):
    """A tensor on the memory of the user's, with the history of one that was computed from twins."""

    @staticmethod
    def forward(context: object, computed: Tensor, shown: Tensor) -> Tensor:  # noqa: ARG004
        return shown.detach()

    @staticmethod
    def backward(context: object, gradient: Tensor) -> tuple[Tensor, None]:  # noqa: ARG004
        return gradient, None


def graft(shown: Tensor, computed: Tensor) -> Tensor:
    """The twin of a result. What is computed from it later must be the same to the last bit, which also the place in memory decides."""
    if computed.data_ptr() == shown.data_ptr() and computed.stride() == shown.stride():
        return computed
    if computed.shape != shown.shape or computed.dtype != shown.dtype:
        raise TypeError("the result is of another type")
    twin: Tensor = _Graft.apply(computed, shown)  # type: ignore[no-untyped-call]
    return twin


class SavedCopy:
    """A copy of a tensor. As long as it lives, no other storage gets the address of the one that was copied."""

    def __init__(self, tensor: Tensor, storage: torch.UntypedStorage | None) -> None:
        self.tensor = _copy_as_laid_out(tensor)
        self._reference = None if storage is None else weak_storage(storage)

    def __del__(self) -> None:
        if self._reference is not None:
            free_weak_storage(self._reference)


def _copy_as_laid_out(tensor: Tensor) -> Tensor:
    """A copy with the same strides and alignment: with others, an operation may round in another way."""
    if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg() or not tensor.numel():
        return tensor.clone()
    extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    shift = tensor.data_ptr() % _ALIGNMENT // tensor.element_size()
    memory = torch.empty(shift + extent, dtype=tensor.dtype, device=tensor.device)
    memory[shift:] = tensor.as_strided((extent,), (1,), tensor.storage_offset())
    return memory.as_strided(tensor.shape, tensor.stride(), shift)


class RandomNumbers:
    """The state of the random numbers, so that a function that draws some can be called twice with the same."""

    def __init__(self, function: Function, inputs: Inputs, named: Mapping[str, object]) -> None:
        self._generators: list[torch.Generator] = []
        if function.is_random:
            own = named.get("generator")
            devices = sorted({tensor.device.index for tensor in inputs.tensors if tensor.is_cuda})
            self._generators = [torch.default_generator, *(torch.cuda.default_generators[index] for index in devices)]
            self._generators += [own] if isinstance(own, torch.Generator) else []
        self._start = self.now()

    def now(self) -> list[Tensor]:
        """The state in which they are."""
        return [generator.get_state() for generator in self._generators]

    def restore(self, states: list[Tensor] | None = None) -> None:
        """Goes back to the beginning, or to a later state."""
        for generator, state in zip(self._generators, self._start if states is None else states, strict=True):
            generator.set_state(state)

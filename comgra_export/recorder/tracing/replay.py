"""Computing with other tensors than the user's, so that the results are the same to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge

from comgra_export.recorder.host.held_records import hold_record
from comgra_export.recorder.host.torch_internals import with_function_overrides, without_function_overrides
from comgra_export.recorder.tracing.functions import Function
from comgra_export.recorder.tracing.values import Inputs

__all__ = ["RandomNumbers", "SavedCopy", "as_leaf", "graft", "graft_apart"]

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


class _GraftApart(torch.autograd.Function):
    """As `_Graft`, with a history that is no part of the user's graph."""

    @staticmethod
    def forward(context: Any, history: _History, shown: Tensor, *twins: Tensor) -> Tensor:  # noqa: ANN401, ARG004
        context.history = history
        return shown.detach()

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        return None, None, *context.history.gradients(gradient)


class _History:
    """What a call with leaves computed, of which only the graph is kept, and not the tensor."""

    def __init__(self, computed: Tensor, leaves: Sequence[Tensor]) -> None:
        self._end = get_gradient_edge(computed)
        self._starts = [get_gradient_edge(leaf) for leaf in leaves]

    def gradients(self, gradient: Tensor) -> tuple[Tensor | None, ...]:
        with without_function_overrides():
            return torch.autograd.grad([self._end], self._starts, [gradient], retain_graph=True, allow_unused=True)


def graft_apart(shown: Tensor, computed: Tensor, leaves: Sequence[Tensor], twins: Sequence[Tensor]) -> Tensor:
    """As `graft`, of what a call has computed from `leaves`, which stand for `twins`.

    A script may compute several losses from a tensor that requires no gradient, each with a backward pass that frees its graph. So the
    graph of the twins must not be a part of these: the second pass would find it freed, and end the training.
    """
    if computed.shape != shown.shape or computed.dtype != shown.dtype:
        raise TypeError("the result is of another type")
    twin: Tensor = _GraftApart.apply(_History(computed, leaves), shown, *twins)  # type: ignore[no-untyped-call]
    return twin


def as_leaf(tensor: Tensor) -> Tensor:
    """A tensor on the same memory, and of the same class, that requires a gradient."""
    if type(tensor) is Tensor:
        return tensor.detach().requires_grad_()
    with with_function_overrides():  # Only so is it of the same class.
        return tensor.detach().requires_grad_()


class SavedCopy:
    """A copy of a tensor. As long as it lives, no other storage gets the address of the one that was copied."""

    def __init__(self, tensor: Tensor, storage: torch.UntypedStorage | None) -> None:
        self.tensor = _copy_as_laid_out(tensor)
        if storage is not None:
            hold_record(self, storage)


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

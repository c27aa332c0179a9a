"""The cheap check of every step: the largest magnitude of each registered tensor, as one small array."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from comgra_export.recorder.host.dtypes import number_type, why_not_recordable
from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.recorder.host.sharding import local_part
from comgra_export.recorder.host.torch_internals import is_zero_tensor, norms_together, without_function_overrides
from comgra_export.recorder.numbers.kernels import are_worthwhile, largest_magnitude
from comgra_export.recorder.numbers.transfer import Transfer

__all__ = ["SentinelWatch"]

TensorKey = tuple[str, str, int]
"""Group, name and iteration, as in a layout."""


class _Extremes(NamedTuple):
    """The smallest and the largest value of a tensor: `[]`, on its device. One is NaN if a value is."""

    smallest: Tensor
    largest: Tensor


class SentinelWatch:
    """Collects the largest magnitude of every tensor that is registered in one step.

    Each tensor is read once, at the moment it is added, and is not kept. Only this process's part of a distributed tensor is read. Nothing
    waits for a device before `largest` is called. A tensor that cannot be checked (nested, meta, within `vmap`, of a subclass that computes
    differently) is left out.

    Attributes:
        tensors: The tensors that were checked, in the order in which they were added.
    """

    def __init__(self) -> None:
        self.tensors: list[TensorKey] = []
        self._results: list[_Extremes | float] = []

    def add(self, key: TensorKey, tensor: Tensor) -> None:
        """Checks a tensor as it is now, of any shape and dtype, including sparse ones. Never raises."""
        # Function modes and subclasses must not see this.
        with without_function_overrides():
            try:
                result = _extremes_of(tensor)
            except Exception:
                return
        if result is not None:
            self.tensors.append(key)
            self._results.append(result)

    def add_all(self, tensors: Iterable[tuple[TensorKey, Tensor]]) -> None:
        """Checks many tensors that exist at the same time, such as the gradients of all parameters, with few kernels."""
        together: dict[tuple[torch.device, torch.dtype], list[tuple[TensorKey, Tensor]]] = {}
        with without_function_overrides():
            for key, tensor in tensors:
                # The CPU has no kernel launches to save, and there the norm is slower than the extremes.
                if tensor.is_cuda and tensor.is_floating_point() and tensor.numel() and is_plain(tensor):
                    together.setdefault((tensor.device, tensor.dtype), []).append((key, tensor))
                else:
                    self.add(key, tensor)
            for members in together.values():
                self._add_norms(members)

    def largest(self) -> tuple[float, ...]:
        """Waits for the results, which come in one transfer, and returns the largest magnitude of each of `tensors`.

        Returns:
            NaN for a tensor that holds a NaN, else infinity for one that holds an infinity; 0 for an empty tensor.
        """
        with undisturbed():
            parts = self._magnitudes()
            arrived = Transfer([magnitudes for _, magnitudes in parts]).wait()
            largest = [0.0 if isinstance(result, _Extremes) else result for result in self._results]
            for (positions, _), magnitudes in zip(parts, arrived, strict=True):
                for position, magnitude in zip(positions, magnitudes.tolist(), strict=True):
                    largest[position] = magnitude
        return tuple(largest)

    def _add_norms(self, members: list[tuple[TensorKey, Tensor]]) -> None:
        try:
            norms = norms_together([tensor.detach() for _, tensor in members], ord=math.inf)
        except Exception:
            for key, tensor in members:
                self.add(key, tensor)
            return
        self.tensors.extend(key for key, _ in members)
        self._results.extend(_Extremes(norm, norm) for norm in norms)

    def _magnitudes(self) -> list[tuple[list[int], Tensor]]:
        """The largest magnitudes that are not known yet, with their positions in `tensors`, once per device and dtype."""
        groups: dict[tuple[torch.device, torch.dtype], list[tuple[int, _Extremes]]] = {}
        for position, extremes in enumerate(self._results):
            if isinstance(extremes, _Extremes):
                groups.setdefault((extremes.largest.device, extremes.largest.dtype), []).append((position, extremes))
        magnitudes = []
        for (device, _), members in groups.items():
            # MPS has no float64, and so nothing that float32 cannot hold.
            wide = torch.float32 if device.type == "mps" else torch.float64
            largest = torch.stack([extremes.largest for _, extremes in members]).to(wide)
            smallest = torch.stack([extremes.smallest for _, extremes in members]).to(wide)
            magnitudes.append(([position for position, _ in members], torch.maximum(largest, -smallest)))
        return magnitudes


def _extremes_of(tensor: Tensor) -> _Extremes | float | None:
    """The extremes, or the largest magnitude if it is known at once; None if the tensor cannot be checked."""
    tensor, _ = local_part(tensor)
    if not is_plain(tensor):
        return None
    tensor = tensor.detach()
    if why_not_recordable(tensor) is not None:
        if tensor.layout == torch.sparse_coo:
            return _extremes_of(tensor.coalesce().values())
        # The magnitude of infinity + NaN i is infinite.
        return _extremes_of(torch.where(tensor.isnan(), torch.nan, tensor.abs())) if tensor.is_complex() else None
    if not tensor.numel():
        nothing = tensor.new_zeros(())
        return _Extremes(nothing, nothing)
    tensor = _in_order_of_memory(tensor)
    is_in_memory = tensor.is_cpu and tensor.is_contiguous() and not is_zero_tensor(tensor)
    if is_in_memory and tensor.dtype == torch.float32 and are_worthwhile(tensor.numel()):
        return largest_magnitude(tensor)
    try:
        return _Extremes(*torch.aminmax(tensor))
    except NotImplementedError:
        # Types of few operations, such as float8 and uint16.
        numbers = number_type(tensor.dtype)
        return None if numbers is None or numbers.precision == tensor.dtype else _extremes_of(tensor.to(numbers.precision))


def _in_order_of_memory(tensor: Tensor) -> Tensor:
    """The same values in the order of memory, in which they are read up to 200 times as fast (a transposed matrix)."""
    if tensor.is_contiguous():
        return tensor
    return tensor.permute(sorted(range(tensor.dim()), key=tensor.stride().__getitem__, reverse=True))

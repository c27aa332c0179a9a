"""Torch dtypes, as the recording format spells, stores and summarises them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.isolation import is_being_captured, is_plain
from comgra_export.recorder.host.torch_internals import is_transform_wrapper, is_zero_tensor

__all__ = ["NumberType", "as_array", "device_name", "dtype_name", "number_type", "why_not_recordable"]


@dataclass(frozen=True)
class NumberType:
    """How values of a dtype are recorded.

    Attributes:
        name: The dtype in safetensors' spelling.
        stored: The dtype of the stored values, in the same spelling.
        stored_dtype: That dtype in torch.
        precision: The dtype in which its statistics are computed: float64 if float32 cannot hold its values exactly, else float32.
    """

    name: str
    stored: str
    stored_dtype: torch.dtype
    precision: torch.dtype


def _same(dtype: torch.dtype, name: str, precision: torch.dtype = torch.float32) -> tuple[torch.dtype, NumberType]:
    return dtype, NumberType(name, name, dtype, precision)


_NUMBER_TYPES = dict(
    [
        _same(torch.float64, "F64", torch.float64),
        _same(torch.float32, "F32"),
        _same(torch.float16, "F16"),
        _same(torch.bfloat16, "BF16"),
        _same(torch.int64, "I64", torch.float64),
        _same(torch.int32, "I32", torch.float64),
        _same(torch.int16, "I16"),
        _same(torch.int8, "I8"),
        _same(torch.uint64, "U64", torch.float64),
        _same(torch.uint32, "U32", torch.float64),
        _same(torch.uint16, "U16"),
        _same(torch.uint8, "U8"),
        _same(torch.bool, "BOOL"),
        (torch.float8_e4m3fn, NumberType("F8_E4M3", "F32", torch.float32, torch.float32)),
        (torch.float8_e5m2, NumberType("F8_E5M2", "F32", torch.float32, torch.float32)),
    ]
)
# numpy has no bfloat16, and a recording holds bool as bytes: there the bits are taken as they are.
_BIT_VIEWS: dict[torch.dtype, tuple[torch.dtype, np.dtype[np.generic]]] = {
    torch.bfloat16: (torch.int16, np.dtype(np.uint16)),
    torch.bool: (torch.uint8, np.dtype(np.uint8)),
}


def number_type(dtype: torch.dtype) -> NumberType | None:
    """How values of a dtype are recorded, or None if the format has no place for them (complex and quantized numbers)."""
    return _NUMBER_TYPES.get(dtype)


def dtype_name(dtype: torch.dtype) -> str:
    """A dtype in safetensors' spelling, or in torch's if the format has no place for its values."""
    known = _NUMBER_TYPES.get(dtype)
    return str(dtype).removeprefix("torch.") if known is None else known.name


@cache
def device_name(device: torch.device) -> str:
    """A device as torch writes it, such as `cuda:0`."""
    return str(device)


def why_not_recordable(tensor: Tensor) -> str | None:
    """Says why the values of a tensor cannot be recorded, as the rest of a sentence; None if they can."""
    if tensor.is_nested:
        return "it is a nested tensor, whose rows differ in length"
    if tensor.layout != torch.strided:
        return f"it is not a dense tensor but has the layout {str(tensor.layout).removeprefix('torch.')}"
    if tensor.is_meta:
        return "it is a meta tensor, which has no values"
    if tensor.dtype not in _NUMBER_TYPES:
        return f"the recording format has no place for numbers of the type {dtype_name(tensor.dtype)}"
    if is_in_transform(tensor):
        return "it exists only inside a function transform such as vmap"
    if tensor.is_cuda and is_being_captured():
        return "what computes it is being captured into a CUDA graph, and it has no values yet"
    return "its memory was freed" if _is_freed(tensor) else None


def is_in_transform(tensor: Tensor) -> bool:
    """Whether a tensor exists only inside a function transform."""
    # A compiler that traces this call cannot see through the question, and has no such tensors.
    return not torch.compiler.is_compiling() and is_transform_wrapper(tensor)


def _is_freed(tensor: Tensor) -> bool:
    """Whether its storage was made empty. Operations of torch would still read it, at an address of nothing."""
    if not ((tensor.is_cpu or tensor.is_cuda) and is_plain(tensor)):
        return False
    # The address distinguishes nearly all tensors, so it comes first.
    at_nothing = tensor.data_ptr() == tensor.storage_offset() * tensor.element_size()
    return at_nothing and tensor.numel() > 0 and not is_zero_tensor(tensor)


def as_array(tensor: Tensor) -> NDArray[np.generic]:
    """A tensor as a numpy array on the CPU, as the recording stores it: bfloat16 as uint16 and bool as uint8, with the same bits."""
    on_cpu = tensor.cpu()
    if on_cpu.dtype in _BIT_VIEWS:
        bits, dtype = _BIT_VIEWS[on_cpu.dtype]
        return np.asarray(on_cpu.contiguous().view(bits).numpy()).view(dtype)
    return np.asarray(on_cpu.numpy())

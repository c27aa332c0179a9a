"""The names that a checkpoint of PyTorch may use, and what they make: descriptions of tensors, whose numbers lie outside the pickle."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from comgra_export.importers.pickles.machine import Names
from comgra_export.importers.pickles.numpy_values import Maker, PickledGlobal, RefusedError
from comgra_export.importers.pickles.plain_objects import ORDERED_DICT

__all__ = ["TORCH_NAMES", "PickledStorage", "PickledTensor", "storage_of"]

_MAX_DIMENSIONS = 64
_STORAGES = {
    "DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16", "LongStorage": "I64",
    "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8", "ByteStorage": "U8", "BoolStorage": "BOOL",
}  # fmt: skip


@dataclass(frozen=True)
class PickledStorage:
    """Numbers in a file of their own: its name, their dtype in safetensors' spelling, and how many there are."""

    key: str
    dtype: str
    size: int


@dataclass(frozen=True)
class PickledTensor:
    """A view of a storage. Each element lies within it, and it has no more elements than its storage."""

    storage: PickledStorage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def storage_of(reference: object) -> object:
    """The storage that a reference such as `("storage", torch.FloatStorage, "0", "cpu", 20)` names."""
    if not isinstance(reference, tuple) or len(reference) != 5 or reference[0] != "storage":
        raise RefusedError("it refers to what is not one of PyTorch's storages")
    _, kind, key, _, size = reference
    dtype = _STORAGES.get(kind.name) if isinstance(kind, PickledGlobal) and kind.module == "torch" else None
    if dtype is None or not isinstance(key, str) or type(size) is not int or size < 0:
        raise RefusedError("it refers to a storage in a way that PyTorch does not")
    return PickledStorage(key, dtype, size)


def _tensor(arguments: tuple[object, ...]) -> object:
    storage, offset, shape, strides = arguments[:4]
    if not isinstance(storage, PickledStorage) or type(offset) is not int or not _are_sizes(shape) or not _are_sizes(strides):
        raise RefusedError("it has a tensor that is not described as PyTorch does it")
    assert isinstance(shape, tuple)
    assert isinstance(strides, tuple)
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=False))
    elements = prod(shape)
    if len(shape) != len(strides) or offset < 0 or (elements and (last >= storage.size or elements > storage.size)):
        raise RefusedError(f"it has a tensor of the shape {list(shape)} that does not fit its storage of {storage.size:,} numbers")
    return PickledTensor(storage, offset, shape, strides)


def _are_sizes(value: object) -> bool:
    return isinstance(value, tuple) and len(value) <= _MAX_DIMENSIONS and all(type(size) is int and 0 <= size < 2**53 for size in value)


def _first(arguments: tuple[object, ...]) -> object:
    return arguments[0]


_MAKERS: dict[PickledGlobal, tuple[tuple[int, ...], Maker | None]] = {
    PickledGlobal("torch._utils", "_rebuild_tensor_v2"): ((6, 7), _tensor),
    PickledGlobal("torch._utils", "_rebuild_parameter"): ((3,), _first),
    PickledGlobal("torch", "Size"): ((1,), _first),
}

TORCH_NAMES: Names = {**ORDERED_DICT, **_MAKERS, **{PickledGlobal("torch", name): ((), None) for name in _STORAGES}}
"""The names, as `PickleMachine` takes them."""

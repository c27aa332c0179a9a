"""An accelerator, simulated on the CPU: a backend of PyTorch's own kind (PrivateUse1) whose memory nothing but its own kernels can read.

Its tensors are plain tensors at addresses where nothing is, so that whoever reads them directly ends the process. Every operation runs on
the CPU, on values that are kept elsewhere. Operations for which an accelerator would make the script wait are counted.

It cannot be removed from a process. So it is for processes that do nothing else.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

__all__ = ["DEVICE", "set_up", "waits"]

DEVICE = "simulated"

waits: list[str] = []
"""The operations so far that would have made the script wait."""

# No processor has memory there.
_FIRST_ADDRESS = 1 << 56
_ALIGNMENT = 512

_READS = frozenset({"aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::equal", "aten::is_nonzero"})

# As DLPack numbers them.
_DEVICE_OF_EXTENSIONS = 12
_CODES = {torch.bool: 6, torch.bfloat16: 4, torch.uint8: 1}

_memory: dict[int, Tensor] = {}
_next_address = _FIRST_ADDRESS
_backend: list[torch.library.Library] = []


class _Description(ctypes.Structure):
    """`DLManagedTensor`, by which tensors are handed from one library to another."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


# Nothing is freed: a function of Python's that frees would be called while PyTorch raises an exception, and take it away.
_descriptions: list[Any] = []

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def set_up() -> None:
    """Adds the device to this process."""
    _setup_privateuseone_for_python_backend(DEVICE)
    _backend.append(torch.library.Library("_", "IMPL"))
    _backend[0].fallback(_run, "PrivateUse1")
    for name in ("empty.memory_format", "empty_strided", "copy_", "view", "as_strided", "_reshape_alias", "resize_", "_local_scalar_dense"):
        overload = name.partition(".")[2] or "default"
        operation = getattr(getattr(torch.ops.aten, name.partition(".")[0]), overload)
        library = torch.library.Library("aten", "IMPL")
        library.impl(name, lambda *arguments, _operation=operation, **named: _run(_operation, *arguments, **named), "PrivateUse1")
        _backend.append(library)


def _run(operation: Any, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
    """Runs an operation on the CPU. Its results are on the device, unless they were asked for elsewhere."""
    name = operation.name().partition(".")[0]
    if name in _READS or (name == "aten::copy_" and _is_between_devices(arguments) and not _is_non_blocking(arguments, named)):
        waits.append(name)
    given: dict[int, tuple[Tensor, Tensor]] = {}

    def on_cpu(value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, torch.device) and value.type == DEVICE:
            return torch.device("cpu")
        if isinstance(value, Tensor) and value.device.type == DEVICE:
            values = _values(value)
            given.setdefault(values.untyped_storage().data_ptr(), (value, values))
            pairs.append((value, values))
            return values
        return value

    pairs: list[tuple[Tensor, Tensor]] = []
    elsewhere = isinstance(named.get("device"), torch.device) and named["device"].type != DEVICE
    result = operation(*tree_map(on_cpu, arguments), **tree_map(on_cpu, named))
    for own, values in pairs:
        if own.shape != values.shape:
            # It was made without a size, to take a result.
            made = _make(values.shape, values.stride(), values.dtype)
            _values(made).copy_(values)
            own.data = made

    def on_device(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, Tensor) or elsewhere:
            return value
        for own, values in pairs:
            if values is value:
                return own
        if any(value is argument for argument in arguments):
            return value
        shared = given.get(value.untyped_storage().data_ptr()) if value.untyped_storage().nbytes() else None
        if shared is not None and shared[0].dtype == value.dtype:
            return shared[0].detach().as_strided_(value.shape, value.stride(), value.storage_offset())
        made = _make(value.shape, value.stride(), value.dtype)
        _values(made).copy_(value)
        return made

    return tree_map(on_device, result)


def _is_between_devices(arguments: Sequence[Any]) -> bool:
    return bool(arguments[0].device != arguments[1].device)


def _is_non_blocking(arguments: Sequence[Any], named: dict[str, Any]) -> bool:
    return bool(arguments[2] if len(arguments) > 2 else named.get("non_blocking"))


def _values(tensor: Tensor) -> Tensor:
    """The values of a tensor of the device, as a view of where they are kept."""
    storage = tensor.untyped_storage()
    values = torch.empty(0, dtype=tensor.dtype, device="cpu")
    if not storage.nbytes():
        return values.as_strided(tensor.shape, tensor.stride()) if not tensor.numel() else values
    return values.set_(_memory[storage.data_ptr()].untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride())


def _make(shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> Tensor:
    global _next_address
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) if all(shape) else 1
    address = _next_address
    _memory[address] = torch.zeros(extent, dtype=dtype, device="cpu")
    _next_address += -(-(extent * dtype.itemsize + 1) // _ALIGNMENT) * _ALIGNMENT
    array = ctypes.c_int64 * 1
    sizes, steps = array(extent), array(1)
    code = _CODES.get(dtype, 2 if dtype.is_floating_point else 0)
    description = _Description(address, _DEVICE_OF_EXTENSIONS, 0, 1, code, 8 * dtype.itemsize, 1, sizes, steps, 0, None, None)
    _descriptions.append((description, sizes, steps))
    made: Tensor = torch._C._from_dlpack(_new_capsule(ctypes.addressof(description), b"dltensor", None))
    return made.as_strided_(shape, strides, 0)

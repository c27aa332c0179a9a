"""The few globals that a pickle of numbers may name, and what they make: numpy arrays and scalars of plain numbers.

Nothing that the pickle names is called. Every function here checks its arguments, and makes arrays out of the pickle's bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["GLOBALS", "Maker", "PickledArray", "PickledDtype", "PickledGlobal", "RefusedError"]

Array = NDArray[np.generic]

_MAX_DIMENSIONS = 32
_MAX_ELEMENTS = 2**53
_PLAIN = {kind + size for kind, sizes in {"b": "1", "i": "1248", "u": "1248", "f": "248"}.items() for size in sizes}


class RefusedError(Exception):
    """The pickle is refused. The message is the end of a sentence that begins with the place in the file."""


@dataclass(frozen=True)
class PickledGlobal:
    """A function or class that a pickle names, such as `numpy.ndarray`."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass
class PickledDtype:
    """A dtype of plain numbers, such as `f4`. The pickle gives its byte order later."""

    code: str
    order: str = "<"

    def set_state(self, state: object) -> None:
        """Takes a state such as `(3, "<", None, None, None, -1, -1, 0)`: a version, the byte order, and what plain numbers do not have."""
        if not isinstance(state, tuple) or len(state) not in (8, 9) or state[1] not in ("<", ">", "|", "="):
            raise RefusedError("it has a dtype whose state is not one of numpy's")
        if any(part is not None for part in state[2:5]):
            raise RefusedError("it has a dtype with fields or a shape of its own; only arrays of plain numbers are read")
        self.order = ">" if state[1] == ">" else "<"

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The dtype in numpy."""
        return np.dtype(self.order + self.code)


@dataclass
class PickledArray:
    """An array. The pickle may give its numbers later."""

    array: Array | None = None

    def set_state(self, state: object) -> None:
        """Takes `(version, shape, dtype, whether it is in Fortran order, bytes)`."""
        if not isinstance(state, tuple) or len(state) != 5:
            raise RefusedError("it has an array whose state is not one of numpy's")
        _, shape, dtype, fortran, data = state
        self.array = _array(data, dtype, shape, "F" if fortran is True or fortran == 1 else "C")


def _array(data: object, dtype: object, shape: object, order: str) -> Array:
    if not isinstance(dtype, PickledDtype):
        raise RefusedError("it has an array without a dtype of plain numbers")
    sizes = _integers(shape, "the shape of an array")
    if len(sizes) > _MAX_DIMENSIONS or min(sizes, default=0) < 0 or prod(max(1, size) for size in sizes) > _MAX_ELEMENTS:
        raise RefusedError("it has an array with an impossible shape")
    octets = _octets(data)
    if prod(sizes) * dtype.dtype.itemsize != len(octets):
        raise RefusedError(f"it has an array of {dtype.code} whose shape {list(sizes)} does not fit its {len(octets):,} bytes")
    flat = np.frombuffer(octets, dtype.dtype) if len(octets) else np.zeros(0, dtype.dtype)
    return flat.reshape(sizes, order="F" if order == "F" else "C")


def _integers(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, tuple) or not all(type(number) is int for number in value):
        raise RefusedError(f"{what} is no tuple of integers")
    return value


def _octets(value: object) -> bytes | memoryview:
    if isinstance(value, (bytes, memoryview)):
        return value
    if isinstance(value, str):
        # Python 2 has no other type for bytes.
        try:
            return value.encode("latin-1")
        except UnicodeEncodeError:
            pass
    raise RefusedError("it has an array whose numbers are not given as bytes")


def _reconstruct(arguments: tuple[object, ...]) -> object:
    kind, shape, typecode = arguments
    if kind != PickledGlobal("numpy", "ndarray") or shape != (0,) or _octets(typecode) != b"b":
        raise RefusedError("it begins an array in a way that is not numpy's")
    return PickledArray()


def _dtype(arguments: tuple[object, ...]) -> object:
    code = arguments[0]
    if not isinstance(code, str) or code not in _PLAIN:
        what = "Python objects" if code in ("O", "O8", "O4") else f"the dtype {str(code)[:20]!a}"
        raise RefusedError(f"it has an array of {what}; only integers, floats of 2 to 8 bytes and booleans are read")
    return PickledDtype(code)


def _scalar(arguments: tuple[object, ...]) -> object:
    dtype, data = arguments
    return PickledArray(_array(data, dtype, (), "C"))


def _from_buffer(arguments: tuple[object, ...]) -> object:
    data, dtype, shape, order, *axes = arguments
    if order not in ("C", "F", "K"):
        raise RefusedError("it has an array in an order that is not one of numpy's")
    array = _array(data, dtype, shape, order)
    if not axes:
        return PickledArray(array)
    axis_order = _integers(axes[0], "the order of axes of an array")
    if sorted(axis_order) != list(range(array.ndim)):
        raise RefusedError("it has an array whose order of axes does not name each axis once")
    return PickledArray(array.transpose(axis_order))


def _encode(arguments: tuple[object, ...]) -> object:
    text, encoding = arguments
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise RefusedError("it gives bytes in a way that is not Python's")
    return _octets(text)


def _empty_bytes(_: tuple[object, ...]) -> object:
    return b""


Maker = Callable[[tuple[object, ...]], object]
"""Makes a value from the arguments that a pickle gives."""


GLOBALS: dict[PickledGlobal, tuple[tuple[int, ...], Maker | None]] = {
    PickledGlobal("numpy", "ndarray"): ((), None),
    PickledGlobal("numpy", "dtype"): ((3,), _dtype),
    # Protocols before 3 have no bytes, and write them with these.
    PickledGlobal("_codecs", "encode"): ((2,), _encode),
    PickledGlobal("__builtin__", "bytes"): ((0,), _empty_bytes),
    PickledGlobal("builtins", "bytes"): ((0,), _empty_bytes),
    # In numpy 1.
    PickledGlobal("numpy.core.multiarray", "_reconstruct"): ((3,), _reconstruct),
    PickledGlobal("numpy.core.multiarray", "scalar"): ((2,), _scalar),
    PickledGlobal("numpy.core.numeric", "_frombuffer"): ((4, 5), _from_buffer),
    # In numpy 2.
    PickledGlobal("numpy._core.multiarray", "_reconstruct"): ((3,), _reconstruct),
    PickledGlobal("numpy._core.multiarray", "scalar"): ((2,), _scalar),
    PickledGlobal("numpy._core.numeric", "_frombuffer"): ((4, 5), _from_buffer),
}
"""The names that a pickle may use: the numbers of arguments allowed in a call, and what makes the value. None: the name is never called."""

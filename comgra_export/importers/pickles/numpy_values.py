"""What the few globals that a pickle of numbers may name stand for: numpy arrays and scalars of plain numbers.

Nothing of the pickle is called. Every function here checks its arguments, and makes an array out of bytes that the pickle holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["GLOBALS", "PickledArray", "PickledDtype", "PickledGlobal", "RefusedError"]

Array = NDArray[np.generic]

_MAX_DIMENSIONS = 32
_MAX_ELEMENTS = 2**53
_PLAIN = {kind + size for kind, sizes in {"b": "1", "i": "1248", "u": "1248", "f": "248"}.items() for size in sizes}


class RefusedError(Exception):
    """What a pickle asks for is not done. The message is the rest of a sentence that begins with where it is."""


@dataclass(frozen=True)
class PickledGlobal:
    """Something that a pickle names: `numpy.ndarray`."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass
class PickledDtype:
    """A dtype of plain numbers, such as `f4`. Its byte order comes later."""

    code: str
    order: str = "<"

    def set_state(self, state: object) -> None:
        """Takes `(3, "<", None, None, None, -1, -1, 0)`: the version, the byte order, and what plain numbers do not have."""
        if not isinstance(state, tuple) or len(state) not in (8, 9) or state[1] not in ("<", ">", "|", "="):
            raise RefusedError("a dtype has a state that is not one of numpy's")
        if any(part is not None for part in state[2:5]):
            raise RefusedError("a dtype has fields or a shape of its own; only arrays of plain numbers are read")
        self.order = ">" if state[1] == ">" else "<"

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The same in numpy."""
        return np.dtype(self.order + self.code)


@dataclass
class PickledArray:
    """An array whose numbers come later."""

    array: Array | None = None

    def set_state(self, state: object) -> None:
        """Takes `(1, shape, dtype, whether in Fortran order, bytes)`."""
        if not isinstance(state, tuple) or len(state) != 5:
            raise RefusedError("an array has a state that is not one of numpy's")
        _, shape, dtype, fortran, data = state
        self.array = _array(data, dtype, shape, "F" if fortran is True or fortran == 1 else "C")


def _array(data: object, dtype: object, shape: object, order: str) -> Array:
    if not isinstance(dtype, PickledDtype):
        raise RefusedError("an array has no dtype of plain numbers")
    sizes = _integers(shape, "an array's shape")
    if len(sizes) > _MAX_DIMENSIONS or min(sizes, default=0) < 0 or prod(max(1, size) for size in sizes) > _MAX_ELEMENTS:
        raise RefusedError("an array has a shape that there is not")
    octets = _octets(data)
    if prod(sizes) * dtype.dtype.itemsize != len(octets):
        raise RefusedError(f"an array of the shape {list(sizes)} and the dtype {dtype.code} does not fit its {len(octets):,} bytes")
    flat = np.frombuffer(octets, dtype.dtype) if len(octets) else np.zeros(0, dtype.dtype)
    return flat.reshape(sizes, order="F" if order == "F" else "C")


def _integers(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, tuple) or not all(type(number) is int for number in value):
        raise RefusedError(f"{what} is not a tuple of integers")
    return value


def _octets(value: object) -> bytes | memoryview:
    if isinstance(value, (bytes, memoryview)):
        return value
    if isinstance(value, str):
        # Python 2 had no other type for bytes.
        try:
            return value.encode("latin-1")
        except UnicodeEncodeError:
            pass
    raise RefusedError("numbers are not given as bytes, as they are in an array of plain numbers")


def _reconstruct(arguments: tuple[object, ...]) -> object:
    kind, shape, typecode = arguments
    if kind != PickledGlobal("numpy", "ndarray") or shape != (0,) or _octets(typecode) != b"b":
        raise RefusedError("an array begins in a way that is not numpy's")
    return PickledArray()


def _dtype(arguments: tuple[object, ...]) -> object:
    code = arguments[0]
    if not isinstance(code, str) or code not in _PLAIN:
        what = "Python objects" if code in ("O", "O8", "O4") else f"the dtype {str(code)[:20]!a}"
        raise RefusedError(f"an array holds {what}; only integers, floats of 2 to 8 bytes and booleans are read")
    return PickledDtype(code)


def _scalar(arguments: tuple[object, ...]) -> object:
    dtype, data = arguments
    return PickledArray(_array(data, dtype, (), "C"))


def _from_buffer(arguments: tuple[object, ...]) -> object:
    data, dtype, shape, order, *axes = arguments
    if order not in ("C", "F", "K"):
        raise RefusedError("an array is in an order that is not one of numpy's")
    array = _array(data, dtype, shape, order)
    if not axes:
        return PickledArray(array)
    axis_order = _integers(axes[0], "the order of an array's axes")
    if sorted(axis_order) != list(range(array.ndim)):
        raise RefusedError("the order of an array's axes names other axes")
    return PickledArray(array.transpose(axis_order))


def _encode(arguments: tuple[object, ...]) -> object:
    text, encoding = arguments
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise RefusedError("bytes are given in a way that is not Python's")
    return _octets(text)


def _empty_bytes(_: tuple[object, ...]) -> object:
    return b""


Maker = Callable[[tuple[object, ...]], object]


def _globals() -> dict[PickledGlobal, tuple[tuple[int, ...], Maker | None]]:
    made: dict[PickledGlobal, tuple[tuple[int, ...], Maker | None]] = {
        PickledGlobal("numpy", "ndarray"): ((), None),
        PickledGlobal("numpy", "dtype"): ((3,), _dtype),
        # How protocols before 3, which have no bytes, write them.
        PickledGlobal("_codecs", "encode"): ((2,), _encode),
        PickledGlobal("__builtin__", "bytes"): ((0,), _empty_bytes),
        PickledGlobal("builtins", "bytes"): ((0,), _empty_bytes),
    }
    # Before numpy 2 and since.
    for core in ("numpy.core", "numpy._core"):
        made[PickledGlobal(f"{core}.multiarray", "_reconstruct")] = ((3,), _reconstruct)
        made[PickledGlobal(f"{core}.multiarray", "scalar")] = ((2,), _scalar)
        made[PickledGlobal(f"{core}.numeric", "_frombuffer")] = ((4, 5), _from_buffer)
    return made


GLOBALS = _globals()
"""What a pickle may name: with how many arguments it may be called, and what then comes of them; None where it is no more than named."""

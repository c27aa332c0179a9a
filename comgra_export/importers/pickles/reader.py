"""Reading a pickle that may be hostile: numbers, text, arrays and containers of them come out, and nothing else can.

A pickle is a program for a small stack machine, and Python's own reader lets it call whatever it names. This reader runs the program
itself: it knows the instructions that build plain data, and a handful of names that numpy uses for arrays (see `numpy_values`). Any other
name or instruction is refused where it stands, before anything is made of it.

Memory stays within a fixed multiple of the file: arrays are views of its bytes, and what a pickle builds by referring to one thing again
and again is counted as often as it occurs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickles.instructions import INSTRUCTIONS, STOP, name_of
from comgra_export.importers.pickles.machine import PickleMachine
from comgra_export.importers.pickles.numpy_values import PickledArray, RefusedError

__all__ = ["PickleValue", "read_pickle"]

PickleValue = (
    bool | int | float | str | NDArray[np.generic] | list["PickleValue"] | tuple["PickleValue", ...] | dict[object, "PickleValue"] | None
)
"""What can come out. Scalars of numpy are arrays without dimensions. Arrays are read-only, and in the byte order of the file."""

_MAX_DEPTH = 64
# Containers and arrays that are referred to several times are legitimate, but not without end.
_MAX_GROWTH = 16


def read_pickle(data: bytes, file: str) -> PickleValue:
    """Reads a pickle of any protocol from 0 to 5.

    Args:
        data: The file's content. What comes after the end of the pickle is ignored, as Python does.
        file: How messages name the file.

    Raises:
        ForeignDataError: It is cut off, is no pickle, names something other than numpy's arrays, or builds more than its size allows.
    """
    machine = PickleMachine(data)
    try:
        return _Result(_MAX_GROWTH * len(data) + 1024).of(_run(machine), 0)
    except RefusedError as refused:
        raise ForeignDataError(f"{file} is not read: at byte {machine.data.at:,}, {refused}.") from None


def _run(machine: PickleMachine) -> object:
    while True:
        code = machine.data.instruction()
        if code == STOP:
            return machine.end()
        follow = INSTRUCTIONS.get(code)
        if follow is None:
            raise RefusedError(f"it has {name_of(code)}, which data of numbers has no use for")
        follow(machine)


class _Result:
    """Makes what comes out of what the machine has built: counts it, bounds its depth, and puts finished arrays into their places."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def of(self, value: object, depth: int) -> PickleValue:
        if depth > _MAX_DEPTH:
            raise RefusedError(f"it holds containers within one another, more than {_MAX_DEPTH} deep or in a circle")
        self._left -= 1
        if isinstance(value, PickledArray) and value.array is not None:
            self._left -= value.array.nbytes
        if self._left < 0:
            raise RefusedError(f"it refers to the same things so often that they come to more than {_MAX_GROWTH} times its size")
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, PickledArray):
            if value.array is None:
                raise RefusedError("an array has no numbers")
            return value.array
        if isinstance(value, list):
            return [self.of(member, depth + 1) for member in value]
        if isinstance(value, tuple):
            return tuple(self.of(member, depth + 1) for member in value)
        if isinstance(value, dict):
            return {key: self.of(member, depth + 1) for key, member in value.items()}
        raise RefusedError("it holds bytes, a dtype or a name where data of numbers has none")

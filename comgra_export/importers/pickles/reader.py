"""Reads pickles that may be hostile: numbers, texts, arrays and containers of them, and nothing else.

A pickle is a program for a small stack machine, and Python's own reader lets it call any function that it names. This reader runs the
program itself. It knows the instructions that build plain data, and the few names that numpy uses for arrays (see `numpy_values`). It
refuses any other name or instruction before it makes anything of it.

Memory stays within a fixed multiple of the file's size: arrays are views of its bytes, and a value that a pickle refers to several times
is counted each time.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickles.machine import Names, PickleMachine
from comgra_export.importers.pickles.numpy_values import PickledArray, RefusedError
from comgra_export.importers.pickles.stream import PickleStream

__all__ = ["PickleValue", "read_pickle", "run_pickle"]

PickleValue = (
    bool | int | float | str | NDArray[np.generic] | list["PickleValue"] | tuple["PickleValue", ...] | dict[object, "PickleValue"] | None
)
"""A value that a pickle may hold. Scalars of numpy are arrays without dimensions. Arrays are read-only, in the byte order of the file."""

_MAX_DEPTH = 64
# A pickle may refer to a container or an array several times, but not without end.
_MAX_GROWTH = 16

_Instruction = Callable[[PickleMachine], None]


def read_pickle(data: bytes, file: str, names: Names | None = None) -> PickleValue:
    """Reads a pickle of any protocol from 0 to 5.

    Args:
        data: The file's content. Bytes after the end of the pickle are ignored, as Python does.
        file: How messages name the file.
        names: Names that it may use besides those of numpy. Objects of allowed classes are read as dicts of their attributes.

    Raises:
        ForeignDataError: It is cut off, is no pickle, names something other than numpy's arrays, or builds more than its size allows.
    """
    machine = PickleMachine(data, names)
    try:
        return _Result(_MAX_GROWTH * len(data) + 1024).checked(run_pickle(machine), 0)
    except RefusedError as refused:
        raise ForeignDataError(f"{file} is not read: at byte {machine.stream.at:,}, {refused}.") from None


def run_pickle(machine: PickleMachine) -> object:
    """Runs a pickle to its end, and returns what it holds, unchecked: it may be nested deeply, or in a circle.

    Raises:
        RefusedError: The pickle is refused.
    """
    while True:
        opcode = machine.stream.opcode()
        if opcode == _STOP:
            return machine.end()
        instruction = _INSTRUCTIONS.get(opcode)
        if instruction is None:
            raise RefusedError(f"it has {_name_of(opcode)}, which data of numbers has no use for")
        instruction(machine)


def _name_of(opcode: int) -> str:
    """What a code stands for, in words."""
    names = [known.name for known in pickletools.opcodes if known.code == chr(opcode)]
    return f"the instruction {names[0]}" if names else f"the byte {opcode:#04x}, which is no instruction of a pickle,"


class _Result:
    """Copies what the machine has built, with arrays instead of `PickledArray`. It bounds the nesting and the size.

    Args:
        limit: How many values and bytes of arrays there may be, counted each time that they occur.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit

    def checked(self, value: object, depth: int) -> PickleValue:
        """The value, which lies within `depth` containers."""
        if depth > _MAX_DEPTH:
            raise RefusedError(f"it holds containers within one another, more than {_MAX_DEPTH} deep or in a circle")
        self._left -= 1
        if isinstance(value, PickledArray) and value.array is not None:
            self._left -= value.array.nbytes
        if self._left < 0:
            raise RefusedError(f"it refers to the same values so often that they come to more than {_MAX_GROWTH} times its size")
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, PickledArray):
            if value.array is None:
                raise RefusedError("it has an array with no numbers")
            return value.array
        if isinstance(value, list):
            return [self.checked(member, depth + 1) for member in value]
        if isinstance(value, tuple):
            return tuple(self.checked(member, depth + 1) for member in value)
        if isinstance(value, dict):
            return {key: self.checked(member, depth + 1) for key, member in value.items()}
        raise RefusedError("it holds bytes, a dtype or a name on its own, not in an array")


def _pushing(value: object) -> _Instruction:
    return lambda machine: machine.push(value)


def _reading(read: Callable[[PickleStream], object]) -> _Instruction:
    return lambda machine: machine.push(read(machine.stream))


def _sized(read: Callable[[PickleStream, int], object], size: int) -> _Instruction:
    return lambda machine: machine.push(read(machine.stream, size))


def _putting(index: Callable[[PickleStream], int]) -> _Instruction:
    return lambda machine: machine.put(index(machine.stream))


def _getting(index: Callable[[PickleStream], int]) -> _Instruction:
    return lambda machine: machine.get(index(machine.stream))


def _tuple_of(count: int) -> _Instruction:
    return lambda machine: machine.tuple_of(count)


_STOP = ord(".")

# The instructions that build plain data, by their codes.
_INSTRUCTIONS: dict[int, _Instruction] = {
    0x80: lambda machine: machine.stream.protocol(),
    0x95: lambda machine: machine.stream.frame(),
    ord("("): PickleMachine.mark,
    ord("0"): PickleMachine.pop_or_mark,
    ord("1"): PickleMachine.pop_mark,
    ord("2"): PickleMachine.duplicate,
    ord("N"): _pushing(None),
    0x88: _pushing(True),
    0x89: _pushing(False),
    ord("I"): _reading(PickleStream.text_integer),
    ord("J"): _reading(lambda stream: stream.integer(4, signed=True)),
    ord("K"): _reading(lambda stream: stream.integer(1)),
    ord("M"): _reading(lambda stream: stream.integer(2)),
    ord("L"): _reading(PickleStream.text_long),
    0x8A: _sized(PickleStream.long, 1),
    0x8B: _sized(PickleStream.long, 4),
    ord("F"): _reading(PickleStream.text_float),
    ord("G"): _reading(PickleStream.binary_float),
    ord("S"): _reading(PickleStream.text_string),
    ord("T"): _sized(PickleStream.binary_string, 4),
    ord("U"): _sized(PickleStream.binary_string, 1),
    ord("V"): _reading(PickleStream.text_unicode),
    ord("X"): _sized(PickleStream.unicode, 4),
    0x8C: _sized(PickleStream.unicode, 1),
    0x8D: _sized(PickleStream.unicode, 8),
    ord("B"): _sized(PickleStream.octets, 4),
    ord("C"): _sized(PickleStream.octets, 1),
    0x8E: _sized(PickleStream.octets, 8),
    0x96: _sized(PickleStream.octets, 8),
    ord(")"): _pushing(()),
    ord("t"): PickleMachine.tuple_since_mark,
    0x85: _tuple_of(1),
    0x86: _tuple_of(2),
    0x87: _tuple_of(3),
    ord("]"): lambda machine: machine.push([]),
    ord("l"): PickleMachine.list_since_mark,
    ord("a"): PickleMachine.append,
    ord("e"): PickleMachine.appends,
    ord("}"): lambda machine: machine.push({}),
    ord("d"): PickleMachine.dict_since_mark,
    ord("s"): PickleMachine.set_item,
    ord("u"): PickleMachine.set_items,
    ord("p"): _putting(PickleStream.text_index),
    ord("g"): _getting(PickleStream.text_index),
    ord("q"): _putting(lambda stream: stream.integer(1)),
    ord("r"): _putting(lambda stream: stream.integer(4)),
    ord("h"): _getting(lambda stream: stream.integer(1)),
    ord("j"): _getting(lambda stream: stream.integer(4)),
    0x94: PickleMachine.memoize,
    ord("c"): PickleMachine.text_global,
    0x93: PickleMachine.stack_global,
    ord("R"): PickleMachine.reduce,
    # A class is called like a function.
    0x81: PickleMachine.reduce,
    ord("Q"): PickleMachine.refer_outside,
    ord("b"): PickleMachine.build,
}

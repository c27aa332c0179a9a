"""The instructions that build plain data, by their codes. Those that could do anything else are not among them."""

from __future__ import annotations

import pickletools
from collections.abc import Callable

from comgra_export.importers.pickles.machine import PickleMachine
from comgra_export.importers.pickles.stream import PickleBytes

__all__ = ["INSTRUCTIONS", "STOP", "name_of"]

_Follow = Callable[[PickleMachine], None]

STOP = ord(".")


def name_of(code: int) -> str:
    """What a code stands for, in words."""
    names = [opcode.name for opcode in pickletools.opcodes if opcode.code == chr(code)]
    return f"the instruction {names[0]}" if names else f"the byte {code:#04x}, which is no instruction of a pickle,"


def _pushing(value: object) -> _Follow:
    return lambda machine: machine.push(value)


def _reading(read: Callable[[PickleBytes], object]) -> _Follow:
    return lambda machine: machine.push(read(machine.data))


def _sized(read: Callable[[PickleBytes, int], object], size: int) -> _Follow:
    return lambda machine: machine.push(read(machine.data, size))


def _putting(place: Callable[[PickleBytes], int]) -> _Follow:
    return lambda machine: machine.put(place(machine.data))


def _getting(place: Callable[[PickleBytes], int]) -> _Follow:
    return lambda machine: machine.get(place(machine.data))


def _tuple_of(count: int) -> _Follow:
    return lambda machine: machine.tuple_of(count)


INSTRUCTIONS: dict[int, _Follow] = {
    0x80: lambda machine: machine.data.protocol(),
    0x95: lambda machine: machine.data.frame(),
    ord("("): PickleMachine.mark,
    ord("0"): PickleMachine.pop_or_mark,
    ord("1"): PickleMachine.pop_mark,
    ord("2"): PickleMachine.duplicate,
    ord("N"): _pushing(None),
    0x88: _pushing(True),
    0x89: _pushing(False),
    ord("I"): _reading(PickleBytes.text_integer),
    ord("J"): _reading(lambda data: data.integer(4, signed=True)),
    ord("K"): _reading(lambda data: data.integer(1)),
    ord("M"): _reading(lambda data: data.integer(2)),
    ord("L"): _reading(PickleBytes.text_long),
    0x8A: _sized(PickleBytes.long, 1),
    0x8B: _sized(PickleBytes.long, 4),
    ord("F"): _reading(PickleBytes.text_float),
    ord("G"): _reading(PickleBytes.binary_float),
    ord("S"): _reading(PickleBytes.text_string),
    ord("T"): _sized(PickleBytes.old_string, 4),
    ord("U"): _sized(PickleBytes.old_string, 1),
    ord("V"): _reading(PickleBytes.text_unicode),
    ord("X"): _sized(PickleBytes.unicode, 4),
    0x8C: _sized(PickleBytes.unicode, 1),
    0x8D: _sized(PickleBytes.unicode, 8),
    ord("B"): _sized(PickleBytes.octets, 4),
    ord("C"): _sized(PickleBytes.octets, 1),
    0x8E: _sized(PickleBytes.octets, 8),
    0x96: _sized(PickleBytes.octets, 8),
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
    ord("p"): _putting(PickleBytes.place),
    ord("g"): _getting(PickleBytes.place),
    ord("q"): _putting(lambda data: data.integer(1)),
    ord("r"): _putting(lambda data: data.integer(4)),
    ord("h"): _getting(lambda data: data.integer(1)),
    ord("j"): _getting(lambda data: data.integer(4)),
    0x94: PickleMachine.memoize,
    ord("c"): PickleMachine.text_global,
    0x93: PickleMachine.stack_global,
    ord("R"): PickleMachine.reduce,
    ord("b"): PickleMachine.build,
}

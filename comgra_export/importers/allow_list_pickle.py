"""Reading a pickle that may be hostile: numbers, text, arrays and containers of them come out, and nothing else can.

A pickle is a program for a small stack machine, and Python's own reader lets it call whatever it names. This reader runs the program
itself: it knows the instructions that build plain data, and a handful of names that numpy uses for arrays (see `pickled_arrays`). Any other
name or instruction is refused where it stands, before anything is made of it.

Memory stays within a fixed multiple of the file: arrays are views of its bytes, and what a pickle builds by referring to one thing again
and again is counted as often as it occurs.
"""

from __future__ import annotations

import pickletools
import re
import struct
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickled_arrays import GLOBALS, PickledArray, PickledDtype, PickledGlobal, RefusedError

__all__ = ["PickleValue", "read_pickle"]

PickleValue = (
    bool | int | float | str | NDArray[np.generic] | list["PickleValue"] | tuple["PickleValue", ...] | dict[object, "PickleValue"] | None
)
"""What can come out. Scalars of numpy are arrays without dimensions. Arrays are read-only, and in the byte order of the file."""

_MAX_PROTOCOL = 5
_MAX_DEPTH = 64
# Containers and arrays that are referred to several times are legitimate, but not without end.
_MAX_GROWTH = 16
_MAX_DIGITS = 40
_MAX_NAME = 200
_MAX_KEY_PARTS = 8
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)


def read_pickle(data: bytes, file: str) -> PickleValue:
    """Reads a pickle of any protocol from 0 to 5.

    Args:
        data: The file's content. What comes after the end of the pickle is ignored, as Python does.
        file: How messages name the file.

    Raises:
        ForeignDataError: It is cut off, is no pickle, names something other than numpy's arrays, or builds more than its size allows.
    """
    machine = _Machine(data)
    try:
        return machine.run()
    except RefusedError as refused:
        raise ForeignDataError(f"{file} is not read: at byte {machine.at:,}, {refused}.") from None


class _Machine:
    """The state of a pickle that is being read: `at` is where the instruction begins that is being followed."""

    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._bytes = data
        self._data = memoryview(data)
        self._next = 0
        self._stack: list[object] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}
        self._made = 0

    def run(self) -> PickleValue:
        while True:
            self.at = self._next
            code = self._take(1)[0]
            if code == _STOP:
                value = self._pop()
                if self._stack:
                    raise RefusedError("it ends with things left over, so it is damaged")
                return _Result(_MAX_GROWTH * len(self._data) + 1024).of(value, 0)
            follow = _INSTRUCTIONS.get(code)
            if follow is None:
                raise RefusedError(f"it has {_name_of(code)}, which data of numbers has no use for")
            follow(self)

    # Reading the file.

    def _take(self, count: int) -> memoryview:
        end = self._next + count
        if end > len(self._data):
            raise RefusedError("it ends in the middle; it may have been cut off")
        taken = self._data[self._next : end]
        self._next = end
        return taken

    def _integer(self, count: int, *, signed: bool = False) -> int:
        return int.from_bytes(self._take(count), "little", signed=signed)

    def _line(self, longest: int | None = None) -> bytes:
        end = self._bytes.find(b"\n", self._next)
        if end < 0:
            raise RefusedError("it ends in the middle; it may have been cut off")
        if longest is not None and end - self._next > longest:
            raise RefusedError("a line is too long for what it holds")
        line = bytes(self._take(end - self._next))
        self._next += 1
        return line

    # The stack, which begins anew at every mark.

    def _push(self, value: object) -> None:
        self._stack.append(value)

    def _pop(self) -> object:
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise RefusedError("it takes more than it has put there, so it is damaged")
        return self._stack.pop()

    def _top(self) -> object:
        value = self._pop()
        self._stack.append(value)
        return value

    def _since_mark(self) -> list[object]:
        if not self._marks:
            raise RefusedError("it looks for a mark that there is not, so it is damaged")
        start = self._marks.pop()
        values = self._stack[start:]
        del self._stack[start:]
        return values

    # Instructions.

    def protocol(self) -> None:
        version = self._integer(1)
        if version > _MAX_PROTOCOL:
            raise RefusedError(f"it has protocol {version}, and {_MAX_PROTOCOL} is the newest known")

    def frame(self) -> None:
        if self._integer(8) > len(self._data) - self._next:
            raise RefusedError("it ends in the middle; it may have been cut off")

    def mark(self) -> None:
        self._marks.append(len(self._stack))

    def pop(self) -> None:
        # In protocol 0, this also takes a mark away.
        if self._marks and self._marks[-1] == len(self._stack):
            self._marks.pop()
        else:
            self._pop()

    def pop_mark(self) -> None:
        self._since_mark()

    def duplicate(self) -> None:
        self._push(self._top())

    def text_integer(self) -> None:
        line = self._line(_MAX_DIGITS)
        self._push({b"00": False, b"01": True}[line] if line in (b"00", b"01") else _checked_integer(line))

    def text_long(self) -> None:
        self._push(_checked_integer(self._line(_MAX_DIGITS).removesuffix(b"L")))

    def long(self, size: int) -> None:
        count = self._integer(size)
        if count > 9:
            raise RefusedError("an integer has more than 64 bits")
        self._push(_checked(self._integer(count, signed=True)))

    def text_float(self) -> None:
        line = self._line(_MAX_DIGITS)
        try:
            self._push(float(line))
        except ValueError:
            raise RefusedError("a number is not one") from None

    def binary_float(self) -> None:
        self._push(struct.unpack(">d", self._take(8))[0])

    def text_string(self) -> None:
        line = self._line()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise RefusedError("a text has no quotes around it")
        self._push(_ESCAPE.sub(_unescaped, line[1:-1]).decode("latin-1"))

    def text_unicode(self) -> None:
        try:
            self._push(self._line().decode("raw-unicode-escape"))
        except UnicodeDecodeError:
            raise RefusedError("a text is not valid Unicode") from None

    def old_string(self, size: int) -> None:
        self._push(str(self._take(self._integer(size)), "latin-1"))

    def unicode(self, size: int) -> None:
        self._push(self._text(self._integer(size)))

    def _text(self, count: int) -> str:
        try:
            return str(self._take(count), "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise RefusedError("a text is not valid UTF-8") from None

    def octets(self, size: int) -> None:
        self._push(self._take(self._integer(size)))

    def tuple_since_mark(self) -> None:
        self._push(tuple(self._since_mark()))

    def tuple_of(self, count: int) -> None:
        values = [self._pop() for _ in range(count)]
        self._push(tuple(reversed(values)))

    def list_since_mark(self) -> None:
        self._push(self._since_mark())

    def dict_since_mark(self) -> None:
        made: dict[object, object] = {}
        _set_items(made, self._since_mark())
        self._push(made)

    def append(self) -> None:
        value = self._pop()
        self._append_to_top([value])

    def appends(self) -> None:
        self._append_to_top(self._since_mark())

    def _append_to_top(self, values: list[object]) -> None:
        target = self._top()
        if not isinstance(target, list):
            raise RefusedError("it appends to something that is no list")
        target.extend(values)

    def set_item(self) -> None:
        value, key = self._pop(), self._pop()
        _set_items(self._top(), [key, value])

    def set_items(self) -> None:
        items = self._since_mark()
        _set_items(self._top(), items)

    def put(self, number: int) -> None:
        self._memo[number] = self._top()

    def get(self, number: int) -> None:
        if number not in self._memo:
            raise RefusedError("it refers to something that there is not, so it is damaged")
        self._push(self._memo[number])

    def text_put(self) -> None:
        self.put(_checked_integer(self._line(_MAX_DIGITS)))

    def text_get(self) -> None:
        self.get(_checked_integer(self._line(_MAX_DIGITS)))

    def binary_put(self, size: int) -> None:
        self.put(self._integer(size))

    def binary_get(self, size: int) -> None:
        self.get(self._integer(size))

    def memoize(self) -> None:
        self.put(len(self._memo))

    def text_global(self) -> None:
        module, name = self._line(_MAX_NAME), self._line(_MAX_NAME)
        self._push(_allowed(module.decode("utf-8", "replace"), name.decode("utf-8", "replace")))

    def stack_global(self) -> None:
        name, module = self._pop(), self._pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise RefusedError("a name is no text")
        self._push(_allowed(module, name))

    def reduce(self) -> None:
        arguments, function = self._pop(), self._pop()
        if not isinstance(function, PickledGlobal) or not isinstance(arguments, tuple):
            raise RefusedError("it calls something that is no name")
        counts, make = GLOBALS[function]
        if make is None or len(arguments) not in counts:
            raise RefusedError(f"it calls {function} in a way that numpy does not")
        made = make(arguments)
        self._count(made)
        self._push(made)

    def build(self) -> None:
        state, target = self._pop(), self._top()
        if not isinstance(target, (PickledArray, PickledDtype)):
            raise RefusedError("it changes the inside of something that is no array")
        target.set_state(state)
        self._count(target)

    def _count(self, made: object) -> None:
        """Counts what was made of what the file holds: each of its bytes becomes a byte once, and a part of a number once."""
        if isinstance(made, (bytes, memoryview)):
            self._made += len(made)
        elif isinstance(made, PickledArray) and made.array is not None:
            self._made += made.array.nbytes
        if self._made > 2 * len(self._data):
            raise RefusedError("it makes more numbers than it has bytes")


def _name_of(code: int) -> str:
    names = [opcode.name for opcode in pickletools.opcodes if opcode.code == chr(code)]
    return f"the instruction {names[0]}" if names else f"the byte {code:#04x}, which is no instruction of a pickle,"


def _allowed(module: str, name: str) -> PickledGlobal:
    found = PickledGlobal(module, name)
    if found not in GLOBALS:
        hint = "; save tensors as tensor.detach().cpu().numpy()" if module.split(".")[0] == "torch" else ""
        shown = ascii(f"{module}.{name}")[1:-1][:_MAX_NAME]
        raise RefusedError(f"it names {shown}, and only numpy arrays, numbers, texts and containers of them are read{hint}")
    return found


def _checked_integer(text: bytes) -> int:
    try:
        return _checked(int(text))
    except ValueError:
        raise RefusedError("a number is not one") from None


def _checked(number: int) -> int:
    if not -(2**63) <= number < 2**64:
        raise RefusedError("an integer has more than 64 bits")
    return number


def _unescaped(found: re.Match[bytes]) -> bytes:
    character = found[1]
    if len(character) == 3:
        return bytes([int(character[1:], 16)])
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in b"\\'\"":
        return character
    raise RefusedError("a text has an escape that Python does not write")


def _set_items(target: object, items: list[object]) -> None:
    if not isinstance(target, dict) or len(items) % 2:
        raise RefusedError("it sets a key of something that is no dict")
    for key, value in zip(items[::2], items[1::2], strict=True):
        # Of containers within containers, a hash would take as long as the pickle likes.
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) > _MAX_KEY_PARTS or not all(part is None or isinstance(part, (str, int, float)) for part in parts):
            raise RefusedError("a key is neither a text, a number, nor a short tuple of them")
        target[key] = value


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


_STOP = ord(".")


def _pushing(value: object) -> Callable[[_Machine], None]:
    return lambda machine: machine._push(value)


def _with(method: Callable[[_Machine, int], None], argument: int) -> Callable[[_Machine], None]:
    return lambda machine: method(machine, argument)


_INSTRUCTIONS: dict[int, Callable[[_Machine], None]] = {
    0x80: _Machine.protocol,
    0x95: _Machine.frame,
    ord("("): _Machine.mark,
    ord("0"): _Machine.pop,
    ord("1"): _Machine.pop_mark,
    ord("2"): _Machine.duplicate,
    ord("N"): _pushing(None),
    0x88: _pushing(True),
    0x89: _pushing(False),
    ord("I"): _Machine.text_integer,
    ord("J"): lambda machine: machine._push(machine._integer(4, signed=True)),
    ord("K"): lambda machine: machine._push(machine._integer(1)),
    ord("M"): lambda machine: machine._push(machine._integer(2)),
    ord("L"): _Machine.text_long,
    0x8A: _with(_Machine.long, 1),
    0x8B: _with(_Machine.long, 4),
    ord("F"): _Machine.text_float,
    ord("G"): _Machine.binary_float,
    ord("S"): _Machine.text_string,
    ord("T"): _with(_Machine.old_string, 4),
    ord("U"): _with(_Machine.old_string, 1),
    ord("V"): _Machine.text_unicode,
    ord("X"): _with(_Machine.unicode, 4),
    0x8C: _with(_Machine.unicode, 1),
    0x8D: _with(_Machine.unicode, 8),
    ord("B"): _with(_Machine.octets, 4),
    ord("C"): _with(_Machine.octets, 1),
    0x8E: _with(_Machine.octets, 8),
    0x96: _with(_Machine.octets, 8),
    ord(")"): _pushing(()),
    ord("t"): _Machine.tuple_since_mark,
    0x85: _with(_Machine.tuple_of, 1),
    0x86: _with(_Machine.tuple_of, 2),
    0x87: _with(_Machine.tuple_of, 3),
    ord("]"): lambda machine: machine._push([]),
    ord("l"): _Machine.list_since_mark,
    ord("a"): _Machine.append,
    ord("e"): _Machine.appends,
    ord("}"): lambda machine: machine._push({}),
    ord("d"): _Machine.dict_since_mark,
    ord("s"): _Machine.set_item,
    ord("u"): _Machine.set_items,
    ord("p"): _Machine.text_put,
    ord("g"): _Machine.text_get,
    ord("q"): _with(_Machine.binary_put, 1),
    ord("r"): _with(_Machine.binary_put, 4),
    ord("h"): _with(_Machine.binary_get, 1),
    ord("j"): _with(_Machine.binary_get, 4),
    0x94: _Machine.memoize,
    ord("c"): _Machine.text_global,
    0x93: _Machine.stack_global,
    ord("R"): _Machine.reduce,
    ord("b"): _Machine.build,
}

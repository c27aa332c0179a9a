"""Reads MessagePack files that may be hostile: numbers, texts, lists and dicts of them."""

from __future__ import annotations

import struct

from comgra_export.errors import ForeignDataError

__all__ = ["MsgpackValue", "read_msgpack"]

MsgpackValue = bool | int | float | str | list["MsgpackValue"] | dict[object, "MsgpackValue"] | None
"""A value that such a file may hold."""

_MAX_DEPTH = 32
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}


def read_msgpack(data: bytes, file: str) -> MsgpackValue:
    """Reads one value.

    Args:
        data: The content of the file. Every member takes a byte of it, so it bounds what is built.
        file: How messages name the file.

    Raises:
        ForeignDataError: It is cut off, nested too deeply, or holds bytes or extensions.
    """
    reader = _Reader(data)
    try:
        value = reader.value(0)
    except (struct.error, IndexError, UnicodeDecodeError, ValueError) as error:
        raise ForeignDataError(f"{file} is not read: at byte {reader.at:,}, it is damaged or cut off.") from error
    if reader.at != len(data):
        raise ForeignDataError(f"{file} is not read: something follows its value at byte {reader.at:,}.")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def value(self, depth: int) -> MsgpackValue:
        """Reads the value that begins here. `depth` says how many lists and maps it is in."""
        code = self._data[self.at]
        self.at += 1
        if code <= 0x7F or code >= 0xE0:
            return code if code <= 0x7F else code - 0x100
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code in _NUMBERS:
            return self._number(_NUMBERS[code])
        if 0xA0 <= code <= 0xBF:
            return self._text(code & 0x1F)
        if code in (0xD9, 0xDA, 0xDB):
            return self._text(int(self._number(_LENGTHS[code])))
        if depth >= _MAX_DEPTH:
            raise ValueError
        if 0x90 <= code <= 0x9F or code in (0xDC, 0xDD):
            size = code & 0xF if code <= 0x9F else int(self._number(_LENGTHS[code]))
            return [self.value(depth + 1) for _ in range(size)]
        if 0x80 <= code <= 0x8F or code in (0xDE, 0xDF):
            return self._dict(code & 0xF if code <= 0x8F else int(self._number(_LENGTHS[code])), depth)
        raise ValueError

    def _dict(self, size: int, depth: int) -> dict[object, MsgpackValue]:
        made: dict[object, MsgpackValue] = {}
        for _ in range(size):
            key = self.value(depth + 1)
            if isinstance(key, (list, dict)):
                raise ValueError
            made[key] = self.value(depth + 1)
        return made

    def _number(self, kind: str) -> float:
        (number,) = struct.unpack_from(kind, self._data, self.at)
        self.at += struct.calcsize(kind)
        return number  # type: ignore[no-any-return]

    def _text(self, size: int) -> str:
        if self.at + size > len(self._data):
            raise ValueError
        self.at += size
        return self._data[self.at - size : self.at].decode()

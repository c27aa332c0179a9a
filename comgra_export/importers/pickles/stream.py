"""Decodes the arguments of a pickle's instructions: numbers, texts and bytes.

The standard library has a decoder too, `pickletools.genops`, but it does not fit. It copies the bytes of every array, and twice in protocol
5; here they stay views of the file. It refuses the arrays that Python 2 writes in protocol 0, because it takes their bytes for ASCII. It
reads a number of any length before the caller can check that length.
"""

from __future__ import annotations

import re
import struct

from comgra_export.importers.pickles.numpy_values import RefusedError

__all__ = ["LONGEST_NAME", "PickleStream"]

LONGEST_NAME = 200
"""The most bytes that the name of a module or function may have. The names that numpy has are shorter."""

_MAX_PROTOCOL = 5
_MAX_DIGITS = 40
_CUT_OFF = "it ends in the middle; it may have been cut off"
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)


class PickleStream:
    """A pickle that is read from its beginning to its end.

    Every size is checked against what is left before anything is read. All methods raise `RefusedError` if the pickle ends too early, or if
    it holds what Python does not write.

    Attributes:
        at: Where the current instruction begins.
    """

    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._bytes = data
        self._data = memoryview(data)
        self._next = 0

    def __len__(self) -> int:
        return len(self._data)

    def opcode(self) -> int:
        """The code of the next instruction, which becomes the current one."""
        self.at = self._next
        return self.take(1)[0]

    def take(self, count: int) -> memoryview:
        """The next bytes, as a view of the file."""
        end = self._next + count
        if end > len(self._data):
            raise RefusedError(_CUT_OFF)
        taken = self._data[self._next : end]
        self._next = end
        return taken

    def integer(self, count: int, *, signed: bool = False) -> int:
        """A little-endian integer of `count` bytes."""
        return int.from_bytes(self.take(count), "little", signed=signed)

    def line(self, longest: int | None = None) -> bytes:
        """The bytes up to the next line break, without it."""
        end = self._bytes.find(b"\n", self._next)
        if end < 0:
            raise RefusedError(_CUT_OFF)
        if longest is not None and end - self._next > longest:
            raise RefusedError("it has a line that is too long for a number or a name")
        line = bytes(self.take(end - self._next))
        self._next += 1
        return line

    def protocol(self) -> None:
        """Skips the version, which must be known."""
        version = self.integer(1)
        if version > _MAX_PROTOCOL:
            raise RefusedError(f"it has protocol {version}, and {_MAX_PROTOCOL} is the newest known")

    def frame(self) -> None:
        """Skips the length of a frame, which must be there as a whole."""
        if self.integer(8) > len(self._data) - self._next:
            raise RefusedError(_CUT_OFF)

    def text_integer(self) -> int:
        """A line with an integer, or with a boolean: 00 or 01."""
        line = self.line(_MAX_DIGITS)
        return line == b"01" if line in (b"00", b"01") else _checked_integer(line)

    def text_index(self) -> int:
        """A line with an index into the memo."""
        return _checked_integer(self.line(_MAX_DIGITS))

    def text_long(self) -> int:
        """A line with an integer, which an L may follow."""
        return _checked_integer(self.line(_MAX_DIGITS).removesuffix(b"L"))

    def long(self, size: int) -> int:
        """An integer after a count of its bytes. The count has `size` bytes."""
        count = self.integer(size)
        if count > 9:
            raise RefusedError("it has an integer of more than 64 bits")
        return _checked(self.integer(count, signed=True))

    def text_float(self) -> float:
        """A line with a float."""
        line = self.line(_MAX_DIGITS)
        try:
            return float(line)
        except ValueError:
            raise RefusedError("it has a number that cannot be read") from None

    def binary_float(self) -> float:
        """A float in eight bytes, big-endian."""
        (number,) = struct.unpack(">d", self.take(8))
        return float(number)

    def text_string(self) -> str:
        """A line with a text of Python 2 in quotes."""
        line = self.line()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise RefusedError("it has a text without quotes")
        return _ESCAPE.sub(_unescaped, line[1:-1]).decode("latin-1")

    def text_unicode(self) -> str:
        """A line with a text, in which special characters are escaped."""
        try:
            return self.line().decode("raw-unicode-escape")
        except UnicodeDecodeError:
            raise RefusedError("it has a text that is not valid Unicode") from None

    def binary_string(self, size: int) -> str:
        """A text of Python 2 after a count of its bytes. Each byte is a character, and the count has `size` bytes."""
        return str(self.take(self.integer(size)), "latin-1")

    def unicode(self, size: int) -> str:
        """A text in UTF-8 after a count of its bytes. The count has `size` bytes."""
        octets = self.octets(size)
        try:
            return str(octets, "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise RefusedError("it has a text that is not valid UTF-8") from None

    def octets(self, size: int) -> memoryview:
        """Bytes after their count, as a view of the file. The count has `size` bytes."""
        return self.take(self.integer(size))


def _checked_integer(text: bytes) -> int:
    try:
        return _checked(int(text))
    except ValueError:
        raise RefusedError("it has a number that cannot be read") from None


def _checked(number: int) -> int:
    if not -(2**63) <= number < 2**64:
        raise RefusedError("it has an integer of more than 64 bits")
    return number


def _unescaped(escape: re.Match[bytes]) -> bytes:
    character = escape[1]
    if len(character) == 3:
        return bytes([int(character[1:], 16)])
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in b"\\'\"":
        return character
    raise RefusedError("it has a text with an escape that Python does not write")

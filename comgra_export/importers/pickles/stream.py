"""The bytes of a pickle, and the numbers and texts that are written in them."""

from __future__ import annotations

import re
import struct

from comgra_export.importers.pickles.numpy_values import RefusedError

__all__ = ["LONGEST_NAME", "PickleBytes"]

LONGEST_NAME = 200
"""Letters of a name, which is longer than any that numpy has."""

_MAX_PROTOCOL = 5
_MAX_DIGITS = 40
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)


class PickleBytes:
    """Reads a pickle from its beginning to its end. What is not there, or not written as Python writes it, raises `RefusedError`.

    Args:
        data: The file's content.

    Attributes:
        at: Where the instruction begins that is being followed.
    """

    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._bytes = data
        self._data = memoryview(data)
        self._next = 0

    def __len__(self) -> int:
        return len(self._data)

    def instruction(self) -> int:
        """The code of the next instruction."""
        self.at = self._next
        return self.take(1)[0]

    def take(self, count: int) -> memoryview:
        """The next bytes, shared with the file."""
        end = self._next + count
        if end > len(self._data):
            raise RefusedError("it ends in the middle; it may have been cut off")
        taken = self._data[self._next : end]
        self._next = end
        return taken

    def integer(self, count: int, *, signed: bool = False) -> int:
        """Of `count` bytes."""
        return int.from_bytes(self.take(count), "little", signed=signed)

    def line(self, longest: int | None = None) -> bytes:
        """Up to the next line break, which is left out."""
        end = self._bytes.find(b"\n", self._next)
        if end < 0:
            raise RefusedError("it ends in the middle; it may have been cut off")
        if longest is not None and end - self._next > longest:
            raise RefusedError("a line is too long for what it holds")
        line = bytes(self.take(end - self._next))
        self._next += 1
        return line

    def protocol(self) -> None:
        """Passes over the version, which must be known."""
        version = self.integer(1)
        if version > _MAX_PROTOCOL:
            raise RefusedError(f"it has protocol {version}, and {_MAX_PROTOCOL} is the newest known")

    def frame(self) -> None:
        """Passes over the length of what follows, which must be there."""
        if self.integer(8) > len(self._data) - self._next:
            raise RefusedError("it ends in the middle; it may have been cut off")

    def text_integer(self) -> int:
        """A line with an integer, or with 00 or 01, which are booleans."""
        line = self.line(_MAX_DIGITS)
        return {b"00": False, b"01": True}[line] if line in (b"00", b"01") else _checked_integer(line)

    def place(self) -> int:
        """A place in the memo, as protocol 0 writes it."""
        return _checked_integer(self.line(_MAX_DIGITS))

    def text_long(self) -> int:
        """A line with an integer and perhaps an L."""
        return _checked_integer(self.line(_MAX_DIGITS).removesuffix(b"L"))

    def long(self, size: int) -> int:
        """An integer behind the number of its bytes, which has `size` bytes itself."""
        count = self.integer(size)
        if count > 9:
            raise RefusedError("an integer has more than 64 bits")
        return _checked(self.integer(count, signed=True))

    def text_float(self) -> float:
        """A line with a number."""
        line = self.line(_MAX_DIGITS)
        try:
            return float(line)
        except ValueError:
            raise RefusedError("a number is not one") from None

    def binary_float(self) -> float:
        """Eight bytes, the highest first."""
        (number,) = struct.unpack(">d", self.take(8))
        return float(number)

    def text_string(self) -> str:
        """A line with a text in quotes, as Python 2 writes it."""
        line = self.line()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise RefusedError("a text has no quotes around it")
        return _ESCAPE.sub(_unescaped, line[1:-1]).decode("latin-1")

    def text_unicode(self) -> str:
        """A line with a text, in which other letters are escaped."""
        try:
            return self.line().decode("raw-unicode-escape")
        except UnicodeDecodeError:
            raise RefusedError("a text is not valid Unicode") from None

    def old_string(self, size: int) -> str:
        """A text of Python 2: each byte is a letter."""
        return str(self.take(self.integer(size)), "latin-1")

    def unicode(self, size: int) -> str:
        """A text in UTF-8."""
        octets = self.octets(size)
        try:
            return str(octets, "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise RefusedError("a text is not valid UTF-8") from None

    def octets(self, size: int) -> memoryview:
        """Bytes behind their number, which has `size` bytes itself."""
        return self.take(self.integer(size))


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

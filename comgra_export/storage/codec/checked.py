"""Reading parsed JSON while distrusting it: every access says what it expects, and names the file if that is not there."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import TypeGuard, TypeVar, cast

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage.text.json_codec import damaged, decode_number
from comgra_export.storage.text.steps import MAX_STEP, is_step

__all__ = ["JsonObject"]

# The largest integer that every reader of JSON holds exactly, a browser included.
MAX_INTEGER = 2**53 - 1

_HASH = re.compile("[0-9a-f]{16}")
_ColumnType = TypeVar("_ColumnType", str, bool)


class JsonObject:
    """A JSON object of a file that is not trusted. Every method raises `DamagedRecordingError` if the value is not what it is asked for.

    Args:
        value: What the JSON parser returned.
        file: How messages name the file.
        path: The object's place in the file, for messages: `samples`, or `gaps[3]`; empty for the whole file.
    """

    def __init__(self, value: object, file: str, path: str = "") -> None:
        if not isinstance(value, dict):
            raise damaged(file, f"{path or 'its content'} is not a JSON object")
        self._members: dict[str, object] = value
        self._file = file
        self._path = path

    def wrong(self, key: str, what: str) -> DamagedRecordingError:
        """Makes the error for a member: `what` ends the sentence that begins with its name."""
        return damaged(self._file, f"{self._name(key)} {what}")

    def has(self, key: str) -> bool:
        """Whether the member is there and not null."""
        return self._members.get(key) is not None

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default it must be there."""
        value = self._members.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "is not a string")
        return value

    def optional_text(self, key: str) -> str | None:
        """A string, or None if it is null or missing."""
        return self.text(key) if self.has(key) else None

    def integer(self, key: str, minimum: int, maximum: int = MAX_INTEGER, default: int | None = None) -> int:
        """An integer within limits; without a default it must be there."""
        value = self._members.get(key, default)
        if type(value) is not int or not minimum <= value <= maximum:
            raise self.wrong(key, f"is not an integer between {minimum} and {maximum}")
        return value

    def optional_integer(self, key: str, minimum: int, maximum: int = MAX_INTEGER) -> int | None:
        """An integer within limits, or None if it is null or missing."""
        return self.integer(key, minimum, maximum) if self.has(key) else None

    def step(self, key: str) -> float:
        """The number of a step, of training or of evaluation; it must be there."""
        value = self._members.get(key)
        if not is_step(value):
            raise self.wrong(key, f"is not the number of a step, up to {MAX_STEP}")
        return cast("float", value)

    def optional_step(self, key: str) -> float | None:
        """The number of a step, or None if it is null or missing."""
        return self.step(key) if self.has(key) else None

    def steps(self, key: str) -> list[float]:
        """A list of numbers of steps; it must be there."""
        return self.as_steps(self.entries(key), key)

    def as_steps(self, values: object, key: str) -> list[float]:
        """A list found somewhere in a member, as numbers of steps."""
        if not isinstance(values, list) or not all(map(is_step, values)):
            raise self.wrong(key, f"holds something other than numbers of steps, up to {MAX_STEP}")
        return values

    def boolean(self, key: str, *, default: bool | None = None) -> bool:
        """True or false; it must be there unless there is a default."""
        value = self._members.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "is neither true nor false")
        return value

    def number(self, key: str) -> float:
        """A number, non-finite ones included; it must be there."""
        try:
            return decode_number(self._members.get(key))
        except ValueError as error:
            raise self.wrong(key, f"is not a number: {error}") from None

    def optional_number(self, key: str) -> float | None:
        """A number, or None if it is null or missing."""
        return self.number(key) if self.has(key) else None

    def optional_boolean(self, key: str) -> bool | None:
        """True or false, or None if it is null or missing."""
        return self.boolean(key) if self.has(key) else None

    def choice(self, key: str, choices: Collection[str]) -> str:
        """One of some strings; it must be there."""
        value = self.text(key)
        if value not in choices:
            raise self.wrong(key, f"is not one of {', '.join(sorted(choices))}")
        return value

    def digest(self, key: str) -> str:
        """A hash of 16 hexadecimal digits; it must be there."""
        return self._as_hash(self._members.get(key), key)

    def optional_digests(self, key: str) -> tuple[str | None, ...]:
        """A list of hashes and nulls; it must be there."""
        return tuple(None if member is None else self._as_hash(member, key) for member in self.entries(key))

    def member(self, key: str) -> JsonObject:
        """An object; it must be there."""
        return JsonObject(self._members.get(key), self._file, self._name(key))

    def scalars(self, key: str, *, keep_integers: bool = False) -> dict[str, float | bool | str | None]:
        """An object of numbers, non-finite ones included, booleans, strings and nulls; empty if it is null or missing.

        Integers become floats, unless `keep_integers`.
        """
        members = self.member(key)._members if self.has(key) else {}
        return {
            name: value if keep_integers and isinstance(value, int) else self._scalar(value, f"{key}.{name[:60]}")
            for name, value in members.items()
        }

    def entries(self, key: str) -> list[object]:
        """A list of anything; it must be there."""
        value = self._members.get(key)
        if not isinstance(value, list):
            raise self.wrong(key, "is not a list")
        return value

    def objects(self, key: str) -> list[JsonObject]:
        """A list of objects; it must be there."""
        return [JsonObject(member, self._file, f"{self._name(key)}[{index}]") for index, member in enumerate(self.entries(key))]

    def optional_objects(self, key: str) -> list[JsonObject | None]:
        """A list of objects and nulls; it must be there."""
        return [
            None if member is None else JsonObject(member, self._file, f"{self._name(key)}[{index}]")
            for index, member in enumerate(self.entries(key))
        ]

    def texts(self, key: str) -> list[str]:
        """A list of strings; it must be there."""
        return self._column(key, str, "strings")

    def booleans(self, key: str) -> list[bool]:
        """A list of true and false; it must be there."""
        return self._column(key, bool, "true and false")

    def numbers(self, key: str) -> list[float]:
        """A list of numbers, non-finite ones included; it must be there."""
        return self.as_numbers(self.entries(key), key)

    def optional_numbers(self, key: str) -> list[float | None]:
        """A list of numbers, non-finite ones included, and nulls; it must be there."""
        column = self.entries(key)
        known = iter(self.as_numbers([value for value in column if value is not None], key))
        return [None if value is None else next(known) for value in column]

    def as_numbers(self, values: object, key: str) -> list[float]:
        """A list found somewhere in a member, as numbers."""
        if not isinstance(values, list):
            raise self.wrong(key, "holds something other than lists of numbers")
        if set(map(type, values)) <= {float}:
            return values
        try:
            return [decode_number(value) for value in values]
        except ValueError as error:
            raise self.wrong(key, f"holds something other than numbers: {error}") from None

    def ascending(self, key: str, minimum: int = 0, maximum: int = MAX_INTEGER) -> list[int]:
        """A list of integers within limits, each greater than the one before; it must be there."""
        column = self.integers(key, minimum, maximum)
        if any(later <= earlier for earlier, later in pairwise(column)):
            raise self.wrong(key, "is not in ascending order")
        return column

    def integers(self, key: str, minimum: int, maximum: int = MAX_INTEGER) -> list[int]:
        """A list of integers within limits; it must be there."""
        return self.as_integers(self.entries(key), key, minimum, maximum)

    def as_integers(self, column: object, key: str, minimum: int, maximum: int = MAX_INTEGER) -> list[int]:
        """A list found somewhere in a member, as integers within limits."""
        if not isinstance(column, list) or not set(map(type, column)) <= {int}:
            raise self.wrong(key, "holds something other than integers")
        if column and not (minimum <= min(column) and max(column) <= maximum):
            raise self.wrong(key, f"holds something other than integers between {minimum} and {maximum}")
        return column

    def shape(self, key: str) -> list[int]:
        """A list of sizes whose product is within limits; it must be there."""
        value = self._members.get(key)
        if not _is_shape(value):
            raise self.wrong(key, "is not a list of sizes whose product 53 bits can hold")
        return value

    def shapes(self, key: str) -> list[list[int]]:
        """A list of lists of sizes, each with a product within limits; it must be there."""
        column = self.entries(key)
        if not all(map(_is_shape, column)):
            raise self.wrong(key, "holds something other than lists of sizes whose product 53 bits can hold")
        return cast("list[list[int]]", column)

    def optional_texts(self, key: str) -> list[str | None]:
        """A list of strings and nulls; it must be there."""
        column = self.entries(key)
        if not set(map(type, column)) <= {str, type(None)}:
            raise self.wrong(key, "holds something other than strings and nulls")
        return cast("list[str | None]", column)

    def optional_integers(self, key: str, minimum: int) -> list[int | None]:
        """A list of integers from a minimum on and nulls; it must be there."""
        column = self.entries(key)
        if any(value is not None and (type(value) is not int or not minimum <= value <= MAX_INTEGER) for value in column):
            raise self.wrong(key, f"holds something other than nulls and integers between {minimum} and {MAX_INTEGER}")
        return cast("list[int | None]", column)

    def choices(self, key: str, allowed: Collection[str]) -> list[str]:
        """A list of strings, each of which is one of some; it must be there."""
        column = self.texts(key)
        if not set(column) <= set(allowed):
            raise self.wrong(key, f"holds something other than {', '.join(sorted(allowed))}")
        return column

    def _column(self, key: str, kind: type[_ColumnType], plural: str) -> list[_ColumnType]:
        column = self.entries(key)
        # The set of types is found without a Python loop, which matters for 20,000 tensors; it also tells booleans from integers.
        if not set(map(type, column)) <= {kind}:
            raise self.wrong(key, f"holds something other than {plural}")
        return cast("list[_ColumnType]", column)

    def _scalar(self, value: object, key: str) -> float | bool | str | None:
        if value is None or isinstance(value, bool):
            return value
        try:
            return decode_number(value)
        except ValueError:
            if not isinstance(value, str):
                raise self.wrong(key, "is neither a number nor a boolean, string or null") from None
            return value

    def _as_hash(self, value: object, key: str) -> str:
        if not isinstance(value, str) or _HASH.fullmatch(value) is None:
            raise self.wrong(key, "is not a hash of 16 hexadecimal digits")
        return value

    def _name(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key


def _is_shape(value: object) -> TypeGuard[list[int]]:
    if not isinstance(value, list):
        return False
    product = 1
    for size in value:
        if type(size) is not int or size < 0:
            return False
        # Zeros count as ones: other sizes must be possible beside them too.
        product *= size or 1
        if product > MAX_INTEGER:
            return False
    return True

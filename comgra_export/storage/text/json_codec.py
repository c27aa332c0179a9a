"""JSON as the recording format wants it: UTF-8, with non-finite numbers as strings."""

from __future__ import annotations

import math

import orjson

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage.text.limits import Limit, check_limit
from comgra_export.storage.text.names import clean_text

__all__ = ["damaged", "decode_number", "dumps", "encode_number", "loads"]

_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def encode_number(value: float) -> float | int | str:
    """Turns a number into something that JSON can hold: orjson would silently write NaN and infinities as null.

    Args:
        value: Any float or integer, numpy's scalars included.

    Returns:
        An integer of at most 64 bits as itself, a finite number as a float, else `"NaN"`, `"Infinity"` or `"-Infinity"`.
    """
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return int(value)
    number = float(value)
    if math.isfinite(number):
        return number
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def decode_number(value: object) -> float:
    """Undoes `encode_number`.

    Raises:
        ValueError: The value is not a number in the sense of the format.
    """
    if isinstance(value, str) and value in _NON_FINITE:
        return _NON_FINITE[value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise ValueError("it is neither a number nor one of NaN, Infinity, -Infinity")


def dumps(value: object) -> bytes:
    """Writes JSON as UTF-8, without spaces. Lone surrogates in texts and keys become U+FFFD.

    Args:
        value: Dicts, lists, tuples, texts, integers of at most 64 bits, finite floats (see `encode_number`), booleans, None.

    Raises:
        TypeError: Something else is in it.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        # Lone surrogates are the one thing that can be mended. They are rare, so only a failure pays for looking at every text.
        return orjson.dumps(_with_clean_texts(value))


def loads(data: bytes, file: str) -> object:
    """Reads JSON.

    Raises:
        DamagedRecordingError: It is not JSON, or has more bytes or values than the limits allow.
    """
    check_limit(Limit.JSON_BYTES, len(data), file)
    if len(data) > Limit.JSON_VALUES.most:
        # As a parser makes an object of 50 bytes and more of every value, and a value takes two bytes of a file.
        check_limit(Limit.JSON_VALUES, data.count(b",") + data.count(b"[") + data.count(b"{"), file)
    try:
        parsed: object = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise damaged(file, f"it is not valid JSON ({error.msg}, line {error.lineno}, column {error.colno})") from None
    return parsed


def damaged(file: str, what: str) -> DamagedRecordingError:
    """Makes the error that says what is wrong with a file of a recording."""
    return DamagedRecordingError(f"{file} cannot be used: {what}. Restore it from a copy, or record again.")


def _with_clean_texts(value: object) -> object:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {_with_clean_texts(key): _with_clean_texts(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_clean_texts(member) for member in value]
    return value

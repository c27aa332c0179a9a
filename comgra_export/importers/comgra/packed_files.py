"""Reads MessagePack files that may be hostile: numbers, texts, lists and dicts of them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NoReturn

from comgra_export.errors import ForeignDataError

__all__ = ["PackedValue", "check_reader", "read_packed"]

PackedValue = bool | int | float | str | list["PackedValue"] | dict[object, "PackedValue"] | None
"""A value that such a file may hold."""


def check_reader() -> None:
    """Makes sure that the package `msgpack` is there.

    Raises:
        ForeignDataError: It is not installed.
    """
    if find_spec("msgpack") is None:
        raise ForeignDataError("comgra's files are read with msgpack, which is not installed: pip install msgpack")


def read_packed(data: bytes, file: str) -> PackedValue:
    """Reads one value, with the package `msgpack`.

    Args:
        data: The content of the file. No list, dict or text may have more members than it has bytes.
        file: How messages name the file.

    Raises:
        ForeignDataError: It is cut off, nested too deeply, or holds bytes or extensions.
        ModuleNotFoundError: `msgpack` is not installed.
    """
    import msgpack

    try:
        # comgra's keys are texts and integers. Without `strict_map_key`, any key that can be hashed is taken.
        value: PackedValue = msgpack.unpackb(data, strict_map_key=False, ext_hook=_refuse, max_bin_len=0, max_ext_len=0)
    except (ValueError, TypeError, MemoryError, msgpack.UnpackException) as error:
        raise ForeignDataError(f"{file} is not read: it is damaged or cut off.") from error
    return value


def _refuse(code: int, _: bytes) -> NoReturn:
    raise ValueError(f"extension {code}")

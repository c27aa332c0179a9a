"""How much of a recording is read, so that a hostile one takes neither all memory nor all time.

A file can claim any size without taking room on a disk, so every size is checked before anything is read: that of a file, and what the
file's header says.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from comgra_export.errors import DamagedRecordingError

__all__ = ["Limit", "are_limits_lifted", "check_limit", "without_limits"]


class Limit(Enum):
    """The largest of each kind that is read. `docs/recording-format.md` lists them."""

    JSON_BYTES = 64_000_000, "bytes of JSON"
    JSON_VALUES = 4_000_000, "values of JSON"
    LINES_BYTES = 256_000_000, "bytes in lines"
    LINES = 1_000_000, "lines"
    NUMBERS_FILE_BYTES = 4_000_000_000, "bytes in a file of numbers"
    NUMBERS_BYTES = 800_000_000, "bytes of an array"
    ITERATIONS = 100_000, "iterations"
    FLOW_ELEMENTS = 32_000_000, "elements in the layers of a gradient flow"
    FLOW_ELEMENTS_WITHOUT_NUMBERS = 256_000_000, "elements of gradient flows for which there are no numbers"

    def __init__(self, most: int, what: str) -> None:
        self.most = most
        self.what = what


_lifted = 0


def check_limit(limit: Limit, size: int, file: str) -> None:
    """Refuses what is larger than a limit.

    Raises:
        DamagedRecordingError: It is. The message names the file and the limit.
    """
    if size > limit.most and not _lifted:
        raise DamagedRecordingError(
            f"{file} is not read: it has {size:,} {limit.what}, and the limit is {limit.most:,}, since a hostile file could take all "
            "memory and time. If the recording is your own, use comgra-export --limits off, or comgra_export.storage.without_limits()."
        )


def are_limits_lifted() -> bool:
    """Whether recordings of any size are read now."""
    return _lifted > 0


@contextmanager
def without_limits() -> Iterator[None]:
    """Reads recordings of any size inside the block, in all threads of the process: for recordings of your own."""
    global _lifted
    _lifted += 1
    try:
        yield
    finally:
        _lifted -= 1

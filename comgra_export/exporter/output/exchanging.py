"""Let two folders change places in one step, where the system can do it."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

__all__ = ["exchange"]

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
"""A flag of `renameat2`, which Linux has."""
_RENAME_SWAP = 2
"""A flag of `renamex_np`, which macOS has."""


def exchange(first: Path, second: Path) -> bool:
    """Lets two entries of one file system change places, so that at no moment one is missing.

    Returns:
        Whether they did. If not, nothing has changed: the system or the file system cannot do it, or one of them is not there.
    """
    function = _function()
    return function is not None and function(os.fsencode(first), os.fsencode(second)) == 0


@cache
def _function() -> Callable[[bytes, bytes], int] | None:
    """What exchanges two paths and returns 0; None if this system has nothing."""
    if sys.platform not in ("linux", "darwin"):
        return None
    library = ctypes.CDLL(None)
    if sys.platform == "darwin":
        swap = getattr(library, "renamex_np", None)
        return None if swap is None else lambda first, second: int(swap(first, second, _RENAME_SWAP))
    rename = getattr(library, "renameat2", None)
    return None if rename is None else lambda first, second: int(rename(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE))

"""Room for intermediate numbers: in memory, or, if they are many, in a temporary file."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ExportError

__all__ = ["scratch"]

MEMORY_BYTES = 256 * 1024 * 1024
"""What may be held in memory."""

_ZEROS = 16 * 1024 * 1024


@contextmanager
def scratch(size: int) -> Iterator[NDArray[np.uint8]]:
    """Gives room for `size` bytes until the block ends, all zero. More than `MEMORY_BYTES` of them are in a temporary file.

    Raises:
        ExportError: There is no room for the file.
    """
    if size <= MEMORY_BYTES:
        yield np.zeros(size, np.uint8)
        return
    with tempfile.TemporaryFile() as file:
        try:
            # Written rather than left as a hole: a full disk must be an error here, not a crash when the memory is written to.
            for start in range(0, size, _ZEROS):
                file.write(bytes(min(_ZEROS, size - start)))
            file.flush()
        except OSError as error:
            raise ExportError(
                f"The folder for temporary files, {tempfile.gettempdir()}, has no room for {size / 1e6:.0f} MB: {error.strerror or error}. "
                "Free some space there, or name another folder in the environment variable TMPDIR."
            ) from error
        # The mapping is released with the last array that shares its memory.
        yield np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)

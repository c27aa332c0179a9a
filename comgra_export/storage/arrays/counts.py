"""The counts of a step on disk: a column for each kind of value that is counted, as narrow as it can be, if there is any of that kind.

In most steps nothing is NaN or infinite, and few values are zero. A row of five wide integers per record would be mostly zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.arrays.safetensors import ARRAY_DTYPES, StoredArray, read_array
from comgra_export.storage.model.layout import Blob
from comgra_export.storage.text.json_codec import damaged

__all__ = ["COUNTS", "COUNTS_PER_RECORD", "check_counts", "read_counts", "split_counts"]

COUNTS = "counts"

_COLUMNS = ("counts.nan", "counts.positive_infinity", "counts.negative_infinity", "counts.zero", "counts.flags")
# The integers that each dtype holds, the narrowest dtype first.
_LIMITS = {"U8": (0, 2**8 - 1), "U16": (0, 2**16 - 1), "I32": (-(2**31), 2**31 - 1), "I64": (-(2**63), 2**63 - 1)}

COUNTS_PER_RECORD = len(_COLUMNS)


def split_counts(counts: Blob) -> list[tuple[str, Blob]]:
    """The columns of the counts, `I32` or `I64` `[R, 5]`, that are not all zero."""
    return [(name, _narrowed(counts.data[:, column])) for column, name in enumerate(_COLUMNS) if counts.data[:, column].any()]


def _narrowed(column: NDArray[np.generic]) -> Blob:
    smallest, largest = int(column.min()), int(column.max())
    dtype = next(dtype for dtype, limits in _LIMITS.items() if limits[0] <= smallest and largest <= limits[1])
    return Blob(dtype, column.astype(ARRAY_DTYPES[dtype]))


def check_counts(stored: Mapping[str, StoredArray], records: int, file: str) -> None:
    """Checks that every column that is there has a number for each record.

    Raises:
        DamagedRecordingError: One has another dtype or shape.
    """
    for name in _COLUMNS:
        column = stored.get(name)
        if column is not None and column.dtype not in _LIMITS:
            raise damaged(file, f"the array {name} has the dtype {column.dtype[:20]!a} and not {' or '.join(_LIMITS)}")
        if column is not None and column.shape != (records,):
            raise damaged(file, f"the array {name} has the shape {list(column.shape)}, but the layout implies {[records]}")


def read_counts(stream: BinaryIO, stored: Mapping[str, StoredArray], records: int, file: str) -> Blob:
    """Puts the columns together again: `[R, 5]`, `I64` if a column is, else `I32`. A column that is not there is zero.

    Raises:
        DamagedRecordingError: The file became shorter since its index was read.
    """
    columns = {column: stored[name] for column, name in enumerate(_COLUMNS) if name in stored}
    dtype = "I64" if any(array.dtype == "I64" for array in columns.values()) else "I32"
    counts = np.zeros((records, COUNTS_PER_RECORD), ARRAY_DTYPES[dtype])
    for column, array in columns.items():
        counts[:, column] = read_array(stream, array, file).data
    return Blob(dtype, counts)

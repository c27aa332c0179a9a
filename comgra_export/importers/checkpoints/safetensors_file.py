"""Opens checkpoints in safetensors files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError, ForeignDataError
from comgra_export.importers.checkpoints.tensors import Checkpoint, SavedTensor, natural_order
from comgra_export.storage import ARRAY_DTYPES
from comgra_export.storage.arrays.safetensors import StoredArray, map_array, read_index, widened

__all__ = ["open_safetensors"]


def open_safetensors(path: Path, name: str) -> Checkpoint:
    """Opens a file. Its arrays stay on disk until they are read.

    Raises:
        ForeignDataError: It is damaged, or is no safetensors file.
        OSError: It cannot be read.
    """
    try:
        with path.open("rb") as stream:
            stored = read_index(stream, name)
    except DamagedRecordingError as error:
        raise ForeignDataError(f"{name} is not read: {error}") from None
    tensors = {
        tensor: SavedTensor(array.dtype, array.shape, partial(_read, path, array))
        for tensor, array in sorted(stored.items(), key=lambda item: natural_order(item[0]))
        if array.dtype in ARRAY_DTYPES
    }
    left_out = (f"{tensor} has the dtype {array.dtype}, which is not read." for tensor, array in stored.items() if tensor not in tensors)
    return Checkpoint(tensors, tuple(left_out))


def _read(path: Path, array: StoredArray) -> NDArray[np.generic]:
    with path.open("rb") as stream:
        return widened(array.dtype, map_array(stream, array))

"""What a checkpoint holds, whichever program wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Checkpoint", "SavedTensor", "natural_order"]


@dataclass(frozen=True)
class SavedTensor:
    """A tensor of a checkpoint, which is read when it is needed.

    Attributes:
        dtype: In safetensors' spelling.
        read: Reads it: an array of its shape, bfloat16 as float32.
    """

    dtype: str
    shape: tuple[int, ...]
    read: Callable[[], NDArray[np.generic]]


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was opened.

    Attributes:
        tensors: By their names.
        left_out: Sentences about what of it cannot be read.
    """

    tensors: Mapping[str, SavedTensor]
    left_out: tuple[str, ...] = field(default=())


def natural_order(name: str) -> list[tuple[int, str]]:
    """Sorts names as people count: `layer.9` before `layer.10`."""
    return [(int(part[-20:]), "") if part.isdecimal() else (-1, part) for part in re.split("([0-9]+)", name)]

"""The checked content of vnittest's files: layers in their order, their gradients, and the flows between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLANES", "Links", "VnittestData", "VnittestLayer", "VnittestPair", "has_planes"]

Array = NDArray[np.generic]

PLANES = 9
"""The number of planes of a layer in the explicit mode: one for each neighbour of a pixel and for the pixel itself, row by row."""


@dataclass(frozen=True, eq=False)
class Links:
    """Flows of value 1 between elements: int64 `[n]`, positions in the flattened layers. Pairs are unique and ascending."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class VnittestLayer:
    """A layer.

    Attributes:
        gradients: Its gradients, of its own shape. None: the files have none.
        shape: Its sizes. There is a single size if only the flows say how many elements it has.
    """

    name: str
    gradients: Array | None
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its elements."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class VnittestPair:
    """Two layers and the flows between them. The source comes before the target.

    Attributes:
        source: The position of a layer.
        target: The position of a later layer.
        flows: A matrix `[elements of the source, elements of the target]`, or links. None: vnittest estimates the flows when it shows them.
    """

    source: int
    target: int
    flows: Array | Links | None


@dataclass(frozen=True, eq=False)
class VnittestData:
    """The content of the three files.

    Attributes:
        is_explicit: Whether the layers have nine planes, and flows lead to the neighbours of a pixel.
        layers: In the order in which the flows follow one another.
        pairs: In the order of their layers.
        gaps: What was left out, and why: the name of a layer or None, and a sentence.
    """

    is_explicit: bool
    layers: tuple[VnittestLayer, ...]
    pairs: tuple[VnittestPair, ...]
    input: Array | None
    target: Array | None
    gaps: tuple[tuple[str | None, str], ...]


def has_planes(shape: tuple[int, ...]) -> bool:
    """Whether a layer or picture of these sizes belongs to the explicit mode."""
    return len(shape) == 3 and shape[0] == PLANES

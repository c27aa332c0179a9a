"""What the files of vnittest say: layers in their order, their gradients, and the flows between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLANES", "Links", "VnittestData", "VnittestLayer", "VnittestPair", "has_planes"]

Array = NDArray[np.generic]

PLANES = 9
"""How many planes a layer has in the explicit mode: one per neighbour of a pixel and the pixel itself, row by row."""


@dataclass(frozen=True, eq=False)
class Links:
    """Flows of value 1 between elements: int64 `[n]`, positions in the flattened layers. Each pair once, ascending."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class VnittestLayer:
    """A layer.

    Attributes:
        name: Its name.
        gradients: Of its own shape; None where the files have none.
        shape: Sizes; a single one where only the flows say how many elements there are.
    """

    name: str
    gradients: Array | None
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class VnittestPair:
    """Two layers, by position, the source before the target, and the flows between them.

    Attributes:
        flows: A matrix `[elements of the source, elements of the target]`, or links; None: vnittest estimates them when it shows them.
    """

    source: int
    target: int
    flows: Array | Links | None


@dataclass(frozen=True, eq=False)
class VnittestData:
    """All of it.

    Attributes:
        is_explicit: Whether the layers have nine planes, and flows lead to the neighbours of a pixel.
        layers: In the order in which the flows follow one another.
        pairs: In the order of their layers.
        input: The input's picture, or None.
        target: The target's picture, or None.
        gaps: What was left out, and why: the name of a layer or None, and a sentence.
    """

    is_explicit: bool
    layers: tuple[VnittestLayer, ...]
    pairs: tuple[VnittestPair, ...]
    input: Array | None
    target: Array | None
    gaps: tuple[tuple[str | None, str], ...]


def has_planes(shape: tuple[int, ...]) -> bool:
    """Whether a layer or picture of these sizes is one of the explicit mode."""
    return len(shape) == 3 and shape[0] == PLANES

"""What steps say about the same parameters, one step below the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import Blob

__all__ = ["PARAMETER_NUMBERS", "ParameterBlock"]

PARAMETER_NUMBERS = 3
"""Numbers per parameter and step: its norm, that of its update, and the difference of its accumulated gradient."""


class ParameterBlock:
    """The numbers of all steps that have them about the same parameters.

    Attributes:
        positions: The parameters, by their positions in the network.
        steps: Numbers of the steps whose numbers are there, ascending.
        is_single: Whether float32 holds all numbers so far exactly.
    """

    def __init__(self, positions: tuple[int, ...]) -> None:
        self.positions = positions
        self.steps: list[int] = []
        self.is_single = True
        self._rows = np.zeros((0, PARAMETER_NUMBERS, len(positions)))

    def bytes(self, steps: int) -> int:
        """What the numbers of `steps` steps take."""
        return steps * PARAMETER_NUMBERS * len(self.positions) * 8

    def give_room(self, room: NDArray[np.uint8], steps: int) -> None:
        """Takes `bytes(steps)` bytes, at an address that is a multiple of 8."""
        self._rows = room.view(np.float64).reshape(steps, PARAMETER_NUMBERS, -1)

    def append(self, step: int, arrays: Mapping[str, Blob]) -> None:
        """Adds a step, given its array `parameters.F32` or `parameters.F64`."""
        ((name, blob),) = arrays.items()
        self.is_single = self.is_single and name == "parameters.F32"
        self._rows[len(self.steps)] = blob.data.reshape(PARAMETER_NUMBERS, -1)
        self.steps.append(step)

    def numbers(self, place: int) -> NDArray[np.float64]:
        """The numbers about a parameter by its place in the block: `[3, steps]`."""
        columns: NDArray[np.float64] = self._rows[: len(self.steps), :, place].T
        return columns

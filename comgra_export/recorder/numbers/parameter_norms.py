"""From norms of pieces to those of parameters and of their updates, exact or estimated from a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.numbers.buffers import PIECE
from comgra_export.storage.model.step_description import EstimatedNorms, ParameterFacts

__all__ = ["CopyPlace", "ParameterNorms"]


class CopyPlace(NamedTuple):
    """A copy of a parameter, or of some of its elements.

    Attributes:
        position: The position of the parameter.
        shape: The shape of the copy.
        whole: That of the parameter.
        limit: How many elements are copied at most, if not all are.
    """

    position: int
    shape: torch.Size
    whole: torch.Size
    limit: int | None

    @property
    def is_sample(self) -> bool:
        """Whether not all elements are copied."""
        return self.limit is not None


class ParameterNorms:
    """Norms of parameters that have been computed, piece by piece, and may still be on their way from the device.

    Args:
        members: Per tensor of norms: the copies, and how many pieces each has.
        missing: Why the update of a parameter is not known, as a sentence, by position.
    """

    def __init__(self, members: Sequence[tuple[Sequence[CopyPlace], Sequence[int]]], missing: Mapping[int, str]) -> None:
        self.missing = missing
        self._members = members

    def put_together(self, norms: Sequence[Tensor], gradient_differences: Mapping[int, float]) -> ParameterFacts:
        """Puts the norms together.

        Args:
            norms: The norms that `ParameterSnapshots.finish` returned, on the CPU.
            gradient_differences: By position, if it is known: what a gradient holds besides the part that the step has added.
        """
        by_position: dict[int, tuple[float, float]] = {}
        estimated: list[EstimatedNorms] = []
        for (places, pieces), both in zip(self._members, norms, strict=True):
            rows = both.double().numpy()
            before, update = (_together(row, pieces) for row in rows)
            starts = np.cumsum(pieces) - pieces
            for place, start, count, norm, change in zip(places, starts, pieces, before, update, strict=True):
                scale = 1.0
                if place.is_sample:
                    scale = sqrt(place.whole.numel() / place.shape.numel())
                    error = None if place.position in self.missing else _relative_error(rows[1, start : start + count], place)
                    estimated.append(EstimatedNorms(place.position, place.shape.numel(), error))
                by_position[place.position] = norm * scale, torch.nan if place.position in self.missing else change * scale
        order = tuple(sorted(by_position))
        return ParameterFacts(
            parameters=order,
            norm=tuple(by_position[position][0] for position in order),
            update_norm=tuple(by_position[position][1] for position in order),
            accumulated_gradient_difference=tuple(gradient_differences.get(position) for position in order),
            estimated=tuple(sorted(estimated)),
        )


def _relative_error(norms: NDArray[np.float64], place: CopyPlace) -> float | None:
    """The standard error of the norm of an update, relative to it, as the differences between pieces show it; None if it is not known.

    Args:
        norms: The norms of the pieces of the sample.
        place: The sample.
    """
    whole = norms[: place.shape.numel() // PIECE]
    with np.errstate(all="ignore"):
        squares = np.square(whole / whole.max(initial=0))
        if len(whole) < 2 or not np.isfinite(squares).all():
            return None
        left = 1 - place.shape.numel() / place.whole.numel()
        # A norm is half as uncertain as its square.
        return float(squares.std(ddof=1) / squares.mean() / 2 * sqrt(left / len(whole)))


def _together(norms: NDArray[np.float64], pieces: Sequence[int]) -> list[float]:
    starts = np.concatenate([[0], np.cumsum(pieces)[:-1]])
    with np.errstate(all="ignore"):
        largest = np.maximum.reduceat(norms, starts)
        scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
        total: list[float] = (np.sqrt(np.add.reduceat(np.square(norms / np.repeat(scale, pieces)), starts)) * scale).tolist()
    return total

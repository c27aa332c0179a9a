"""A gradient flow that was recorded, on its way into the recording."""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

from comgra_export.storage.flows import FlowNumbers, GradientFlow, PairNumbers

__all__ = ["RecordedFlow"]


class RecordedFlow(NamedTuple):
    """A gradient flow and its numbers."""

    flow: GradientFlow
    numbers: FlowNumbers

    @property
    def size(self) -> int:
        """How many bytes its numbers take."""
        arrays = [*self.numbers.values, *self.numbers.gradients]
        for pair in self.numbers.pairs:
            arrays += [getattr(pair, field.name) for field in fields(PairNumbers)]
        return sum(array.nbytes for array in arrays if array is not None)

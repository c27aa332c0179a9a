"""Which of many pairs of numbers of samples go together: discovered in half of the samples, confirmed in the other half."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.associations.ranks import Rows, correlate
from comgra_export.analysis.associations.significance import benjamini_hochberg, normal_quantile, two_sided
from comgra_export.analysis.history.series import Floats, Integers

__all__ = ["LEVEL", "PHASES", "Design", "Screened", "phase_of_steps", "screen"]

LEVEL = 0.05
"""The share of false discoveries in the first half, and the p-value that is needed in the second."""

PHASES = ("early in training", "in the middle of training", "late in training")
"""The first 20 % of the steps, the next 40 % and the last 40 %."""

_ENDS = (0.2, 0.6)
_POWER = 0.8


@dataclass(frozen=True)
class Design:
    """Samples that are compared.

    Attributes:
        rows: The samples in their steps.
        phase_of_step: The phase of each step, 0 to 2.
    """

    rows: Rows
    phase_of_step: Integers

    @cached_property
    def is_first_half(self) -> NDArray[np.bool_]:
        """`[D]`: which samples are used to discover. Every second one of a fixed random order."""
        first = np.zeros(self.rows.samples, bool)
        first[np.random.default_rng(0).permutation(self.rows.samples)[::2]] = True
        return first

    @cached_property
    def phases(self) -> list[NDArray[np.bool_]]:
        """Per phase which rows belong to it, `[n]`."""
        return [self.phase_of_step[self.rows.steps] == phase for phase in range(len(PHASES))]

    def smallest_correlation(self, pairs: int) -> float:
        """The correlation that would pass both halves with a chance of about 80 %, if it were the only one among so many pairs."""
        half = max(self.rows.samples / 2 * self.rows.freedom, 1.0)
        return min(1.0, (normal_quantile(LEVEL / max(pairs, 1) / 2) + normal_quantile(1 - _POWER)) / sqrt(half))


class Screened(NamedTuple):
    """What happened to pairs, `[P]` each.

    Attributes:
        effect: The correlation over all samples.
        discovery: In the first half.
        confirmation: In the second half.
        p_discovery: The p-value in the first half.
        p_confirmation: That in the second half.
    """

    effect: Floats
    discovery: Floats
    confirmation: Floats
    p_discovery: Floats
    p_confirmation: Floats

    @property
    def q(self) -> Floats:
        """The share of false discoveries at which each pair is reported."""
        return benjamini_hochberg(self.p_discovery)

    @property
    def passes(self) -> NDArray[np.bool_]:
        """Which pairs are discovered in one half and confirmed in the other with the same sign."""
        same: NDArray[np.bool_] = np.sign(self.discovery) == np.sign(self.confirmation)
        return (self.q < LEVEL) & (self.p_confirmation < LEVEL) & same


def screen(design: Design, x: Floats, y: Floats, pairs: Integers) -> Screened:
    """Correlates means of samples.

    Args:
        design: The samples.
        x: `[F, D]`: the means over steps of what was centered or ranked within each step.
        y: `[G, D]`: the same.
        pairs: `[P, 2]`: which rows of `x` and `y` are compared.
    """
    parts = (np.ones(design.rows.samples, bool), design.is_first_half, ~design.is_first_half)
    effect, discovery, confirmation = (correlate(x[:, part], y[:, part])[pairs[:, 0], pairs[:, 1]] for part in parts)
    p_discovery, p_confirmation = (
        two_sided(r * sqrt(part.sum() * design.rows.freedom)) for r, part in ((discovery, parts[1]), (confirmation, parts[2]))
    )
    return Screened(effect, discovery, confirmation, p_discovery, p_confirmation)


def phase_of_steps(numbers: Floats) -> Integers:
    """The phase of each step by its number, between the first and the last one."""
    span = max(float(numbers[-1] - numbers[0]), 1)
    return np.asarray(np.searchsorted(_ENDS, (numbers - numbers[0]) / span, side="right"), np.int64)

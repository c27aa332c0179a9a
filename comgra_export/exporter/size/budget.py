"""What to leave out of a bundle so that it fits a size: a ladder of rungs, each of which keeps less than the one before.

In this order, and each only once nothing is left to gain from the one before:

1. values and aggregates are rounded to two bytes;
2. values are kept of fewer samples, down to one;
3. values are kept at fewer steps, down to none;
4. aggregates over the batch are kept at fewer steps, down to none;
5. values of parameters are rounded to two bytes, and then kept at fewer steps, down to none;
6. histograms over time are kept of fewer steps, down to none;
7. gradient flows are left out as a whole, the largest first;
8. whole steps are left out, down to the first one of every type of execution.

Statistics, counts and curves are never rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

__all__ = ["Extent", "Rung", "choose_rung", "ladder"]

_SHRINKING = 0.9


@dataclass(frozen=True)
class Extent:
    """What is kept of a step.

    Attributes:
        rounded: Whether values and aggregates are rounded, those of parameters aside.
        samples: Of how many samples there are values; None: of all that are wanted.
        values: Whether there are values, those of parameters aside.
        rounded_parameters: Whether values of parameters are rounded.
    """

    rounded: bool = False
    samples: int | None = None
    values: bool = True
    aggregates: bool = True
    rounded_parameters: bool = False
    parameters: bool = True
    histograms: bool = True


@dataclass(frozen=True)
class Rung:
    """How much is kept.

    The numbers are shares of the steps of each type, 1 for all of them, but for `samples`, and for `without_flows`: how many gradient
    flows are left out, the largest first.
    """

    rounded: bool = False
    samples: int | None = None
    values: float = 1.0
    aggregates: float = 1.0
    rounded_parameters: bool = False
    parameters: float = 1.0
    histograms: float = 1.0
    without_flows: int = 0
    steps: float = 1.0

    def extent(self, usefulness: int, count: int) -> Extent | None:
        """What is kept of the step with this place in the order of usefulness among `count` of its type; None: it is left out."""

        def among(share: float) -> bool:
            return usefulness < ceil(share * count)

        if not among(self.steps):
            return None
        return Extent(
            rounded=self.rounded,
            samples=self.samples,
            values=among(self.values),
            aggregates=among(self.aggregates),
            rounded_parameters=self.rounded_parameters,
            parameters=among(self.parameters),
            histograms=among(self.histograms),
        )


def ladder(samples: int, steps: int, flows: int) -> list[Rung]:
    """All rungs, from keeping everything to keeping the least.

    `samples` is the most samples that a step has values of, and `steps` the most steps that one type of execution of a trial has.
    """
    rungs = [Rung()]

    def add(**changes: float | bool) -> None:
        rungs.append(replace(rungs[-1], **changes))  # type: ignore[arg-type]

    shares = _shares(steps)
    add(rounded=True)
    for count in range(samples - 1, 0, -1):
        add(samples=count)
    for share in (*shares, 0.0):
        add(values=share)
    for share in (*shares, 0.0):
        add(aggregates=share)
    add(rounded_parameters=True)
    for share in (*shares, 0.0):
        add(parameters=share)
    for share in (*shares, 0.0):
        add(histograms=share)
    for count in range(1, flows + 1):
        add(without_flows=count)
    for share in shares:
        add(steps=share)
    return rungs


def _shares(steps: int) -> list[float]:
    shares = []
    share = _SHRINKING
    while share * steps > 1:
        shares.append(share)
        share *= _SHRINKING
    return [*shares, 1 / steps] if steps > 1 else []


def choose_rung(rungs: Sequence[Rung], size_of: Callable[[Rung], float], limit: float, start: int = 0) -> int | None:
    """The first rung from `start` on whose size is within the limit; None if that of the last one is not.

    Sizes must not grow along the ladder.
    """
    low, high = start, len(rungs)
    while low < high:
        middle = (low + high) // 2
        if size_of(rungs[middle]) <= limit:
            high = middle
        else:
            low = middle + 1
    return low if low < len(rungs) else None

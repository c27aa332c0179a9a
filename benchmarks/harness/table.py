"""The rows that benchmarks return, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

__all__ = ["Row", "in_four_digits", "print_heading", "print_rows"]


@dataclass(frozen=True)
class Row:
    """One measured number.

    Attributes:
        name: What was measured.
        samples: Every measurement; empty where it could not be measured.
        unit: Its unit; `x` for a ratio.
        remark: What it was measured on, or why it is missing.
        target: What its median should not exceed; None where nothing was promised.
    """

    name: str
    samples: Sequence[float]
    unit: str
    remark: str = ""
    target: float | None = None

    @property
    def value(self) -> float | None:
        """The median; None without samples."""
        return median(self.samples) if self.samples else None

    @property
    def middle_half(self) -> tuple[float, float] | None:
        """The quartiles, between which half of the samples lie; None for fewer than two samples."""
        if len(self.samples) < 2:
            return None
        lower, _, upper = quantiles(self.samples, n=4, method="inclusive")
        return lower, upper

    @property
    def reached(self) -> bool | None:
        """Whether the median is within the target; None where one of them is missing."""
        return None if self.target is None or self.value is None else self.value <= self.target

    def as_json(self) -> dict[str, Any]:
        """Everything, also what is computed."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "samples": list(self.samples),
            "target": self.target,
            "reached": self.reached,
            "remark": self.remark,
        }


def print_heading(heading: str) -> None:
    print(f"\n{heading}", flush=True)


def print_rows(rows: Iterable[Row]) -> None:
    for row in rows:
        value = "-" if row.value is None else in_four_digits(row.value)
        spread = "" if row.middle_half is None else "{} to {}".format(*map(in_four_digits, row.middle_half))
        target = "" if row.target is None else f"at most {in_four_digits(row.target)}{': MISSED' if row.reached is False else ''}"
        print(f"  {row.name:<66}{value:>10} {row.unit:<12}{spread:<18}{target:<23}{row.remark}".rstrip(), flush=True)


def in_four_digits(value: float) -> str:
    for limit, decimals in ((10, 3), (100, 2), (1000, 1)):
        if abs(value) < limit:
            return f"{value:.{decimals}f}"
    return f"{value:,.0f}"

"""The rows that benchmarks return, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

__all__ = ["Row", "in_four_digits", "print_heading", "print_rows"]


@dataclass(frozen=True)
class Row:
    """One measured number.

    Attributes:
        name: What was measured.
        samples: Every measurement; empty if it could not be measured.
        unit: Its unit; `x` for a ratio.
        remark: What it was measured on, or why it is missing.
        target: What its median should not exceed; None if nothing was promised.
        rounded: The median and the quartiles of a row without samples, which was read from a file that keeps only these.
    """

    name: str
    samples: Sequence[float]
    unit: str
    remark: str = ""
    target: float | None = None
    rounded: tuple[float, tuple[float, float] | None] | None = None

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Row:
        """The row that `as_json` described."""
        rounded = None
        if not written["samples"] and written["value"] is not None:
            quartiles = written["middle_half"]
            rounded = written["value"], None if quartiles is None else (quartiles[0], quartiles[1])
        return cls(written["name"], written["samples"], written["unit"], written["remark"], written["target"], rounded)

    @property
    def value(self) -> float | None:
        """The median; None if there is none."""
        if self.samples:
            return median(self.samples)
        return None if self.rounded is None else self.rounded[0]

    @property
    def middle_half(self) -> tuple[float, float] | None:
        """The quartiles, between which half of the samples lie; None for fewer than two samples."""
        if len(self.samples) < 2:
            return None if self.rounded is None else self.rounded[1]
        lower, _, upper = quantiles(self.samples, n=4, method="inclusive")
        return lower, upper

    @property
    def reached(self) -> bool | None:
        """Whether the median is within the target; None if one of them is missing."""
        return None if self.target is None or self.value is None else self.value <= self.target

    def as_json(self) -> dict[str, Any]:
        """Everything, also what is computed."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "middle_half": self.middle_half,
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

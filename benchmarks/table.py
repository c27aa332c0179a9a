"""The rows that benchmarks return, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Row", "print_heading", "print_rows"]


@dataclass(frozen=True)
class Row:
    """One measured number.

    Attributes:
        name: What was measured.
        value: The median, or None where it could not be measured.
        unit: Its unit; `x` for a ratio.
        remark: What it was measured on, or why it is missing.
    """

    name: str
    value: float | None
    unit: str
    remark: str = ""


def print_heading(heading: str) -> None:
    print(f"\n{heading}", flush=True)


def print_rows(rows: Iterable[Row]) -> None:
    for row in rows:
        value = "-" if row.value is None else _in_four_digits(row.value)
        print(f"  {row.name:<58}{value:>10} {row.unit:<12}{row.remark}".rstrip(), flush=True)


def _in_four_digits(value: float) -> str:
    for limit, decimals in ((10, 3), (100, 2), (1000, 1)):
        if abs(value) < limit:
            return f"{value:.{decimals}f}"
    return f"{value:,.0f}"

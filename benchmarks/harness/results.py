"""Files with all rows of a run, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from benchmarks.harness.table import Row, in_four_digits

__all__ = ["Results", "compare", "read_results", "write_results"]

_ALLOWED = 0.03


@dataclass(frozen=True)
class Results:
    """A run.

    Attributes:
        facts: Sentences on the machine and the versions.
        rows: The rows of every heading.
    """

    facts: Sequence[str]
    rows: Mapping[str, Sequence[Row]]

    def find(self, heading: str, name: str) -> Row | None:
        """The row of this name under the heading that begins like this; None if there is none."""
        rows = (row for title, rows in self.rows.items() if title.startswith(heading) for row in rows if row.name == name)
        return next(rows, None)


def write_results(path: Path, results: Results) -> None:
    """Write every row with all its measurements."""
    rows = {heading: [row.as_json() for row in rows] for heading, rows in results.rows.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps({"facts": list(results.facts), "results": rows}, option=orjson.OPT_INDENT_2) + b"\n")


def read_results(path: Path) -> Results:
    """Read what `write_results` has written."""
    written = orjson.loads(path.read_bytes())
    return Results(written["facts"], {heading: list(map(Row.from_json, rows)) for heading, rows in written["results"].items()})


def compare(old: Results, new: Results) -> tuple[list[str], int]:
    """Compare every row of two runs.

    A row is slower if its median rose by more than 3 %, and by more than the noise: half the distance between the quartiles of each
    run, together. A row with a single measurement has no quartiles, and counts as without noise. In a row of rates, more is better.

    Returns:
        A line for each row, and how many rows are slower.
    """
    before = {(heading, row.name): row for heading, rows in old.rows.items() for row in rows}
    lines: list[str] = []
    slower = 0
    for heading, rows in new.rows.items():
        lines.append(heading)
        for row in rows:
            verdict, is_slower = _verdict(before.pop((heading, row.name), None), row)
            slower += is_slower
            lines.append(f"  {row.name:<75} {verdict}")
    return lines + list(_missing(before)), slower


def _verdict(old: Row | None, new: Row) -> tuple[str, bool]:
    if old is None:
        return "new", False
    if old.value is None or new.value is None:
        return "not measured in both", False
    change = f"{in_four_digits(old.value)} -> {in_four_digits(new.value)} {new.unit}"
    if old.value <= 0:
        return change, False
    rise = old.value - new.value if new.unit.startswith("1/") else new.value - old.value
    is_slower = rise > _ALLOWED * old.value and rise > _half_spread(old) + _half_spread(new)
    return f"{change}, {(new.value / old.value - 1) * 100:+.1f} %{': SLOWER' if is_slower else ''}", is_slower


def _half_spread(row: Row) -> float:
    if row.middle_half is None:
        return 0
    lower, upper = row.middle_half
    return (upper - lower) / 2


def _missing(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for heading, name in rows:
        yield f"missing: {heading}: {name}"

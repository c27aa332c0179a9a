"""The page `docs/performance.md`: what is measured is written between two marks, and the text around them is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.harness.table import Row, in_four_digits

__all__ = ["BEGIN", "END", "write_page"]

BEGIN = "<!-- results: written by python -m benchmarks --write -->"
END = "<!-- end of results -->"

_COLUMNS = ("what", "median", "middle half", "at most", "reached", "remark")


def write_page(path: Path, facts: Iterable[str], results: Mapping[str, Sequence[Row]]) -> None:
    """Replace what stands between the marks.

    Args:
        path: The page. It must exist, with both marks.
        facts: Sentences on the machine and the versions.
        results: The rows of every heading.

    Raises:
        ValueError: A mark is missing.
    """
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} has no place for the results. It needs the lines {BEGIN} and {END}.")
    blocks = [" ".join(facts)]
    for heading, rows in results.items():
        blocks += [f"### {heading}", "\n".join([_line(_COLUMNS), _line("---" for _ in _COLUMNS), *map(_row, rows)])]
    path.write_text(before + "\n\n".join([BEGIN, *blocks, END]) + after, encoding="utf-8")


def _row(row: Row) -> str:
    middle = "" if row.middle_half is None else " to ".join(map(in_four_digits, row.middle_half))
    target = "" if row.target is None else _with_unit(row.target, row.unit)
    reached = {None: "", True: "yes", False: "**no**"}[row.reached]
    return _line((row.name, "not measured" if row.value is None else _with_unit(row.value, row.unit), middle, target, reached, row.remark))


def _with_unit(value: float, unit: str) -> str:
    return f"{in_four_digits(value)} {unit}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"

"""Writes the table of `docs/performance.md`: ten rows, each beside its anchor. The text around the table is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness.results import Results
from benchmarks.harness.table import Row, in_four_digits
from benchmarks.tools.environments import COMGRA, TORCHEXPLORER

__all__ = ["BEGIN", "END", "KEY_ROWS", "KeyRow", "write_page"]

BEGIN = "<!-- results: written by python -m benchmarks --write -->"
END = "<!-- end of results -->"


class KeyRow(NamedTuple):
    """A row of the page.

    Attributes:
        title: What it says.
        heading: How the heading begins under which both rows are.
        name: The row.
        anchor: What to compare it with, in words.
        other: The row with the anchor's number; empty if the words have it.
    """

    title: str
    heading: str
    name: str
    anchor: str
    other: str = ""


KEY_ROWS = (
    KeyRow(
        "A step of a transformer that is not recorded",
        "A step of a transformer",
        "with a recorder, step not recorded: ratio",
        "the same step without a recorder, measured twice",
        "without a recorder, again: ratio",
    ),
    KeyRow(
        "That step, with sentinels",
        "A step of a transformer",
        "with sentinels: ratio",
        "the same step without a recorder is 1; sentinels read every registered value once",
    ),
    KeyRow(
        "That step, with every value of 18 tensors recorded",
        "A recorded step of that transformer",
        "values recorded: ratio, training waits",
        "comgra, one layer",
        f"{COMGRA.title}, values recorded: ratio",
    ),
    KeyRow(
        "A recorded step of the tutorial network",
        "A training step of the tutorial network",
        "with a recorder, step recorded",
        "comgra",
        f"{COMGRA.title}, step recorded",
    ),
    KeyRow(
        "2,000 tensors in one recorded step",
        "One recorded iteration",
        "2,000 tensors, until it is on disk",
        "comgra",
        f"{COMGRA.title}, 2,000 tensors",
    ),
    KeyRow(
        "A recorded step of a small ResNet under `watch`, until it is on disk",
        "Watching",
        "small ResNet: step recorded: ratio, until it is on disk",
        "TorchExplorer",
        f"small ResNet: {TORCHEXPLORER.title}, step logged and written: ratio",
    ),
    KeyRow(
        "A recording on disk, float32",
        "Size of a recording",
        "float32 network",
        "comgra; four bytes hold a value",
        f"{COMGRA.title}, float32 network",
    ),
    KeyRow(
        "Export of 208 MB to one file",
        "Export of a large recording",
        "to one file",
        "compressing the same numbers, and nothing else, is 1",
    ),
    KeyRow(
        "Opening a folder with 1 GB of values",
        "Opening",
        "folder with 1 GB of values, 2,000 steps",
        "a folder with 10 MB",
        "folder with 10 MB of values, 20 steps",
    ),
    KeyRow(
        "Choosing another sample in the page",
        "Changing a selector",
        "sample, chunk loaded",
        "one frame of a screen with 60 per second: 16.7 ms",
    ),
)

_COLUMNS = ("what", "median", "middle half", "at most", "reached", "beside it")


def write_page(path: Path, results: Results, source: str) -> None:
    """Replace what stands between the marks.

    Args:
        path: The page. It must exist, with both marks.
        results: A run. The page marks a row that it lacks as not measured.
        source: The place of all rows of the run, for the reader.

    Raises:
        ValueError: A mark is missing.
    """
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} has no place for the results. It needs the lines {BEGIN} and {END}.")
    table = "\n".join([_line(_COLUMNS), _line("---" for _ in _COLUMNS), *_lines(results)])
    blocks = [BEGIN, " ".join([*results.facts, f"All rows: {source}."]), table, END]
    path.write_text(before + "\n\n".join(blocks) + after, encoding="utf-8")


def _lines(results: Results) -> Iterator[str]:
    for key in KEY_ROWS:
        row = results.find(key.heading, key.name)
        anchor = f"{key.anchor}: {_median(results.find(key.heading, key.other))}" if key.other else key.anchor
        if row is None:
            yield _line((key.title, _median(row), "", "", "", anchor))
            continue
        middle = "" if row.middle_half is None else " to ".join(map(in_four_digits, row.middle_half))
        target = "" if row.target is None else _with_unit(row.target, row.unit)
        reached = {None: "", True: "yes", False: "**no**"}[row.reached]
        yield _line((key.title, _median(row), middle, target, reached, anchor))


def _median(row: Row | None) -> str:
    return "not measured" if row is None or row.value is None else _with_unit(row.value, row.unit)


def _with_unit(value: float, unit: str) -> str:
    return f"{in_four_digits(value)} {unit}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"

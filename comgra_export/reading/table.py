"""Tables: NumPy columns of the same length, and what they become in other libraries."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import WrongChoiceError
from comgra_export.storage.text.names import names_instead, shown

__all__ = ["Labels", "Table"]

_ROWS_SHOWN = 5
_WIDEST = 24


class Labels:
    """A column of texts that repeat: which text each row has.

    Attributes:
        codes: `[rows]`: positions in the texts.
        texts: The texts.
    """

    def __init__(self, codes: NDArray[np.integer], texts: Sequence[str] | NDArray[np.object_]) -> None:
        self.codes = codes
        self.texts: NDArray[np.object_] = np.empty(len(texts), object)
        self.texts[:] = texts

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, chosen: NDArray[np.generic] | slice) -> Labels:
        """Some of the rows."""
        return Labels(self.codes[chosen], self.texts)

    def is_text(self, text: object) -> NDArray[np.bool_]:
        """`[rows]`: which rows have a text."""
        return np.isin(self.codes, np.flatnonzero(self.texts == text))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401
        texts: NDArray[Any] = self.texts[self.codes]
        return texts


class Table(Mapping[str, NDArray[Any]]):
    """Columns of the same length, by name: `table["mean"]` is a NumPy array. Texts are arrays of `str` objects.

    NaN stands for a number that is not known.

    Args:
        columns: The columns, in order. Texts that repeat may be given as `Labels`, which become an array when they are asked for.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any] | Labels]) -> None:
        self._columns = dict(columns)
        self._texts: dict[str, NDArray[Any]] = {}
        self._rows = len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The column of a name.

        Raises:
            KeyError: There is no such column; the message names those that are like it.
        """
        if name not in self._columns:
            raise KeyError(f"There is no column {shown(name)}. {names_instead(str(name), list(self._columns))}")
        column = self._columns[name]
        if not isinstance(column, Labels):
            return column
        if name not in self._texts:
            # Kept, since whoever reads a column once reads it again.
            self._texts[name] = np.asarray(column)
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """How many rows it has. `list(table)` are the names of its columns."""
        return self._rows

    def __eq__(self, other: object) -> bool:
        """Whether another table has the same columns in the same order, with the same values. NaN is equal to NaN."""
        if not isinstance(other, Table):
            return NotImplemented
        return list(self) == list(other) and len(self) == len(other) and all(_are_equal(self[name], other[name]) for name in self)

    __hash__ = None  # type: ignore[assignment]

    def where(self, **equal: object) -> Table:
        """The rows in which columns have given values: `table.where(tensor="x", step=[0, 10])`.

        Args:
            equal: A value for each of some columns. A list, tuple, set or array stands for any of its members. NaN matches NaN.

        Raises:
            WrongChoiceError: There is no such column.
        """
        chosen = np.ones(self._rows, bool)
        for name, value in equal.items():
            if name not in self._columns:
                raise WrongChoiceError(f"There is no column {name!r} to choose rows by. {names_instead(name, list(self._columns))}")
            column = self._columns[name]
            values = list(value) if isinstance(value, (list, tuple, set, frozenset, range, np.ndarray)) else [value]
            chosen &= np.any([_is(column, each) for each in values], axis=0) if values else False
        return self.at(chosen)

    def at(self, chosen: NDArray[np.generic] | slice) -> Table:
        """Some of the rows: those of a mask `[rows]`, of positions, or of a slice."""
        return Table({name: column.at(chosen) if isinstance(column, Labels) else column[chosen] for name, column in self._columns.items()})

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, one after another, as tuples of Python values."""
        return zip(*(self[name].tolist() for name in self), strict=True)

    def __repr__(self) -> str:
        head = self.at(slice(_ROWS_SHOWN))
        cells = [list(self), *([_cell(value) for value in row] for row in head.rows())]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
        more = [f"... {self._rows - _ROWS_SHOWN:,} more"] if self._rows > _ROWS_SHOWN else []
        return "\n".join([f"<Table of {self._rows:,} {'row' if self._rows == 1 else 'rows'}>", *lines, *more])

    def to_pandas(self) -> Any:  # noqa: ANN401
        """A `pandas.DataFrame`. Columns of texts that repeat become categories.

        Raises:
            ImportError: pandas is not installed; the message names the command that installs it.
        """
        pandas = _library("pandas")
        return pandas.DataFrame({name: self._for_pandas(pandas, column) for name, column in self._columns.items()})

    def to_polars(self) -> Any:  # noqa: ANN401
        """A `polars.DataFrame`. NaN stays NaN, and does not become null.

        Raises:
            ImportError: polars is not installed; the message names the command that installs it.
        """
        polars = _library("polars")
        texts = {name: polars.String for name in self if self[name].dtype == object}
        return polars.DataFrame({name: self[name].tolist() if name in texts else self[name] for name in self}, schema_overrides=texts)

    def to_xarray(self) -> Any:  # noqa: ANN401
        """An `xarray.Dataset` with a variable for each column, all along the dimension `row`.

        Raises:
            ImportError: xarray is not installed; the message names the command that installs it.
        """
        return _library("xarray").Dataset({name: ("row", self[name]) for name in self})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as CSV: a line with the names of the columns, then a line per row, in UTF-8. Needs no other library.

        Numbers have as many digits as they need to be read back exactly; NaN and infinities are `nan`, `inf` and `-inf`.
        """
        with open(path, "w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self)
            writer.writerows(self.rows())

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as a Parquet file.

        Raises:
            ImportError: pyarrow is not installed; the message names the command that installs it.
        """
        arrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
        columns = {name: arrow.array(self[name], arrow.string() if self[name].dtype == object else None) for name in self}
        parquet.write_table(arrow.table(columns), os.fspath(path))

    @staticmethod
    def _for_pandas(pandas: Any, column: NDArray[Any] | Labels) -> Any:  # noqa: ANN401
        if not isinstance(column, Labels):
            return column
        texts, codes = np.unique(column.texts.astype(str), return_inverse=True)
        return pandas.Categorical.from_codes(codes[column.codes], texts.astype(object))


def _library(name: str) -> Any:  # noqa: ANN401
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name != package:
            raise
        raise ImportError(f"This needs {package}. Install it with: pip install {package}", name=package) from error


def _is(column: NDArray[Any] | Labels, value: object) -> NDArray[np.bool_]:
    if isinstance(column, Labels):
        return column.is_text(value)
    if isinstance(value, float) and np.isnan(value) and column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    # Numbers are never equal to texts, and NumPy would warn of it.
    if isinstance(value, str) != (column.dtype == object):
        return np.zeros(len(column), bool)
    return np.asarray(column == value, bool)


def _are_equal(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return left.dtype == right.dtype and np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def _cell(value: object) -> str:
    text = (f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}") if isinstance(value, float) else str(value)
    printable = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return printable if len(printable) <= _WIDEST else printable[: _WIDEST - 3] + "..."

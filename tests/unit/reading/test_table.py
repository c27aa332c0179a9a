"""Tables, and what they become in other libraries."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.errors import WrongChoiceError
from comgra_export.reading import table as module
from comgra_export.reading.table import Labels, Table

NAMES = ["x", "y", 'é,\n"q"']
VALUES = np.array([1.5, np.nan, -np.inf, 0.1, 3.0, 1e300])
STEPS = np.array([0, 0, 0, 10, 10, 10], np.int64)


@pytest.fixture
def table() -> Table:
    return Table(
        {
            "step": STEPS,
            "tensor": Labels(np.array([0, 1, 2, 0, 1, 2]), NAMES),
            "value": VALUES,
            "is_absent": np.array([False] * 5 + [True]),
        }
    )


def test_it_is_a_mapping_of_columns(table: Table) -> None:
    assert list(table) == ["step", "tensor", "value", "is_absent"]
    assert len(table) == 6
    assert table["tensor"].tolist() == NAMES * 2
    np.testing.assert_array_equal(table["value"], VALUES)
    with pytest.raises(KeyError, match="Did you mean 'value'"):
        table["vale"]


def test_rows_are_chosen_by_values(table: Table) -> None:
    assert table.where(step=10, tensor="y")["value"].tolist() == [3.0]
    assert table.where(tensor=["x", "y"], step=0)["value"].tolist()[:1] == [1.5]
    assert len(table.where(value=float("nan"))) == 1
    assert table.where(is_absent=True)["step"].tolist() == [10]
    assert len(table.where(tensor="z")) == len(table.where(step="x")) == len(table.where(step=[])) == 0
    # What was asked for once is found again, also after its column became an array.
    table["tensor"]
    assert table["tensor"] is table["tensor"]
    assert table.where(tensor="y")["step"].tolist() == [0, 10]
    with pytest.raises(WrongChoiceError, match="Did you mean 'tensor'"):
        table.where(tensr="x")


def test_it_shows_five_rows(table: Table) -> None:
    lines = repr(table).splitlines()
    assert lines[0] == "<Table of 6 rows>"
    assert lines[1].split() == ["step", "tensor", "value", "is_absent"]
    assert len(lines) == 2 + 5 + 1
    assert lines[-1] == "... 1 more"
    assert repr(Table({})) == "<Table of 0 rows>\n"


def test_equal_tables_have_equal_values(table: Table) -> None:
    same = Table({name: table[name].copy() for name in table})
    assert table == same
    assert table != table.at(slice(1, None))
    assert table != Table({**same, "value": np.where(np.isnan(VALUES), 0, VALUES)})


def test_csv_holds_every_value_exactly(table: Table, tmp_path: Path) -> None:
    table.to_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    np.testing.assert_array_equal([float(row["value"]) for row in rows], VALUES)
    assert [row["tensor"] for row in rows] == NAMES * 2


def test_pandas(table: Table) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    table["tensor"]
    frame = table.to_pandas()
    assert frame["tensor"].dtype == "category"
    assert list(frame.columns) == list(table)
    np.testing.assert_array_equal(frame["value"].to_numpy(), VALUES)
    assert frame["tensor"].tolist() == NAMES * 2
    assert frame.groupby("tensor", observed=True)["step"].sum().to_dict() == dict.fromkeys(NAMES, 10)


def test_polars(table: Table) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = table.to_polars()
    np.testing.assert_array_equal(frame["value"].to_numpy(), VALUES)
    assert frame.filter(polars.col("tensor") == "y")["step"].to_list() == [0, 10]
    assert Table({"a": np.empty(0, object)}).to_polars().schema["a"] == polars.String


def test_xarray(table: Table) -> None:
    pytest.importorskip("xarray", reason="xarray is not installed")
    dataset = table.to_xarray()
    assert dataset.sizes == {"row": 6}
    np.testing.assert_array_equal(dataset["value"].values, VALUES)


def test_parquet(table: Table, tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table.to_parquet(tmp_path / "table.parquet")
    read = parquet.read_table(tmp_path / "table.parquet")
    np.testing.assert_array_equal(read["value"].to_numpy(), VALUES)
    assert read["tensor"].to_pylist() == NAMES * 2


@pytest.mark.parametrize("method", ["to_pandas", "to_polars", "to_xarray", "to_parquet"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    method: str, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(module, "import_module", missing)
    library = {"to_parquet": "pyarrow"}.get(method, method.removeprefix("to_"))
    arguments = [tmp_path / "x"] if method == "to_parquet" else []
    with pytest.raises(ImportError, match=f"needs {library}. Install it with: pip install {library}"):
        getattr(table, method)(*arguments)

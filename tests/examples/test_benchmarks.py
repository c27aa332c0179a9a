"""The benchmarks run, and print every row that they promise. How fast anything is, is not tested."""

from __future__ import annotations

import json
import subprocess
import sys
from math import isfinite
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
EXPECTED_ROWS = [
    "start_batch + finish_batch",
    "start_iteration + finish_iteration",
    "register_tensor",
    "add_tensor_connection",
    "record_current_gradients",
    "record_kpi_in_graph",
    "record_kpi_in_graph, recorded on every step",
    "without a recorder",
    "with a recorder, step not recorded",
    "with a recorder, step not recorded: ratio",
    "with a recorder, step recorded",
    "with a recorder, step recorded: ratio",
    "float32 network",
    "bfloat16 network",
    "20 tensors",
    "100 tensors",
    "time per tensor, long chain to short chain",
    "to one file",
    "to folder",
    "to zip",
    "one file",
    "folder",
    "sample, chunk loaded",
    "iteration, chunk loaded",
    "step, chunk perhaps read ahead",
]
NEED_A_BROWSER = set(EXPECTED_ROWS[-5:])


def test_a_quick_run_prints_and_writes_every_row(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [row for rows in json.loads(file.read_bytes())["results"].values() for row in rows]
    assert [row["name"] for row in rows] == EXPECTED_ROWS
    assert all(isfinite(row["value"]) and row["value"] > 0 for row in rows if row["value"] is not None)
    assert {row["name"] for row in rows if row["value"] is None} <= NEED_A_BROWSER, "only a missing browser is an excuse"
    printed = [line.strip() for line in done.stdout.splitlines()]
    for row in rows:
        assert any(line.startswith(row["name"]) and f" {row['unit']}" in line for line in printed), row["name"]

"""`make coverage` fails if tests have run too few lines of a package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coverage_table import main


def measured(covered: int, lines: int) -> dict[str, dict[str, int]]:
    return {"summary": {"covered_lines": covered, "num_statements": lines}}


@pytest.mark.parametrize(("run", "code"), [(85, 0), (84, 1)])
def test_it_fails_if_a_package_is_below_85_percent(run: int, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The modules of the package `low` have 100 lines. All packages together are above 85 % in both cases.
    files = {
        "src/comgra_export/high/a.py": measured(1000, 1000),
        "src/comgra_export/low/a.py": measured(50, 50),
        "src/comgra_export/low/b.py": measured(run - 50, 50),
        "src/comgra_export/low/__init__.py": measured(0, 0),
    }
    (tmp_path / "lines.json").write_text(json.dumps({"files": files}), encoding="utf-8")
    assert main(tmp_path / "lines.json", "comgra_export") == code
    marked = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.endswith("   below 85 %")]
    assert marked == ["comgra_export/low"] * code

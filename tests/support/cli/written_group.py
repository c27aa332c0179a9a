"""The recordings that tests of the command line read."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.exporter.recordings import write_trial

__all__ = ["EXPORT", "RECORDING", "USAGE", "group"]

USAGE, RECORDING, EXPORT = 2, 3, 4


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """Two trials of three steps."""
    write_trial(tmp_path / "runs", "first")
    write_trial(tmp_path / "runs", "second", seed=1)
    return tmp_path / "runs" / "group"

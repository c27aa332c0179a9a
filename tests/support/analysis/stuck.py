"""A run with a parameter that never changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from support.analysis.runs import Given, RunByHand

__all__ = ["write_stuck_run"]

_TENSORS = [Given("model.a", "parameter"), Given("model.b", "parameter"), Given("loss", "loss", parents=("model.a", "model.b"))]
_VALUES = {"model.a": np.ones((2, 2)), "model.b": np.ones((2, 2)), "loss": 1.0}


def write_stuck_run(folder: Path) -> Path:
    """Writes two steps in which model.a moves and model.b does not, though it has a gradient and the optimizer holds it."""
    written = RunByHand(folder, _TENSORS, optimized=["model.a", "model.b"])
    for step in (0, 5):
        written.step(step, _VALUES, {"model.a": 0.1, "model.b": 0.1}, updates={"model.a": (2, 0.01), "model.b": (2, 0.0)})
    written.read()
    return folder

"""A small run whose numbers are given here, with NaN, infinities, an absent gradient and an evaluation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from support.analysis.runs import Given, RunByHand

__all__ = ["STEPS", "TENSORS", "gradients", "numbers", "write_small_run"]

STEPS = (0, 10, 20)
TENSORS = [
    Given("x", "input", values=True, histogram=True),
    Given("model.weight", "parameter", batch=False, values=True),
    Given("h", operation="AddmmBackward0", parents=("x", "model.weight"), module="model", values=True),
    Given("seen", parents=("h",), cut=("h",), not_known="outside"),
    Given("loss", "loss", parents=("h",)),
]


def numbers(step: int) -> dict[str, NDArray[np.float32]]:
    """The values of a step, with NaN and infinities."""
    generator = np.random.default_rng(step)
    values = {
        "x": generator.normal(size=(4, 3)),
        "model.weight": generator.normal(size=(3, 2)),
        "h": generator.normal(size=(4, 2)),
        "seen": generator.normal(size=(4, 5)),
        "loss": np.array(generator.normal()),
    }
    if step == 20:
        values["h"][1] = [np.nan, np.inf]
        values["x"][0, 0] = 0
    return {name: value.astype(np.float32) for name, value in values.items()}


def gradients(step: int) -> dict[str, NDArray[np.float32] | None]:
    """The gradients of a step; None for one that is absent."""
    return {"h": np.full((4, 2), step + 1.0, np.float32), "model.weight": None if step == 10 else np.ones((3, 2), np.float32)}


def write_small_run(root: Path, trial: str = "trial") -> Path:
    """Writes the run `group/TRIAL` below a folder, and returns the folder."""
    run = RunByHand(root, TENSORS, {"model": "Linear"}, optimized=["model.weight"], trial=trial)
    with np.errstate(invalid="ignore"):
        for step in STEPS:
            run.step(step, numbers(step), gradients(step), updates={"model.weight": (1.0, 0.1)}, time=step / 2)
    run.step(10.000001, numbers(10), training=False)  # type: ignore[arg-type]
    run.curve("train", {0: 1.0, 10: float("nan")})
    run.read()
    return root

"""Whether two trials hold the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from comgra_export.errors import WrongChoiceError
from comgra_export.reading import Trial


def assert_same(left: Trial, right: Trial) -> None:
    """Everything that the two hold is equal."""
    for table in ("steps", "tensors", "statistics", "curves", "notes", "gaps"):
        assert getattr(left, table) == getattr(right, table), table
    for what in ("name", "group", "ranks", "config", "started", "seconds", "ended", "error", "description"):
        assert getattr(left, what) == getattr(right, what), what
    assert left.findings() == right.findings()
    for step in left.steps["step"]:
        assert left.graph(step) == right.graph(step)
    records = dict.fromkeys(zip(*(left.statistics[name] for name in ("step", "tensor", "iteration", "group")), strict=True))
    for step, tensor, iteration, group in records:
        results = [_values(trial, step, tensor, iteration, group) for trial in (left, right)]
        assert len({type(result) for result in results}) == 1
        np.testing.assert_array_equal(*results)


def _values(trial: Trial, step: float, tensor: str, iteration: int, group: str) -> Any:  # noqa: ANN401
    try:
        if group == "forward":
            return trial.values(tensor, step, iteration)
        return trial.gradients(tensor, step, group, iteration)
    except WrongChoiceError:
        return None

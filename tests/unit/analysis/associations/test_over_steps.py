"""Statistics of steps and the loss."""

from __future__ import annotations

import numpy as np

from comgra_export.analysis.associations.over_steps import StepTable, compare_series
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import TensorKey


def test_a_tensor_of_every_second_step_is_compared_over_its_own_steps() -> None:
    loss = np.random.default_rng(0).normal(size=200)
    loss[100] = 9
    values = np.where(np.arange(200) % 2 == 0, loss + 10, np.nan)
    numbers = np.arange(1000.0, 1200.0)
    table = StepTable(numbers, {TensorKey("a", 0): values}, TensorKey("loss", 0), loss)
    (reported,) = compare_series(table, StepGraph()).reported
    assert reported.samples == 100
    assert (
        "the mean magnitude of `a` rises, the loss tends to rise (rank correlation of the changes 1.00, n = 100 steps" in reported.message
    )
    # The steps around 1100 differ most among those that have it.
    assert {view.step for view in reported.evidence} <= {1100, 1102}

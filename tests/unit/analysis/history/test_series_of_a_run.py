"""The numbers of a series are those of the values that were recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.history.series import TensorKey
from support.analysis.runs import Given, RunByHand


@pytest.mark.parametrize("shape", [(5, 3), (5, 2, 4), (1, 7), (6,), (4, 1)])
@pytest.mark.parametrize("has_batch", [True, False])
def test_mean_norm_and_deviation_are_those_of_all_values(tmp_path: Path, shape: tuple[int, ...], has_batch: bool) -> None:
    random = np.random.default_rng(0)
    arrays = [random.normal(2, 3, shape).astype(np.float32) for _ in range(3)]
    written = RunByHand(tmp_path, [Given("x", batch=has_batch)])
    for step, array in enumerate(arrays):
        written.step(10 * step, {"x": array})
    series = written.read().values(TensorKey("x", 0))
    assert series is not None
    assert series.steps.tolist() == [0, 10, 20]
    np.testing.assert_allclose(series.mean, [array.mean() for array in arrays], rtol=1e-5)
    np.testing.assert_allclose(series.absolute_mean, [np.abs(array).mean() for array in arrays], rtol=1e-5)
    np.testing.assert_allclose(series.norm, [np.linalg.norm(array) for array in arrays], rtol=1e-5)
    np.testing.assert_allclose(series.standard_deviation, [array.std() for array in arrays], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(series.largest_magnitude, [np.abs(array).max() for array in arrays], rtol=1e-6)


def test_counts_and_absent_gradients(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("x"), Given("empty"), Given("loss", "loss")])
    x = np.array([[0.0, 1.0, np.nan], [np.inf, 0.0, -np.inf]])
    written.step(0, {"x": x, "empty": np.zeros((0, 3)), "loss": 0.5}, {"x": None})
    written.step(1, {"x": np.ones((2, 3)), "empty": np.zeros((0, 3)), "loss": 0.25}, {"x": 0.0})
    run = written.read()
    x_series, gradient = run.values(TensorKey("x", 0)), run.gradients(TensorKey("x", 0))
    empty, loss = run.values(TensorKey("empty", 0)), run.values(TensorKey("loss", 0))
    assert x_series is not None
    assert gradient is not None
    assert empty is not None
    assert loss is not None
    assert x_series.nan.tolist() == [1, 0]
    assert x_series.infinite.tolist() == [2, 0]
    assert x_series.is_finite.tolist() == [False, True]
    assert x_series.zero_share.tolist() == [2 / 6, 0]
    assert np.isnan(x_series.mean[0])
    assert x_series.extrema.tolist() == [[0, 1], [1, 1]]
    assert gradient.is_absent.tolist() == [True, False]
    assert gradient.largest_magnitude.tolist() == [0, 0]
    assert np.isnan(empty.mean).all()
    assert np.isnan(empty.zero_share).all()
    assert loss.mean.tolist() == [0.5, 0.25]
    assert loss.norm.tolist() == [0.5, 0.25]


def test_samples_that_are_equal_do_not_deviate_over_the_batch(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("same"), Given("other")])
    row = np.array([1.0, 2.0, 4.0])
    written.step(0, {"same": np.stack([row, row]), "other": np.stack([row, row + 1])})
    run = written.read()
    same, other = run.values(TensorKey("same", 0)), run.values(TensorKey("other", 0))
    assert same is not None
    assert other is not None
    assert same.deviation_over_batch.tolist() == [0]
    assert other.deviation_over_batch[0] > 0.5


def test_tensors_that_only_some_of_many_steps_hold_keep_their_own_numbers(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("x"), Given("y")])
    random = np.random.default_rng(0)
    recorded: dict[str, dict[int, np.ndarray]] = {"x": {}, "y": {}}
    for step in range(150):
        # `x` has batches of two sizes, and `y` begins late and is left out in every third step.
        arrays = {"x": random.normal(size=(2 + step % 7 // 6, 3)).astype(np.float32)}
        if step > 40 and step % 3:
            arrays["y"] = np.maximum(random.normal(size=(2, 4)), 0).astype(np.float32)
        written.step(step, arrays)
        for name, array in arrays.items():
            recorded[name][step] = array
    run = written.read()
    for name, arrays_of_steps in recorded.items():
        series = run.values(TensorKey(name, 0))
        assert series is not None
        assert series.steps.tolist() == series.positions.tolist() == [*arrays_of_steps]
        assert series.sizes.tolist() == [array.size for array in arrays_of_steps.values()]
        assert series.samples.tolist() == [len(array) for array in arrays_of_steps.values()]
        assert series.extrema.tolist() == [[array.min(), array.max()] for array in arrays_of_steps.values()]
        assert series.counts[:, 3].tolist() == [(array == 0).sum() for array in arrays_of_steps.values()]
        np.testing.assert_allclose(series.mean, [array.mean() for array in arrays_of_steps.values()], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(series.norm, [np.linalg.norm(array) for array in arrays_of_steps.values()], rtol=1e-5)

"""`comgra_export.rerun`, the function behind the command `rerun`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from comgra_export import AdapterError, ComgraRecorder, MisuseError, rerun


def _rerun(root: Path, array: NDArray[Any], seen: list[torch.Tensor]) -> Path:
    def function(given: torch.Tensor, recorder: ComgraRecorder) -> None:
        seen.append(given)
        for step in range(3):
            with recorder.batch(step, 1), recorder.iteration():
                recorder.register_tensor("x", given, index_of_batch_dimension=None, recording_type="kpis")

    return rerun(function, array, root, group="group", trial="first", note="changed")


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.array([[True, False]]), torch.bool),
        (np.array(2**62 + 1), torch.int64),
        (np.asfortranarray(np.arange(4, dtype=">f8").reshape(2, 2)), torch.float64),
        (np.array([0.5, -2], dtype=np.float16), torch.float16),
        (np.zeros((0, 3), dtype=np.float32), torch.float32),
    ],
)
def test_the_function_gets_the_array_as_it_is(tmp_path: Path, array: NDArray[Any], dtype: torch.dtype) -> None:
    seen: list[torch.Tensor] = []
    folder = _rerun(tmp_path, array, seen)
    assert (seen[0].dtype, tuple(seen[0].shape), seen[0].tolist()) == (dtype, array.shape, array.tolist())
    assert folder == tmp_path / "group" / "first edit 1"
    # Every step is recorded, whatever their distance is.
    assert len(list((folder / "rank-0" / "steps").glob("*.json"))) == 3


def test_the_array_stays_as_it_is(tmp_path: Path) -> None:
    array = np.ones((1, 2), dtype=np.float32)

    def function(given: torch.Tensor, recorder: ComgraRecorder) -> None:
        with recorder.batch(0, 1), recorder.iteration():
            recorder.register_tensor("x", given.mul_(5))

    rerun(function, array, tmp_path, group="group", trial="first", note="")
    assert array.tolist() == [[1, 1]]


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def function(given: torch.Tensor, recorder: ComgraRecorder) -> None:
        with recorder.batch(0, 1), recorder.iteration():
            recorder.register_tensor("x", given, recording_type="kpis")
        raise KeyError("of the function")

    (tmp_path / "group" / "first").mkdir(parents=True)
    with pytest.raises(AdapterError) as failed:
        rerun(function, np.ones((1, 2)), tmp_path, group="group", trial="first", note="")
    assert isinstance(failed.value.__cause__, KeyError)
    assert [entry.name for entry in (tmp_path / "group").iterdir()] == ["first"]


def test_a_dtype_that_torch_lacks(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="which torch does not have"):
        _rerun(tmp_path, np.array(["a"]), [])
    assert not list(tmp_path.iterdir())

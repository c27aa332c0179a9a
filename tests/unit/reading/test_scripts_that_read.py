"""What a script has put in comes out of `comgra_export.read`, of its recording and of its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import comgra_export
from comgra_export.errors import WrongChoiceError
from comgra_export.reading import Trial

STEPS = 3


@pytest.fixture(params=["recording", "page"])
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> Trial:
    """A recurrent network of bfloat16, with integers and a batch in the second dimension."""
    with comgra_export.ComgraRecorder(tmp_path / "runs", max_num_batch_size_to_record=2) as recorder:
        for step in range(STEPS):
            with recorder.batch(step, 4):
                for iteration in range(2):
                    with recorder.iteration():
                        x, tokens, w = put_in(step, iteration)
                        recorder.register_tensor("x", x, is_input=True)
                        recorder.register_tensor("tokens", tokens, is_input=True, index_of_batch_dimension=1)
                        y = x * w
                        recorder.register_tensor("y", y)
                        loss = y.float().sum() + 0 * tokens.sum()
                        recorder.register_tensor("loss", loss, is_loss=True)
                loss.backward()
                recorder.record_current_gradients("gradients")
        recorder.record_kpi_in_graph("loss", "train", 0.5)
    if request.param == "recording":
        return comgra_export.read(tmp_path / "runs").trial
    comgra_export.export(tmp_path / "runs", tmp_path / "report.html")
    return comgra_export.read(tmp_path / "report.html").trial


def put_in(step: int, iteration: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(10 * step + iteration)
    x = torch.randn(4, 3, 2, generator=generator).to(torch.bfloat16).requires_grad_()
    return x, torch.randint(0, 9, (3, 4), generator=generator), torch.full((2,), 2.0, dtype=torch.bfloat16)


def test_values(trial: Trial) -> None:
    for step in range(STEPS):
        for iteration in range(2):
            x, tokens, w = put_in(step, iteration)
            values = trial.values("x", step, iteration)
            assert values.dtype == np.float32
            np.testing.assert_array_equal(values, x.detach().float().numpy()[:2])
            np.testing.assert_array_equal(trial.values("y", step, iteration), (x * w).detach().float().numpy()[:2])
            # The batch comes first.
            np.testing.assert_array_equal(trial.values("tokens", step, iteration), tokens.numpy().T[:2])
            assert trial.values("tokens", step, iteration).dtype == np.int64
            assert float(trial.values("loss", step, iteration)) == (x * w).detach().float().sum().item()
        np.testing.assert_array_equal(trial.gradients("x", step, iteration=1), np.full((2, 3, 2), 2, np.float32))
        with pytest.raises(WrongChoiceError, match="'x' had no gradient of 'gradients' in step"):
            trial.gradients("x", step, iteration=0)
    with pytest.raises(WrongChoiceError, match=r"'x' was recorded in 2 iterations of step 0. Give one of them: 0, 1\."):
        trial.values("x", 0)


def test_statistics(trial: Trial) -> None:
    for step in range(STEPS):
        for iteration in range(2):
            x = put_in(step, iteration)[0].detach().float().numpy().astype(np.float64).reshape(4, -1)
            rows = trial.statistics.where(tensor="x", step=step, iteration=iteration, group="forward")
            by_item = {"mean": x.mean(1), "abs_mean": np.abs(x).mean(1), "std": x.std(1, ddof=1), "abs_max": np.abs(x).max(1)}
            for item, of_samples in by_item.items():
                row = rows.where(item=item)
                measured = [row["mean"][0], row["abs_max"][0], row["std"][0]]
                np.testing.assert_allclose(
                    measured, [of_samples.mean(), np.abs(of_samples).max(), of_samples.std(ddof=1)], rtol=1e-5, atol=1e-7
                )
            assert set(rows["count"]) == {24}


def test_what_was_computed_from_what(trial: Trial) -> None:
    edges = trial.graph(0).edges.where(iteration=1)
    assert {(source, target) for source, target in zip(edges["source"], edges["target"], strict=True)} == {
        ("x", "y"),
        ("y", "loss"),
        ("tokens", "loss"),
    }
    assert trial.steps["iterations"].tolist() == [2] * STEPS

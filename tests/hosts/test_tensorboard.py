"""Event files are read whole, and what is written can be read by TensorBoard itself."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import comgra_export
from comgra_export import MisuseError
from support.hosts.runs import needs

needs("tensorboard")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from tensorboard.backend.event_processing.event_accumulator import STORE_EVERYTHING_SIZE_GUIDANCE, EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    from comgra_export.integrations.tensorboard import read_events, write_events

pytestmark = pytest.mark.filterwarnings("ignore")


def test_every_point_of_every_curve_is_read(tmp_path: Path) -> None:
    values = [math.sin(step) for step in range(12_000)]
    values[3:6] = [math.nan, math.inf, -math.inf]
    with SummaryWriter(tmp_path / "run") as writer:  # type: ignore[no-untyped-call]
        for step, value in enumerate(values):
            writer.add_scalar("train/loss", value, step)  # type: ignore[no-untyped-call]
        writer.add_scalar("accuracy", 0.5, 7, new_style=True)  # type: ignore[no-untyped-call]
    curves = read_events(tmp_path)
    assert set(curves) == {"run/train/loss", "run/accuracy"}
    np.testing.assert_array_equal(curves["run/train/loss"].steps, np.arange(12_000))
    np.testing.assert_allclose(curves["run/train/loss"].values, values, rtol=1e-6)
    assert (curves["run/accuracy"].steps.tolist(), curves["run/accuracy"].values.tolist()) == ([7], [0.5])


def test_a_folder_without_event_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="there is no event file"):
        read_events(tmp_path)


def test_curves_and_histograms_are_written(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    inputs, losses = [], []
    with comgra_export.watch(net, tmp_path / "recordings", every=1) as recorder:
        for _ in range(3):
            inputs.append(torch.randn(50, 3))
            loss = net(inputs[-1]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            recorder.record_kpi_in_graph("mine", "double", 2 * losses[-1])
    write_events(tmp_path / "recordings", tmp_path / "events")
    events = EventAccumulator(str(tmp_path / "events"), STORE_EVERYTHING_SIZE_GUIDANCE)
    events.Reload()
    assert [point.step for point in events.Scalars("mine/double")] == [0, 1, 2]
    assert [point.value for point in events.Scalars("mine/double")] == pytest.approx([2 * loss for loss in losses])
    assert [point.value for point in events.Scalars("loss/loss")] == pytest.approx(losses)
    written = events.Histograms("model: input")
    assert [event.step for event in written] == [0, 1, 2]
    for event, values in zip(written, inputs, strict=True):
        histogram = event.histogram_value
        assert histogram.num == 150
        # As many values are below each limit as there really are.
        below = np.cumsum(histogram.bucket)
        for limit, count in zip(histogram.bucket_limit, below, strict=True):
            assert count == int((values.double() < limit).sum()) or math.isclose(limit, 0, abs_tol=1e-30)
    assert "model.weight/gradients" in events.Tags()["histograms"]

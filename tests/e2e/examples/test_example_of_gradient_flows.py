"""The example of gradient flows records them on its steps, whole, and writes the page."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from comgra_export.storage import find_recordings, open_recording
from examples.tutorial import one_thread
from support.places import CHECKOUT

EXAMPLE = CHECKOUT / "examples" / "gradient_flow.py"


def test_it_records_flows_through_three_layers_and_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with one_thread():
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    (folder,) = find_recordings(tmp_path / "recordings")
    recording = open_recording(folder)
    assert recording.gaps == ()
    assert recording.steps == (0, 40, 80)
    for step in recording.steps:
        description = recording.step(step)
        assert description.gaps == ()
        (flow,) = description.flows
        assert [layer.shape for layer in flow.layers] == [(1, 12, 12), (4, 6, 6), (6, 3, 3)]
        assert flow.samples == (0, 1)
        numbers = recording.flow_numbers(step, 0)
        assert all(values is not None for values in numbers.values)
        for pair, own in zip(flow.pairs, numbers.pairs, strict=True):
            gradient = numbers.gradients[pair.source]
            assert own.computed is None
            assert gradient is not None
            assert own.residuals is not None
            assert np.abs(own.residuals).max() <= 1e-5 * np.abs(gradient).max()
            # A window of 3 x 3 lies around every element, and is cut off at most at two sides.
            per_target = np.bincount(own.targets)
            channels = flow.layers[pair.source].shape[0]
            assert 0 < per_target.max() <= 2 * 9 * channels

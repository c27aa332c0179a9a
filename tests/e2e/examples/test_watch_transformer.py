"""The example of watching records training and evaluation apart, every part of the model, and writes the page."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from comgra_export.storage import find_recordings, open_recording
from examples.tutorial import one_thread
from support.places import CHECKOUT

EXAMPLE = CHECKOUT / "examples" / "watch_transformer.py"


def test_it_watches_training_and_evaluation_and_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with one_thread():
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    (folder,) = find_recordings(tmp_path / "recordings")
    recording = open_recording(folder)
    assert recording.gaps == ()
    steps = [recording.step(number) for number in recording.steps]
    assert {step.type_of_execution: step.batch_size for step in steps} == {"train": 64, "eval": 256}
    network = recording.network
    for step in steps:
        (digest,) = step.calls
        assert digest is not None
        tree = recording.calls(digest)
        called = [network.modules[call.module].name for call in tree.calls]
        assert called[0] == "model"
        assert {"model.embedding", "model.blocks.0.attention", "model.blocks.1.perceptron.3", "model.head"} <= set(called)
        assert {call.training for call in tree.calls} == {step.type_of_execution == "train"}
        patterns = [port.record_name for port in tree.ports if port.path == "output[1]"]
        assert patterns == ["model.blocks.0.attention: output[1]", "model.blocks.1.attention: output[1]"]
    accuracies = [point.v for point in recording.curve_points if point.group == "accuracy"]
    assert len(accuracies) == 8
    assert accuracies[-1] > 0.9

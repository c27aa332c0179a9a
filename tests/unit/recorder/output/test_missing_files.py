"""Which files of a recording may be missing, as docs/recording-format.md says."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export.errors import DamagedRecordingError, NotARecordingError
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of


@pytest.fixture
def folder(make_recorder: MakeRecorder) -> Path:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with make_recorder(sentinels=True) as recorder:
        recorder.watch(model)
        recorder.set_config({"rate": 1})
        recorder.add_note("note")
        for step in range(2):
            with recorder.batch(step, 4), recorder.iteration():
                loss = model(torch.rand(4, 2)).sum()
                recorder.record_kpi_in_graph("loss", "train", loss)
                recorder.record_gradient_flow(loss, ["model: input", "model.0: output"])
    return folder_of(recorder)


@pytest.mark.parametrize(
    "name", ["network.json", "config.json", "notes.jsonl", "curves.jsonl", "gaps.jsonl", "journal.jsonl", "sentinels.jsonl", "writing.lock"]
)
def test_files_that_may_be_missing(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    recording = open_recording(folder)
    assert recording.steps == (0, 1)
    for step in recording.steps:
        description = recording.step(step)
        assert recording.layout(description.layout).tensors
        assert recording.flow_numbers(step, 0).pairs


def test_without_a_header_there_is_no_recording(folder: Path) -> None:
    (folder / "recording.json").unlink()
    with pytest.raises(NotARecordingError):
        open_recording(folder)


def test_a_step_without_its_flow_has_everything_else(folder: Path) -> None:
    next((folder / "flows").glob("*000-000.*")).unlink()
    recording = open_recording(folder)
    assert recording.layout(recording.step(0).layout).tensors
    with pytest.raises(DamagedRecordingError, match="flows"):
        recording.flow_numbers(0, 0)
    assert recording.flow_numbers(1, 0).pairs


def test_a_step_without_its_layout_is_damaged(folder: Path) -> None:
    recording = open_recording(folder)
    layout = recording.step(0).layout
    (folder / "layouts" / f"{layout}.json").unlink()
    with pytest.raises(DamagedRecordingError, match="layouts"):
        open_recording(folder).layout(layout)

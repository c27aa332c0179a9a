"""Steps with alternating tensors each have the numbers that they would have alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.recorder.numbers.placement import KnownLayouts
from comgra_export.storage import Blob, Group, Layout, Recording, open_recording
from support.storage.entries import tensor_entry

KINDS = ["two tensors", "other order", "no gradients", "wider", "one dropped"]


def record(folder: Path, kinds: Sequence[str | None]) -> Recording:
    """Records a step of each kind; None leaves out the step's number."""
    layer = torch.nn.Linear(3, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.arange(6.0).reshape(2, 3))
        layer.bias.fill_(0.5)
    with ComgraRecorder(folder, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1, 1)) as recorder:
        recorder.track_module("layer", layer)
        for step, kind in enumerate(kinds):
            if kind is None:
                continue
            batch = 6 if kind == "wider" else 4
            x = torch.arange(3.0 * batch).reshape(batch, 3) - step
            with recorder.batch(step, batch), recorder.iteration():
                y = layer(x)
                layer.zero_grad()
                tensors = {"x": x, "y": y}
                if kind == "other order":
                    tensors = {"y": y, "x": x}
                if kind == "one dropped":
                    del tensors["x"]
                for name, tensor in tensors.items():
                    recorder.register_tensor(name, tensor, is_input=name == "x")
                if kind != "no gradients":
                    y.square().sum().backward()
                    recorder.record_current_gradients("gradients")
    assert recorder.folder is not None
    return open_recording(recorder.folder)


@pytest.mark.filterwarnings("ignore::comgra_export.recorder.host.gaps.ComgraRecordingWarning")
def test_steps_that_take_turns_have_the_numbers_that_each_has_alone(tmp_path: Path) -> None:
    kinds = KINDS + KINDS[::-1] + KINDS
    together = record(tmp_path / "together", kinds)
    assert together.steps == tuple(range(len(kinds)))
    for kind in KINDS:
        alone = record(tmp_path / kind, [candidate if candidate == kind else None for candidate in kinds])
        assert len(alone.steps) == 3
        for step in alone.steps:
            expected, blobs = alone.blobs(step), together.blobs(step)
            assert together.layout(together.step(step).layout) == alone.layout(alone.step(step).layout)
            assert {name: bits(blob) for name, blob in blobs.items()} == {name: bits(blob) for name, blob in expected.items()}


def bits(blob: Blob) -> tuple[str, tuple[int, ...], bytes]:
    return blob.dtype, blob.data.shape, blob.data.tobytes()


def layout_of(name: str) -> Layout:
    entries = tuple(
        tensor_entry(f"{name}{number}", node=name, role=str(number), shape=(2, 3), batch_dimension=0, samples=1) for number in range(2)
    )
    return Layout(entries, (Group("forward", (0, 1)), Group("gradients", (1,))))


def test_what_equals_a_layout_of_before_is_known_and_no_more_than_the_last_ones_are_kept() -> None:
    layouts = KnownLayouts()
    first = layouts.records(layout_of("a"), [3, 5])
    assert layouts.records(layout_of("a"), [3, 5]) is first
    assert first.numbers([("gradients", 5), ("forward", 3)]).tolist() == [2, 0]
    # The same tensors of a step in which others were registered before them.
    other = layouts.records(layout_of("a"), [4, 6])
    assert other.numbers([("gradients", 6), ("forward", 4)]).tolist() == [2, 0]
    for number in range(100):
        layouts.records(layout_of(f"b{number}"), [0, 1])
    assert layouts.records(layout_of("a"), [3, 5]) is not first

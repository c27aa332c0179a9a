"""Recordings that version 0.1.0 made are read and exported, and give the bundles that it made of them."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.exporter import export
from comgra_export.storage import Recording, find_recordings, iterate_records, open_recording
from support.exporter.unpacker import Bundle
from support.made_before import NAMES, expected_values, recording_of, unpack_page

LAST_STEP = 4
# Positions in the batch, in the order in which the samples were recorded: categories keep together.
SAMPLES = {"by_hand": [0, 2, 1], "watched": [0, 1]}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _open(name: str) -> Recording:
    (folder,) = find_recordings(recording_of(name))
    recording = open_recording(folder)
    assert recording.problems == []
    return recording


def _values(recording: Recording, group: str, tensor: str) -> NDArray[Any]:
    """The values of the recorded samples in the last step."""
    arrays = recording.blobs(LAST_STEP)
    for place in iterate_records(recording.layout(recording.step(LAST_STEP).layout)):
        entry = place.entry
        if (place.group, entry.name) == (group, tensor):
            values = arrays[f"values.{entry.stored}"].data[place.values : place.values + entry.values_count]
            # numpy has no bfloat16: its bits are the upper half of a float32.
            return (values.astype(np.uint32) << 16).view(np.float32) if entry.stored == "BF16" else values
    raise AssertionError(f"{tensor} is not there")


def test_the_header_says_which_version_wrote_it(name: str) -> None:
    header = _open(name).header
    assert header.version == 2
    assert header.writer == "comgra_export 0.1.0"


def test_every_part_of_a_recording_by_hand_is_read() -> None:
    recording = _open("by_hand")
    assert list(recording.steps) == [0, 1, 2, LAST_STEP]
    assert recording.step(1).triggered is not None
    step = recording.step(LAST_STEP)
    assert (step.type_of_execution, step.epoch, step.samples.index) == ("even", 2, (0, 2, 1))
    assert (step.samples.id, step.samples.category) == (("picture <0>", "picture <2>", "picture <1>"), ("cat", "cat", "dog"))
    assert [group.name for group in recording.layout(step.layout).groups] == ["forward", "error", "size"]
    assert [note.text for note in recording.notes] == ["Recorded by hand: <b>tensors</b> of every kind.", "The end."]
    assert [str(point.v) for point in recording.curve_points if point.name == "strange"] == ["0.0", "nan", "2.0", "3.0", "4.0"]
    (flow,) = step.flows
    assert [layer.name for layer in flow.layers] == ["x", "hidden", "output"]


def test_calls_and_epochs_of_a_watched_recording_are_read() -> None:
    recording = _open("watched")
    assert {number: recording.step(number).type_of_execution for number in recording.steps} == {
        0: "train", 2: "train", 3: "eval", LAST_STEP: "train", 5: "eval",
    }  # fmt: skip
    step = recording.step(LAST_STEP)
    assert step.epoch == 1
    (digest,) = step.calls
    assert digest is not None
    names = [module.name for module in recording.network.modules]
    assert [names[call.module] for call in recording.calls(digest).calls] == [
        "net", "net.stem", "net.block", "net.block.0", "net.block.1", "net.block.2", "net.head",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tensor"),
    [("by_hand", "x"), ("by_hand", "hidden"), ("by_hand", "output"), ("by_hand", "half"), ("by_hand", "broken"), ("watched", "input")],
)
def test_values_are_those_of_the_tensors(name: str, tensor: str) -> None:
    expected = expected_values(name)[tensor][SAMPLES[name]]
    values = _values(_open(name), "forward", "net: input x" if tensor == "input" else tensor)
    np.testing.assert_array_equal(values, expected.reshape(-1).astype(np.float32))


def test_an_export_holds_what_the_earlier_one_held(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Bundle(unpack_page(name, tmp_path))
    now = Bundle(export(recording_of(name), tmp_path / "now.html").path)
    for bundle in (before, now):
        # Otherwise a chunk is unpacked again for each of its elements.
        monkeypatch.setattr(bundle, "chunk", cache(bundle.chunk))
    (old_trial,), (trial,) = before.index["trials"], now.index["trials"]
    assert trial["steps"]["step"] == old_trial["steps"]["step"]
    for step in old_trial["steps"]["step"]:
        old_arrays, arrays = before.arrays(old_trial, step), now.arrays(trial, step)
        assert [array[:2] for array in arrays] == [array[:2] for array in old_arrays]
        for (_, _, old), (_, _, new) in zip(old_arrays, arrays, strict=True):
            np.testing.assert_array_equal(new.view(np.uint8), old.view(np.uint8))
    for old_record, record in zip(before.series(old_trial), now.series(trial), strict=True):
        np.testing.assert_equal(record, old_record)
    assert now.histograms(trial) == before.histograms(old_trial)
    assert (trial["flows"] >= 0) == (old_trial["flows"] >= 0) == (name == "by_hand")
    if name == "by_hand":
        for old_flow, flow in zip(before.flows(old_trial), now.flows(trial), strict=True):
            # Its numbers are in another chunk, since there are chunks that the earlier version did not have.
            np.testing.assert_equal({**flow, "lane4": 0}, {**old_flow, "lane4": 0})


def test_the_earlier_bundle_is_whole(name: str, tmp_path: Path) -> None:
    bundle = Bundle(unpack_page(name, tmp_path))
    assert (bundle.index["format"], bundle.index["version"], bundle.index["generator"]) == ("comgra-bundle", 1, "comgra_export 0.1.0")
    assert bundle.digest() == bundle.index["content_digest"]
    assert bundle.index["about"]["problems"] == []


def test_non_finite_values_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [math.isfinite(value) for value in expected_values("by_hand")["broken"][0]] == [False, False, False, True]
    bundle = Bundle(unpack_page("by_hand", tmp_path))
    monkeypatch.setattr(bundle, "chunk", cache(bundle.chunk))
    (counts,) = (
        record["counts"] for record in bundle.series(bundle.trial("first")) if (record["group"], record["name"]) == ("forward", "broken")
    )
    # One NaN, one infinity of each sign, one zero; none is a gradient that is absent.
    assert counts.T.tolist() == [[1, 1, 1, 1, 0]] * counts.shape[1]

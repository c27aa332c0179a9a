"""Descriptions and layouts of steps that contradict the format are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import open_recording
from support.storage.damage import STEPS, edit, only, read_everything, set_column, step_files


def change_blob(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    arrays = safetensors.numpy.load_file(file)
    change(arrays)
    safetensors.numpy.save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file)


BAD_STEPS: dict[str, Callable[[Any], object]] = {
    "another step": lambda step: step.update(step=8),
    "step is true": lambda step: step.update(step=True),
    "negative batch": lambda step: step.update(batch_size=-1),
    "no type": lambda step: step.pop("type_of_execution"),
    "layout is a path": lambda step: step.update(layout="../../../etc/pass"),
    "layout in capitals": lambda step: step.update(layout=step["layout"].upper().replace("0", "A")),
    "layout with a newline": lambda step: step.update(layout=step["layout"] + "\n"),
    "structures of numbers": lambda step: step.update(structures=[3]),
    "structures missing": lambda step: step.pop("structures"),
    "samples missing": lambda step: step.pop("samples"),
    "sample beyond the batch": lambda step: step["samples"].update(index=[0, 4]),
    "sample twice": lambda step: step["samples"].update(index=[0, 0]),
    "too few categories": lambda step: step["samples"].update(category=["a"]),
    "time is text": lambda step: step.update(time="noon"),
    "gap without reason": lambda step: step.update(gaps=[{"step": 1}]),
    "gaps of text": lambda step: step.update(gaps=["x"]),
    "session -1": lambda step: step.update(session=-1),
    "triggered is true": lambda step: step.update(triggered=True),
    "rates are no lists": lambda step: step.update(learning_rates=[0.5]),
    "a rate is text": lambda step: step.update(learning_rates=[["high"]]),
    "a rate is true": lambda step: step.update(learning_rates=[[True]]),
    "runs are a list": lambda step: step.update(module_runs=[]),
    "runs of a negative module": lambda step: step["module_runs"].update(module=[-1]),
    "runs not ascending": lambda step: step.update(module_runs={"module": [1, 0], "training": [True, True], "calls": [1, 1]}),
    "runs of a module twice": lambda step: step.update(module_runs={"module": [0, 0], "training": [True, True], "calls": [1, 1]}),
    "a column of the runs is shorter": lambda step: step["module_runs"].update(calls=[]),
    "training is a number": lambda step: step["module_runs"].update(training=[1]),
    "calls are negative": lambda step: step["module_runs"].update(calls=[-1]),
    "a column of the parameters is shorter": lambda step: step["parameters"].update(update_norm=[0.5]),
    "parameters not ascending": lambda step: step["parameters"].update(parameter=[1, 0]),
    "a norm is null": lambda step: step["parameters"].update(norm=[None, 1]),
    "an estimate of a parameter without norms": lambda step: step["parameters"]["estimated"].update(parameter=[2]),
    "an estimate from nothing": lambda step: step["parameters"]["estimated"].update(elements=[0]),
    "an estimate without an error": lambda step: step["parameters"]["estimated"].update(error=[]),
    "a difference is text": lambda step: step["parameters"].update(accumulated_gradient_difference=["x", 1]),
    "parameters without norms": lambda step: step["parameters"].pop("norm"),
    "gradients of text": lambda step: step.update(gradients="x"),
    "gradients of no group": lambda step: step["gradients"][0].pop("group"),
    "gradients of a group twice": lambda step: step.update(gradients=step["gradients"] * 2),
    "a negative number of passes": lambda step: step["gradients"][0].update(backward_passes=-1),
    "loss scale is text": lambda step: step["gradients"][0].update(loss_scale="high"),
    "changed by a text": lambda step: step["gradients"][0].update(changed_in_place_by="mul_"),
    "averaged is a number": lambda step: step["gradients"][0].update(averaged_over_ranks=1),
    "a negative number of bytes": lambda step: step.update(held_bytes=-1),
    "bytes are a fraction": lambda step: step.update(held_bytes=0.5),
    "calls are a hash": lambda step: step.update(calls=step["layout"]),
    "calls of numbers": lambda step: step.update(calls=[3, None]),
    "calls of one iteration only": lambda step: step["calls"].pop(),
}


@pytest.mark.parametrize("change", BAD_STEPS.values(), ids=BAD_STEPS.keys())
def test_a_description_that_contradicts_the_format_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(step_files(folder, 7)[0], change)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match=r"group/trial/rank-0/steps/000000000007\.json cannot be used"):
        recording.step(7)
    assert read_everything(recording) == {0: True, 7: False, 1200: True}


@pytest.mark.parametrize(
    "change",
    [lambda step: step.update(layout="0" * 16), lambda step: step["samples"].update(index=[0, 1, 2])],
    ids=["layout that is not there", "more samples than in the layout"],
)
def test_a_description_that_contradicts_its_layout_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(step_files(folder, 7)[0], change)
    recording = open_recording(folder)
    assert recording.step(7).step == 7
    assert read_everything(recording) == {0: True, 7: False, 1200: True}


def with_sources(positions: list[int | None], **columns: object) -> Callable[[Any], object]:
    def change(layout: dict[str, Any]) -> None:
        layout["tensors"]["source"] = positions
        layout["sources"] = {"file": ["model.py"], "line": [41], "function": ["forward"], **columns}

    return change


def shard(**members: object) -> dict[str, object]:
    return {"shape": [8, 3], "index": 0, "count": 2, **members}


BAD_LAYOUTS: dict[str, Callable[[Any], object]] = {
    "a column is shorter": lambda layout: layout["tensors"]["node"].pop(),
    "an optional column is shorter": lambda layout: layout["tensors"]["operation"].pop(),
    "a column is missing": lambda layout: layout["tensors"].pop("stored"),
    "a column is an object": lambda layout: layout["tensors"].update(name={}),
    "name is a number": set_column("name", 0, 1),
    "the same tensor twice": set_column("name", 1, "x"),
    "iteration -2": set_column("iteration", 0, -2),
    "iteration is a fraction": set_column("iteration", 0, 0.5),
    "iteration is true": set_column("iteration", 0, True),
    "iteration is huge": set_column("iteration", 0, 2**53),
    "unknown type": set_column("type", 0, "output"),
    "unknown kind": set_column("kind", 0, "histogram"),
    "unknown dtype": set_column("dtype", 0, "F4"),
    "stored as something else": set_column("stored", 0, "F16"),
    "stored as 8-bit float": lambda layout: layout["tensors"].update(dtype=["F8_E4M3"] * 3, stored=["F8_E4M3"] * 3),
    "negative size": set_column("shape", 0, [4, -3]),
    "size is true": set_column("shape", 0, [4, True]),
    "shape is a number": set_column("shape", 0, 12),
    "product overflows": set_column("shape", 0, [2**32, 2**31]),
    "product overflows beside a zero": set_column("shape", 0, [0, 2**62, 2, 2]),
    "batch dimension out of range": set_column("batch_dimension", 0, 2),
    "negative batch dimension": set_column("batch_dimension", 0, -1),
    "more samples than the batch": set_column("samples", 0, 5),
    "samples without batch dimension": set_column("samples", 2, 2),
    "negative samples": set_column("samples", 0, -1),
    "operation is a number": set_column("operation", 0, 5),
    "device is a number": lambda layout: layout["tensors"].update(device=[0, 0, 0]),
    "a column of devices is shorter": lambda layout: layout["tensors"].update(device=["cpu"]),
    "a source without a table": lambda layout: layout["tensors"].update(source=[0, None, None]),
    "a source behind the table": with_sources([1, None, None]),
    "a negative source": with_sources([-1, None, None]),
    "a column of sources is shorter": with_sources([0]),
    "the line 0": with_sources([0, None, None], line=[0]),
    "a file that is a number": with_sources([0, None, None], file=[5]),
    "the table of sources is uneven": with_sources([0, None, None], function=[]),
    "shards of text": lambda layout: layout["tensors"].update(shard=["a", "b", "c"]),
    "a column of shards is shorter": lambda layout: layout["tensors"].update(shard=[None]),
    "the part is none of the parts": lambda layout: layout["tensors"].update(shard=[shard(index=2), None, None]),
    "a negative part": lambda layout: layout["tensors"].update(shard=[shard(index=-1), None, None]),
    "no parts": lambda layout: layout["tensors"].update(shard=[shard(count=0), None, None]),
    "the whole overflows": lambda layout: layout["tensors"].update(shard=[shard(shape=[2**32, 2**31]), None, None]),
    "the whole is missing": lambda layout: layout["tensors"].update(shard=[shard(shape=None), None, None]),
    "group without tensors": lambda layout: layout["groups"][0].pop("tensors"),
    "groups missing": lambda layout: layout.pop("groups"),
    "group holds a missing tensor": lambda layout: layout["groups"][0].update(tensors=[3]),
    "group holds a negative position": lambda layout: layout["groups"][0].update(tensors=[-1]),
    "group holds a tensor twice": lambda layout: layout["groups"][0].update(tensors=[0, 0]),
    "two groups of one name": lambda layout: layout["groups"][1].update(name="forward"),
    "not an object": lambda layout: layout.update(tensors=[]),
}


@pytest.mark.parametrize("change", BAD_LAYOUTS.values(), ids=BAD_LAYOUTS.keys())
def test_a_layout_that_contradicts_the_format_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "layouts"), change)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match=r"group/trial/rank-0/layouts/[0-9a-f]{16}\.json cannot be used"):
        recording.layout(recording.step(7).layout)
    assert read_everything(recording) == dict.fromkeys(STEPS, False)


@pytest.mark.parametrize("shape", [[4, 2**50], [4, 2], [0, 3]])
def test_a_layout_that_implies_other_sizes_than_the_blob_has_is_refused(folder: Path, shape: list[int]) -> None:
    def change(layout: dict[str, Any]) -> None:
        layout["tensors"]["shape"][0] = shape
        layout["tensors"]["samples"][0] = min(2, shape[0])

    edit(only(folder / "layouts"), change)
    assert read_everything(open_recording(folder)) == dict.fromkeys(STEPS, False)


def set_bins(row: int, column: int, value: int) -> Callable[[dict[str, Any]], object]:
    return lambda arrays: arrays["histograms.bins"].__setitem__((row, column), value)


BAD_ARRAYS: dict[str, Callable[[dict[str, Any]], object]] = {
    "missing": lambda arrays: arrays.pop("values.I64"),
    "another dtype of the same size": lambda arrays: arrays.update({"values.F32": arrays["values.F32"].view(np.int32)}),
    "one element less": lambda arrays: arrays.update({"values.F32": arrays["values.F32"][:-1]}),
    "one element more": lambda arrays: arrays.update({"values.F32": np.append(arrays["values.F32"], np.float32(0))}),
    "counts without rows": lambda arrays: arrays.update(counts=np.zeros(25, np.int32)),
    "extrema with rows and columns exchanged": lambda arrays: arrays.update({"extrema.F32": arrays["extrema.F32"].reshape(2, -1)}),
    "counts of 16 bits": lambda arrays: arrays.update(counts=np.zeros((5, 5), np.int16)),
    "a column of counts too short": lambda arrays: arrays.update({"counts.nan": np.ones(4, np.uint8)}),
    "a column of counts that are fractions": lambda arrays: arrays.update({"counts.nan": np.ones(5, np.float32)}),
    "histograms without bins": lambda arrays: arrays.pop("histograms.bins"),
    "histograms without counts": lambda arrays: arrays.pop("histograms.counts"),
    "a count of a histogram too few": lambda arrays: arrays.update({"histograms.counts": arrays["histograms.counts"][:-1]}),
    "counts of histograms in rows": lambda arrays: arrays.update({"histograms.counts": arrays["histograms.counts"][None]}),
    "counts of histograms that are fractions": lambda arrays: arrays.update({"histograms.counts": arrays["histograms.counts"] / 2}),
    "quantiles of fewer histograms": lambda arrays: arrays.update({"histograms.quantiles.F32": arrays["histograms.quantiles.F32"][1:]}),
    "a histogram with bins before the first": set_bins(0, 3, 0),
    "a histogram with bins behind the last": set_bins(0, 3, 1021),
    "a histogram with more bins than there are": set_bins(0, 4, 2**40),
    "a histogram with a negative number of bins": set_bins(0, 1, -1),
}


UNCOUNTABLE: dict[str, Callable[[dict[str, Any]], object]] = {
    "more than were counted": set_bins(0, 7, 1),
    "more zeros than values": set_bins(0, 2, 2**62),
    "a negative count": lambda arrays: arrays["histograms.counts"].__setitem__(0, -1),
    "a huge count": lambda arrays: arrays["histograms.counts"].__setitem__(slice(0, 4), 2**62),
}


@pytest.mark.parametrize("change", UNCOUNTABLE.values(), ids=UNCOUNTABLE.keys())
def test_histograms_that_count_what_is_not_there_are_refused(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    change_blob(step_files(folder, 7)[1], change)
    recording = open_recording(folder)
    assert recording.blobs(7)
    with pytest.raises(DamagedRecordingError, match=r"000000000007\.safetensors .* count more values than were read"):
        recording.histograms(7)


@pytest.mark.parametrize("change", BAD_ARRAYS.values(), ids=BAD_ARRAYS.keys())
def test_a_blob_that_contradicts_the_layout_is_refused(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    change_blob(step_files(folder, 7)[1], change)
    assert read_everything(open_recording(folder)) == {0: True, 7: False, 1200: True}


def test_counts_of_64_bits_and_arrays_of_later_versions_are_accepted(folder: Path) -> None:
    change_blob(step_files(folder, 7)[1], lambda arrays: arrays.update({"counts.nan": np.full(5, 2**40), "new": np.ones(3)}))
    recording = open_recording(folder)
    assert recording.check_step(7)
    assert "new" not in recording.blobs(7)
    assert recording.blobs(7)["counts"].dtype == "I64"
    assert recording.blobs(7)["counts"].data[:, 0].tolist() == [2**40] * 5

"""Recordings that were cut off, lost files or were tampered with: undamaged parts stay readable, and only our errors are raised."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import safetensors.numpy

from comgra_export.errors import DamagedRecordingError, RecordingError
from comgra_export.storage import Network, NonFiniteInput, Note, Recording, open_recording
from comgra_export.storage.codec.decode_lines import SentinelDecoder
from support.storage.strategies import write_example

STEPS = (0, 7, 1200)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, in a folder of the shape that a recorder makes."""
    rank = tmp_path / "group" / "trial" / "rank-0"
    write_example(rank)
    return rank


def read_everything(recording: Recording) -> dict[float, bool]:
    """Reads everything like an exporter. Returns the steps that could be read completely."""
    assert isinstance(recording.network, Network)
    assert len(recording.notes) + len(recording.curve_points) + len(recording.gaps) + len(recording.sentinel_points) <= 12
    assert {missing.step for missing in recording.missing_steps}.isdisjoint(recording.steps)
    readable = {}
    for number in recording.steps:
        readable[number] = recording.check_step(number)
        message = failure(recording, number)
        assert readable[number] or message
        assert not message or ("group/trial/rank-0/" in message and str(recording.folder) not in message)
    return readable


def failure(recording: Recording, number: float) -> str:
    """Reads a step with its graphs and numbers. Returns the message of the error, if there is one."""
    try:
        for structure in recording.step(number).structures:
            if structure is not None:
                recording.structure(structure)
        for calls in recording.step(number).calls:
            if calls is not None:
                recording.calls(calls)
        recording.blobs(number)
        recording.histograms(number)
        for position in range(len(recording.step(number).flows)):
            recording.flow_numbers(number, position)
    except DamagedRecordingError as error:
        return str(error)
    return ""


def edit(file: Path, change: Callable[[Any], object]) -> None:
    """Changes a JSON file. If its name is a hash, the step that refers to it gets the hash of the new content."""
    content = json.loads(file.read_bytes())
    change(content)
    data = orjson.dumps(content)
    if len(file.stem) == 16:
        digest = hashlib.sha256(data).hexdigest()[:16]
        for step in (file.parent.parent / "steps").glob("*.json"):
            step.write_text(step.read_text().replace(file.stem, digest))
        file = file.with_stem(digest)
    file.write_bytes(data)


def change_blob(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    arrays = safetensors.numpy.load_file(file)
    change(arrays)
    safetensors.numpy.save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file)


def step_files(folder: Path, number: float) -> tuple[Path, Path]:
    return folder / "steps" / f"{number:012d}.json", folder / "steps" / f"{number:012d}.safetensors"


def only(folder: Path) -> Path:
    (file,) = folder.glob("*.json")
    return file


def test_an_undamaged_recording_has_no_problems(folder: Path) -> None:
    recording = open_recording(folder)
    assert read_everything(recording) == dict.fromkeys(STEPS, True)
    assert recording.problems == []


@pytest.mark.parametrize("kind", [0, 1], ids=["description", "blob"])
def test_a_step_cut_off_anywhere_is_reported_and_the_others_stay(folder: Path, kind: int) -> None:
    file = step_files(folder, 7)[kind]
    whole = file.read_bytes()
    for length in {*range(0, len(whole), 29), *range(16), len(whole) - 1}:
        file.write_bytes(whole[:length])
        recording = open_recording(folder)
        assert read_everything(recording) == {0: True, 7: False, 1200: True}, length
        assert len(recording.problems) == 1
        assert f"group/trial/rank-0/steps/{file.name}" in recording.problems[0]
        assert "Step 7" in recording.problems[0]


def test_a_blob_with_more_bytes_than_announced_is_refused(folder: Path) -> None:
    with step_files(folder, 7)[1].open("ab") as stream:
        stream.write(b"\0")
    assert not open_recording(folder).check_step(7)


@pytest.mark.parametrize("name", ["notes.jsonl", "curves.jsonl", "gaps.jsonl", "journal.jsonl", "sentinels.jsonl"])
def test_a_cut_off_last_line_is_ignored_silently(folder: Path, name: str) -> None:
    file = folder / name
    whole = file.read_bytes()
    ends = [position for position, byte in enumerate(whole, start=1) if byte == ord("\n")]
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        recording = open_recording(folder)
        lines = {
            "notes.jsonl": recording.notes,
            "curves.jsonl": recording.curve_points,
            "gaps.jsonl": recording.gaps,
            "journal.jsonl": recording.journal,
            "sentinels.jsonl": recording.sentinel_points,
        }[name]
        whole_lines = sum(end <= length for end in ends)
        # The first line of the sentinels says what the others are about.
        assert len(lines) == (max(0, whole_lines - 1) if name == "sentinels.jsonl" else whole_lines)
        assert recording.problems == []


def test_a_bad_line_in_the_middle_is_skipped_and_reported(folder: Path) -> None:
    lines = (folder / "notes.jsonl").read_bytes().split(b"\n")
    (folder / "notes.jsonl").write_bytes(b"\n".join([lines[0], b'{"text": 3}', b"\xff\xfe", lines[2], b""]))
    recording = open_recording(folder)
    assert recording.notes == (Note("before 0", 0), Note("before 1200", 1200))
    (problem,) = recording.problems
    assert "2 of 4 lines of group/trial/rank-0/notes.jsonl" in problem
    assert "line 2 cannot be used: text is not a string" in problem


@pytest.mark.parametrize("mark", [b'"yes"', b"1", b"[]", b"{}"])
def test_a_gap_whose_mark_is_no_boolean_is_skipped_and_reported(folder: Path, mark: bytes) -> None:
    with (folder / "gaps.jsonl").open("ab") as stream:
        stream.write(b'{"step":7,"reason":"marked","whole_step":true}\n{"step":7,"reason":"damaged","whole_step":' + mark + b"}\n")
        stream.write(b'{"step":7,"reason":"plain","whole_step":null}\n{"step":7,"reason":"false","whole_step":false}\n')
    step_files(folder, 7)[0].unlink()
    recording = open_recording(folder)
    assert recording.missing_steps == ((7, "marked"),)
    assert [gap.reason for gap in recording.gaps[3:]] == ["marked", "plain", "false"]
    (problem,) = recording.problems
    assert "whole_step is neither true nor false" in problem


BAD_JOURNAL_LINES = [
    b"[]", b"\xff", b'{"event":"vanished","session":0}', b'{"event":"opened"}', b'{"event":"finished","session":0}',
    b'{"event":"finished","session":0,"step":-1}', b'{"event":"finished","session":0,"step":1000000000000}',
    b'{"event":"finished","session":-1,"step":3}', b'{"event":"finished","session":0,"step":3,"time":"noon"}',
]  # fmt: skip


@pytest.mark.parametrize("line", BAD_JOURNAL_LINES)
def test_a_damaged_line_of_the_journal_is_skipped_and_reported(folder: Path, line: bytes) -> None:
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join([lines[0], line, *lines[1:]]))
    recording = open_recording(folder)
    assert read_everything(recording) == dict.fromkeys(STEPS, True)
    assert len(recording.journal) == 5
    assert len(recording.problems) == 1
    assert "group/trial/rank-0/journal.jsonl" in recording.problems[0]


def test_a_step_without_description_is_missing(folder: Path) -> None:
    step_files(folder, 7)[0].unlink()
    recording = open_recording(folder)
    assert recording.steps == (0, 1200)
    assert recording.missing_steps == ((7, "It could not be written, and neither could the reason. The disk may have been full."),)
    assert recording.problems == []


def test_leftovers_of_a_killed_process_are_ignored(folder: Path) -> None:
    description, blob = step_files(folder, 7)
    description.rename(description.with_name(description.name + ".tmp"))
    blob.rename(blob.with_name(blob.name + ".tmp"))
    for name in ("0000000000001.json", "00000000001.json", "00000000000x.json", "+00000000001.json", "٠٠٠٠٠٠٠٠٠٠٠١.json", "notes.txt"):
        (folder / "steps" / name).write_text("{}")
    (folder / "something new").mkdir()
    recording = open_recording(folder)
    assert recording.steps == (0, 1200)
    assert read_everything(recording) == {0: True, 1200: True}


def test_a_recording_killed_before_its_first_step_is_readable(folder: Path) -> None:
    shutil.rmtree(folder / "steps")
    (folder / "network.json").unlink()
    (folder / "notes.jsonl").unlink()
    recording = open_recording(folder)
    assert recording.steps == ()
    assert recording.network == Network()
    assert recording.notes == ()
    assert recording.problems == []


@pytest.mark.parametrize("lost", ["blob", "layout"])
def test_a_lost_file_is_reported_with_its_step(folder: Path, lost: str) -> None:
    file = step_files(folder, 0)[1] if lost == "blob" else only(folder / "layouts")
    file.unlink()
    recording = open_recording(folder)
    assert not recording.check_step(0)
    assert recording.problems == [
        f"Step 0 is damaged. group/trial/rank-0/{file.parent.name}/{file.name} cannot be used: it is missing. "
        "Restore it from a copy, or record again."
    ]
    with pytest.raises(DamagedRecordingError, match="is missing"):
        recording.blobs(0)


def test_a_lost_structure_costs_only_the_graph(folder: Path) -> None:
    only(folder / "structures").unlink()
    recording = open_recording(folder)
    assert recording.check_step(7)
    with pytest.raises(DamagedRecordingError, match="is missing"):
        recording.structure(recording.step(7).structures[0] or "")


def test_lost_calls_cost_only_themselves(folder: Path) -> None:
    only(folder / "calls").unlink()
    recording = open_recording(folder)
    assert recording.check_step(7)
    with pytest.raises(DamagedRecordingError, match="is missing"):
        recording.calls(recording.step(7).calls[0] or "")


def test_calls_of_an_older_network_are_left_out(folder: Path) -> None:
    edit(folder / "network.json", lambda network: network.update(session=1))
    recording = open_recording(folder)
    assert recording.step(7).calls == ()
    assert any("does not hold what calls of some steps refers to" in problem for problem in recording.problems)


@pytest.mark.parametrize("where", ["layouts", "structures", "calls"])
def test_content_that_does_not_have_its_hash_is_refused(folder: Path, where: str) -> None:
    file = only(folder / where)
    file.write_bytes(file.read_bytes().replace(b'"count"', b'"Count"'))
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match="hash"):
        {"layouts": recording.layout, "structures": recording.structure, "calls": recording.calls}[where](file.stem)


def test_folders_and_pipes_in_place_of_files_are_reported(folder: Path) -> None:
    for name in ("notes.jsonl", "curves.jsonl", "network.json"):
        (folder / name).unlink()
    (folder / "notes.jsonl").mkdir()
    os.mkfifo(folder / "curves.jsonl")
    os.mkfifo(folder / "network.json")
    description = step_files(folder, 7)[0]
    description.unlink()
    description.mkdir()
    recording = open_recording(folder)
    assert read_everything(recording) == {0: True, 7: False, 1200: True}
    assert recording.notes == ()
    assert len(recording.problems) == 4
    assert all("it is not a file" in problem for problem in recording.problems)


def test_steps_that_are_no_folder_are_reported(folder: Path) -> None:
    shutil.rmtree(folder / "steps")
    (folder / "steps").write_text("")
    recording = open_recording(folder)
    assert recording.steps == ()
    assert len(recording.problems) == 1


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


def set_column(name: str, row: int, value: object) -> Callable[[Any], object]:
    return lambda content: content["tensors"][name].__setitem__(row, value)


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


BAD_STRUCTURES: dict[str, Callable[[Any], object]] = {
    "a column is shorter": lambda structure: structure["tensors"]["role"].pop(),
    "unknown type": set_column("type", 0, "buffer"),
    "iteration -2": set_column("record_iteration", 0, -2),
    "row out of range": lambda structure: structure.update({"from": [0, 3]}),
    "negative row": lambda structure: structure.update({"to": [-1, 2]}),
    "from is longer": lambda structure: structure["from"].append(0),
    "from is missing": lambda structure: structure.pop("from"),
    "a dependency twice": lambda structure: structure.update({"from": [0, 0]}),
    "row is text": lambda structure: structure.update({"from": ["0", "1"]}),
    "without_gradient is out of range": lambda structure: structure.update(without_gradient=[2]),
    "without_gradient is negative": lambda structure: structure.update(without_gradient=[-1]),
    "without_gradient is not ascending": lambda structure: structure.update(without_gradient=[1, 0]),
    "without_gradient has one twice": lambda structure: structure.update(without_gradient=[1, 1]),
    "without_gradient is true": lambda structure: structure.update(without_gradient=True),
    "not_known is out of range": lambda structure: structure.update(not_known={"tensor": [3], "reason": ["unseen"]}),
    "not_known is not ascending": lambda structure: structure.update(not_known={"tensor": [1, 0], "reason": ["unseen"] * 2}),
    "not_known has no reason": lambda structure: structure.update(not_known={"tensor": [1], "reason": []}),
    "a reason is a number": lambda structure: structure.update(not_known={"tensor": [1], "reason": [2]}),
    "not_known is a list": lambda structure: structure.update(not_known=[1]),
}


def test_a_reason_that_is_new_does_not_make_a_tensor_known(folder: Path) -> None:
    not_known = {"tensor": [0, 2], "reason": ["by magic", "outside"]}
    edit(only(folder / "structures"), lambda structure: structure.update(not_known=not_known))
    recording = open_recording(folder)
    assert recording.structure(recording.step(7).structures[0] or "").not_known == ((0, None), (2, "outside"))


@pytest.mark.parametrize("change", BAD_STRUCTURES.values(), ids=BAD_STRUCTURES.keys())
def test_a_structure_that_contradicts_the_format_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "structures"), change)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match="group/trial/rank-0/structures/"):
        recording.structure(recording.step(7).structures[0] or "")


BAD_CALLS: dict[str, Callable[[Any], object]] = {
    "no ports": lambda tree: tree.pop("ports"),
    "calls are a list": lambda tree: tree.update(calls=[]),
    "a column of the calls is shorter": lambda tree: tree["calls"]["raised"].pop(),
    "a module that is not there": lambda tree: tree["calls"].update(module=[0, 1]),
    "a negative module": lambda tree: tree["calls"].update(module=[0, -1]),
    "a call within itself": lambda tree: tree["calls"].update(parent=[-1, 1]),
    "a call before the one that it is made in": lambda tree: tree["calls"].update(parent=[1, -1]),
    "parent -2": lambda tree: tree["calls"].update(parent=[-2, 0]),
    "calls that are not counted": lambda tree: tree["calls"].update(number=[0, 2]),
    "two first calls": lambda tree: tree["calls"].update(number=[0, 0]),
    "training is a number": lambda tree: tree["calls"].update(training=[1, 0]),
    "a column of the ports is shorter": lambda tree: tree["ports"]["path"].pop(),
    "a port of a call that is not there": lambda tree: tree["ports"].update(call=[0, 2, 0]),
    "a port of a negative call": lambda tree: tree["ports"].update(call=[0, -1, 0]),
    "a third side": lambda tree: tree["ports"].update(side=["input", "inside", "output"]),
    "a path is null": lambda tree: tree["ports"]["path"].__setitem__(0, None),
    "iteration -2": lambda tree: tree["ports"]["record_iteration"].__setitem__(0, -2),
    "a record without an iteration": lambda tree: tree["ports"]["record_iteration"].__setitem__(0, None),
    "a record and a text": lambda tree: tree["ports"]["text"].__setitem__(0, "x"),
    "neither a record nor a text": lambda tree: tree["ports"]["text"].__setitem__(1, None),
    "a meaning is a number": lambda tree: tree["ports"]["meaning"].__setitem__(0, 1),
    "the meanings are fewer": lambda tree: tree["ports"]["meaning"].pop(),
    "a gradient is a number": lambda tree: tree["ports"]["gradient_record_name"].__setitem__(0, 1),
    "a gradient of iteration -2": lambda tree: tree["ports"]["gradient_record_iteration"].__setitem__(0, -2),
    "a gradient without an iteration": lambda tree: tree["ports"]["gradient_record_iteration"].__setitem__(0, None),
    "an iteration without a gradient": lambda tree: tree["ports"]["gradient_record_name"].__setitem__(0, None),
    "gradients without iterations": lambda tree: tree["ports"].pop("gradient_record_iteration"),
    "iterations without gradients": lambda tree: tree["ports"].pop("gradient_record_name"),
    "the gradients are fewer": lambda tree: tree["ports"]["gradient_record_name"].pop(),
    "the gradient of an output": lambda tree: tree["ports"].update(side=["output", "input", "output"]),
    "the gradient of a text": lambda tree: tree["ports"].update(
        gradient_record_name=[None, "x", None], gradient_record_iteration=[None, 0, None]
    ),
}


@pytest.mark.parametrize("change", BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_calls_that_contradict_the_format_are_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "calls"), change)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match="group/trial/rank-0/calls/"):
        recording.calls(recording.step(7).calls[0] or "")


MEANINGS: dict[str, Callable[[Any], object]] = {
    "none are written": lambda tree: tree["ports"].pop("meaning"),
    "they are null": lambda tree: tree["ports"].update(meaning=None),
    "one is of a later version": lambda tree: tree["ports"].update(meaning=[None, None, "routing"]),
}


@pytest.mark.parametrize("change", MEANINGS.values(), ids=MEANINGS.keys())
def test_meanings_that_are_not_known_are_none(folder: Path, change: Callable[[Any], object]) -> None:
    edit(only(folder / "calls"), change)
    recording = open_recording(folder)
    assert [port.meaning for port in recording.calls(recording.step(7).calls[0] or "").ports] == [None] * 3


@pytest.mark.parametrize("value", [None, "missing"])
def test_calls_without_gradients_of_their_own_are_read(folder: Path, value: str | None) -> None:
    def change(tree: Any) -> None:  # noqa: ANN401
        for key in ("gradient_record_name", "gradient_record_iteration"):
            tree["ports"].pop(key) if value == "missing" else tree["ports"].update({key: None})

    edit(only(folder / "calls"), change)
    recording = open_recording(folder)
    assert [port.gradient_record_name for port in recording.calls(recording.step(7).calls[0] or "").ports] == [None] * 3


BAD_NETWORKS: dict[str, Callable[[Any], object]] = {
    "parent behind its child": lambda network: network["modules"][0].update(parent=0),
    "description is a number": lambda network: network["modules"][0].update(description=3),
    "parameter of a missing module": lambda network: network["parameters"][0].update(module=1),
    "parameters missing": lambda network: network.pop("parameters"),
    "product overflows": lambda network: network["parameters"][0].update(shape=[2**32, 2**31]),
    "product overflows beside a zero": lambda network: network["parameters"][0].update(shape=[0, 2**62, 2, 2]),
    "negative size": lambda network: network["parameters"][0].update(shape=[-1]),
    "requires_grad is a number": lambda network: network["parameters"][0].update(requires_grad=1),
    "alias is a list": lambda network: network["parameters"][0].update(alias_of=[]),
    "optimizers are an object": lambda network: network.update(optimizers={}),
    "optimizer without groups": lambda network: network["optimizers"][0].pop("groups"),
    "optimizer of a missing parameter": lambda network: network["optimizers"][0]["groups"][0].update(parameters=[2]),
    "optimizer of a negative parameter": lambda network: network["optimizers"][0]["groups"][0].update(parameters=[-1]),
    "options are a list": lambda network: network["optimizers"][0]["groups"][0].update(options=[]),
    "an option is a list": lambda network: network["optimizers"][0]["groups"][0].update(options={"betas": [0.9, 0.99]}),
    "session is a fraction": lambda network: network.update(session=0.5),
}


@pytest.mark.parametrize("change", BAD_NETWORKS.values(), ids=BAD_NETWORKS.keys())
def test_a_network_that_contradicts_the_format_is_reported(folder: Path, change: Callable[[Any], object]) -> None:
    edit(folder / "network.json", change)
    recording = open_recording(folder)
    assert recording.network == Network()
    assert len(recording.problems) == 1
    assert "network.json" in recording.problems[0]


@pytest.mark.slow
def test_random_damage_never_causes_another_error(folder: Path, tmp_path: Path) -> None:
    """Flips, removes and inserts bytes in every file. Hashes are corrected, so that the checks behind them are reached."""
    dice = random.Random(1)
    files = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file() and file.name != "writing.lock")
    damaged_steps = 0
    for round_ in range(250):
        copy = tmp_path / f"copy-{round_}"
        shutil.copytree(folder, copy)
        file = copy / files[round_ % len(files)]
        data = bytearray(file.read_bytes())
        for _ in range(dice.randint(1, 4)):
            position = dice.randrange(len(data))
            removed = dice.choice([0, 1, 1, dice.randint(1, 20)])
            inserted = dice.choice([b"", bytes([dice.randrange(256)]), b"9", b"-", b"null", b"[", b'"', b"1e99", b"{}"])
            data[position : position + removed] = inserted
        file.write_bytes(data)
        if len(file.stem) == 16:
            digest = hashlib.sha256(data).hexdigest()[:16]
            for step in (copy / "steps").glob("*.json"):
                step.write_bytes(step.read_bytes().replace(file.stem.encode(), digest.encode()))
            file.rename(file.with_stem(digest))
        try:
            recording = open_recording(copy)
        except RecordingError:
            continue
        recording.name = "group/trial/rank-0"
        damaged_steps += list(read_everything(recording).values()).count(False)
        shutil.rmtree(copy)
    assert damaged_steps > 100


def test_a_step_too_large_for_memory_is_refused_in_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sparse file takes no room on disk, whatever its length."""

    def no_memory(*_: object) -> None:
        raise MemoryError

    recording = open_recording(folder)
    monkeypatch.setattr(np, "empty", no_memory)
    with pytest.raises(DamagedRecordingError, match=r"group/trial/rank-0/steps/000000000007\.safetensors .* too large for the memory"):
        recording.blobs(7)


@pytest.mark.parametrize(
    "change",
    [
        {"name": 3},
        {"nan": -1},
        {"nan": 0, "rows": []},
        {"positive": 1.5},
        {"rows": [4, 3]},
        {"rows": [-1]},
        {"rows": [0, 1, 2]},
        {"nan": 9, "rows": [0, 1, 2, 3, 4, 5]},
        {"rows": None},
        None,
    ],
)
def test_inputs_of_a_check_that_contradict_the_format_are_refused(change: dict[str, object] | None) -> None:
    decoder = SentinelDecoder()
    assert decoder.decode({"tensors": []}, "f") is None
    line = {"step": 1, "type": "train", "largest": [], "triggered": None}
    content = {"name": "net: input x", "nan": 2, "positive": 0, "negative": 0, "rows": [3, 4]}
    point = decoder.decode({**line, "inputs": [content]}, "f")
    assert point is not None
    assert point.inputs == (NonFiniteInput("net: input x", 2, 0, 0, (3, 4)),)
    with pytest.raises(DamagedRecordingError):
        decoder.decode({**line, "inputs": "x" if change is None else [{**content, **change}]}, "f")

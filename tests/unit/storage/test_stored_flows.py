"""Gradient flows in a recording are read back and belong to their step. Damage to them affects nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage import (
    FlowNumbers,
    GradientFlow,
    Header,
    Layout,
    PairNumbers,
    RecordedSamples,
    Recording,
    RecordingWriter,
    StepDescription,
    open_recording,
)
from support.breadth import examples
from support.storage.strategies import EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS, gradient_flows, steps, write_example

Flows = list[tuple[GradientFlow, FlowNumbers]]
quick = examples(40)


def write(writer: RecordingWriter, step: int, flows: Flows) -> None:
    """Writes a step with only gradient flows."""
    layout = writer.write_layout(Layout((), ()))
    description = StepDescription(step, "t", 10, layout, (), RecordedSamples(()), flows=tuple(flow for flow, _ in flows))
    writer.write_step(description, [], [numbers for _, numbers in flows])


def bytes_of(numbers: FlowNumbers) -> list[object]:
    """All arrays, in a form that can be compared, NaN included."""
    arrays = [*numbers.values, *numbers.gradients]
    for pair in numbers.pairs:
        arrays += [getattr(pair, field.name) for field in fields(PairNumbers)]
    return [None if array is None else (array.dtype.str, array.shape, array.tobytes()) for array in arrays]


def pair_with(**changes: object) -> FlowNumbers:
    return replace(EXAMPLE_FLOW_NUMBERS, pairs=(replace(EXAMPLE_FLOW_NUMBERS.pairs[0], **changes),))  # type: ignore[arg-type]


@quick
@given(st.lists(gradient_flows(), max_size=3, unique_by=lambda flow: flow[0].name), steps)
def test_flows_come_back_bit_for_bit(flows: Flows, number: int) -> None:
    with TemporaryDirectory() as folder:
        writer = RecordingWriter(Path(folder), Header("g", "t"))
        write(writer, number, flows)
        writer.close()
        recording = open_recording(Path(folder))
        assert recording.step(number).flows == tuple(flow for flow, _ in flows)
        for position, (_, numbers) in enumerate(flows):
            assert bytes_of(recording.flow_numbers(number, position)) == bytes_of(numbers)


@quick
@given(gradient_flows())
def test_the_safetensors_package_reads_the_same_numbers(flow: tuple[GradientFlow, FlowNumbers]) -> None:
    with TemporaryDirectory() as folder:
        write(RecordingWriter(Path(folder), Header("g", "t")), 5, [flow])
        read = safetensors.numpy.load_file(Path(folder) / "flows" / "000000000005-000.safetensors")
    numbers = flow[1]
    for position, pair in enumerate(numbers.pairs):
        for field in fields(PairNumbers):
            written = getattr(pair, field.name)
            loaded: Any = read.pop(f"{field.name}.{position}", None)
            assert (written is None) == (loaded is None)
            assert written is None or (written.tobytes(), written.shape) == (loaded.tobytes(), loaded.shape)
    assert sum(array is not None for array in (*numbers.values, *numbers.gradients)) == len(read)


def test_the_description_is_as_the_page_says(tmp_path: Path) -> None:
    write_example(tmp_path)
    assert json.loads((tmp_path / "steps" / "000000000007.json").read_text())["flows"] == [
        {
            "name": "gradient flow", "iteration": 0, "method": "exact", "samples": [0, 3],
            "layers": [
                {"name": "x", "shape": [3], "role": "input", "record_name": "x", "record_iteration": 0},
                {"name": "y", "shape": [2, 1], "role": "layer", "record_name": None, "record_iteration": None},
            ],
            "pairs": [{"from": 0, "to": 1}],
        }
    ]  # fmt: skip


def flow_files(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "flows").iterdir())


def test_a_step_that_is_written_again_keeps_no_flow_of_before(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    second = replace(EXAMPLE_FLOW, name="second")
    for step in (4, 5):
        write(writer, step, [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS), (second, EXAMPLE_FLOW_NUMBERS)])
    write(writer, 5, [(EXAMPLE_FLOW, pair_with(flows=np.array([5, 4, 3, 2, 1], np.float32)))])
    assert flow_files(tmp_path) == ["000000000004-000.safetensors", "000000000004-001.safetensors", "000000000005-000.safetensors"]
    assert open_recording(tmp_path).flow_numbers(5, 0).pairs[0].flows.tolist() == [5, 4, 3, 2, 1]
    write(writer, 5, [])
    assert flow_files(tmp_path) == ["000000000004-000.safetensors", "000000000004-001.safetensors"]
    assert open_recording(tmp_path).step(5).flows == ()


def test_a_new_step_does_not_look_through_the_flows_of_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_through: list[Path] = []

    def noted(look: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def look_and_note(folder: Any) -> Any:  # noqa: ANN401
            looked_through.append(Path(folder))
            return look(folder)

        return look_and_note

    # One or the other, by the version of Python.
    monkeypatch.setattr(os, "scandir", noted(os.scandir))
    monkeypatch.setattr(os, "listdir", noted(os.listdir))
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    for step in range(3):
        write(writer, step, [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)])
    assert tmp_path / "flows" not in looked_through
    write(writer, 1, [])
    assert tmp_path / "flows" in looked_through
    monkeypatch.undo()
    assert flow_files(tmp_path) == ["000000000000-000.safetensors", "000000000002-000.safetensors"]


def test_a_recording_without_flows_has_no_folder_for_them(tmp_path: Path) -> None:
    write(RecordingWriter(tmp_path, Header("g", "t")), 5, [])
    assert not (tmp_path / "flows").exists()


WRONG_NUMBERS: dict[str, FlowNumbers] = {
    "a layer too few": replace(EXAMPLE_FLOW_NUMBERS, values=(None,)),
    "a pair too few": replace(EXAMPLE_FLOW_NUMBERS, pairs=()),
    "flows of float64": pair_with(flows=np.zeros(5)),
    "a target too few": pair_with(targets=np.zeros(4, np.int32)),
    "a start too few": pair_with(starts=np.array([0, 2, 3, 3, 4, 5], np.int64)),
    "values of another shape": replace(EXAMPLE_FLOW_NUMBERS, values=(np.zeros((2, 4), np.float32), None)),
    "a target beyond the layer": pair_with(targets=np.array([0, 2, 1, 0, 0], np.int32)),
    "residuals without gradients": replace(EXAMPLE_FLOW_NUMBERS, gradients=(None, None)),
}


@pytest.mark.parametrize("numbers", WRONG_NUMBERS.values(), ids=WRONG_NUMBERS)
def test_numbers_that_contradict_their_flow_are_not_written(tmp_path: Path, numbers: FlowNumbers) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    write(writer, 1, [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)])
    with pytest.raises(MisuseError, match="'gradient flow'"):
        write(writer, 1, [(EXAMPLE_FLOW, numbers)])
    assert bytes_of(open_recording(tmp_path).flow_numbers(1, 0)) == bytes_of(EXAMPLE_FLOW_NUMBERS)


def test_numbers_for_each_flow_are_asked_for(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    description = StepDescription(1, "t", 1, writer.write_layout(Layout((), ())), (), RecordedSamples(()), flows=(EXAMPLE_FLOW,))
    with pytest.raises(MisuseError, match="describes 1 gradient flows, but has the numbers of 0"):
        writer.write_step(description, [])


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    write_example(tmp_path)
    return open_recording(tmp_path)


def set_array(name: str, *values: float) -> Callable[[dict[str, Any]], object]:
    return lambda arrays: arrays.update({name: np.array(values, arrays[name].dtype).reshape(-1, *arrays[name].shape[1:])})


BAD_NUMBERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no starts": lambda arrays: arrays.pop("starts.0"),
    "no targets": lambda arrays: arrays.pop("targets.0"),
    "no flows": lambda arrays: arrays.pop("flows.0"),
    "a start too many": set_array("starts.0", 0, 2, 3, 3, 4, 5, 5, 5),
    "begins late": set_array("starts.0", 1, 2, 3, 3, 4, 5, 5),
    "ends early": set_array("starts.0", 0, 2, 3, 3, 4, 4, 4),
    "ends late": set_array("starts.0", 0, 2, 3, 3, 4, 5, 6),
    "goes back": set_array("starts.0", 0, 3, 2, 3, 4, 5, 5),
    "leaps beyond the end": set_array("starts.0", 0, 2, 2**62, 3, 4, 5, 5),
    "leaps before the beginning": set_array("starts.0", 0, -(2**62), 3, 3, 4, 5, 5),
    "a negative target": set_array("targets.0", -1, 1, 1, 0, 0),
    "a target beyond the layer": set_array("targets.0", 0, 2, 1, 0, 0),
    "targets go back": set_array("targets.0", 1, 0, 1, 0, 0),
    "a target twice": set_array("targets.0", 1, 1, 1, 0, 0),
    "a target too few": set_array("targets.0", 0, 1, 1, 0),
    "a flow too many": set_array("flows.0", 1, 2, 3, 4, 5, 6),
    "flows in a table": lambda arrays: arrays.update({"flows.0": arrays["flows.0"].reshape(1, -1)}),
    "flows of float64": lambda arrays: arrays.update({"flows.0": arrays["flows.0"].astype(np.float64)}),
    "starts of 32 bits": lambda arrays: arrays.update({"starts.0": arrays["starts.0"].astype(np.int32)}),
    "values of one sample": lambda arrays: arrays.update({"values.0": arrays["values.0"][:1]}),
    "flat gradients": lambda arrays: arrays.update({"gradients.0": arrays["gradients.0"].reshape(-1)}),
    "residuals of another layer": lambda arrays: arrays.update({"residuals.0": arrays["residuals.0"][:, :2]}),
    "residuals without gradients": lambda arrays: arrays.pop("gradients.0"),
    "computed twice": set_array("computed.0", 1, 1, 2, 0),
    "computed of another layer": lambda arrays: arrays.update({"computed.0": np.ones((2, 3), np.uint8)}),
}


@pytest.mark.parametrize("change", BAD_NUMBERS.values(), ids=BAD_NUMBERS)
def test_numbers_that_contradict_the_description_are_refused(recording: Recording, change: Callable[[dict[str, Any]], object]) -> None:
    file = recording.folder / "flows" / "000000000007-000.safetensors"
    arrays = safetensors.numpy.load_file(file)
    change(arrays)
    safetensors.numpy.save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file)
    with pytest.raises(DamagedRecordingError, match=r"group/trial/rank-0/flows/000000000007-000\.safetensors"):
        recording.flow_numbers(7, 0)
    assert recording.check_step(7)
    assert bytes_of(recording.flow_numbers(0, 0)) == bytes_of(EXAMPLE_FLOW_NUMBERS)


def test_a_lost_file_costs_only_its_flow(recording: Recording) -> None:
    (recording.folder / "flows" / "000000000007-000.safetensors").unlink()
    assert recording.check_step(7)
    with pytest.raises(DamagedRecordingError, match="it is missing"):
        recording.flow_numbers(7, 0)


def test_flows_behind_links_are_not_read(recording: Recording, tmp_path: Path) -> None:
    (Path(recording.folder) / "flows").rename(tmp_path / "private")
    (Path(recording.folder) / "flows").symlink_to(tmp_path / "private")
    with pytest.raises(DamagedRecordingError, match="symbolic link"):
        recording.flow_numbers(7, 0)


def flow_with(**changes: object) -> Callable[[list[dict[str, Any]]], object]:
    return lambda flows: flows[0].update(changes)


def layer_with(**changes: object) -> Callable[[list[dict[str, Any]]], object]:
    return lambda flows: flows[0]["layers"][0].update(changes)


BAD_FLOWS: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "a name twice": lambda flows: flows.append(flows[0]),
    "more than 1,000": lambda flows: flows.extend({**flows[0], "name": str(number)} for number in range(1000)),
    "a flow of text": lambda flows: flows.append("x"),  # type: ignore[arg-type]
    "no name": flow_with(name=None),
    "a negative iteration": flow_with(iteration=-1),
    "no method": flow_with(method=None),
    "a sample twice": flow_with(samples=[0, 0]),
    "a negative sample": flow_with(samples=[-1]),
    "layers are no list": flow_with(layers={}),
    "two layers of a name": layer_with(name="y"),
    "a shape of text": layer_with(shape="3"),
    "a negative size": layer_with(shape=[-3]),
    "a layer beyond 32 bits": layer_with(shape=[2**16, 2**16]),
    "another role": layer_with(role="loss"),
    "half a record": layer_with(record_name=None),
    "a record of text": layer_with(record_iteration="0"),
    "a pair backwards": flow_with(pairs=[{"from": 1, "to": 0}]),
    "a pair of one": flow_with(pairs=[{"from": 1, "to": 1}]),
    "a pair beyond the layers": flow_with(pairs=[{"from": 0, "to": 2}]),
    "a pair twice": flow_with(pairs=[{"from": 0, "to": 1}] * 2),
}


@pytest.mark.parametrize("change", BAD_FLOWS.values(), ids=BAD_FLOWS)
def test_a_description_that_contradicts_the_format_is_refused(
    recording: Recording, change: Callable[[list[dict[str, Any]]], object]
) -> None:
    file = Path(recording.folder) / "steps" / "000000000007.json"
    content = json.loads(file.read_text())
    change(content["flows"])
    file.write_text(json.dumps(content))
    with pytest.raises(DamagedRecordingError, match=r"steps/000000000007\.json cannot be used: flows"):
        recording.step(7)

"""A bundle of every shape holds what was recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.exporter import export
from comgra_export.exporter.output import shapes
from comgra_export.exporter.pack import series, step_lanes
from comgra_export.storage import (
    CurvePoint,
    Gap,
    Header,
    Network,
    Note,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
    encode_gap,
    encode_layout,
    encode_network,
    encode_note,
)
from support.breadth import examples
from support.exporter.recordings import LAYOUT, assert_same_arrays, expected_arrays, write_trial
from support.exporter.unpacker import Bundle
from support.storage.strategies import Step, curve_points, gaps, networks, notes, recorded_steps

SHAPES = ("report.html", "report", "report.zip")


@pytest.fixture(params=SHAPES)
def output(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def test_every_number_and_every_document_comes_back(output: Path, tmp_path: Path) -> None:
    recorded = {name: write_trial(tmp_path / "runs", name, seed=seed) for seed, name in ((0, "first"), (50, "second"))}
    result = export(tmp_path / "runs", output, title="Title", description="Description")
    bundle = Bundle(output)
    index = bundle.index
    assert (index["format"], index["version"], index["generator"]) == ("comgra-bundle", 1, "comgra_export 0.1.0")
    assert (index["title"], index["description"], index["group"]) == ("Title", "Description", "group")
    assert [(trial["name"], trial["rank"]) for trial in index["trials"]] == [("first", 0), ("second", 0)]
    for name, steps in recorded.items():
        trial = bundle.trial(name)
        assert trial["steps"]["step"] == [0, 7, 1200]
        for number, step in steps.items():
            assert_same_arrays(bundle.arrays(trial, number), expected_arrays(step))
        assert bundle.document(trial["notes"]) == [{"text": f"before {number}", "step": number} for number in (0, 7, 1200)]
        assert bundle.document(trial["network"]) == {
            "modules": [{"name": "net", "type": "Linear", "parent": -1}],
            "parameters": [
                {"name": "net.weight", "module": 0, "shape": [3, 2], "dtype": "F32", "requires_grad": True, "alias_of": None, "device": ""}
            ],
            "optimizers": None,
            "session": 0,
        }
        assert bundle.document(trial["curves"]) == [
            {"group": "loss", "name": "train", "type": "main", "t": [0.0, 7.0, 1200.0], "v": [0.0, "NaN", 400.0]},
            {"group": "loss", "name": "test", "type": "main", "t": [0.0, 7.0, 1200.0], "v": ["Infinity"] * 3},
        ]
        of_steps = [{"step": n, "iteration": 0, "group": "forward", "tensor": "z", "reason": "too large"} for n in (0, 7, 1200)]
        without_step = {"step": 3, "iteration": None, "group": None, "tensor": None, "reason": "no disk"}
        assert bundle.document(trial["gaps"]) == [without_step, *of_steps]
    assert result.content_digest == index["content_digest"] == bundle.digest()
    assert (result.trials, result.steps, result.problems) == (2, 6, ())
    assert result.bytes == (output.stat().st_size if output.is_file() else sum(len(content) for content in bundle.files.values()))


def test_the_columns_of_the_steps_say_what_was_recorded(output: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs")
    export(tmp_path / "runs", output)
    bundle = Bundle(output)
    row = bundle.step_row(bundle.trial("trial"), 7)
    strings = bundle.index["strings"]
    assert (strings[row["type"]], row["batch_size"], row["time"], row["gaps"]) == ("odd", 4, 0.875, 1)
    assert (row["triggered"], row["facts"]) == (-1, -1)
    samples = bundle.index["sample_sets"][row["sample_set"]]
    assert (samples["index"], [strings[label] for label in samples["label"]]) == ([0, 3], ["Sample 0", "Sample 3"])
    assert bundle.listed("layouts", row["layout"]) == json.loads(json.dumps(encode_layout(LAYOUT)))
    graph, missing, same = bundle.index["structure_sets"][row["structure_set"]]
    assert (missing, same) == (-1, graph)
    assert bundle.listed("structures", graph) == {
        "nodes": {
            "name": ["x", "net.weight", "count", "half", "mask"],
            "type": ["input", "parameter", "calculated", "calculated", "calculated"],
            "label": ["x", "weight", "count", "half", "mask"],
            "column": [0, 1, 2, 3, 3],
            "row": [0, 0, 0, 0, 1],
        },
        "columns": {"heading": ["", "net.", "", ""]},
        "tensors": {
            "name": ["net.weight", "x", "count", "half", "mask"],
            "node": [1, 0, 2, 3, 4],
            "role": ["net.weight", "x", "count", "half", "mask"],
            "record_name": ["net.weight", "x", "count", "half", "mask"],
            "record_iteration": [-1, 0, 0, 0, 0],
        },
        "from": [0, 1, 2, 2],
        "to": [2, 2, 3, 4],
        "without_gradient": [1],
    }


def test_chunks_come_in_the_order_of_their_usefulness(tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", "first")
    write_trial(tmp_path / "runs", "second", seed=1, steps=(1, 2))
    export(tmp_path / "runs", tmp_path / "report.html")
    index = Bundle(tmp_path / "report.html").index
    trials = index["trials"]
    numbers = [trial[kind] for kind in ("curves", "notes", "network", "gaps", "findings") for trial in trials]
    numbers += [index["structures"]["chunk"][0], index["layouts"]["chunk"][0]]
    for trial in trials:
        series = Bundle(tmp_path / "report.html").document(trial["series"])
        numbers += [series["lane8"], series["lane4"], trial["series"]]
    for trial in trials:
        for row in range(len(trial["steps"]["step"])):
            numbers += [trial["steps"][lane][row] for lane in ("lane8", "lane4", "lane2", "lane1")]
    # The two networks are equal and share a chunk, the first mention of which counts.
    assert list(dict.fromkeys(numbers)) == list(range(len(index["chunks"]["bytes"])))
    assert trials[0]["network"] == trials[1]["network"]


def test_a_lane_is_cut_into_chunks_that_an_array_may_cross(output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_lanes, "CHUNK_BYTES", 64)
    monkeypatch.setattr(series, "CHUNK_BYTES", 64)
    recorded = write_trial(tmp_path / "runs")
    export(tmp_path / "runs", output)
    bundle = Bundle(output)
    trial = bundle.trial("trial")
    for number, step in recorded.items():
        assert_same_arrays(bundle.arrays(trial, number, chunk_bytes=64), expected_arrays(step))
    lanes = [size for size, width in zip(bundle.index["chunks"]["bytes"], bundle.index["chunks"]["width"], strict=True) if width > 1]
    assert max(lanes) == 64


def test_json_chunks_are_in_the_page_as_long_as_they_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trial(tmp_path / "runs")
    for limit, expected in ((0, set[str]()), (10**6, {"json"})):
        monkeypatch.setattr(shapes, "INLINE_JSON_BYTES", limit)
        export(tmp_path / "runs", tmp_path / "report", force=True)
        bundle = Bundle(tmp_path / "report")
        trial = bundle.trial("trial")
        documents = {trial[kind] for kind in ("curves", "notes", "network", "gaps", "findings", "series")}
        documents |= {*bundle.index["layouts"]["chunk"], *bundle.index["structures"]["chunk"]}
        inline = bundle.index["chunks"]["inline"]
        assert {"json" if number in documents else "lane" for number, value in enumerate(inline) if value} == expected
        assert bundle.digest() == bundle.index["content_digest"]


@pytest.mark.parametrize("name", SHAPES)
def test_a_recording_without_steps_still_exports(name: str, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", steps=())
    result = export(tmp_path / "runs", tmp_path / name)
    bundle = Bundle(tmp_path / name)
    trial = bundle.trial("trial")
    assert trial["steps"]["step"] == []
    assert bundle.document(trial["network"])["modules"][0]["name"] == "net"
    assert result.steps == 0
    assert "data/" not in " ".join(bundle.files)


@given(data=st.data())
@examples(15)
def test_any_recording_comes_back(data: st.DataObject) -> None:
    recorded = data.draw(st.lists(recorded_steps(), max_size=3))
    network = data.draw(networks())
    some_notes = data.draw(st.lists(notes, max_size=3))
    # A point takes the place of those of its curve that are not before it.
    points = [replace(point, t=float(place)) for place, point in enumerate(data.draw(st.lists(curve_points, max_size=6)))]
    some_gaps = data.draw(st.lists(gaps, max_size=3))
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "runs", recorded, network, some_notes, points, some_gaps)
        export(folder / "runs", folder / "report.html")
        bundle = Bundle(folder / "report.html")
    trial = bundle.trial("t")
    assert bundle.document(trial["network"]) == json.loads(json.dumps(encode_network(network)))
    assert bundle.document(trial["notes"]) == [encode_note(note) for note in some_notes]
    assert bundle.document(trial["gaps"]) == [encode_gap(gap) for gap in some_gaps]
    assert sum(len(curve["t"]) for curve in bundle.document(trial["curves"])) == len(points)
    for number, step in enumerate(recorded):
        assert bundle.listed("layouts", bundle.step_row(trial, number)["layout"]) == json.loads(json.dumps(encode_layout(step.layout)))
        assert_same_arrays(bundle.arrays(trial, number), expected_arrays(step))


def write(
    folder: Path, recorded: list[Step], network: Network, some_notes: list[Note], points: list[CurvePoint], some_gaps: list[Gap]
) -> None:
    writer = RecordingWriter(folder / "g" / "t" / "rank-0", Header("g", "t"))
    writer.write_network(network)
    for note in some_notes:
        writer.add_note(note)
    for point in points:
        writer.add_curve_point(point)
    for gap in some_gaps:
        writer.add_gap(gap)
    for number, step in enumerate(recorded):
        layout = writer.write_layout(step.layout)
        writer.write_step(StepDescription(number, "main", 5, layout, (), RecordedSamples(tuple(range(step.samples)))), step.blobs())
    writer.close()

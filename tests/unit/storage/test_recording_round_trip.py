"""Recordings with random content are read back as written."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.storage import (
    CallTree,
    CurvePoint,
    Gap,
    Header,
    Layout,
    ModuleEntry,
    Network,
    Note,
    RecordedSamples,
    Recording,
    RecordingWriter,
    SentinelPoint,
    StepDescription,
    Structure,
    iterate_records,
    open_recording,
)
from support.breadth import examples
from support.storage.strategies import (
    FULL_NETWORK,
    WIDE,
    Record,
    Step,
    call_trees,
    curve_points,
    example_layout,
    gap_lines,
    headers,
    networks,
    notes,
    recorded_steps,
    sentinel_points,
    step_facts,
    steps,
    structures,
    texts,
    write_example,
)

quick = examples(40)


def bits(value: float) -> bytes:
    return np.float64(value).tobytes() if value == value else b"NaN"


def not_rewound(points: list[CurvePoint]) -> list[CurvePoint]:
    """The points that no later point of the same curve goes back to or behind."""

    def is_passed(position: int) -> bool:
        point = points[position]
        curve = (point.group, point.name, point.type)
        return any((later.group, later.name, later.type) == curve and later.t <= point.t for later in points[position + 1 :])

    return [point for position, point in enumerate(points) if not is_passed(position)]


def read_records(recording: Recording, number: int) -> tuple[Record, ...]:
    """Cuts a step's arrays into records again, by the places that the library gives."""
    blobs = recording.blobs(number)
    records = []
    for place in iterate_records(recording.layout(recording.step(number).layout)):
        entry = place.entry
        precision = entry.precision
        parts = {
            "counts": blobs["counts"].data[place.counts],
            "extrema": blobs[f"extrema.{precision}"].data[place.extrema],
            "statistics": blobs[f"statistics.{precision}"].data[place.statistics : place.statistics + entry.statistics_count],
        }
        for name, key, first, count in (
            ("aggregates", f"aggregates.{precision}", place.aggregates, entry.aggregates_count),
            ("values", f"values.{entry.stored}", place.values, entry.values_count),
        ):
            parts[name] = blobs[key].data[first : first + count] if count else np.empty(0, np.float32)
        records.append(Record(**parts))
    return tuple(records)


@quick
@given(step=recorded_steps(), number=steps, structure=structures(), calls=call_trees(), type_of_execution=texts, data=st.data())
def test_a_step_comes_back_bit_for_bit(
    step: Step, number: int, structure: Structure, calls: CallTree, type_of_execution: str, data: st.DataObject
) -> None:
    labels = st.none() | st.lists(texts, min_size=step.samples, max_size=step.samples).map(tuple)
    with TemporaryDirectory() as folder:
        writer = RecordingWriter(Path(folder), Header("g", "t"))
        description = StepDescription(
            step=number,
            type_of_execution=type_of_execution,
            batch_size=3,
            layout=writer.write_layout(step.layout),
            structures=(None, writer.write_structure(structure)),
            samples=RecordedSamples(tuple(data.draw(st.permutations(range(3)))[: step.samples]), data.draw(labels), data.draw(labels)),
            calls=(writer.write_calls(calls), None),
            **data.draw(step_facts()),
        )
        writer.write_network(FULL_NETWORK)
        writer.write_step(description, step.blobs())
        writer.close()

        recording = open_recording(Path(folder))
        assert recording.steps == (number,)
        assert recording.check_step(number), recording.problems
        assert recording.step(number) == description
        assert recording.layout(description.layout) == step.layout
        assert recording.structure(description.structures[1] or "") == structure
        assert recording.calls(description.calls[0] or "") == calls
        assert step.histograms is not None
        for stored, expected in zip(recording.histograms(number), step.histograms, strict=True):
            np.testing.assert_array_equal(stored, expected)
        for read, written in zip(read_records(recording, number), step.records, strict=True):
            for field in dataclasses.fields(Record):
                assert getattr(read, field.name).tobytes() == getattr(written, field.name).tobytes(), field.name


@pytest.mark.parametrize("device", ["", "cuda:0", None])
def test_a_device_is_kept_as_given_beside_tensors_without_one(tmp_path: Path, device: str | None) -> None:
    layout = example_layout()
    first, *others = layout.tensors
    layout = dataclasses.replace(layout, tensors=(dataclasses.replace(first, device=device), *others))
    writer = RecordingWriter(tmp_path, Header("group", "trial"))
    name = writer.write_layout(layout)
    writer.close()
    assert open_recording(tmp_path).layout(name) == layout


@quick
@given(
    headers, networks(), st.lists(notes, max_size=3), st.lists(curve_points, max_size=6), st.lists(gap_lines, max_size=3), sentinel_points()
)
def test_what_belongs_to_no_step_comes_back(
    header: Header, network: Network, notes: list[Note], points: list[CurvePoint], gaps: list[Gap], sentinels: list[SentinelPoint]
) -> None:
    with TemporaryDirectory() as folder:
        writer = RecordingWriter(Path(folder), header)
        writer.write_network(network)
        for note in notes:
            writer.add_note(note)
        for point in points:
            writer.add_curve_point(point)
        for gap in gaps:
            writer.add_gap(gap)
        for check in sentinels:
            writer.add_sentinel_point(check)
        writer.close()

        recording = open_recording(Path(folder))
        assert recording.header == header
        assert recording.network == network
        assert recording.notes == tuple(notes)
        assert [(p.group, p.name, p.type, bits(p.t), bits(p.v)) for p in recording.curve_points] == [
            (p.group, p.name, p.type, bits(p.t), bits(p.v)) for p in not_rewound(points)
        ]
        assert len(recording.sentinel_points) == len(sentinels)
        for read, written in zip(recording.sentinel_points, sentinels, strict=True):
            assert dataclasses.replace(read, largest=()) == dataclasses.replace(written, largest=())
            assert np.allclose(read.largest, written.largest, rtol=5e-4, atol=0, equal_nan=True)
        assert recording.gaps == tuple(gaps)
        assert recording.problems == []


@quick
@given(recorded_steps())
def test_the_safetensors_package_reads_the_same_numbers(step: Step) -> None:
    with TemporaryDirectory() as folder:
        writer = RecordingWriter(Path(folder), Header("g", "t"))
        description = StepDescription(1, "t", 3, writer.write_layout(step.layout), (), RecordedSamples(tuple(range(step.samples))))
        blobs = [(name, blob) for name, blob in step.blobs() if blob.dtype != "BF16" and name != "counts"]
        writer.write_step(description, blobs)
        read = safetensors.numpy.load_file(Path(folder) / "steps" / "000000000001.safetensors")
    assert set(read) == {name for name, blob in blobs if blob.data.size}
    for name, blob in blobs:
        if blob.data.size:
            assert read[name].tobytes() == blob.data.tobytes()
            assert read[name].dtype == (np.bool_ if blob.dtype == "BOOL" else blob.data.dtype)


def test_the_example_has_the_sizes_worked_out_by_hand(tmp_path: Path) -> None:
    write_example(tmp_path)
    recording = open_recording(tmp_path)
    # forward: x (N = 3), count (N = 2), weight; gradients: weight, x. Two samples: A = 5 with a batch dimension.
    assert {name: (blob.dtype, blob.data.shape) for name, blob in recording.blobs(7).items()} == {
        "counts": ("I32", (5, 5)),
        "extrema.F32": ("F32", (4, 2)),
        "extrema.F64": ("F64", (1, 2)),
        "statistics.F32": ("F32", (4 * 5 + 5 + 5 + 4 * 5,)),
        "statistics.F64": ("F64", (4 * 5,)),
        "aggregates.F32": ("F32", (3 * 3 + 3 * 3,)),
        "aggregates.F64": ("F64", (3 * 2,)),
        "values.F32": ("F32", (2 * 3 + 2 * 3,)),
        "values.I64": ("I64", (2 * 2,)),
    }
    places = [(p.group, p.entry.name, p.counts, p.extrema, p.statistics, p.aggregates, p.values) for p in iterate_records(example_layout())]
    assert places == [
        ("forward", "x", 0, 0, 0, 0, 0),
        ("forward", "count", 1, 0, 0, 0, 0),
        ("forward", "net.weight", 2, 1, 20, 9, 0),
        ("gradients", "net.weight", 3, 2, 25, 9, 0),
        ("gradients", "x", 4, 3, 30, 9, 6),
    ]


def test_only_the_arrays_asked_for_are_read(tmp_path: Path) -> None:
    write_example(tmp_path)
    recording = open_recording(tmp_path)
    everything = recording.blobs(7)
    some = recording.blobs(7, ["statistics.F64", "counts", "no such array"])
    assert list(some) == ["counts", "statistics.F64"]
    assert all(blob.data.tobytes() == everything[name].data.tobytes() for name, blob in some.items())


def test_lone_surrogates_become_the_replacement_character(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t", writer="w\ud800"))
    writer.add_note(Note("a\udfffb\ud83d"))
    writer.write_network(Network((ModuleEntry("\udc00", "Linear", -1),)))
    entry = dataclasses.replace(example_layout().tensors[0], name="x\ud800")
    layout = writer.write_layout(Layout((entry,), ()))
    writer.close()
    recording = open_recording(tmp_path)
    assert recording.header.writer == "w\ufffd"
    assert recording.notes == (Note("a\ufffdb\ufffd"),)
    assert recording.network.modules[0].name == "\ufffd"
    assert recording.layout(layout).tensors[0].name == "x\ufffd"


@pytest.mark.parametrize(
    "name", ["recording.json", "network.json", "notes.jsonl", "curves.jsonl", "gaps.jsonl", "journal.jsonl", "sentinels.jsonl"]
)
def test_files_are_json_that_any_parser_reads(tmp_path: Path, name: str) -> None:
    write_example(tmp_path)
    for line in (tmp_path / name).read_text(encoding="utf-8").splitlines():
        read = json.loads(line, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
        assert isinstance(read, (dict, list))
        assert read


def test_two_writers_give_the_same_bytes(tmp_path: Path) -> None:
    contents = []
    for root in (tmp_path / "one", tmp_path / "two"):
        write_example(root)
        # The journal says at which time things happened.
        files = (file for file in root.rglob("*") if file.is_file() and file.name != "journal.jsonl")
        contents.append({str(file.relative_to(root)): file.read_bytes() for file in files})
    first, second = contents
    assert first == second
    assert len(first) == 7 + 1 + 1 + 1 + 3 * 3


def test_wide_dtypes_are_those_of_the_page() -> None:
    entry = example_layout().tensors[0]
    wide = {dtype for dtype in ("F64", "F32", "F16", "BF16", "F8_E4M3", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL")
            if dataclasses.replace(entry, dtype=dtype).precision == "F64"}  # fmt: skip
    assert wide == WIDE

"""A bundle's numbers over time equal those of the steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.errors import ExportError
from comgra_export.exporter import export
from comgra_export.exporter.pack import series, spill
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    ModuleEntry,
    Network,
    ParameterEntry,
    ParameterFacts,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
)
from support.exporter.recordings import LAYOUT, random_step, write_trial
from support.exporter.unpacker import Bundle
from support.storage.entries import tensor_entry
from support.storage.strategies import Step

Numbers = tuple[list[int], NDArray[Any], NDArray[Any]]


def found_series(bundle: Bundle, name: str = "trial", rank: int | None = 0, **options: int) -> dict[tuple[Any, ...], Numbers]:
    """Steps, numbers and counts, by the key that identifies a record over time."""
    records = bundle.series(bundle.trial(name, rank), **options)
    keys = ("group", "name", "iteration", "items", "aggregations", "width")
    return {tuple(record[key] for key in keys): (record["steps"], record["numbers"], record["counts"]) for record in records}


def expected_series(steps: Mapping[int, Step]) -> dict[tuple[Any, ...], Numbers]:
    """The same from the records as they were written, one number at a time."""
    columns: dict[tuple[Any, ...], list[tuple[int, NDArray[Any], NDArray[Any]]]] = {}
    for number, step in steps.items():
        entries = [(group.name, step.layout.tensors[tensor]) for group in step.layout.groups for tensor in group.tensors]
        for (group, entry), record in zip(entries, step.records, strict=True):
            items = {"kpis_and_svd": 5, "single_value": 1}.get(entry.kind, 4)
            kept = 1 if entry.batch_dimension is None else 3
            statistics = record.statistics.reshape(items, -1)[:, :kept].reshape(-1)
            key = (group, entry.name, entry.iteration, items, kept, 8 if entry.dtype in ("F64", "I64", "I32", "U64", "U32") else 4)
            columns.setdefault(key, []).append((number, np.concatenate([statistics, record.extrema]), record.counts))
    return {
        key: ([number for number, _, _ in cells], np.stack([row for _, row, _ in cells], 1), np.stack([row for _, _, row in cells], 1))
        for key, cells in columns.items()
    }


def assert_same(actual: Mapping[tuple[Any, ...], Numbers], expected: Mapping[tuple[Any, ...], Numbers]) -> None:
    assert set(actual) == set(expected)
    for key, (steps, numbers, counts) in expected.items():
        assert actual[key][0] == steps, key
        assert actual[key][1].tobytes() == numbers.astype(actual[key][1].dtype).tobytes(), key
        np.testing.assert_array_equal(actual[key][2], counts)


def wide_counts(step: Step) -> list[tuple[str, Blob]]:
    """The arrays of a step, with counts of 64 bits where they need them."""
    return [(name, Blob("I64", blob.data) if name == "counts" and blob.data.dtype == np.int64 else blob) for name, blob in step.blobs()]


def write_steps(folder: Path, steps: Mapping[int, Step]) -> Path:
    writer = RecordingWriter(folder / "group" / "trial" / "rank-0", Header("group", "trial"))
    for number, step in steps.items():
        layout = writer.write_layout(step.layout)
        writer.write_step(StepDescription(number, "main", 4, layout, (), RecordedSamples(tuple(range(step.samples)))), wide_counts(step))
    writer.close()
    return folder / "group"


@pytest.mark.parametrize("name", ["report.html", "report", "report.zip"])
def test_every_record_at_every_step(name: str, tmp_path: Path) -> None:
    recorded = write_trial(tmp_path / "runs")
    export(tmp_path / "runs", tmp_path / name)
    bundle = Bundle(tmp_path / name)
    assert_same(found_series(bundle), expected_series(recorded))
    assert bundle.digest() == bundle.index["content_digest"]


def test_steps_need_not_have_the_same_records(tmp_path: Path) -> None:
    """Records that come and go, in another order, with other samples and batches, or of another kind."""
    x, count, _half, _mask, weight = LAYOUT.tensors
    later = replace(x, shape=(9, 3), samples=3)
    without_batch = replace(x, batch_dimension=None, samples=0)
    layouts = {
        3: (LAYOUT, 2),
        4: (Layout((weight, x), (Group("gradients", (1,)), Group("forward", (0, 1)))), 2),
        7: (Layout((later,), (Group("forward", (0,)),)), 3),
        8: (Layout((without_batch, count), (Group("forward", (0, 1)),)), 2),
        9: (Layout((), ()), 0),
        20: (LAYOUT, 2),
    }
    recorded = {number: random_step(number, layout, samples) for number, (layout, samples) in layouts.items()}
    export(write_steps(tmp_path, recorded), tmp_path / "report.html")
    series = found_series(Bundle(tmp_path / "report.html"))
    assert_same(series, expected_series(recorded))
    assert series["forward", "x", 0, 4, 3, 4][0] == [3, 4, 7, 20]
    assert series["forward", "x", 0, 4, 1, 4][0] == [8]


def test_counts_are_exact_where_they_are_large(tmp_path: Path) -> None:
    step = random_step(1)
    large = replace(step.records[0], counts=np.array([2**31, 2**53 + 1, 0, 7, 0], np.int64))
    recorded = {0: random_step(0), 1: replace(step, records=(large, *step.records[1:]))}
    export(write_steps(tmp_path, recorded), tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    assert_same(found_series(bundle), expected_series(recorded))
    assert [record["counts_width"] for record in bundle.series(bundle.trial("trial"))] == [8, 4, 4, 4, 4, 4, 4]


@pytest.mark.slow
def test_numbers_may_cross_chunks_and_wait_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = write_trial(tmp_path / "runs", steps=tuple(range(11)))
    export(tmp_path / "runs", tmp_path / "memory.html")
    monkeypatch.setattr(series, "CHUNK_BYTES", 64)
    monkeypatch.setattr(spill, "MEMORY_BYTES", 100)
    monkeypatch.setattr(spill, "_ZEROS", 1000)
    export(tmp_path / "runs", tmp_path / "file.html")
    assert_same(found_series(Bundle(tmp_path / "memory.html")), expected_series(recorded))
    assert_same(found_series(Bundle(tmp_path / "file.html"), chunk_bytes=64), expected_series(recorded))


def test_a_full_disk_is_an_error_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    write_trial(tmp_path / "runs")
    monkeypatch.setattr(spill, "MEMORY_BYTES", 100)
    monkeypatch.setattr("tempfile.TemporaryFile", Full)
    with pytest.raises(ExportError, match="No space left on device"):
        export(tmp_path / "runs", tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_damaged_step_is_not_there(tmp_path: Path) -> None:
    recorded = write_trial(tmp_path / "runs")
    (blob,) = (tmp_path / "runs").rglob("*7.safetensors")
    blob.write_bytes(blob.read_bytes()[:-5])
    assert len(export(tmp_path / "runs", tmp_path / "report.html").problems) == 1
    del recorded[7]
    assert_same(found_series(Bundle(tmp_path / "report.html")), expected_series(recorded))


def test_ranks_and_all_of_them_together(tmp_path: Path) -> None:
    recorded = {rank: write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank, steps=(5, 6)) for rank in (0, 1)}
    export(tmp_path / "runs", tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    for rank, steps in recorded.items():
        assert_same(found_series(bundle, rank=rank), expected_series(steps))
    merged = found_series(bundle, rank=None)["forward", "x", 0, 4, 3, 4]
    each = [found_series(bundle, rank=rank)["forward", "x", 0, 4, 3, 4] for rank in (0, 1)]
    assert merged[0] == [5, 6]
    for place, number in enumerate(merged[0]):
        arrays = {name: data for name, _, data in bundle.arrays(bundle.trial("trial", None), number)}
        of_step = np.concatenate([arrays["statistics.F32"][:12], arrays["extrema.F32"][:2]])
        assert merged[1][:, place].tobytes() == of_step.tobytes()
    # Over all ranks there are the values of all of them.
    np.testing.assert_array_equal(merged[2][:4], each[0][2][:4].astype(np.int64) + each[1][2][:4])


def test_nothing_over_time_without_steps_or_records(tmp_path: Path) -> None:
    write_trial(tmp_path / "empty", steps=())
    export(tmp_path / "empty", tmp_path / "empty.html")
    assert Bundle(tmp_path / "empty.html").trial("trial")["series"] == -1
    export(write_steps(tmp_path, {0: Step(Layout((), ()), (), 0)}), tmp_path / "bare.html")
    assert Bundle(tmp_path / "bare.html").trial("trial")["series"] == -1


def test_what_steps_did_to_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps describe different parameters or none. Each parameter gets the precision that it needs."""
    nan = float("nan")
    layout = Layout((), ())
    known = {
        2: ParameterFacts((0, 2), (1.5, float("inf")), (0.25, nan), (None, 0.0)),
        3: None,
        5: ParameterFacts((1, 2), (0.1, 0.5), (1e-60, 2.0), (1e60, 3.0)),
        9: ParameterFacts((0, 2), (2.5, 4.0), (0.5, 8.0), (0.75, None)),
        11: ParameterFacts((), (), (), ()),
    }
    writer = RecordingWriter(tmp_path / "group" / "trial" / "rank-0", Header("group", "trial"))
    module = ModuleEntry("net", "Linear", -1)
    writer.write_network(Network((module,), tuple(ParameterEntry(f"net.{k}", 0, (1,), "F32", True) for k in range(3))))
    for number, parameters in known.items():
        step = StepDescription(number, "main", 4, writer.write_layout(layout), (), RecordedSamples(()), parameters=parameters)
        writer.write_step(step, ())
    writer.close()
    monkeypatch.setattr(series, "CHUNK_BYTES", 32)
    export(tmp_path / "group", tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    parameter_series = bundle.parameter_series(bundle.trial("trial"), chunk_bytes=32)
    expected = {
        0: ([2, 9], [[1.5, 2.5], [0.25, 0.5], [nan, 0.75]]),
        1: ([5], [[0.1], [1e-60], [1e60]]),
        2: ([2, 5, 9], [[float("inf"), 0.5, 4.0], [nan, 2.0, 8.0], [0.0, 3.0, nan]]),
    }
    assert list(parameter_series) == list(expected)
    for position, (steps, numbers) in expected.items():
        assert parameter_series[position][0] == steps
        np.testing.assert_array_equal(parameter_series[position][1], numbers)
    # Parameter 0 is never with those that float32 does not hold.
    assert {position: numbers.dtype.itemsize for position, (_, numbers) in parameter_series.items()} == {0: 4, 1: 8, 2: 8}


def test_a_single_value(tmp_path: Path) -> None:
    loss = tensor_entry("loss", iteration=2, type="loss", kind="single_value")
    recorded = {number: random_step(number, Layout((loss,), (Group("forward", (0,)),)), 0) for number in (1, 2)}
    export(write_steps(tmp_path, recorded), tmp_path / "report.html")
    series = found_series(Bundle(tmp_path / "report.html"))
    assert list(series) == [("forward", "loss", 2, 1, 1, 4)]
    assert_same(series, expected_series(recorded))

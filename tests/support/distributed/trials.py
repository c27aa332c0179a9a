"""The recordings of distributed runs, and the same training in one process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.ranks import MergedRecording
from comgra_export.storage import Recording, RecordPlace, iterate_records, open_recording
from support.distributed.workers import Network, make_recorder, train
from support.storage.strategies import Record

PARAMETERS = ["net.first.weight", "net.first.bias", "net.second.weight", "net.second.bias"]


def open_trial(folder: Path, trial: str) -> list[Recording]:
    return [open_recording(path) for path in sorted((folder / "default" / trial).iterdir())]


def record_whole_batch(folder: Path, batch_size: int, monkeypatch: pytest.MonkeyPatch) -> Recording:
    """The same training in this process alone, on all samples."""
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")
    recorder = make_recorder(folder, "whole")
    network = Network()
    recorder.track_module("net", network)
    train(recorder, network, network, 0, batch_size, batch_size)
    recorder.finalize()
    return open_trial(folder, "whole")[0]


def of_group(recording: Recording | MergedRecording, step: float, group: str) -> dict[str, tuple[RecordPlace, np.ndarray, np.ndarray]]:
    """For each tensor of a group: its place, its statistics over the batch, `[I, A]`, and its counts."""
    arrays = recording.blobs(step)
    by_name = {}
    for place in iterate_records(recording.layout(recording.step(step).layout)):
        if place.group == group:
            entry = place.entry
            flat = arrays[f"statistics.{entry.precision}"].data[place.statistics : place.statistics + entry.statistics_count]
            columns = 1 if entry.batch_dimension is None else 3
            statistics = flat.reshape(len(entry.items), -1)[:, :columns]
            by_name[entry.name] = place, statistics, arrays["counts"].data[place.counts]
    return by_name


def assert_equal_forward(name: str, actual: Record, expected: Record) -> None:
    columns = expected.statistics.shape[1] if expected.statistics.shape[1] == 1 else 3
    np.testing.assert_allclose(actual.statistics, expected.statistics[:, :columns], rtol=1e-4, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(actual.aggregates, expected.aggregates, rtol=1e-4, atol=1e-6, err_msg=name)
    assert actual.counts[:4].tolist() == expected.counts[:4].tolist()
    if name != "loss":
        np.testing.assert_allclose(actual.extrema, expected.extrema, rtol=1e-4, atol=1e-6, err_msg=name)

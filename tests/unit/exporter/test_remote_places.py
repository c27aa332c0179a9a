"""Recordings at an address are read as they are on this machine, by ranges; bundles are written there, whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
import numpy as np
import pytest
from fsspec.implementations.memory import MemoryFile

from comgra_export import MisuseError, export, read
from comgra_export.errors import NotARecordingError, OutputExistsError, WrongChoiceError
from comgra_export.storage import find_recordings, open_recording
from support.addresses import contents_at, contents_of, copy_to
from support.analysis.runs import Given, RunByHand
from support.cli.run import Run, run
from support.exporter.recordings import write_trial

__all__ = ["run"]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Two ranks of a trial, of which one has a damaged step."""
    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank)
    damaged = sorted((tmp_path / "runs/group/trial/rank-1/steps").glob("*.safetensors"))[1]
    damaged.write_bytes(damaged.read_bytes()[:-8])
    return tmp_path / "runs"


@pytest.fixture
def address(recorded: Path) -> Iterator[str]:
    yield copy_to(recorded, "memory://bucket/runs")
    fsspec.filesystem("memory").rm("/", recursive=True)


def test_a_bundle_has_the_same_bytes_from_an_address_and_at_one(recorded: Path, address: str, tmp_path: Path) -> None:
    for name in ("report.html", "report/", "report.zip"):
        here = export(recorded, f"{tmp_path}/{name}")
        there = export(address, f"memory://bucket/{name}")
        assert (there.bytes, there.content_digest, there.problems) == (here.bytes, here.content_digest, here.problems)
        assert there.address == f"memory:///bucket/{name.rstrip('/')}"
        assert there.page is None
        expected = contents_of(here.path) if here.path.is_dir() else {"": here.path.read_bytes()}
        assert contents_at(f"memory://bucket/{name}") == expected
        assert "is left out" in "".join(here.problems)


def test_only_what_is_asked_for_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunByHand(tmp_path / "runs", [Given("x", "input", values=True)])
    run.step(0, {"x": np.ones((8, 50_000), np.float32)})
    run.read()
    address = copy_to(tmp_path / "runs", "memory://ranges/runs")
    fetched = 0
    original = MemoryFile.read

    def counted(self: MemoryFile, *arguments: int) -> bytes:
        nonlocal fetched
        data: bytes = original(self, *arguments)
        fetched += len(data)
        return data

    monkeypatch.setattr(MemoryFile, "read", counted, raising=False)
    (folder,) = find_recordings(address)
    recording = open_recording(folder)
    (here,) = find_recordings(tmp_path / "runs")
    names = ["counts", "extrema.F32", "statistics.F32"]
    blobs = recording.blobs(recording.steps[0], names)
    size = max(file.stat().st_size for file in (tmp_path / "runs").rglob("*.safetensors"))
    assert sum(blob.data.nbytes for blob in blobs.values()) < fetched < size / 4
    for name, blob in open_recording(here).blobs(recording.steps[0], names).items():
        np.testing.assert_array_equal(blobs[name].data, blob.data)


def test_reading_gives_the_same_numbers(recorded: Path, address: str) -> None:
    here, there = read(recorded).trial, read(address).trial
    assert repr(list(there.statistics.rows())) == repr(list(here.statistics.rows()))
    (folder, _) = find_recordings(address)
    recording = open_recording(folder)
    assert recording.bytes_on_disk() == sum(map(len, contents_at(f"{address}/group/trial/rank-0").values()))
    assert not recording.is_being_written()


def test_only_a_bundle_is_replaced(address: str) -> None:
    output = "memory://bucket/report/"
    export(address, output)
    with pytest.raises(OutputExistsError, match="already exists"):
        export(address, output)
    files = fsspec.filesystem("memory")
    files.pipe_file("/bucket/report/data/c999999.js", b"of an older bundle")
    export(address, output, force=True)
    assert not files.exists("/bucket/report/data/c999999.js")
    files.pipe_file("/bucket/report/thesis.tex", b"\\documentclass")
    files.pipe_file("/bucket/page.html", b"<p>mine")
    for foreign in (output, "memory://bucket/page.html"):
        with pytest.raises(OutputExistsError, match="is not replaced"):
            export(address, foreign, force=True)
    with pytest.raises(WrongChoiceError, match="on this machine"):
        export(address, "memory://bucket/live/", live=True)


def test_commands_take_addresses(address: str, run: Run) -> None:
    assert "group / trial" in run("inspect", address).stdout
    assert "group/trial" in run("findings", address).stdout
    assert "cut off" in run("verify", address).stderr
    assert run("build", address, "-o", "memory://bucket/out.html").stdout.startswith("Wrote memory:///bucket/out.html")
    refused = run("build", address, "-o", "live/", "--watch")
    assert (refused.returncode, "on this machine" in refused.stderr) == (2, True)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotARecordingError, match="memory:///nowhere does not exist"):
        find_recordings("memory://nowhere")
    with pytest.raises(MisuseError, match="not understood"):
        find_recordings("nothing-like-this://bucket/runs")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MisuseError, match=r"comgra-export\[remote\]"):
        find_recordings("memory://bucket/runs")

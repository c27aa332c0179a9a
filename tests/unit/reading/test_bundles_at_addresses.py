"""Bundles at an address are read as those on this machine, by ranges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import fsspec
import numpy as np
import pytest
from fsspec.implementations.memory import MemoryFile

import comgra_export
from comgra_export.errors import DamagedRecordingError, NotARecordingError
from support.addresses import copy_to
from support.analysis.runs import Given, RunByHand
from support.cli.run import Run, run
from support.exporter.recordings import write_trial
from support.reading.same import assert_same

__all__ = ["run"]

STORE = "memory://bundles"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Two trials, of which one has two ranks."""
    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank)
    write_trial(tmp_path / "runs", trial="other", seed=7)
    return tmp_path / "runs"


@pytest.fixture(autouse=True)
def store() -> Iterator[fsspec.AbstractFileSystem]:
    files = fsspec.filesystem("memory")
    yield files
    files.rm("/", recursive=True)


def _put(page: Path) -> str:
    """Copies a bundle to the store."""
    if page.is_dir():
        return copy_to(page, f"{STORE}/{page.name}")
    fsspec.filesystem("memory").pipe_file(f"{STORE}/{page.name}", page.read_bytes())
    return f"{STORE}/{page.name}"


@pytest.mark.parametrize("name", ["report.html", "report.zip", "report/"])
def test_a_bundle_is_read_as_on_this_machine(name: str, recorded: Path, tmp_path: Path) -> None:
    page = comgra_export.export(recorded, f"{tmp_path}/{name}").path
    address = _put(page)
    here, there = comgra_export.read(page), comgra_export.read(address)
    assert list(there.trials) == list(here.trials) == ["group/other", "group/trial"]
    assert there.omissions == here.omissions
    for name_of_trial, trial in here.trials.items():
        assert_same(trial, there.trials[name_of_trial])
        assert len(trial.statistics) > 0
    rank = there.trials["group/trial"].of_rank(1)
    np.testing.assert_array_equal(rank.values("x", 0), here.trials["group/trial"].of_rank(1).values("x", 0))


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A recording of three steps of 1.6 MB."""
    run = RunByHand(tmp_path / "large", [Given("x", "input", values=True)])
    generator = np.random.default_rng(0)
    for step in range(3):
        run.step(step, {"x": generator.normal(size=(8, 50_000)).astype(np.float32)})
    run.read()
    return tmp_path / "large"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each read of the store has returned."""
    sizes: list[int] = []
    original = MemoryFile.read

    def noted(self: MemoryFile, *arguments: int) -> bytes:
        data: bytes = original(self, *arguments)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(MemoryFile, "read", noted, raising=False)
    return sizes


@pytest.mark.parametrize("name", ["report.html", "report.zip", "report/"])
def test_no_more_is_fetched_than_is_needed(name: str, large: Path, tmp_path: Path, fetched: list[int]) -> None:
    page = comgra_export.export(large, f"{tmp_path}/{name}").path
    address = _put(page)
    size = sum(file.stat().st_size for file in ([page] if page.is_file() else page.rglob("*")))
    trial = comgra_export.read(address).trial
    assert len(trial.statistics) > 0
    # The front of a page alone, but a whole page of a zip: the viewer is in it.
    assert sum(fetched) < size / 6
    fetched.clear()
    values = trial.values("x", 1)
    # Values are stored in chunks of 4 MiB, and base64 makes them a third longer.
    assert 1_600_000 < sum(fetched) < 6_500_000
    np.testing.assert_array_equal(values, comgra_export.read(large).trial.values("x", 1))


def test_the_front_of_a_page_may_change(large: Path, tmp_path: Path, store: fsspec.AbstractFileSystem, fetched: list[int]) -> None:
    """A copy that a reader has saved holds notes, so its index is longer."""
    page = comgra_export.export(large, tmp_path / "report.html").path
    address = _put(page)
    content = page.read_bytes()
    store.pipe_file(f"{STORE}/report.html", content.replace(b"<title>", b"<!-- " + b"x" * 1000 + b" --><title>"))
    assert "x" in comgra_export.read(address).trial.tensors["tensor"]
    assert sum(fetched) < len(content) / 6


@pytest.mark.parametrize("change", ["lengths", "end"])
def test_a_page_whose_chunks_are_elsewhere_is_fetched_whole(
    change: str, large: Path, tmp_path: Path, store: fsspec.AbstractFileSystem, fetched: list[int]
) -> None:
    """Pages of earlier versions do not say how long their chunks are. Some servers add to the end of a page."""
    page = comgra_export.export(large, tmp_path / "report.html").path
    address = _put(page)
    content = page.read_bytes()
    if change == "lengths":
        changed = re.sub(rb',"crc32":[0-9]+}(</script>)', rb"}\1", re.sub(rb',"encoded":\[[0-9,]*\]', b"", content, count=1), count=1)
    else:
        changed = content + b"<!-- served by a proxy -->\n"
    assert changed != content
    store.pipe_file(f"{STORE}/report.html", changed)
    trial = comgra_export.read(address).trial
    np.testing.assert_array_equal(trial.values("x", 2), comgra_export.read(page).trial.values("x", 2))
    assert sum(fetched) < 1.5 * len(content)


def test_other_pages_are_no_bundles(recorded: Path, store: fsspec.AbstractFileSystem) -> None:
    store.pipe_file(f"{STORE}/other.html", b"<!doctype html><title>mine</title>" + b" " * 10_000_000)
    with pytest.raises(NotARecordingError, match=r"other.html is not a page of comgra_export"):
        comgra_export.read(f"{STORE}/other.html")
    # Recordings may lie beside a page of somebody else.
    address = copy_to(recorded, f"{STORE}/runs")
    store.pipe_file(f"{STORE}/runs/index.html", b"<!doctype html><title>mine</title>")
    assert list(comgra_export.read(address).trials) == ["group/other", "group/trial"]
    with pytest.raises(NotARecordingError, match="does not exist"):
        comgra_export.read(f"{STORE}/nothing")


def test_a_damaged_chunk_is_named(large: Path, tmp_path: Path, store: fsspec.AbstractFileSystem) -> None:
    page = comgra_export.export(large, tmp_path / "report.html").path
    address = _put(page)
    content = bytearray(page.read_bytes())
    last = content.rindex(b'<template id="chunk-')
    number = int(re.match(rb"[0-9]+", content[last + 20 :])[0])  # type: ignore[index]
    content[last + 200] ^= 1
    store.pipe_file(f"{STORE}/report.html", bytes(content))
    with pytest.raises(DamagedRecordingError, match=f"chunk {number}"):
        comgra_export.read(address).trial.source._bundle.chunks.raw(number)  # type: ignore[attr-defined]


def test_commands_take_bundles_at_addresses(recorded: Path, tmp_path: Path, run: Run, store: fsspec.AbstractFileSystem) -> None:
    page = comgra_export.export(recorded / "group" / "trial", tmp_path / "report.html").path
    address = _put(page)
    assert "group / trial" in run("inspect", address).stdout
    (trial,) = json.loads(run("inspect", address, "--json").stdout)["trials"]
    assert trial["bytes"] == page.stat().st_size
    assert run("findings", address, "--json").stdout == run("findings", page, "--json").stdout
    assert "all of it is as it was written" in run("verify", address).stdout
    assert "are the same" in run("diff", address, page).stdout
    assert run("graph", address, "--json").stdout == run("graph", page, "--json").stdout
    store.pipe_file(f"{STORE}/report.html", page.read_bytes().replace(b'<template id="chunk-2">', b'<template id="chunk-2">AAAA'))
    assert run("verify", address).returncode == 3

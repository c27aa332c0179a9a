"""Recordings are read from, and bundles written to, a real server that speaks S3: that of moto, on this machine."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import fsspec
import numpy as np
import pytest

from comgra_export import export, read
from support.addresses import contents_at, contents_of, copy_to
from support.analysis.runs import Given, RunByHand
from support.cli.run import COMMAND, environment_of_a_user
from support.exporter.recordings import write_trial
from support.hosts.runs import needs
from support.reading.same import assert_same

needs("moto")
needs("s3fs")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(autouse=True)
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setitem(fsspec.config.conf, "s3", {"endpoint_url": endpoint, "key": "testing", "secret": "testing"})
    files = fsspec.filesystem("s3")
    files.mkdir("bucket")
    yield "s3://bucket"
    files.invalidate_cache()
    files.rm("bucket", recursive=True)


def test_a_bundle_from_one_and_at_one_has_the_same_bytes(bucket: str, tmp_path: Path) -> None:
    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank)
    address = copy_to(tmp_path / "runs", f"{bucket}/runs")
    here = export(tmp_path / "runs", f"{tmp_path}/report/")
    there = export(address, f"{bucket}/report/")
    assert contents_at(f"{bucket}/report") == contents_of(here.path)
    assert (there.bytes, there.problems) == (here.bytes, here.problems)
    # A browser shows what it gets as a page, and does not save it.
    stored = fsspec.filesystem("s3").call_s3("head_object", Bucket="bucket", Key="report/index.html")
    assert stored["ContentType"] == "text/html"


def test_only_ranges_are_fetched(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs.core

    run = RunByHand(tmp_path / "runs", [Given("x", "input", values=True)])
    for step in range(3):
        run.step(step, {"x": np.full((8, 500_000), step, np.float32)})
    run.read()
    address = copy_to(tmp_path / "runs", f"{bucket}/runs")
    ranges = []
    original = s3fs.core.S3File._fetch_range

    def noted(self: s3fs.core.S3File, start: int, end: int) -> bytes:
        ranges.append((self.path, end - start))
        data: bytes = original(self, start, end)
        assert len(data) == end - start
        return data

    monkeypatch.setattr(s3fs.core.S3File, "_fetch_range", noted)
    table = read(address).trial.statistics
    assert len(list(table.rows())) == len(list(read(tmp_path / "runs").trial.statistics.rows()))
    of_numbers = [size for path, size in ranges if path.endswith(".safetensors")]
    assert len(of_numbers) >= 3
    assert sum(of_numbers) < 3 * 8 * 500_000 * 4 / 100


def test_the_command_works_with_the_environment_alone(bucket: str, endpoint: str, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs")
    address = copy_to(tmp_path / "runs", f"{bucket}/runs")
    environment = environment_of_a_user(
        {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "FSSPEC_S3_ENDPOINT_URL": endpoint}
    )
    command = [COMMAND, "build", address, "-o", f"{bucket}/page.html"]
    finished = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert (finished.returncode, finished.stdout[:28]) == (0, "Wrote s3://bucket/page.html "), finished.stderr
    assert contents_at(f"{bucket}/page.html")[""] == export(tmp_path / "runs", tmp_path / "page.html").path.read_bytes()


def test_a_store_that_refuses_is_named_in_words(endpoint: str, tmp_path: Path) -> None:
    environment = environment_of_a_user(
        {"FSSPEC_S3_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}
    )
    command = [COMMAND, "inspect", "s3://bucket/runs"]
    finished = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert finished.returncode == 3
    assert "s3://bucket/runs cannot be read" in finished.stderr
    assert "Traceback" not in finished.stderr


def _command(arguments: list[str], endpoint: str, folder: Path) -> subprocess.CompletedProcess[str]:
    keys = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "FSSPEC_S3_ENDPOINT_URL": endpoint}
    environment = environment_of_a_user(keys)
    return subprocess.run([COMMAND, *arguments], env=environment, cwd=folder, capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.parametrize("name", ["report.html", "report.zip", "report/"])
def test_bundles_are_read_by_ranges(name: str, bucket: str, endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs.core

    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank)
    page = export(tmp_path / "runs", f"{tmp_path}/{name}").path
    export(tmp_path / "runs", f"{bucket}/{name}")
    address = f"{bucket}/{name}"
    fetched = []
    original = s3fs.core.S3File._fetch_range

    def noted(self: s3fs.core.S3File, start: int, end: int) -> bytes:
        fetched.append((self.path, end - start))
        data: bytes = original(self, start, end)
        return data

    monkeypatch.setattr(s3fs.core.S3File, "_fetch_range", noted)
    here, there = read(page), read(address)
    for trial, own in here.trials.items():
        assert_same(own, there.trials[trial])
    if not name.endswith(".zip"):
        of_page = sum(size for path, size in fetched if path.endswith(".html"))
        size = (page if page.is_file() else page / "index.html").stat().st_size
        assert 0 < of_page < size / 2
    for command in ("inspect", "findings", "verify"):
        finished = _command([command, address], endpoint, tmp_path)
        assert finished.returncode == 0, finished.stderr
    assert "are the same" in _command(["diff", address, str(page)], endpoint, tmp_path).stdout

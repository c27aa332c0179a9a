"""An export on a Dask cluster of two processes on this machine, of which one is killed, has the bytes of an export without it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from comgra_export import export
from comgra_export.exporter import Progress
from comgra_export.workers import Workers
from support.analysis.runs import Given, RunByHand
from support.hosts.runs import needs

needs("joblib")
needs("distributed")

_STEPS = 24


@pytest.fixture
def address() -> Iterator[str]:
    """A cluster for each test: what was killed may come back late."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


def test_results_come_in_order_and_only_what_was_lost_is_computed_again(address: str, tmp_path: Path) -> None:
    inputs = list(range(20))
    workers = Workers(backend="dask", address=address)
    assert list(workers.map(partial(_killed_once, str(tmp_path)), inputs)) == [number**2 for number in inputs]
    computed = sorted(int(line) for line in (tmp_path / "computed").read_text().split())
    assert set(computed) == set(inputs)
    assert len(computed) - len(inputs) < len(inputs) / 2


def test_a_killed_worker_costs_its_chunk_and_not_the_export(address: str, tmp_path: Path) -> None:
    run = RunByHand(tmp_path / "runs", [Given("x", "input", values=True, histogram=True)])
    generator = np.random.default_rng(0)
    for step in range(_STEPS):
        run.step(step, {"x": generator.normal(size=(8, 130_000)).astype(np.float32)})
    run.read()
    alone = export(tmp_path / "runs", f"{tmp_path}/alone/")
    before = _processes(address)
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.stage == "Packing" and progress.done and not killed:
            killed.append(before[0])
            os.kill(before[0], signal.SIGKILL)

    bundle = export(tmp_path / "runs", f"{tmp_path}/cluster/", backend="dask", address=address, progress=kill_one)
    assert len(before) == 2
    assert killed
    with pytest.raises(ProcessLookupError):
        os.kill(killed[0], 0)
    assert (bundle.content_digest, bundle.problems) == (alone.content_digest, ())
    files = sorted(file.relative_to(alone.path) for file in alone.path.rglob("*") if file.is_file())
    assert sorted(file.relative_to(bundle.path) for file in bundle.path.rglob("*") if file.is_file()) == files
    assert [(bundle.path / file).read_bytes() for file in files] == [(alone.path / file).read_bytes() for file in files]


def _processes(address: str) -> list[int]:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        return sorted(client.run(os.getpid).values())


def _killed_once(folder: str, number: int) -> int:
    if number == 7 and not Path(folder, "killed").exists():
        Path(folder, "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with Path(folder, "computed").open("a", encoding="ascii") as lines:
        lines.write(f"{number}\n")
    return number**2

"""An export on a Ray cluster of two workers on this machine, of which one is killed, has the bytes of an export without it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from comgra_export import export
from comgra_export.workers import Workers
from support.addresses import contents_of
from support.analysis.runs import Given, RunByHand
from support.cli.run import Run, run
from support.hosts.runs import needs
from support.places import CHECKOUT

__all__ = ["run"]

needs("joblib")
needs("ray")

# Ray warns of what it does itself.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        # Workers import the function below from this file, which imports the tests' own support.
        patch.setenv("PYTHONPATH", str(CHECKOUT / "tests"))
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        yield cluster.address
        cluster.shutdown()


def test_an_export_has_the_same_bytes(address: str, tmp_path: Path, run: Run) -> None:
    by_hand = RunByHand(tmp_path / "runs", [Given("x", "input", values=True, histogram=True)])
    generator = np.random.default_rng(0)
    for step in range(6):
        by_hand.step(step, {"x": generator.normal(size=(8, 130_000)).astype(np.float32)})
    by_hand.read()
    alone = export(tmp_path / "runs", f"{tmp_path}/alone/")
    finished = run("build", tmp_path / "runs", "-o", f"{tmp_path}/cluster/", "--backend", "ray", "--address", address)
    assert finished.returncode == 0, finished.stderr
    assert contents_of(tmp_path / "cluster") == contents_of(alone.path)


def test_a_killed_worker_costs_its_task(address: str, tmp_path: Path) -> None:
    inputs = list(range(12))
    workers = Workers(backend="ray", address=address)
    assert list(workers.map(partial(_killed_once, str(tmp_path), os.getpid()), inputs)) == [number**2 for number in inputs]
    computed = [int(line) for line in (tmp_path / "computed").read_text().split()]
    assert set(computed) == set(inputs)
    assert (tmp_path / "killed").exists()


def _killed_once(folder: str, own: int, number: int) -> int:
    assert os.getpid() != own
    if number == 7 and not Path(folder, "killed").exists():
        Path(folder, "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with Path(folder, "computed").open("a", encoding="ascii") as lines:
        lines.write(f"{number}\n")
    return number**2

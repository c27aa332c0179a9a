"""Whether gradients are local or averaged over ranks, against the gradients of two real processes."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from comgra_export.recorder.gradients.averaging import AveragingOverRanks, run_is_distributed
from comgra_export.recorder.gradients.parameter_history import GradientHistory
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.modules.exceptions import StepExceptions
from comgra_export.recorder.modules.running import ModulePlace, ModuleWatch
from support.distributed.ranks import run_ranks
from support.recorder.listening import Listening

WORLD_SIZE = 2


class Trial:
    """A network whose gradient is its input, which shows the rank of the input."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.inner = nn.Linear(1, 1, bias=False)
        self.network = DistributedDataParallel(self.inner)
        self.loss = torch.zeros(())

    def forward(self, value: float, sync: bool = True) -> Tensor:
        with nullcontext() if sync else self.network.no_sync():
            self.loss = self.network(torch.full((1, 1), float(value * (self.rank + 1)))).sum()
        return self.loss

    def step(self, value: float, sync: bool = True) -> None:
        with nullcontext() if sync else self.network.no_sync():
            self.forward(value, sync).backward()


def train(trial: Trial, scenario: str) -> None:
    if scenario == "averaged":
        trial.step(1)
    elif scenario == "local":
        trial.step(1, sync=False)
    elif scenario == "accumulated, then averaged":
        trial.step(1, sync=False)
        trial.step(10)
    elif scenario == "averaged, then local":
        trial.step(1)
        trial.step(10, sync=False)
    elif scenario == "averaged, then cleared and local":
        trial.step(1)
        trial.network.zero_grad()
        trial.step(10, sync=False)
    elif scenario == "evaluated between forward and backward":
        trial.forward(1)
        with torch.no_grad():
            trial.network(torch.ones(1, 1))
        trial.loss.backward()
    elif scenario == "second pass over the same graph":
        trial.forward(1).backward(retain_graph=True)
        trial.network.zero_grad()
        trial.loss.backward()
    elif scenario == "without the wrapper":
        trial.inner(torch.full((1, 1), trial.rank + 1.0)).sum().backward()
    elif scenario == "another hook":
        trial.network.register_comm_hook(None, lambda _, bucket: keep_as_it_is(bucket))
        trial.step(1)


def keep_as_it_is(bucket: Any) -> torch.futures.Future[Tensor]:  # noqa: ANN401
    future: torch.futures.Future[Tensor] = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


# The answer for each scenario, and the gradients of the two ranks.
EXPECTED: dict[str, tuple[bool | None, tuple[float, float]]] = {
    "averaged": (True, (1.5, 1.5)),
    "local": (False, (1, 2)),
    "accumulated, then averaged": (True, (16.5, 16.5)),
    "averaged, then local": (None, (11.5, 21.5)),
    "averaged, then cleared and local": (False, (10, 20)),
    "evaluated between forward and backward": (True, (1.5, 1.5)),
    "second pass over the same graph": (False, (1, 2)),
    "without the wrapper": (None, (1, 2)),
    "another hook": (None, (1, 2)),
}


def look_at_sharded_parameters() -> list[tuple[int, int]]:
    """For each of three steps: how many parameters have nothing left of earlier steps, and how many arrays of norms there are."""
    # Importing them takes every process that collects tests a second.
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    network = nn.Linear(2, 2)
    fully_shard(network, mesh=init_device_mesh("cpu", (WORLD_SIZE,)))
    counts = []
    for _ in range(3):
        history = GradientHistory(dict(enumerate(network.parameters())), watched=True)
        with Listening(history):
            network(torch.ones(1, 2)).sum().backward()
        nothing, norms = history.differences()
        counts.append((len(nothing), len(norms)))
        assert history.error is None
        history.release()
        if len(counts) == 2:
            network.zero_grad()
    return counts


def look_at_gradients(_: Path) -> tuple[dict[str, tuple[bool | None, float]], list[tuple[int, int]]]:
    """After each scenario: whether this rank's gradient is averaged, and the gradient. Also the counts for sharded parameters."""
    assert run_is_distributed()
    by_scenario: dict[str, tuple[bool | None, float]] = {}
    for scenario in EXPECTED:
        trial = Trial(dist.get_rank())
        watch = ModuleWatch(ModuleCalls(), {trial.inner: ModulePlace(0, "net")}, StepExceptions(lambda: 0))
        history = GradientHistory({0: trial.inner.weight}, watched=True, averaging=AveragingOverRanks(watch.data_parallel))
        before = history.averaged_over_ranks()
        watch.start()
        with Listening(history):
            train(trial, scenario)
        watch.stop()
        gradient = trial.inner.weight.grad
        assert gradient is not None
        assert before is None
        assert history.error is None
        assert watch.error is None
        by_scenario[scenario] = (history.averaged_over_ranks(), float(gradient))
        history.release()
        watch.release()
    return by_scenario, look_at_sharded_parameters()


@pytest.mark.slow
def test_averaged_and_local_gradients_are_distinguished(tmp_path: Path) -> None:
    assert not run_is_distributed()
    ranks = run_ranks(WORLD_SIZE, look_at_gradients, tmp_path)
    for scenario, (averaged, gradients) in EXPECTED.items():
        assert [by_scenario[scenario] for by_scenario, _ in ranks] == [(averaged, gradient) for gradient in gradients], scenario
    # In the second step the gradients of the first are added to, which cannot be seen.
    assert [sharded for _, sharded in ranks] == [[(2, 0), (0, 0), (2, 0)]] * WORLD_SIZE


def test_averaging_is_unknown_if_the_run_is_not_distributed() -> None:
    network = nn.Linear(1, 1)
    history = GradientHistory(dict(enumerate(network.parameters())), watched=True)
    with Listening(history):
        network(torch.ones(1, 1)).sum().backward()
    assert history.averaged_over_ranks() is None

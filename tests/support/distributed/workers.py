"""What the processes of a distributed run do. Each function runs once per rank."""

from __future__ import annotations

import os
import signal
import warnings
from pathlib import Path
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.nn.functional import all_reduce
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part, resting_parameters, type_name

STEPS = 3
FEATURES = 3
CATEGORIES = 2


class Network(nn.Module):
    """Two layers; the activations between them are registered."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.first = nn.Linear(FEATURES, 5)
        self.second = nn.Linear(5, CATEGORIES)
        self.recorder: ComgraRecorder | None = None

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.tanh(self.first(x))
        if self.recorder is not None:
            self.recorder.register_tensor("hidden", hidden)
        output: Tensor = self.second(hidden)
        return output


def data_of_step(step: int, batch_size: int) -> tuple[Tensor, Tensor]:
    """The whole batch of a step, the same on every rank."""
    generator = torch.Generator().manual_seed(step)
    x = torch.randn(batch_size, FEATURES, generator=generator)
    return x, torch.randn(batch_size, CATEGORIES, generator=generator)


def train(
    recorder: ComgraRecorder, network: Network, model: nn.Module, begin: int, end: int, batch_size: int, steps: int = STEPS
) -> list[float]:
    """Trains on the samples from `begin` to `end` of every batch, and returns the losses."""
    # A separate instance in each copy would not finish the steps.
    network.recorder = recorder
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(steps):
        x, target = (part[begin:end] for part in data_of_step(step, batch_size))
        with recorder.batch(step, end - begin), recorder.iteration():
            recorder.register_tensor("x", x, is_input=True)
            output = model(x)
            recorder.register_tensor("output", output)
            recorder.register_tensor("target", target, is_target=True)
            loss = nn.functional.mse_loss(output, target)
            recorder.register_tensor("loss", loss, is_loss=True)
            recorder.record_kpi_in_graph("loss", "train", loss)
            optimizer.zero_grad()
            loss.backward()
            recorder.record_current_gradients("gradients")
            optimizer.step()
        losses.append(loss.item())
    return losses


def make_recorder(folder: Path, trial: str, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
    """A strict recorder of every step. Rank and world size are those of the environment."""
    return ComgraRecorder(
        folder, trial_id=trial, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1), strict=True, **arguments
    )


def bounds(batch_size: int) -> tuple[int, int]:
    """The samples of this rank: the same number for each rank, and the rest for the last."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    share = batch_size // world_size
    return rank * share, batch_size if rank == world_size - 1 else (rank + 1) * share


def train_with_ddp(folder: Path, trial: str, batch_size: int) -> list[float]:
    """Every rank records."""
    recorder = make_recorder(folder, trial)
    network = Network()
    model = DistributedDataParallel(network)
    recorder.track_module("net", model)
    losses = train(recorder, network, model, *bounds(batch_size), batch_size)
    recorder.finalize()
    return losses


def train_with_one_recorder(folder: Path, trial: str) -> tuple[list[float], list[list[float]]]:
    """Only the first rank records. A collective call of its recorder would wait for nobody. Returns losses and parameters."""
    recorder = make_recorder(folder, trial, comgra_is_active=dist.get_rank() == 0)
    network = Network()
    model = DistributedDataParallel(network)
    recorder.track_module("net", model)
    losses = train(recorder, network, model, *bounds(8), 8)
    recorder.finalize()
    return losses, [parameter.detach().flatten().tolist() for parameter in network.parameters()]


def die_in_the_second_step(folder: Path, trial: str, _: str) -> None:
    """The last rank is killed while it records its second step; the others go on. Nobody waits for anybody."""
    recorder = make_recorder(folder, trial)
    network = Network()
    recorder.track_module("net", network)
    is_last = dist.get_rank() == dist.get_world_size() - 1
    train(recorder, network, network, *bounds(8), 8, steps=1 if is_last else STEPS)
    if is_last:
        recorder.flush()
        recorder.start_batch(1, 4)
        recorder.start_iteration()
        recorder.register_tensor("x", torch.ones(4, FEATURES), is_input=True)
        os.kill(os.getpid(), signal.SIGKILL)
    recorder.finalize()


def open_again(folder: Path, trial: str, existing_trial: str) -> str:
    """Begins a recording of that name once all ranks are there; returns its name, or the error."""
    dist.barrier()
    try:
        recorder = make_recorder(folder, trial, existing_trial=existing_trial)
    except MisuseError as error:
        return str(error)
    finally:
        dist.barrier()
    with recorder.batch(0, 1), recorder.iteration():
        recorder.register_tensor("x", torch.ones(1, 1) * dist.get_rank(), is_input=True)
    recorder.finalize()
    return recorder.trial_id


def take_parts(folder: Path) -> dict[str, Any]:
    """Shards tensors over a mesh of two by two processes; returns this rank's part of each, and how often it communicated."""
    world = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "tensor"))
    values = torch.arange(35.0).reshape(5, 7)
    tensors = {
        "replicated": distribute_tensor(values, world, [Replicate(), Replicate()]),
        "rows": distribute_tensor(values, world, [Replicate(), Shard(0)]),
        "rows of the first dimension": distribute_tensor(values, world, [Shard(0), Replicate()]),
        "rows and columns": distribute_tensor(values, world, [Shard(0), Shard(1)]),
        "rows twice": distribute_tensor(values, world, [Shard(0), Shard(0)]),
        "too few rows": distribute_tensor(values[:1], world, [Shard(0), Shard(0)]),
        "on half of the mesh": distribute_tensor(values, world["tensor"], [Shard(1)]),
        "sums": DTensor.from_local(values, world, [Replicate(), Partial()]),
        "parameter": nn.Parameter(distribute_tensor(values, world, [Replicate(), Shard(0)])),
        # Resharding begins a collective operation that nobody has waited for yet.
        "still on its way": distribute_tensor(values, world, [Replicate(), Shard(0)]).redistribute(
            placements=[Replicate(), Replicate()], async_op=True
        ),
    }
    elsewhere = DeviceMesh("cpu", [0, 1])
    tensors["on other processes"] = distribute_tensor(values, elsewhere, [Shard(0)])
    parts: dict[str, Any] = {}
    with CommDebugMode() as communication:
        for name, tensor in tensors.items():
            try:
                part, shard = local_part(tensor)
            except NoLocalPartError as error:
                parts[name] = str(error)
            else:
                assert type(part) is Tensor
                assert not part.requires_grad
                parts[name] = part.numpy(), shard
    parts["communication"] = communication.get_total_counts()
    local, _ = local_part(tensors["parameter"])
    parts["shares memory"] = local.data_ptr() == cast(DTensor, tensors["parameter"]).to_local().data_ptr()
    return parts


def shard_network(network: Network) -> None:
    """Shards the usual way: every layer, then the rest."""
    fully_shard(network.first)
    fully_shard(network)


def train_with_fsdp(folder: Path, trial: str, order: str) -> list[float]:
    """Every rank records; the network is tracked before or after it is sharded."""
    recorder = make_recorder(folder, trial)
    network = Network()
    if order == "tracked first":
        recorder.track_module("net", network)
        shard_network(network)
    else:
        shard_network(network)
        recorder.track_module("net", network)
    losses = train(recorder, network, network, *bounds(8), 8)
    recorder.finalize()
    return losses


def look_at_sharded_network(folder: Path) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    """After a forward pass alone, a network's own layers hold plain tensors.

    Returns what is at rest and where, and for every module what torch and what the user calls its class.
    """
    network = Network()
    shard_network(network)
    with torch.no_grad():
        network(torch.ones(2, FEATURES))
    assert type(network.second._parameters["weight"]) is nn.Parameter
    resting = resting_parameters(network.modules())
    for module in (network.first, network):
        module.reshard()  # type: ignore[operator]
    assert {id(parameter) for parameter in resting.values()} == {id(parameter) for parameter in network.parameters()}
    names = {module: name for name, module in network.named_modules()}
    at_rest = sorted((names[module], attribute, type(parameter).__name__) for (module, attribute), parameter in resting.items())
    return at_rest, [(type(module).__name__, type_name(module)) for module in network.modules()]


def record_gradient_flow_of(folder: Path, trial: str, kind: str) -> tuple[list[float], list[float]]:
    """Trains a network that is spread over the processes, or only its data, with a gradient flow on every step and without any.

    Returns the losses with and without.
    """
    recorder = ComgraRecorder(folder, trial_id=trial, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1))
    losses = []
    for used in (recorder, None):
        torch.manual_seed(1)
        model = spread(nn.Sequential(nn.Linear(FEATURES, 4), nn.Tanh(), nn.Linear(4, CATEGORIES)), kind)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(STEPS):
            x, target = data_of_step(step, 4)
            output = model(x.requires_grad_())
            loss = nn.functional.mse_loss(output, target)
            if used is not None:
                with used.batch(step, 4), used.iteration(), warnings.catch_warnings():
                    warnings.simplefilter("ignore", ComgraRecordingWarning)
                    used.record_gradient_flow(loss, {"x": x, "output": output})
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    recorder.finalize()
    return losses[:STEPS], losses[STEPS:]


def spread(network: nn.Sequential, kind: str) -> nn.Module:
    """Spreads a network over the processes."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    if kind == "fully_shard":
        fully_shard(network, mesh=mesh)
        return network
    if kind == "FullyShardedDataParallel":
        return FullyShardedDataParallel(network, device_id=torch.device("cpu"))
    if kind == "DTensor":
        return parallelize_module(network, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    if kind == "all_reduce":
        network[1] = Summed()
        return network
    return DistributedDataParallel(network)


class Summed(nn.Module):
    """Sums a tensor over all processes."""

    def forward(self, x: Tensor) -> Tensor:
        total: Tensor = all_reduce(x)
        return total

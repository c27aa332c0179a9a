"""The part of a distributed tensor that this process holds. Nothing here communicates with other processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.torch_internals import first_class_of, sharded_parameters
from comgra_export.storage.model.layout import Shard

__all__ = ["NoLocalPartError", "local_part", "resting_parameters", "type_name"]

_PLAIN = (Tensor, nn.Parameter)


class NoLocalPartError(Exception):
    """This process holds no values of the tensor that mean something by themselves. The message is the rest of a sentence about it."""


def local_part(tensor: Tensor) -> tuple[Tensor, Shard | None]:
    """The values of a tensor that this process holds, without asking the others for theirs.

    Args:
        tensor: Any tensor. A result of a collective operation that the user's code has begun is waited for.

    Returns:
        The tensor itself, or, for a `DTensor`, the tensor behind it, detached and sharing its memory. It may be empty: three rows on
        four processes leave nothing for the last one. Then which part of the whole it is; None if it is the whole, as for any plain
        tensor and for a `DTensor` that is only replicated. Processes that hold the same part have the same `index`.

    Raises:
        NoLocalPartError: Its values are sums that were not yet reduced over the ranks, or it lives on other processes.
    """
    if type(tensor) in _PLAIN:
        return tensor, None
    kind = type(tensor)
    if hasattr(kind, "trigger_wait"):
        return _waited_for(tensor), None
    # Known by its shape instead of by its class, which lives in different modules of different versions, and takes long to import.
    if not (hasattr(kind, "to_local") and hasattr(kind, "placements") and hasattr(kind, "device_mesh")):
        return tensor, None
    return _part_of_dtensor(tensor)


def resting_parameters(modules: Iterable[nn.Module]) -> dict[tuple[nn.Module, str], nn.Parameter]:
    """The sharded parameters of modules under `fully_shard`, by the module and the attribute where they are found.

    While such a module computes, and after a forward pass that no backward pass followed, plain tensors are in their places. Those have
    no gradient that could be recorded, no optimizer knows them, and they are gone at the next pass.

    Args:
        modules: All modules of a network.

    Returns:
        The parameters that the optimizer sees. Empty if `fully_shard` was not used, or this version of torch keeps them
        somewhere else; then what the modules hold has to do.
    """
    return {place: parameter for module in modules for parameter, places, _ in sharded_parameters(module) for place in places}


def type_name(module: nn.Module) -> str:
    """The class of a module as the user wrote it: `fully_shard` makes an `FSDPLinear` of a `Linear`."""
    return first_class_of(type(module)).__name__


def _waited_for(tensor: Any) -> Tensor:  # noqa: ANN401
    with torch.no_grad():
        arrived = tensor.trigger_wait()
    assert isinstance(arrived, Tensor)
    return arrived.detach()


def _part_of_dtensor(tensor: Any) -> tuple[Tensor, Shard | None]:  # noqa: ANN401
    mesh, placements = tensor.device_mesh, tensor.placements
    if any(placement.is_partial() for placement in placements):
        raise NoLocalPartError("its values are sums that were not yet reduced over the ranks")
    coordinate = mesh.get_coordinate()
    if coordinate is None:
        raise NoLocalPartError("it lives on other processes than this one")
    with torch.no_grad():
        local = tensor.to_local()
    local = _waited_for(local) if hasattr(type(local), "trigger_wait") else local.detach()
    index, count = 0, 1
    for dimension, placement in enumerate(placements):
        # What is neither is a way of sharding; not all of them say that they are one.
        if not placement.is_replicate():
            size = mesh.size(dimension)
            index, count = index * size + coordinate[dimension], count * size
    return local, None if count == 1 else Shard(tuple(tensor.shape), index, count)

"""Whether gradient flows can be computed by this process alone."""

from __future__ import annotations

from torch.autograd.graph import Node

from comgra_export.recorder.host.torch_internals import (
    forward_class_of,
    is_flat_parameter,
    sharded_parameters,
    sharding_modules,
    unsharded_parameter,
)

__all__ = ["why_unsupported"]

_REMEDY = "Each of its many products would need the other processes. Record it in a run of one process that has the whole network"


def why_unsupported(loss: Node) -> str | None:
    """Why no gradient flow can be computed in the graph of a loss; None where nothing is known against it.

    Args:
        loss: The last operation of the graph. Nothing is computed or communicated.

    Returns:
        A clause that begins in small letters, without a full stop.
    """
    unsharded = _unsharded_parameters()
    waiting, seen = [loss], {loss}
    while waiting:
        node = waiting.pop()
        how = _how_it_is_spread(node, unsharded)
        if how is not None:
            return f"{how}. {_REMEDY}"
        for before, _ in node.next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)
    return None


def _how_it_is_spread(node: Node, unsharded: set[int]) -> str | None:
    """What of an operation is a matter of several processes."""
    variable = getattr(node, "variable", None)
    if variable is not None:
        if is_flat_parameter(variable):
            return "parameters of the network are spread over several processes (FullyShardedDataParallel)"
        if id(variable) in unsharded:
            return "parameters of the network are spread over several processes (fully_shard)"
        if hasattr(type(variable), "placements"):
            return "tensors of the network are spread over several processes (DTensor)"
    # The function of a user or of a library that an operation belongs to.
    function = forward_class_of(type(node))
    if function is None:
        return None
    if function.__module__.startswith("torch.distributed.fsdp"):
        return "parameters of the network are spread over several processes (fully_shard)"
    if function.__module__.startswith("torch.distributed.tensor"):
        return "tensors of the network are spread over several processes (DTensor)"
    if function.__module__.startswith("torch.distributed.") or function.__name__ == "SyncBatchNorm":
        return f"several processes compute together in it ({function.__name__})"
    return None


def _unsharded_parameters() -> set[int]:
    """Where the whole parameters are with which modules under `fully_shard` compute now, which look like all others."""
    records = [record for module in sharding_modules() for _, _, record in sharded_parameters(module)]
    return {id(whole) for whole in map(unsharded_parameter, records) if whole is not None}

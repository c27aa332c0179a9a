"""The request for a gradient flow: what its arguments mean, and whether this process alone can compute it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.errors import MisuseError
from comgra_export.recorder.flows.layers import CALL
from comgra_export.recorder.flows.pairs import FlowLimits
from comgra_export.recorder.flows.progress import ShowProgress
from comgra_export.recorder.host.autograd import nodes_before
from comgra_export.recorder.host.torch_internals import (
    forward_class_of,
    is_flat_parameter,
    sharded_parameters,
    sharding_modules,
    unsharded_parameter,
)
from comgra_export.recorder.tracing.registrations import check_name
from comgra_export.storage.text.names import shown

__all__ = ["FlowRequest", "why_unsupported"]

_REMEDY = "Each of its many products would need the other processes. Record it in a run of one process that has the whole network"


@dataclass(frozen=True)
class FlowRequest:
    """A call of `record_gradient_flow`. `ComgraRecorder` says what its arguments mean.

    Raises:
        MisuseError: An argument is not usable in any step.
    """

    loss: Tensor
    layers: Mapping[str, Tensor] | Sequence[str]
    name: str
    samples: Sequence[int] | None
    batch_dimension: int | None
    limits: FlowLimits
    progress: ShowProgress

    def __post_init__(self) -> None:
        check_name(CALL, "flow", self.name)
        if not isinstance(self.loss, Tensor) or self.loss.numel() != 1:
            what = f"has the shape {list(self.loss.shape)}" if isinstance(self.loss, Tensor) else f"is {shown(self.loss)}"
            raise MisuseError(f"{CALL}: the loss {what}. Give a tensor with one number.")
        if self.loss.grad_fn is None:
            raise MisuseError(f"{CALL}: the loss depends on nothing that requires a gradient. Call it where gradients are turned on.")
        for argument, value in zip(("max_flows", "max_memory"), self.limits, strict=True):
            if type(value) is not int or value < 1:
                raise MisuseError(f"{CALL}: {argument} is {shown(value)}. Give an integer greater than 0.")
        if self.batch_dimension is not None and type(self.batch_dimension) is not int:
            raise MisuseError(f"{CALL}: batch_dimension is {shown(self.batch_dimension)}. Give the index of a dimension, or None.")
        if self.samples is not None:
            self._check_samples(self.samples)

    def _check_samples(self, samples: Sequence[int]) -> None:
        if self.batch_dimension is None:
            raise MisuseError(f"{CALL}: there are samples, but batch_dimension is None. Leave one of the two out.")
        is_usable = isinstance(samples, Sequence) and len(samples) and all(type(sample) is int and sample >= 0 for sample in samples)
        if not is_usable or len(set(samples)) != len(samples):
            raise MisuseError(f"{CALL}: samples is {shown(samples)}. Give different positions in the batch, such as [0, 1].")


def why_unsupported(loss: Node) -> str | None:
    """Why no gradient flow can be computed in the graph of a loss, as a clause; None if nothing is known against it.

    Nothing is computed or communicated.
    """
    unsharded = _unsharded_parameters()
    reasons = (_how_it_is_spread(node, unsharded) for node in nodes_before(loss))
    how = next((reason for reason in reasons if reason is not None), None)
    return None if how is None else f"{how}. {_REMEDY}"


def _how_it_is_spread(node: Node, unsharded: set[int]) -> str | None:
    """How several processes take part in an operation; None if they do not."""
    variable = getattr(node, "variable", None)
    if variable is not None:
        if is_flat_parameter(variable):
            return "parameters of the network are spread over several processes (FullyShardedDataParallel)"
        if id(variable) in unsharded:
            return "parameters of the network are spread over several processes (fully_shard)"
        if hasattr(type(variable), "placements"):
            return "tensors of the network are spread over several processes (DTensor)"
    # The function of a user or a library to which the operation belongs.
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
    """Identities of the whole parameters that modules under `fully_shard` compute with now. They look like all others."""
    records = [record for module in sharding_modules() for _, _, record in sharded_parameters(module)]
    return {id(whole) for whole in map(unsharded_parameter, records) if whole is not None}

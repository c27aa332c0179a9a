"""Exact gradient flows between two layers, by vector-Jacobian products in blocks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.graph import GradientEdge

from comgra_export.storage.flows import PairNumbers, compress_rows, residuals_of

__all__ = ["FlowLimits", "LayerInGraph", "PairFlows", "as_numbers", "flows_between", "of_samples", "targets_to_compute"]

# More products in a block make it no faster.
_MAX_BLOCK = 1024

# What finding the flows of a product takes, per element of one sample of the source: positions in two dimensions, and the flow twice.
_BYTES_PER_FLOW = 24


class LayerInGraph(NamedTuple):
    """A layer of which the gradient is known.

    Attributes:
        edge: Its place in autograd's graph.
        gradient: The derivative of the loss, of the shape of the layer.
        batch_dimension: Which dimension is that of the batch; None where there is none.
    """

    edge: GradientEdge
    gradient: Tensor
    batch_dimension: int | None

    @property
    def sample_shape(self) -> tuple[int, ...]:
        """The sizes of one sample."""
        return tuple(size for axis, size in enumerate(self.gradient.shape) if axis != self.batch_dimension)

    @property
    def size(self) -> int:
        """`N`: how many elements one sample has."""
        return prod(self.sample_shape)

    @property
    def batch_size(self) -> int:
        """How many samples there are; 1 where there is no batch dimension."""
        return 1 if self.batch_dimension is None else self.gradient.shape[self.batch_dimension]


class FlowLimits(NamedTuple):
    """How much is computed.

    Attributes:
        max_flows: How many flows there may be between two layers.
        max_memory: How many bytes a block of products may take.
    """

    max_flows: int
    max_memory: int


class PairFlows(NamedTuple):
    """The flows between two layers.

    Attributes:
        numbers: The flows.
        left_out: Into how many elements of the target, over all samples, flows were not computed.
    """

    numbers: PairNumbers
    left_out: int


def of_samples(tensor: Tensor, batch_dimension: int | None, samples: Sequence[int]) -> Tensor:
    """Some samples of a tensor, one after another `[F, N]`, where and as they are."""
    batch_first = tensor.detach()[None] if batch_dimension is None else tensor.detach().movedim(batch_dimension, 0)
    return batch_first[list(samples)].reshape(len(samples), -1)


def as_numbers(tensor: Tensor) -> NDArray[np.float32]:
    """A tensor as it is recorded."""
    numbers: NDArray[np.float32] = tensor.to("cpu", torch.float32).numpy()
    return np.ascontiguousarray(numbers)


def targets_to_compute(target: LayerInGraph, samples: Sequence[int]) -> NDArray[np.int64]:
    """The elements of the target into which there may be flows, as sample * N + element: by descending gradients, NaN first."""
    gradients = of_samples(target.gradient, target.batch_dimension, samples).reshape(-1).to("cpu", torch.float64).numpy()
    sizes = np.where(np.isnan(gradients), np.inf, np.abs(gradients))
    return np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]


def flows_between(
    source: LayerInGraph, target: LayerInGraph, samples: Sequence[int], limits: FlowLimits, advance: Callable[[int], None]
) -> PairFlows:
    """Computes the flows between two layers, into the elements with the largest gradients first, until there are as many as there may be.

    Args:
        source: The layer that the other one is computed from.
        target: That other one.
        samples: Positions in the batch, or `[0]` where there is no batch dimension.
        limits: How much is computed.
        advance: Called with a number of products that were computed, or need not be any more.
    """
    order = targets_to_compute(target, samples)
    products = _Products(source, target)
    positions = torch.tensor(samples)
    gradients = of_samples(target.gradient, target.batch_dimension, samples).reshape(-1)
    block = _block_size(source, target, limits.max_memory)
    rows: list[NDArray[np.int64]] = []
    targets: list[NDArray[np.int32]] = []
    flows: list[NDArray[np.float32]] = []
    total = done = 0
    while done < len(order):
        chosen = order[done : done + block]
        sample, element = np.divmod(chosen, target.size)
        found = products.compute(positions[sample], torch.from_numpy(element), gradients[chosen])
        product, origin, flow = _entries(found)
        # Those of the products that are still within the limit.
        ends = np.cumsum(np.bincount(product, minlength=len(chosen)))
        accepted = int(np.searchsorted(ends, limits.max_flows - total, side="right"))
        count = int(ends[accepted - 1]) if accepted else 0
        product = product[:count]
        rows.append(sample[product] * source.size + origin[:count])
        targets.append(element[product].astype(np.int32))
        flows.append(flow[:count])
        total += count
        done += accepted
        advance(accepted)
        if accepted < len(chosen):
            break
    advance(len(order) - done)
    row_count = len(samples) * source.size
    compressed = compress_rows(
        np.concatenate([np.zeros(0, np.int64), *rows]),
        np.concatenate([np.zeros(0, np.int32), *targets]),
        np.concatenate([np.zeros(0, np.float32), *flows]),
        row_count,
    )
    computed = None
    if done < len(order):
        computed = np.ones((len(samples), target.size), np.uint8)
        computed.reshape(-1)[order[done:]] = 0
    numbers = PairNumbers(*compressed, computed)
    gradients_of_source = as_numbers(of_samples(source.gradient, source.batch_dimension, samples))
    return PairFlows(replace(numbers, residuals=residuals_of(numbers, gradients_of_source)), len(order) - done)


class _Products:
    """Computes vector-Jacobian products of one layer with regard to another, many at a time where that is possible."""

    def __init__(self, source: LayerInGraph, target: LayerInGraph) -> None:
        self._source = source
        self._target = target
        self._is_batched = True

    def compute(self, samples: Tensor, elements: Tensor, gradients: Tensor) -> Tensor | None:
        """Computes the flows into elements of the target.

        Args:
            samples: int64 `[P]`: of each, the position of its sample in the batch.
            elements: int64 `[P]`: of each, the position in its sample.
            gradients: `[P]`: its gradient.

        Returns:
            `[P, N]`: how much flows from each element of the source in the same sample; None where nothing does.
        """
        target, source = self._target, self._source
        count = len(gradients)
        samples, elements = samples.to(gradients.device), elements.to(gradients.device)
        vectors = gradients.new_zeros((count, target.batch_size, target.size))
        vectors[torch.arange(count, device=gradients.device), samples, elements] = gradients
        vectors = vectors.view(count, target.batch_size, *target.sample_shape)
        vectors = vectors[:, 0] if target.batch_dimension is None else vectors.movedim(1, target.batch_dimension + 1)
        found = self._multiply(vectors)
        if found is None:
            return None
        batch_first = found[:, None] if source.batch_dimension is None else found.movedim(source.batch_dimension + 1, 1)
        places = torch.arange(count, device=found.device), samples.to(found.device)
        return batch_first[places].reshape(count, source.size)

    def _multiply(self, vectors: Tensor) -> Tensor | None:
        if self._is_batched and len(vectors) > 1:
            try:
                return self._grad(vectors, is_batched=True)
            except Exception:  # An operation, or a hook of the user, that knows nothing of many at a time.
                self._is_batched = False
        one_by_one = [self._grad(vector, is_batched=False) for vector in vectors]
        known = next((one for one in one_by_one if one is not None), None)
        return None if known is None else torch.stack([torch.zeros_like(known) if one is None else one for one in one_by_one])

    def _grad(self, vectors: Tensor, *, is_batched: bool) -> Tensor | None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "There is a performance drop")
            (found,) = torch.autograd.grad(
                [self._target.edge],
                [self._source.edge],
                [vectors],
                retain_graph=True,
                allow_unused=True,
                is_grads_batched=is_batched,
            )
        return found


def _block_size(source: LayerInGraph, target: LayerInGraph, max_memory: int) -> int:
    """How many products there are in a block."""
    gradients = source.gradient.nbytes + target.gradient.nbytes
    # The operations between the two keep about as much again.
    per_product = 2 * gradients + _BYTES_PER_FLOW * source.size
    return max(1, min(max_memory // max(per_product, 1), _MAX_BLOCK))


def _entries(found: Tensor | None) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """What is not zero in `[P, N]`: products, elements of the source, flows; in this order."""
    if found is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    products, origins = found.nonzero(as_tuple=True)
    return products.cpu().numpy(), origins.cpu().numpy(), as_numbers(found[products, origins])

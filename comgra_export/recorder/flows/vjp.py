"""Vector-Jacobian products between two layers, from which gradient flows are made."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.graph import GradientEdge

__all__ = ["Entries", "LayerInGraph", "Products", "SingleProducts", "as_numbers", "batch_first", "of_samples"]


class LayerInGraph(NamedTuple):
    """A layer whose gradient is known.

    Attributes:
        edge: Its place in autograd's graph.
        gradient: The derivative of the loss, of the shape of the layer.
        batch_dimension: The dimension of the batch; None if there is none.
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
        """How many samples there are; 1 if there is no batch dimension."""
        return 1 if self.batch_dimension is None else self.gradient.shape[self.batch_dimension]


class Entries(NamedTuple):
    """Flows into some elements of the target, in any order.

    Attributes:
        members: `[flows]`: positions among the requested elements.
        rows: `[flows]`: sample * N + element of the source.
        flows: float32 `[flows]`.
    """

    members: NDArray[np.int64]
    rows: NDArray[np.int64]
    flows: NDArray[np.float32]

    @staticmethod
    def none() -> Entries:
        """No flows."""
        return Entries(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))

    def dense(self, shape: tuple[int, int]) -> NDArray[np.float32]:
        """A matrix with a row for each requested element, and a column for each element of the source."""
        dense = np.zeros(shape, np.float32)
        dense[self.members, self.rows] = self.flows
        return dense


def batch_first(tensor: Tensor, batch_dimension: int | None, leading: int = 0) -> Tensor:
    """A view with the dimension of the batch before all others of the layer. It has the size 1 if the layer has none.

    The tensor is the layer, or several tensors of its shape, stacked along `leading` dimensions before it.
    """
    return tensor.unsqueeze(leading) if batch_dimension is None else tensor.movedim(leading + batch_dimension, leading)


def of_samples(tensor: Tensor, batch_dimension: int | None, samples: Sequence[int]) -> Tensor:
    """Some samples of a tensor, one after another, `[F, N]`, with their dtype and on their device."""
    return batch_first(tensor.detach(), batch_dimension)[list(samples)].reshape(len(samples), -1)


def as_numbers(tensor: Tensor) -> NDArray[np.float32]:
    """A tensor as a recording holds it."""
    numbers: NDArray[np.float32] = tensor.to("cpu", torch.float32).numpy()
    return np.ascontiguousarray(numbers)


class Products:
    """Computes vector-Jacobian products, many at a time if possible."""

    def __init__(self, source: LayerInGraph, target: LayerInGraph) -> None:
        self._source = source.edge
        self._target = target.edge
        self._is_batched = True

    def multiply(self, vectors: Tensor) -> Tensor | None:
        """Multiplies vectors `[P, *shape of the target]` with the Jacobian; `[P, *shape of the source]`, or None if nothing flows."""
        if self._is_batched and len(vectors) > 1:
            try:
                return self._grad(vectors, is_batched=True)
            except Exception:  # An operation, or a hook of the user, that does not support a batch of gradients.
                self._is_batched = False
        products = [self._grad(vector, is_batched=False) for vector in vectors]
        known = next((product for product in products if product is not None), None)
        return None if known is None else torch.stack([torch.zeros_like(known) if product is None else product for product in products])

    def _grad(self, vectors: Tensor, *, is_batched: bool) -> Tensor | None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "There is a performance drop")
            (product,) = torch.autograd.grad(
                [self._target],
                [self._source],
                [vectors],
                retain_graph=True,
                allow_unused=True,
                is_grads_batched=is_batched,
            )
        return product


class SingleProducts:
    """Computes the flows into each element by a product of its own."""

    def __init__(self, source: LayerInGraph, target: LayerInGraph, samples: Sequence[int], products: Products) -> None:
        self._source = source
        self._target = target
        self._samples = torch.tensor(samples)
        self._gradients = of_samples(target.gradient, target.batch_dimension, samples).reshape(-1)
        self._products = products

    def compute(self, elements: NDArray[np.int64]) -> Entries:
        """Computes the flows into some elements, given as sample * M + element."""
        target, source = self._target, self._source
        count, device = len(elements), self._gradients.device
        sample, element = np.divmod(elements, target.size)
        places = torch.arange(count, device=device), self._samples[sample].to(device)
        vectors = self._gradients.new_zeros((count, target.batch_size, target.size))
        vectors[places[0], places[1], torch.from_numpy(element).to(device)] = self._gradients[torch.from_numpy(elements).to(device)]
        vectors = vectors.view(count, target.batch_size, *target.sample_shape)
        vectors = vectors[:, 0] if target.batch_dimension is None else vectors.movedim(1, target.batch_dimension + 1)
        products = self._products.multiply(vectors)
        if products is None:
            return Entries.none()
        chosen = batch_first(products, source.batch_dimension, 1)[places].reshape(count, source.size)
        members, origins = chosen.nonzero(as_tuple=True)
        member = members.cpu().numpy()
        return Entries(member, sample[member] * source.size + origins.cpu().numpy(), as_numbers(chosen[members, origins]))

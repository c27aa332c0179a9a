"""The exact gradient flows between two layers, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from comgra_export.recorder.flows.receptive_fields import windows_between
from comgra_export.recorder.flows.shared_vjp import SharedProducts
from comgra_export.recorder.flows.vjp import Entries, LayerInGraph, Products, SingleProducts, as_numbers, of_samples
from comgra_export.storage.model.gradient_flows import PairNumbers, compress_rows, residuals_of

__all__ = ["FlowLimits", "PairFlows", "flows_between", "targets_to_compute"]

# A larger block is no faster.
_MAX_BLOCK = 1024

# To find the flows of a product takes so much per element of the source: positions in two or three dimensions, and the flow twice.
_BYTES_PER_FLOW = 24

# So many elements that share a product are also computed alone.
_MAX_CONFIRMED = 8


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
        left_out: The number of elements of the target, over all samples, whose flows were not computed.
    """

    numbers: PairNumbers
    left_out: int


def targets_to_compute(target: LayerInGraph, samples: Sequence[int]) -> NDArray[np.int64]:
    """The elements of the target that may have flows, as sample * N + element: by descending gradients, NaN first."""
    gradients = of_samples(target.gradient, target.batch_dimension, samples).reshape(-1).to("cpu", torch.float64).numpy()
    sizes = np.where(np.isnan(gradients), np.inf, np.abs(gradients))
    return np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]


def flows_between(
    source: LayerInGraph, target: LayerInGraph, samples: Sequence[int], limits: FlowLimits, advance: Callable[[int], None]
) -> PairFlows:
    """Computes the flows between two layers up to a limit, starting with the elements with the largest gradients.

    `samples` are positions in the batch, or `[0]` if there is no batch dimension. `advance` is called with the number of elements whose
    flows have been computed, or are no longer needed.
    """
    order = targets_to_compute(target, samples)
    blocks = _Blocks(source, target, samples, limits.max_memory, advance)
    blocks_done: list[Entries] = []
    total = done = 0
    while done < len(order):
        chosen = blocks.next(order[done:], limits.max_flows - total)
        entries = blocks.compute(chosen)
        ends = np.cumsum(np.bincount(entries.members, minlength=len(chosen)))
        accepted = int(np.searchsorted(ends, limits.max_flows - total, side="right"))
        is_within = entries.members < accepted
        blocks_done.append(Entries(chosen[entries.members[is_within]], entries.rows[is_within], entries.flows[is_within]))
        total += len(blocks_done[-1].flows)
        done += accepted
        if accepted < len(chosen):
            break
    advance(len(order) - blocks.computed)
    targets, rows, flows = (np.concatenate(parts) for parts in zip(Entries.none(), *blocks_done, strict=True))
    computed = None
    if done < len(order):
        computed = np.ones((len(samples), target.size), np.uint8)
        computed.reshape(-1)[order[done:]] = 0
    numbers = PairNumbers(*compress_rows(rows, targets % max(target.size, 1), flows, len(samples) * source.size), computed)
    gradients = as_numbers(of_samples(source.gradient, source.batch_dimension, samples))
    return PairFlows(replace(numbers, residuals=residuals_of(numbers, gradients)), len(order) - done)


class _Blocks:
    """Computes flows in blocks that keep to a limit of memory. Elements share products if that is proved to be possible.

    Attributes:
        computed: The number of elements whose flows were computed.
    """

    def __init__(
        self, source: LayerInGraph, target: LayerInGraph, samples: Sequence[int], max_memory: int, advance: Callable[[int], None]
    ) -> None:
        self.computed = 0
        self._advance = advance
        products = Products(source, target)
        self._alone = SingleProducts(source, target, samples, products)
        windows = windows_between(source.edge, target.edge)
        shared = None if windows is None else SharedProducts(source, target, samples, windows, products)
        self._shared = shared if shared is not None and shared.is_worthwhile else None
        self._is_confirmed = False
        # The operations between the two keep about as much again.
        per_product = 2 * (source.gradient.nbytes + target.gradient.nbytes) + _BYTES_PER_FLOW * source.size
        if self._shared is not None:
            per_product += _BYTES_PER_FLOW * source.size * (len(samples) - 1)
        self._size = max(1, min(max_memory // max(per_product, 1), _MAX_BLOCK))

    def next(self, elements: NDArray[np.int64], max_flows: int) -> NDArray[np.int64]:
        """The first of some elements, as many as are computed together: at least one."""
        if self._shared is None:
            return elements[: self._size]
        # As many as there is surely room for. The more there are, the more share a product.
        return elements[: max(1, int(np.searchsorted(np.cumsum(self._shared.sizes(elements)), max_flows, side="right")))]

    def compute(self, elements: NDArray[np.int64]) -> Entries:
        """Computes the flows into some elements, block by block."""
        if self._shared is not None and not self._is_confirmed:
            self._confirm(self._shared, elements)
        method = self._alone if self._shared is None else self._shared
        # Elements that share a product must be in the same block.
        groups = np.arange(len(elements)) if self._shared is None else np.unique(self._shared.groups(elements), return_inverse=True)[1]
        block_of = groups // self._size
        parts = []
        for block in range(int(block_of.max()) + 1):
            members = np.flatnonzero(block_of == block)
            entries = method.compute(elements[members])
            parts.append(entries._replace(members=members[entries.members]))
            self.computed += len(members)
            self._advance(len(members))
        return Entries(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _confirm(self, shared: SharedProducts, elements: NDArray[np.int64]) -> None:
        """Checks some elements that share a product: computes them alone, too. A hook between the layers may mix windows."""
        groups = shared.groups(elements)
        numbers, counts = np.unique(groups, return_counts=True)
        if counts.max() > 1:
            largest = elements[groups == numbers[counts.argmax()]][:_MAX_CONFIRMED]
            self._is_confirmed = shared.confirm(largest, self._alone.compute(largest))
            if not self._is_confirmed:
                self._shared = None

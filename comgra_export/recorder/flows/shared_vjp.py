"""Products that many elements of a layer share, since they depend on different elements of the earlier layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from comgra_export.recorder.flows.receptive_fields import Window
from comgra_export.recorder.flows.vjp import Entries, LayerInGraph, Products, as_numbers, batch_first

__all__ = ["SharedProducts"]

_Positions = NDArray[np.int64]

# The shared product of a group may differ so much from those of its members alone, by rounding.
_TOLERANCE = 1e-3


class SharedProducts:
    """Computes the flows into elements of the target. Elements whose windows do not overlap share a product.

    In each dimension, the windows of two positions do not overlap if these are a period or more apart. So the elements whose positions
    differ by multiples of the periods share a product. The position of each result says which element it belongs to. `windows` has the
    interval that an element of the target depends on, in every dimension.
    """

    def __init__(
        self, source: LayerInGraph, target: LayerInGraph, samples: Sequence[int], windows: Sequence[Window], products: Products
    ) -> None:
        self._source = source
        self._target = target
        self._samples = np.asarray(samples)
        self._windows = windows
        self._products = products
        self._periods = [_period(window) for window in windows]
        sizes = source.gradient.shape
        self._owners = [_owners(*of_dimension) for of_dimension in zip(windows, self._periods, sizes, strict=True)]

    @property
    def is_worthwhile(self) -> bool:
        """Whether any two elements of the samples share a product, and no sample depends on another."""
        sizes = list(self._target.gradient.shape)
        dimension = self._target.batch_dimension
        if dimension is not None:
            sizes[dimension] = len(self._samples)
            window = self._windows[dimension]
            if dimension != self._source.batch_dimension or not np.array_equal(window.first, np.arange(len(window.first))):
                return False
        return any(period < size for period, size in zip(self._periods, sizes, strict=True))

    def sizes(self, elements: _Positions) -> _Positions:
        """The largest possible number of flows into each of some elements, given as sample * M + element."""
        spans = [np.maximum(window.last - window.first + 1, 0) for window in self._windows]
        product = np.ones(len(elements), np.int64)
        for axis, (span, position) in enumerate(zip(spans, self._positions(elements), strict=True)):
            if axis != self._target.batch_dimension:
                product *= span[position]
        return product

    def groups(self, elements: _Positions) -> _Positions:
        """A number for each of some elements; those with the same number share a product."""
        group = np.zeros(len(elements), np.int64)
        for period, position in zip(self._periods, self._positions(elements), strict=True):
            group = group * period + position % period
        return group

    def compute(self, elements: _Positions) -> Entries:
        """Computes the flows into some elements, given as sample * M + element."""
        target, source = self._target, self._source
        _, product = np.unique(self.groups(elements), return_inverse=True)
        positions = self._positions(elements)
        flat = np.ravel_multi_index(positions, tuple(target.gradient.shape))
        vectors = target.gradient.new_zeros((int(product.max()) + 1, target.gradient.numel()))
        places = torch.from_numpy(flat).to(vectors.device)
        vectors[torch.from_numpy(product).to(vectors.device), places] = target.gradient.reshape(-1)[places]
        results = self._products.multiply(vectors.view(-1, *target.gradient.shape))
        if results is None:
            return Entries.none()
        chosen = batch_first(results, source.batch_dimension, 1)[:, torch.from_numpy(self._samples).to(results.device)].flatten(2)
        products, samples, origins = chosen.nonzero(as_tuple=True)
        flows = as_numbers(chosen[products, samples, origins])
        members = np.full(len(self._samples) * target.size, -1)
        members[elements] = np.arange(len(elements))
        sample, origin = samples.cpu().numpy(), origins.cpu().numpy()
        _, representative = np.unique(product, return_index=True)
        owner = self._owner_of(representative[products.cpu().numpy()], positions, sample, origin)
        member = np.where(owner < 0, -1, members[owner])
        # Values at other places are rounding errors of a convolution that is computed by a transformation.
        is_flow = member >= 0
        return Entries(member[is_flow], (sample * source.size + origin)[is_flow], flows[is_flow])

    def confirm(self, elements: _Positions, alone: Entries) -> bool:
        """Whether the products of a group are those of its members alone. A hook between the layers may mix windows.

        `alone` has the flows into them, computed without sharing.
        """
        shape = (len(elements), len(self._samples) * self._source.size)
        shared = self.compute(elements).dense(shape)
        expected = alone.dense(shape)
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=0)
        return np.allclose(shared, expected, rtol=_TOLERANCE, atol=_TOLERANCE * 1e-3 * float(scale), equal_nan=True)

    def _positions(self, elements: _Positions) -> list[_Positions]:
        """The positions in each dimension of the target, the batch included."""
        return _unravel(elements, self._target, self._samples)

    def _owner_of(self, representative: _Positions, positions: Sequence[_Positions], sample: _Positions, origin: _Positions) -> _Positions:
        """The element of the target to which each flow belongs, as sample * M + element; -1 if it belongs to none."""
        source, target = self._source, self._target
        of_source = _unravel(sample * source.size + origin, source, self._samples)
        owner = np.zeros(len(sample), np.int64)
        is_owned = np.ones(len(sample), bool)
        for axis, size in enumerate(target.gradient.shape):
            if axis == target.batch_dimension:
                continue
            residue = positions[axis][representative] % self._periods[axis]
            table = self._owners[axis]
            position = residue if table is None else table[residue, of_source[axis]]
            is_owned &= position >= 0
            owner = owner * size + position
        return np.where(is_owned, sample * target.size + owner, -1)


def _unravel(elements: _Positions, layer: LayerInGraph, samples: _Positions) -> list[_Positions]:
    sample, element = np.divmod(elements, layer.size)
    positions = list(np.unravel_index(element, layer.sample_shape)) if layer.sample_shape else []
    if layer.batch_dimension is not None:
        positions.insert(layer.batch_dimension, samples[sample])
    return positions


def _period(window: Window) -> int:
    """The least distance at which the windows of any two positions do not overlap."""
    count = len(window.first)
    for period in range(1, count):
        if (window.first[period:] > window.last[:-period]).all():
            return period
    return max(count, 1)


def _owners(window: Window, period: int, size: int) -> NDArray[np.int32] | None:
    """Which position of the target has a position of the source in its window, per residue; -1 for none. None if no two share a product."""
    if period >= len(window.first):
        return None
    owners = np.full((period, size), -1, np.int32)
    for position, (first, last) in enumerate(zip(window.first, window.last, strict=True)):
        owners[position % period, first : last + 1] = position
    return owners

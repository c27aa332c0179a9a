"""Expected values for the browser tests: statistics by their definition, and the tensors of a graph."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import ShownTensor, TensorEntry

__all__ = ["items_of", "over_batch", "shown"]

_Number = TypeVar("_Number", bound=np.floating[Any])


def items_of(x: NDArray[_Number]) -> dict[str, NDArray[_Number]]:
    """The statistics of each sample of `[B, N]`, in the order of the recording format."""
    spread = x.std(axis=1, ddof=1) if x.shape[1] > 1 else np.zeros_like(x[:, 0])
    return {"mean": x.mean(axis=1), "abs_mean": np.abs(x).mean(axis=1), "std": spread, "abs_max": np.abs(x).max(axis=1)}


def over_batch(x: NDArray[_Number]) -> NDArray[_Number]:
    """The aggregations over a batch, `[B, ...]` to `[3, ...]`, in the order of the recording format."""
    return np.stack([x.mean(axis=0), np.abs(x).max(axis=0), x.std(axis=0, ddof=1)])


def shown(entry: TensorEntry) -> ShownTensor:
    """A tensor in the graph of its iteration."""
    return ShownTensor(entry.name, entry.node, entry.role, entry.type, entry.name, entry.iteration)

"""Gradient flows as they are in a recording: which layers, and how much of each one's gradient comes through which element of the next.

Letters: `F` samples of the flow (1 if its layers have no batch dimension), `N` elements of a layer in one sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FLOW_METHODS",
    "MAX_FLOWS_OF_STEP",
    "MAX_LAYER_SIZE",
    "FlowLayer",
    "FlowNumbers",
    "FlowPair",
    "FlowRole",
    "GradientFlow",
    "PairNumbers",
    "compress_rows",
    "contradiction",
    "residuals_of",
]

FlowRole = Literal["input", "layer", "target"]

FLOW_METHODS = ("exact", "given", "chain_rule_estimate", "vnittest_estimate")
"""The ways to come to flows that this version knows."""

MAX_FLOWS_OF_STEP = 1000
"""How many gradient flows a step may hold: their positions are written with three digits."""

MAX_LAYER_SIZE = 2**31 - 1
"""How many elements one sample of a layer may have: positions in it are stored with 32 bits."""


@dataclass(frozen=True)
class FlowLayer:
    """A tensor of a gradient flow.

    Attributes:
        name: Its name in the flow, which no other layer has.
        shape: Sizes of one sample.
        role: What it is to the network.
        record_name: With `record_iteration`, where it is in the layout of the step; None if it is not.
        record_iteration: Its iteration, or None.
    """

    name: str
    shape: tuple[int, ...]
    role: FlowRole = "layer"
    record_name: str | None = None
    record_iteration: int | None = None

    @cached_property
    def size(self) -> int:
        """`N`: the product of the shape."""
        return prod(self.shape)


@dataclass(frozen=True)
class FlowPair:
    """Two layers between which flows are known: positions in the layers, `source` before `target`."""

    source: int
    target: int


@dataclass(frozen=True)
class GradientFlow:
    """A member of `flows` of `steps/STEP.json`.

    Attributes:
        name: Its name, which no other flow of the step has.
        iteration: The iteration in which it was recorded.
        method: How the flows were found: one of `FLOW_METHODS`, or what a later version writes.
        samples: Positions in the batch; empty if the layers have no batch dimension.
        layers: In the order in which the forward pass computes them. A layer in no pair is a picture to look at.
        pairs: Each pair of layers at most once.
    """

    name: str
    iteration: int
    method: str
    samples: tuple[int, ...]
    layers: tuple[FlowLayer, ...]
    pairs: tuple[FlowPair, ...]

    @property
    def sample_count(self) -> int:
        """`F`: one if the layers have no batch dimension."""
        return max(1, len(self.samples))


@dataclass(frozen=True, eq=False)
class PairNumbers:
    """The flows between two layers, as compressed sparse rows: a row per element of the source, samples one after another.

    Attributes:
        starts: int64 `[F * N_from + 1]`: where each row begins in the arrays below, and the end of the last one.
        targets: int32 `[flows]`: the element of the target within its sample, ascending within a row.
        flows: float32 `[flows]`, NaN and infinities among them. What is not there is zero.
        computed: uint8 `[F, N_to]`, 1 where flows into this element of the target were computed; None if all were.
        residuals: float32 `[F, N_from]`: the gradient of the source without the sum of its flows; None if the gradient is not known.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    flows: NDArray[np.float32]
    computed: NDArray[np.uint8] | None = None
    residuals: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class FlowNumbers:
    """`flows/STEP-K.safetensors`: the numbers of one gradient flow.

    Attributes:
        values: Per layer float32 `[F, N]`, or None if they are not known.
        gradients: Per layer float32 `[F, N]`, the derivative of the loss, or None if it is not known.
        pairs: Per pair its flows.
    """

    values: tuple[NDArray[np.float32] | None, ...]
    gradients: tuple[NDArray[np.float32] | None, ...]
    pairs: tuple[PairNumbers, ...]


def compress_rows(
    rows: NDArray[np.integer], targets: NDArray[np.integer], flows: NDArray[np.float32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Puts flows into the order of compressed sparse rows, and leaves out those that are zero.

    Args:
        rows: `[flows]`: the row of each, sample * N_from + source; no two flows have the same row and target.
        targets: `[flows]`: the element of the target within its sample.
        flows: `[flows]`, NaN and infinities among them.
        count: How many rows there are: F * N_from.

    Returns:
        `starts`, `targets` and `flows` of a `PairNumbers`.
    """
    is_there = flows != 0
    rows, targets, flows = rows[is_there], targets[is_there], flows[is_there]
    order = np.lexsort((targets, rows))
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=count), out=starts[1:])
    return starts, targets[order].astype(np.int32), flows[order].astype(np.float32, copy=False)


def residuals_of(pair: PairNumbers, gradients: NDArray[np.floating]) -> NDArray[np.float32]:
    """What the flows leave of the gradients of the source, summed in float64. NaN is not skipped.

    Args:
        pair: The flows.
        gradients: `[F, N]`, of the source.
    """
    rows = np.repeat(np.arange(len(pair.starts) - 1), np.diff(pair.starts))
    sums = np.bincount(rows, pair.flows.astype(np.float64), len(pair.starts) - 1)
    with np.errstate(invalid="ignore", over="ignore"):
        return (gradients.astype(np.float64) - sums.reshape(gradients.shape)).astype(np.float32)


def contradiction(flow: GradientFlow, numbers: FlowNumbers) -> str | None:
    """What is wrong with numbers that have the dtypes and shapes that the flow implies, as the end of a sentence; None: nothing."""
    for position, (pair, own) in enumerate(zip(flow.pairs, numbers.pairs, strict=True)):
        fault = _fault_of_rows(own, flow.layers[pair.target].size)
        if fault is None and own.residuals is not None and numbers.gradients[pair.source] is None:
            fault = "has residuals, but its source has no gradients"
        if fault is not None:
            return f"pair {position} {fault}"
    return None


def _fault_of_rows(pair: PairNumbers, target_size: int) -> str | None:
    starts, targets = pair.starts, pair.targets
    # Compared and not subtracted, since differences of hostile integers overflow.
    if starts[0] != 0 or starts[-1] != len(targets) or (starts[1:] < starts[:-1]).any():
        return "has rows that do not follow one another up to its last flow"
    if len(targets) and not (targets.min() >= 0 and targets.max() < target_size):
        return f"has flows into other elements than the {target_size} of its target"
    follows = targets[1:] > targets[:-1]
    begins = starts[(starts > 0) & (starts < len(targets))]
    follows[begins - 1] = True
    if not follows.all():
        return "has a row whose targets do not ascend"
    if pair.computed is not None and (pair.computed > 1).any():
        return "says something other than 0 and 1 of what was computed"
    return None

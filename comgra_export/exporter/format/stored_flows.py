"""Gradient flows."""

from __future__ import annotations

from typing import TypedDict

from comgra_export.exporter.format.constants import JsonNumber

__all__ = ["FlowRows", "StoredFlow", "StoredFlowLayer", "StoredFlowPair", "StrongestFlows"]


class StoredFlowLayer(TypedDict):
    """A layer of a gradient flow, as in the recording; `values` and `gradients` begin at these elements of the lane, or are -1."""

    name: str
    shape: list[int]
    role: str
    record_name: str | None
    record_iteration: int | None
    values: int
    gradients: int


class FlowRows(TypedDict):
    """Where compressed rows begin in the lane: their starts, what is at the other end of each flow, and the flows."""

    starts: int
    others: int
    flows: int


class StrongestFlows(TypedDict):
    """Positions at which the strongest flows begin in the lane, sample after sample, and how many each sample has."""

    sources: int
    targets: int
    flows: int
    count: list[int]


# `from` is a word of Python's, so this one cannot be written as a class.
StoredFlowPair = TypedDict(
    "StoredFlowPair",
    {
        "from": int,
        "to": int,
        "count": list[int],
        "positive": list[JsonNumber],
        "negative": list[JsonNumber],
        "largest": list[JsonNumber],
        "non_finite": list[int],
        "computed": int,
        "residuals": int,
        "by_source": FlowRows,
        "by_target": FlowRows,
        "strongest": StrongestFlows,
    },
)
"""The flows between two layers.

The sums have an entry per sample: how many flows there are, the sum of the finite ones above zero and of those below, the largest finite
magnitude, and how many are NaN or infinite. `computed` and `residuals` begin at these elements of the lane, or are -1.
"""


class StoredFlow(TypedDict):
    """A gradient flow of a step. `lane4` is the first chunk of its lane, or -1; every start is an element of that."""

    step: float
    iteration: int
    name: str
    method: str
    samples: list[int]
    lane4: int
    layers: list[StoredFlowLayer]
    pairs: list[StoredFlowPair]

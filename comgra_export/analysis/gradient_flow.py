"""Gradient flows by their targets, what they add up to, and estimates if only the gradients of two layers are known.

Letters: `F` samples of the flow, `N` elements of the source in one sample, `M` elements of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.storage.model.gradient_flows import PairNumbers, residuals_of

__all__ = [
    "ESTIMATES",
    "MAX_ESTIMATED_FLOWS",
    "chain_rule_estimate",
    "compress_blocks",
    "flow_columns",
    "residuals_of",
    "sums_by_source",
    "sums_by_target",
    "vnittest_estimate",
]

MAX_ESTIMATED_FLOWS = 16_000_000
"""How many flows an estimate may have. It is dense: there is one for each pair of elements."""

# How many flows of an estimate are there in full, zeros among them, at a time.
_BLOCK = 1_000_000

Gradients = NDArray[np.floating]


class FlowColumns(NamedTuple):
    """The flows between two layers as compressed sparse columns: a column per element of the target, samples one after another.

    Attributes:
        starts: int64 `[F * M + 1]`: where each column begins in the arrays below, and the end of the last one.
        sources: int32 `[flows]`: the element of the source within its sample, ascending within a column.
        flows: float32 `[flows]`.
    """

    starts: NDArray[np.int64]
    sources: NDArray[np.int32]
    flows: NDArray[np.float32]


def flow_columns(pair: PairNumbers, samples: int, target_size: int) -> FlowColumns:
    """Turns compressed rows into compressed columns. `samples` is `F`, and `target_size` is `M`."""
    rows, columns = _rows_and_columns(pair, samples, target_size)
    # The rows ascend already, and a stable order keeps them so within each column.
    order = np.argsort(columns, kind="stable")
    starts = np.zeros(samples * target_size + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=samples * target_size), out=starts[1:])
    source_size = (len(pair.starts) - 1) // samples
    return FlowColumns(starts, (rows[order] % max(source_size, 1)).astype(np.int32, copy=False), pair.flows[order])


def sums_by_source(pair: PairNumbers, samples: int) -> NDArray[np.float64]:
    """`[F, N]`: the sum of the flows from each element of the source, which for exact flows is its gradient. NaN is not skipped."""
    rows = np.repeat(np.arange(len(pair.starts) - 1), np.diff(pair.starts))
    return _sums(rows, pair, len(pair.starts) - 1).reshape(samples, -1)


def sums_by_target(pair: PairNumbers, samples: int, target_size: int) -> NDArray[np.float64]:
    """`[F, M]`: the sum of the flows into each element of the target. NaN is not skipped."""
    _, columns = _rows_and_columns(pair, samples, target_size)
    return _sums(columns, pair, samples * target_size).reshape(samples, target_size)


def chain_rule_estimate(source: Gradients, target: Gradients) -> PairNumbers:
    """Estimates flows from gradients alone, such that they satisfy the chain rule: `s_i t_j^2 / sum of t^2`.

    It takes the Jacobian `J` of the smallest norm among those with `J t = s`. The flows from an element sum to its gradient, so that the
    residuals are zero but for rounding; if all `t` of a sample are zero, there are no flows. NaN and infinities among the gradients
    make NaN of the flows that they enter.

    Args:
        source: `[F, N]`: `s`, the gradients of the source.
        target: `[F, M]`: `t`, those of the target.

    Raises:
        MisuseError: The estimate would have more than `MAX_ESTIMATED_FLOWS` flows.
    """
    _check_size(source, target)
    wide = target.astype(np.float64)
    with np.errstate(invalid="ignore"):
        # Divided by the largest first, since squares overflow and vanish.
        scaled = wide / _where_not_zero(np.abs(wide).max(axis=1, keepdims=True, initial=0))
        shares = scaled**2 / _where_not_zero((scaled**2).sum(axis=1, keepdims=True))
    return _shared(source, source.astype(np.float64), shares)


def vnittest_estimate(source: Gradients, target: Gradients) -> PairNumbers:
    """Estimates flows from gradients alone as vnittest does: `sign(s_i) (1 / t_j) / sum of 1 / |t_k|`, over the `t` that are not zero.

    It is here for comparison: it depends on no size of `s`, smaller gradients of the target get more, and it does not satisfy the chain
    rule. NaN among the gradients make NaN of the flows that they enter.

    Args:
        source: `[F, N]`: `s`, the gradients of the source.
        target: `[F, M]`: `t`, those of the target.

    Raises:
        MisuseError: The estimate would have more than `MAX_ESTIMATED_FLOWS` flows.
    """
    _check_size(source, target)
    inverse = np.divide(1, target.astype(np.float64), out=np.zeros(target.shape), where=target != 0)
    shares = inverse / _where_not_zero(np.abs(inverse).sum(axis=1, keepdims=True))
    return _shared(source, np.sign(source.astype(np.float64)), shares)


ESTIMATES: Mapping[str, Callable[[Gradients, Gradients], PairNumbers]] = MappingProxyType(
    {"chain_rule_estimate": chain_rule_estimate, "vnittest_estimate": vnittest_estimate}
)
"""The estimates, by the method that they are called in a recording: from the gradients of the source and of the target."""


def compress_blocks(blocks: Iterable[NDArray[np.float32]]) -> PairNumbers:
    """Compresses flows that are there in full, and leaves out those that are zero.

    Args:
        blocks: `[rows, M]` each: a row per element of the source, samples one after another.
    """
    counts, targets, flows = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
    for block in blocks:
        is_there = block != 0
        counts.append(is_there.sum(axis=1))
        # The order is that of compressed rows already, and sorting millions of flows takes seconds.
        targets.append(np.broadcast_to(np.arange(block.shape[1], dtype=np.int32), block.shape)[is_there])
        flows.append(block[is_there])
    return PairNumbers(np.cumsum(np.concatenate(counts)), np.concatenate(targets), np.concatenate(flows))


def _check_size(source: Gradients, target: Gradients) -> None:
    count = source.size * target.shape[1]
    if count > MAX_ESTIMATED_FLOWS:
        raise MisuseError(
            f"An estimate of the flows from {source.shape[1]:,} to {target.shape[1]:,} elements would have {count:,} of them in "
            f"{len(source)} samples. Give smaller layers, or regions of them, with at most {MAX_ESTIMATED_FLOWS:,}."
        )


def _shared(source: Gradients, weights: NDArray[np.float64], shares: NDArray[np.float64]) -> PairNumbers:
    """Flows `weights[f, i] * shares[f, j]`, with what they leave of the gradients of the source."""
    pair = compress_blocks(_products(weights, shares))
    return replace(pair, residuals=residuals_of(pair, source))


def _products(weights: NDArray[np.float64], shares: NDArray[np.float64]) -> Iterator[NDArray[np.float32]]:
    """`weights[f, i] * shares[f, j]`, a row for each `f` and `i`, so many at a time."""
    rows = max(1, _BLOCK // max(1, shares.shape[1]))
    for of_sample, own in zip(weights, shares, strict=True):
        for start in range(0, len(of_sample), rows):
            with np.errstate(invalid="ignore", over="ignore"):
                yield (of_sample[start : start + rows, None] * own).astype(np.float32)


def _where_not_zero(divisors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(divisors == 0, 1.0, divisors)


def _rows_and_columns(pair: PairNumbers, samples: int, target_size: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Per flow sample * N + source, and sample * M + target."""
    count = len(pair.starts) - 1
    # Wide integers for millions of flows would take more memory than the flows themselves.
    dtype = np.int32 if max(count, samples * target_size) <= np.iinfo(np.int32).max else np.int64
    rows = np.repeat(np.arange(count, dtype=dtype), np.diff(pair.starts))
    return rows, rows // max(count // samples, 1) * target_size + pair.targets


def _sums(places: NDArray[np.integer], pair: PairNumbers, count: int) -> NDArray[np.float64]:
    """The sum of the flows at each place, in float64."""
    return np.bincount(places, pair.flows.astype(np.float64), count).astype(np.float64)

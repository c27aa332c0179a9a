"""A slow second implementation of the recording format's numbers: one value at a time, in double precision, from the specification."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

NAN = math.nan


def samples_of(tensor: Tensor, batch_dimension: int | None) -> list[list[float]]:
    """`x[B][N]` as Python numbers; without a batch dimension, `B` is 1."""
    wide = tensor.detach().to(torch.float64)
    if batch_dimension is None:
        return [wide.reshape(-1).tolist()]
    samples = []
    for index in range(wide.shape[batch_dimension]):
        samples.append(wide.select(batch_dimension, index).reshape(-1).tolist())
    return samples


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else NAN


def largest_magnitude(values: Sequence[float]) -> float:
    if not values or any(math.isnan(value) for value in values):
        return NAN
    return max(abs(value) for value in values)


def deviation(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0 if values else NAN
    center = mean(values)
    return math.sqrt(sum((value - center) ** 2 for value in values) / (len(values) - 1))


def item_of(values: Sequence[float], item: str) -> float:
    if item == "mean":
        return mean(values)
    if item == "abs_mean":
        return mean([abs(value) for value in values])
    if item == "std":
        return deviation(values)
    assert item == "abs_max"
    return largest_magnitude(values)


def over_batch(values: Sequence[float]) -> list[float]:
    return [mean(values), largest_magnitude(values), deviation(values)]


def statistics(tensor: Tensor, batch_dimension: int | None, recorded: int) -> dict[str, list[float]]:
    """Items, each with its aggregations, in the order of the format."""
    samples = samples_of(tensor, batch_dimension)
    result = {}
    for item in ("mean", "abs_mean", "std", "abs_max"):
        per_sample = [item_of(values, item) for values in samples]
        result[item] = per_sample if batch_dimension is None else over_batch(per_sample) + per_sample[:recorded]
    return result


def aggregates(tensor: Tensor, batch_dimension: int) -> list[list[float]]:
    """`[3][N]`: mean, largest magnitude and standard deviation over the batch, per value."""
    samples = samples_of(tensor, batch_dimension)
    values = tensor.numel() // len(samples) if samples else math.prod(tensor.shape[:batch_dimension] + tensor.shape[batch_dimension + 1 :])
    per_value = [over_batch([sample[index] for sample in samples]) for index in range(values)]
    return [[triple[row] for triple in per_value] for row in range(3)]


def counts(tensor: Tensor) -> list[int]:
    values = tensor.detach().to(torch.float64).reshape(-1).tolist()
    return [
        sum(math.isnan(value) for value in values),
        sum(value == math.inf for value in values),
        sum(value == -math.inf for value in values),
        sum(value == 0 for value in values),
    ]


def extrema(tensor: Tensor) -> list[float]:
    finite = [value for value in tensor.detach().to(torch.float64).reshape(-1).tolist() if math.isfinite(value)]
    return [min(finite), max(finite)] if finite else [NAN, NAN]

"""How targets compare with the inputs of the same step: whether one is a copy of the other, and which feature goes with the target."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.arrays.safetensors import widened
from comgra_export.storage.model.layout import TensorEntry
from comgra_export.storage.model.step_description import TargetFact, TensorReference

__all__ = ["target_facts"]

_Values = NDArray[np.float64]

_LEAST_SAMPLES = 8
_MOST_CLASSES = 50
_LEAST_VARIANCE = 1e-6
# Fewer samples for each class fit every feature.
_SAMPLES_PER_CLASS = 2
_MOST_FACTS = 16


def target_facts(values: Iterable[tuple[TensorEntry, NDArray[np.generic]]]) -> tuple[TargetFact, ...]:
    """Compares the targets of a step with its inputs.

    Integers are compared value by value if there are as many of both. Features `[B, F]` of floating point numbers, with `F` at least 2, are
    compared with a target that has one value for each sample. There are 16 facts at most.

    Args:
        values: The inputs and targets, and the values that their histograms count, in their stored dtypes. Others are ignored, and so are
            those of which a histogram does not count all values, or that hold NaN or infinity.
    """
    inputs: list[tuple[TensorEntry, NDArray[np.generic]]] = []
    targets: list[tuple[TensorEntry, NDArray[np.generic]]] = []
    for entry, chosen in values:
        if entry.type in ("input", "target") and chosen.size == prod(entry.shape) > 1:
            (inputs if entry.type == "input" else targets).append((entry, chosen))
    facts = [fact for target, goals in targets for source, given in inputs if (fact := _fact(source, given, target, goals)) is not None]
    return tuple(facts[:_MOST_FACTS])


def _fact(source: TensorEntry, given: NDArray[np.generic], target: TensorEntry, goals: NDArray[np.generic]) -> TargetFact | None:
    names = TensorReference(target.name, target.iteration), TensorReference(source.name, source.iteration)
    if not source.is_floating:
        is_comparable = not target.is_floating and len(source.shape) > 1 and given.size == goals.size
        return TargetFact(*names, is_same=_are_same(given.reshape(-1), goals.reshape(-1))) if is_comparable else None
    if len(source.shape) != 2 or source.shape[1] < 2 or source.batch_dimension != 0 or source.shape[0] != goals.size:
        return None
    features, numbers = (widened(of.stored, each.reshape(-1)).astype(np.float64) for of, each in ((source, given), (target, goals)))
    shares = _shares(features.reshape(source.shape), numbers)
    if shares is None:
        return None
    first, second = np.argsort(-shares, kind="stable")[:2].tolist()
    return TargetFact(*names, feature=first, share=float(shares[first]), next_share=float(shares[second]))


def _are_same(given: NDArray[np.generic], goals: NDArray[np.generic]) -> bool:
    """Whether two rows of integers are the same. Negative targets stand for what the loss leaves out, unless nearly all are negative."""
    counted = goals.astype(np.int64) >= 0
    if counted.sum() >= _LEAST_SAMPLES:
        given, goals = given[counted], goals[counted]
    return bool(np.array_equal(given, goals))


def _shares(features: _Values, targets: _Values) -> _Values | None:
    """Per feature the share of its variance that the classes of the target explain, without what chance explains.

    If targets are numbers, it is the squared correlation. None if there are too few samples, or if a value is not finite.
    """
    count = len(targets)
    if count < _LEAST_SAMPLES or not np.isfinite(features).all() or not np.isfinite(targets).all():
        return None
    centred = features - features.mean(axis=0)
    total = np.square(centred).sum(axis=0)
    varies = total > _LEAST_VARIANCE * count
    classes, places, sizes = np.unique(targets, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(classes) > _MOST_CLASSES or (targets != np.round(targets)).any():
            numbers = targets - targets.mean()
            shares = np.square(numbers @ centred) / (total * np.square(numbers).sum())
        elif count < _SAMPLES_PER_CLASS * len(classes):
            return None
        else:
            order = np.argsort(places, kind="stable")
            sums = np.add.reduceat(centred[order], np.cumsum(sizes) - sizes, axis=0)
            within = total - (np.square(sums) / sizes[:, None]).sum(axis=0)
            shares = 1 - within * (count - 1) / (total * (count - len(classes)))
    return np.where(varies, np.minimum(shares, 1.0), 0.0)

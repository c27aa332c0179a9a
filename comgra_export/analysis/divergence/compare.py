"""Compares two steps, and finds what was computed first of all that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.divergence.model import NUMBERS, Difference, Observed
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import FORWARD, RecordKey

__all__ = ["first_difference", "in_order_of_computation", "relative_differences"]

_NOT_FINITE = slice(0, 3)
_ZEROS, _ABSENT = 3, 4


def first_difference(
    steps: Iterable[tuple[float, Observed, Observed]], graph: Callable[[float], StepGraph], tolerance: float
) -> Difference | None:
    """The first step and the first record at which two runs differ.

    Args:
        steps: The steps that both have, ascending: the number, and what each run has.
        graph: What was computed from what in a step.
        tolerance: Numbers differ if their difference is larger than this times the largest magnitude of the record in both runs. With 0,
            they must be equal, and so must be the counts of zeros. NaN equals NaN, and what only one run recorded is not compared.

    Returns:
        None if all records that both have are equal.
    """
    for step, left, right in steps:
        common = [key for key in left.rows if key in right.rows]
        if not common:
            continue
        rows = [np.array([each.rows[key] for key in common], np.int64) for each in (left, right)]
        relative = relative_differences(left.numbers[rows[0]], right.numbers[rows[1]])
        counts = left.counts[rows[0]] != right.counts[rows[1]]
        if tolerance > 0:
            counts[:, _ZEROS] = False
        shapes = np.array([left.shapes[left.rows[key]] != right.shapes[right.rows[key]] for key in common])
        differs = shapes | counts.any(axis=1) | (relative > tolerance).any(axis=1)
        if differs.any():
            ordered = in_order_of_computation(common, graph(step))
            place = common.index(next(key for key in ordered if differs[common.index(key)]))
            return _difference(
                step,
                common[place],
                left,
                right,
                relative=relative[place],
                differing=int(differs.sum()),
                compared=len(common),
                tolerance=tolerance,
            )
    return None


def relative_differences(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences relative to the largest finite magnitude of each row in both.

    Args:
        left: `[R, numbers]`.
        right: The same.

    Returns:
        `[R, numbers]`: 0 for equal numbers, NaN and NaN among them; infinite if one is NaN or infinite and the other is not the same.
    """
    both = np.concatenate([left, right], axis=1)
    scale = np.max(np.abs(both), axis=1, initial=0, where=np.isfinite(both))[:, None]
    are_equal = (left == right) | (np.isnan(left) & np.isnan(right))
    are_finite = np.isfinite(left) & np.isfinite(right)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        # Halved, since the difference of the two largest floats is infinite.
        relative = 2 * (np.abs(left / 2 - right / 2) / np.where(scale > 0, scale, 1))
    relative[~are_finite] = np.inf
    relative[are_equal] = 0
    return relative


def in_order_of_computation(keys: Sequence[RecordKey], graph: StepGraph) -> list[RecordKey]:
    """Sorts records as they were computed: parameters and inputs, what was computed from them, then gradients from the loss backwards.

    Records that the graph does not show keep their place behind the record before them.
    """
    depth = graph.depth
    known = 0
    places = []
    for position, key in enumerate(keys):
        known = 0 if key.tensor.iteration < 0 else depth.get(key.tensor, known)
        is_gradient = key.group != FORWARD
        places.append((is_gradient, -known if is_gradient else known, position))
    return [keys[position] for _, _, position in sorted(places)]


def _difference(
    step: float,
    key: RecordKey,
    left: Observed,
    right: Observed,
    *,
    relative: NDArray[np.float64],
    differing: int,
    compared: int,
    tolerance: float,
) -> Difference:
    rows = left.rows[key], right.rows[key]
    shapes = left.shapes[rows[0]], right.shapes[rows[1]]
    counts = left.counts[rows[0]], right.counts[rows[1]]
    reason, number, values, largest = "numbers", "", (0.0, 0.0), float("inf")
    if shapes[0] != shapes[1]:
        return Difference(step, key, "shape", "", _shape(shapes[0]), _shape(shapes[1]), largest, differing, compared)
    if counts[0][_ABSENT] != counts[1][_ABSENT]:
        reason, values = "absent", (float(counts[0][_ABSENT]), float(counts[1][_ABSENT]))
    elif (counts[0][_NOT_FINITE] != counts[1][_NOT_FINITE]).any():
        reason, values = "not finite", (float(counts[0][_NOT_FINITE].sum()), float(counts[1][_NOT_FINITE].sum()))
    elif (relative > tolerance).any():
        place = int(np.argmax(relative))
        number, largest = NUMBERS[place], float(relative[place])
        values = float(left.numbers[rows[0], place]), float(right.numbers[rows[1], place])
    else:
        reason, values = "zeros", (float(counts[0][_ZEROS]), float(counts[1][_ZEROS]))
    return Difference(step, key, reason, number, *values, largest, differing, compared)


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))

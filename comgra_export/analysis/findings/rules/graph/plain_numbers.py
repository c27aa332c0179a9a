"""Terms of a loss that are added as plain numbers, as `item` and `detach` make them, although they were computed with a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.operations import has_graph, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, TensorKey

__all__ = ["SAME_RATIO", "PlainNumber", "plain_numbers"]

SAME_RATIO = 1e-3
"""A term is a multiple of another tensor if the ratio of the two differs by less than this, relative to it."""

_SUMS = frozenset({"add", "sub"})
# A term that hardly changes, or that is lost in the rounding of the sum, is the multiple of anything.
_LEAST_CHANGE = 1e-2
_LEAST_TERM = 1e-3


class PlainNumber(NamedTuple):
    """A tensor that is a term of a loss without its graph.

    Attributes:
        terms: The tensor, or several of which it is the sum: of scalars, or of something that was made of parameters.
        total: The sum.
        factor: What the tensor is multiplied by in the sum; None if it is not known.
    """

    terms: tuple[TensorKey, ...]
    total: TensorKey
    factor: float | None


def plain_numbers(run: Run) -> Iterator[PlainNumber]:
    """The sums of scalars at which backward passes begin, or that lead to them, with a term that is only a number."""
    graph = training_graph(run)
    roots = {TensorKey(*root) for step in run.steps for root in step.backward_roots}
    used = frozenset().union(roots, *map(graph.ancestors, roots))
    ends = [key for key in graph.shown if _is_scalar_with_graph(run, key) and key not in used]
    for total in sorted(used.intersection(graph.shown), key=lambda key: (-graph.depth[key], key)):
        if not _is_scalar_with_graph(run, total) or plain_name(run.tensors[total].operation) not in _SUMS:
            continue
        parents = graph.parents.get(total, ())
        cut = [parent for parent in parents if (parent, total) in graph.cut]
        known = [parent for parent in parents if parent not in cut]
        of_parameters = tuple(parent for parent in cut if parent.iteration < 0 and parent in run.tensors)
        if of_parameters:
            yield PlainNumber(of_parameters, total, None)
        elif len(known) == 1:
            single = [(key,) for key in (*(key for key in cut if _is_scalar_with_graph(run, key)), *ends)]
            together = [tuple(ends)] if len(ends) > 1 else []
            first = next((each for terms in (*single, *together) if (each := _multiple(run, total, known[0], terms))), None)
            if first is not None:
                yield first


def _is_scalar_with_graph(run: Run, key: TensorKey) -> bool:
    entry = run.tensors.get(key)
    return entry is not None and entry.kind == "single_value" and entry.is_floating and has_graph(entry.operation)


def _multiple(run: Run, total: TensorKey, known: TensorKey, keys: tuple[TensorKey, ...]) -> PlainNumber | None:
    """The terms, if in all steps a multiple of their sum is what a sum has beside its known operand."""
    numbers = [_values(run, key) for key in (total, known, *keys)]
    steps = sorted(set(numbers[0]).intersection(*numbers[1:]))
    if len(steps) < LEAST_STEPS:
        return None
    sums, others, *each = (np.array([values[step] for step in steps]) for values in numbers)
    terms: Floats = np.sum(each, axis=0)
    rest: Floats = sums - others
    if not np.isfinite([rest, terms]).all() or not terms.all() or (np.abs(rest) < _LEAST_TERM * np.abs(sums)).any():
        return None
    ratios = rest / terms
    varies = np.ptp(terms) > _LEAST_CHANGE * np.abs(terms).max()
    is_multiple = np.ptp(ratios) <= SAME_RATIO * np.abs(ratios).max()
    return PlainNumber(keys, total, float(np.median(ratios))) if varies and is_multiple else None


def _values(run: Run, key: TensorKey) -> dict[int, float]:
    """The value of a scalar by the position of the step."""
    series = values_in_training(run, key)
    return {} if series is None else dict(zip(series.positions.tolist(), series.mean.astype(np.float64).tolist(), strict=True))

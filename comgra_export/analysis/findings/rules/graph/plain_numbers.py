"""Terms of a loss that are added as plain numbers, as `item` and `detach` make them, although they were computed with a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.operations import has_graph, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph, values_in_training
from comgra_export.analysis.history.graph import StepGraph
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
        term: The tensor.
        total: The sum.
        factor: What the tensor is multiplied by in the sum.
    """

    term: TensorKey
    total: TensorKey
    factor: float


def plain_numbers(run: Run) -> Iterator[PlainNumber]:
    """The sums of scalars at which backward passes begin, or that lead to them, with a term that is only a number."""
    graph = training_graph(run)
    roots = {TensorKey(*root) for step in run.steps for root in step.backward_roots}
    used = frozenset().union(roots, *map(graph.ancestors, roots))
    ends = [key for key in graph.shown if _is_scalar_with_graph(run, key) and key not in used]
    for total in sorted(used.intersection(graph.shown), key=lambda key: (-graph.depth[key], key)):
        known = [parent for parent in graph.parents.get(total, ()) if (parent, total) not in graph.cut]
        if _is_scalar_with_graph(run, total) and plain_name(run.tensors[total].operation) in _SUMS and len(known) == 1:
            found = next((each for end in _candidates(run, graph, total, ends) if (each := _multiple(run, total, known[0], end))), None)
            if found is not None:
                yield found


def _candidates(run: Run, graph: StepGraph, total: TensorKey, ends: list[TensorKey]) -> list[TensorKey]:
    """What may be the other term: operands without a gradient, and tensors that lead nowhere."""
    cut = [parent for parent in graph.parents.get(total, ()) if (parent, total) in graph.cut and _is_scalar_with_graph(run, parent)]
    return [*cut, *ends]


def _is_scalar_with_graph(run: Run, key: TensorKey) -> bool:
    entry = run.tensors.get(key)
    return entry is not None and entry.kind == "single_value" and entry.is_floating and has_graph(entry.operation)


def _multiple(run: Run, total: TensorKey, known: TensorKey, term: TensorKey) -> PlainNumber | None:
    """The term, if in all steps a multiple of it is what a sum has beside its known operand."""
    numbers = [_values(run, key) for key in (total, known, term)]
    steps = sorted(set(numbers[0]).intersection(*numbers[1:]))
    if len(steps) < LEAST_STEPS:
        return None
    sums, others, terms = (np.array([values[step] for step in steps]) for values in numbers)
    rest: Floats = sums - others
    if not np.isfinite([rest, terms]).all() or not terms.all() or (np.abs(rest) < _LEAST_TERM * np.abs(sums)).any():
        return None
    ratios = rest / terms
    varies = np.ptp(terms) > _LEAST_CHANGE * np.abs(terms).max()
    is_multiple = np.ptp(ratios) <= SAME_RATIO * np.abs(ratios).max()
    return PlainNumber(term, total, float(np.median(ratios))) if varies and is_multiple else None


def _values(run: Run, key: TensorKey) -> dict[int, float]:
    """The value of a scalar by the position of the step."""
    series = values_in_training(run, key)
    return {} if series is None else dict(zip(series.positions.tolist(), series.mean.astype(np.float64).tolist(), strict=True))

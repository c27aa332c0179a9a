"""Views that are taken in place of a transposition, so that the values of a sample come to lie in others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["ViewAcrossSamples", "view_across_samples"]

# These leave the order of the values in memory as it is.
_IN_ORDER = frozenset({"reshape", "reshape_alias", "unsafe_view", "view"})


class ViewAcrossSamples(NamedTuple):
    """A view that has the sizes of its source in another order.

    Attributes:
        tensor: The view.
        source: What it was taken of.
        shape: The sizes of the view.
        of_source: The sizes of its source, the batch first.
        step: The number of the step.
    """

    tensor: TensorKey
    source: TensorKey
    shape: tuple[int, ...]
    of_source: tuple[int, ...]
    step: float


def view_across_samples(run: Run) -> ViewAcrossSamples | None:
    """The first view of a training step that gives the batch another place among the dimensions; None if there is none.

    The view has all sizes of its source, in another order, apart from those of 1. A transposition would be named as the last operation.
    """
    for position in np.flatnonzero(usual_training_steps(run)).tolist()[:1]:
        graph, entries = run.graph(position), entries_of(run, position)
        for key in sorted(graph.shown.keys() & entries.keys(), key=lambda each: graph.depth.get(each, 0)):
            parents = [parent for parent in graph.parents.get(key, ()) if parent in entries]
            if len(parents) != 1 or plain_name(entries[key].operation) not in _IN_ORDER or entries[parents[0]].batch_dimension != 0:
                continue
            shape, of_source = entries[key].shape, entries[parents[0]].shape
            sizes, of_samples = (tuple(size for size in each if size > 1) for each in (shape, of_source))
            is_moved = of_source[0] > 1 and sizes[:1] != of_samples[:1]
            if is_moved and sorted(sizes) == sorted(of_samples):
                return ViewAcrossSamples(key, parents[0], shape, of_source, run.steps[position].step)
    return None

"""NaN that the script may have computed outside the record: in a target, or in a factor of a product."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from comgra_export.analysis.findings.rules.multiples import is_multiple
from comgra_export.analysis.findings.rules.non_finite.operands import can_be_undefined, operation_name
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["unseen_operands"]

_PRODUCTS = frozenset({"mul", "div"})
# Values that have grown so much may overflow in any product.
_LARGE = 1e4


def unseen_operands(run: Run, graph: StepGraph, outputs: Sequence[TensorKey], step: float) -> list[TensorKey]:
    """Targets of a loss, and products with a factor that is not recorded, behind the last layer: the nearest to that layer first.

    None if values were large in the step or in the one before: then any operation can overflow.

    Args:
        run: The run.
        graph: What is computed from what in recorded steps.
        outputs: What the parameter that is nearest to the loss is used for. What follows from it leads to the loss.
        step: The step that is not finite, and was checked only.
    """
    if _is_large(run, step):
        return []
    behind = {key for output in outputs for key in graph.descendants(output)}
    products = [key for key in behind if _has_unseen_factor(run, graph, key)]
    targets = [key for key in run.tensors if _is_given(run, graph, key) and behind.intersection(graph.children.get(key, ()))]
    # A target that a logarithm made is more likely to be the one than a label.
    targets.sort(key=lambda key: not can_be_undefined(run.tensors[key].operation))
    return [*targets, *sorted(products, key=lambda key: (graph.depth[key], key))]


def _is_large(run: Run, step: float) -> bool:
    """Whether a parameter, or a gradient of this step or of the one that was checked before it, is large as far as it is finite."""
    points = [point for point in run.recording.sentinel_points if point.step <= step][-2:]
    return any(isfinite(value) and value > _LARGE for point in points for value in point.largest)


def _is_given(run: Run, graph: StepGraph, key: TensorKey) -> bool:
    """Whether a tensor is a target of floating-point numbers that was not computed from anything recorded."""
    entry = run.tensors[key]
    return entry.type == "target" and entry.is_floating and not graph.parents.get(key)


def _has_unseen_factor(run: Run, graph: StepGraph, key: TensorKey) -> bool:
    if key not in run.tensors or operation_name(run.tensors[key].operation) not in _PRODUCTS:
        return False
    # What is looked up by whole numbers, such as a time or a class, is a factor that is not recorded.
    known = [parent for parent in graph.parents.get(key, ()) if parent not in run.tensors or not _are_numbers_of(run.tensors[parent])]
    return len(known) == 1 and not is_multiple(run, known[0], key)


def _are_numbers_of(entry: TensorEntry) -> bool:
    """Whether a tensor numbers things: a mask says what is kept, and is a factor itself."""
    return entry.dtype.startswith(("I", "U"))

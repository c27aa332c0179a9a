"""Associations in words. They say what goes together, never why."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.analysis.associations.screening import PHASES
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import TensorKey

__all__ = ["counted", "in_phases", "name_of", "relation", "statistic_of", "times_of"]

_STATISTICS = {"mean": "mean", "abs_mean": "mean magnitude", "std": "standard deviation", "abs_max": "largest magnitude"}


def name_of(tensor: TensorKey) -> str:
    """A tensor in backticks, with its iteration unless that is the first."""
    return f"`{tensor.name}`" if tensor.iteration <= 0 else f"`{tensor.name}` in iteration {tensor.iteration}"


def statistic_of(item: str, tensor: TensorKey) -> str:
    """A statistic of a tensor."""
    return f"the {_STATISTICS.get(item, item)} of {name_of(tensor)}"


def times_of(ratio: float) -> str:
    """How large something is beside another, before the words "that of the others"."""
    text = f"{ratio:.2g}"
    return "about" if text == "1" else f"{text} times"


def in_phases(keeps: Sequence[bool | None]) -> str:
    """In which phase an association is, if it is not in at least two of them. Empty otherwise.

    Args:
        keeps: Per phase whether at least half of the least effect is there, with the same sign; None if there is too little of it.
    """
    if sum(bool(keep) for keep in keeps) >= 2:
        return ""
    known = [name for name, keep in zip(PHASES, keeps, strict=True) if keep]
    unknown = [name for name, keep in zip(PHASES, keeps, strict=True) if keep is None]
    if len(unknown) == len(keeps):
        return " Too little was recorded in each phase of training to compare them."
    seen = f" Only {known[0]}." if known else " Not in any phase of training alone."
    return seen + (f" Too little was recorded {' and '.join(unknown)} to tell." if unknown else "")


def relation(graph: StepGraph, first: TensorKey, second: TensorKey) -> str:
    """How two tensors lie in the graph."""
    if second in graph.descendants(first):
        return f" {name_of(first)} is upstream of {name_of(second)}."
    if first in graph.descendants(second):
        return f" {name_of(second)} is upstream of {name_of(first)}."
    return ""


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

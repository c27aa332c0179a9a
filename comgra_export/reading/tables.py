"""The tables of a trial other than its statistics: steps, tensors, curves and graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.reading.source import StepRow
from comgra_export.reading.table import Table
from comgra_export.storage import CurvePoint, Layout, Structure, TensorEntry
from comgra_export.storage.text.steps import parts_of_step

__all__ = ["Graph", "curves_table", "graph_of_step", "steps_table", "tensors_table"]


class Graph(NamedTuple):
    """What was computed from what in a step.

    Attributes:
        nodes: A row per tensor that is shown: `iteration` of the graph, `tensor`, `node`, `role`, `type`, and under which name and
            iteration its numbers are: `record`, `record_iteration`. `not_known` says why a tensor may depend on more than `edges` says, as
            the recording format does; it is empty if all is known.
        edges: A row per direct dependency: `iteration`, `source`, `target`, and `has_gradient`: whether a gradient flows through it.
            `source_row` and `target_row` are rows of `nodes`.
    """

    nodes: Table
    edges: Table


def _texts(values: Iterable[str | None]) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    texts = ["" if value is None else value for value in values]
    column = np.empty(len(texts), object)
    column[:] = texts
    return column


def _or_nan(values: Iterable[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def steps_table(steps: Sequence[StepRow]) -> Table:
    """A row per step."""
    return Table(
        {
            "step": np.array([step.step for step in steps], np.float64),
            "type": _texts(step.type for step in steps),
            "is_training": np.array([step.is_training for step in steps], bool),
            "is_triggered": np.array([step.triggered is not None for step in steps], bool),
            "after_step": _or_nan(_after(step.step) for step in steps),
            "seconds": _or_nan(step.time for step in steps),
            "iterations": np.array([step.iterations for step in steps], np.int64),
            "batch_size": np.array([step.batch_size for step in steps], np.int64),
            "epoch": _or_nan(step.epoch for step in steps),
        }
    )


def _after(step: float) -> float | None:
    """The training step before an evaluation that has a number between those of training steps; -1: before all of them."""
    trained, evaluation = parts_of_step(step)
    return trained - 1 if evaluation else None


def tensors_table(steps: Sequence[StepRow], layout: Callable[[str], Layout]) -> Table:
    """A row per name of a tensor, as the last training step that has it describes it; as the last step, if none trained."""
    described: dict[str, TensorEntry] = {}
    last = {(step.is_training, step.layout): position for position, step in enumerate(steps)}
    first_seen = dict.fromkeys(entry.name for digest in dict.fromkeys(step.layout for step in steps) for entry in layout(digest).tensors)
    for _, digest in sorted(last, key=lambda each: (each[0], last[each])):
        described.update({entry.name: entry for entry in layout(digest).tensors})
    entries = [described[name] for name in first_seen]
    return Table(
        {
            "tensor": _texts(entry.name for entry in entries),
            "role": _texts(entry.role for entry in entries),
            "type": _texts(entry.type for entry in entries),
            "kind": _texts(entry.kind for entry in entries),
            "shape": _texts("x".join(map(str, entry.shape)) for entry in entries),
            "dtype": _texts(entry.dtype for entry in entries),
            "operation": _texts(entry.operation for entry in entries),
            "module": _texts(entry.module for entry in entries),
        }
    )


def curves_table(points: Sequence[CurvePoint]) -> Table:
    """A row per point, curve by curve in the order of their first points."""
    curves: dict[tuple[str, str, str], list[CurvePoint]] = {}
    for point in points:
        curves.setdefault((point.name, point.group, point.type), []).append(point)
    ordered = [point for curve in curves.values() for point in curve]
    return Table(
        {
            "curve": _texts(point.name for point in ordered),
            "group": _texts(point.group for point in ordered),
            "type": _texts(point.type for point in ordered),
            "t": np.array([point.t for point in ordered], np.float64),
            "value": np.array([point.v for point in ordered], np.float64),
        }
    )


def graph_of_step(structures: Sequence[tuple[int, Structure]]) -> Graph:
    """The graphs of the iterations of a step, each with its number."""
    shown = [(iteration, tensor) for iteration, structure in structures for tensor in structure.tensors]
    edges = []
    not_known: list[str] = []
    start = 0
    for iteration, structure in structures:
        cut = set(structure.without_gradient)
        for position, (source, target) in enumerate(structure.dependencies):
            edges.append((iteration, start + source, start + target, position not in cut))
        start += len(structure.tensors)
        reasons = {position: reason or "other" for position, reason in structure.not_known}
        not_known += [reasons.get(position, "") for position in range(len(structure.tensors))]
    nodes = Table(
        {
            "iteration": np.array([iteration for iteration, _ in shown], np.int64),
            "tensor": _texts(tensor.name for _, tensor in shown),
            "node": _texts(tensor.node for _, tensor in shown),
            "role": _texts(tensor.role for _, tensor in shown),
            "type": _texts(tensor.type for _, tensor in shown),
            "record": _texts(tensor.record_name for _, tensor in shown),
            "record_iteration": np.array([tensor.record_iteration for _, tensor in shown], np.int64),
            "not_known": _texts(not_known),
        }
    )
    return Graph(
        nodes,
        Table(
            {
                "iteration": np.array([edge[0] for edge in edges], np.int64),
                "source": _texts(shown[edge[1]][1].name for edge in edges),
                "target": _texts(shown[edge[2]][1].name for edge in edges),
                "has_gradient": np.array([edge[3] for edge in edges], bool),
                "source_row": np.array([edge[1] for edge in edges], np.int64),
                "target_row": np.array([edge[2] for edge in edges], np.int64),
            }
        ),
    )

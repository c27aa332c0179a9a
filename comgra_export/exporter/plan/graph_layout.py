"""The layout of a dependency graph in columns.

Left to right: every node whose dependencies are all placed goes into the next column, one type at a time in the order input,
calculated, target, loss, starting over at input after each column. Then each group of parameters gets a column of its own as far
right as possible, just before the first column that depends on one of them. Names within a column are sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from comgra_export.exporter.format.step_chunks import Graph
from comgra_export.storage import Structure
from comgra_export.storage.text.json_codec import damaged

__all__ = ["lay_out"]

# Parameters come first because they depend on nothing: they are there before anything that uses them, wherever they are shown.
_ORDER = ("parameter", "input", "calculated", "target", "loss")


@dataclass(frozen=True)
class _Nodes:
    """The graph between nodes. A node is known by its position in the order in which nodes first occur.

    Attributes:
        names: By node.
        types: By node: that of its tensors.
        first_tensors: By node: the name of the first tensor that it shows.
        of_tensor: By tensor: its node.
        dependents: By node: the nodes that are computed from it.
    """

    names: list[str]
    types: list[str]
    first_tensors: list[str]
    of_tensor: list[int]
    dependents: list[set[int]]


def lay_out(structure: Structure, prefixes: Sequence[str], *, file: str = "A dependency graph") -> Graph:
    """Lays out the dependency graph of one iteration.

    Takes time proportional to the size of the graph, apart from sorting names.

    Args:
        structure: The graph. It may be empty.
        prefixes: The groups of parameters: a parameter belongs to the first prefix with which its name begins, and those that match
            none form a last group together.
        file: How an error names the graph.

    Returns:
        The graph with a column and a row for every node. The same arguments give the same result.

    Raises:
        DamagedRecordingError: The nodes depend on one another in a circle, or the tensors of a node differ in their type.
    """
    nodes = _collect_nodes(structure, file)
    placed = _place_all_but_parameters(nodes, file)
    columns = _with_parameters(nodes, placed, prefixes)
    return _as_json(structure, nodes, columns)


def _collect_nodes(structure: Structure, file: str) -> _Nodes:
    position: dict[str, int] = {}
    nodes = _Nodes([], [], [], [], [])
    for tensor in structure.tensors:
        node = position.setdefault(tensor.node, len(position))
        nodes.of_tensor.append(node)
        if node == len(nodes.names):
            nodes.names.append(tensor.node)
            nodes.types.append(tensor.type)
            nodes.first_tensors.append(tensor.name)
            nodes.dependents.append(set())
        elif nodes.types[node] != tensor.type:
            raise damaged(file, f"node {tensor.node!r} has tensors of the types {nodes.types[node]} and {tensor.type}")
    for source, sink in structure.dependencies:
        nodes.dependents[nodes.of_tensor[source]].add(nodes.of_tensor[sink])
    return nodes


def _place_all_but_parameters(nodes: _Nodes, file: str) -> list[list[int]]:
    missing = [0] * len(nodes.names)
    for dependents in nodes.dependents:
        for node in dependents:
            missing[node] += 1
    ready: dict[str, list[int]] = {kind: [] for kind in _ORDER}
    for node, count in enumerate(missing):
        if count == 0:
            ready[nodes.types[node]].append(node)

    columns: list[list[int]] = []
    remaining = len(nodes.names)
    while remaining:
        kind = next((kind for kind in _ORDER if ready[kind]), None)
        if kind is None:
            stuck = next(node for node, count in enumerate(missing) if count)
            raise damaged(file, f"its nodes depend on one another in a circle, and node {nodes.names[stuck]!r} is in it or behind it")
        column, ready[kind] = ready[kind], []
        remaining -= len(column)
        for node in column:
            for dependent in nodes.dependents[node]:
                missing[dependent] -= 1
                if missing[dependent] == 0:
                    ready[nodes.types[dependent]].append(dependent)
        if kind != "parameter":
            columns.append(column)
    return columns


def _with_parameters(nodes: _Nodes, placed: list[list[int]], prefixes: Sequence[str]) -> list[list[int]]:
    column_of = {node: number for number, column in enumerate(placed) for node in column}
    groups: list[list[int]] = [[] for _ in range(len(prefixes) + 1)]
    for node, kind in enumerate(nodes.types):
        if kind == "parameter":
            groups[_group_of(nodes.first_tensors[node], prefixes)].append(node)

    # By column, the groups of parameters that stand before it. Those that no node uses stand behind the last column.
    before: list[list[list[int]]] = [[] for _ in range(len(placed) + 1)]
    for group in groups:
        if group:
            users = (column_of[dependent] for node in group for dependent in nodes.dependents[node] if dependent in column_of)
            before[min(users, default=len(placed))].append(group)
    columns = [column for number, own in enumerate(placed) for column in (*before[number], own)] + before[len(placed)]
    return [sorted(column, key=nodes.names.__getitem__) for column in columns]


def _group_of(parameter: str, prefixes: Sequence[str]) -> int:
    """The position of the first prefix with which the name of a parameter begins, or one behind the last."""
    return next((number for number, prefix in enumerate(prefixes) if parameter.startswith(prefix)), len(prefixes))


def _heading(names: list[str]) -> str:
    """Returns what all names of a sorted list begin with, up to and with its last dot; every name has something behind it."""
    # What the first and the last of sorted names share, all between them share too.
    first, last = names[0], names[-1]
    shared = 0
    while shared < min(len(first) - 1, len(last)) and first[shared] == last[shared]:
        shared += 1
    return first[: first.rfind(".", 0, shared) + 1]


def _as_json(structure: Structure, nodes: _Nodes, columns: list[list[int]]) -> Graph:
    headings = [_heading([nodes.names[node] for node in column]) for column in columns]
    order = [node for column in columns for node in column]
    place_of = {node: place for place, node in enumerate(order)}
    tensors = structure.tensors
    graph: Graph = {
        "nodes": {
            "name": [nodes.names[node] for node in order],
            "type": [nodes.types[node] for node in order],
            "label": [nodes.names[node][len(heading) :] for heading, column in zip(headings, columns, strict=True) for node in column],
            "column": [number for number, column in enumerate(columns) for _ in column],
            "row": [row for column in columns for row in range(len(column))],
        },
        "columns": {"heading": headings},
        "tensors": {
            "name": [tensor.name for tensor in tensors],
            "node": [place_of[node] for node in nodes.of_tensor],
            "role": [tensor.role for tensor in tensors],
            "record_name": [tensor.record_name for tensor in tensors],
            "record_iteration": [tensor.record_iteration for tensor in tensors],
        },
        "from": [source for source, _ in structure.dependencies],
        "to": [sink for _, sink in structure.dependencies],
        "without_gradient": list(structure.without_gradient),
    }
    if structure.not_known:
        positions, reasons = zip(*structure.not_known, strict=True)
        graph["not_known"] = {"tensor": list(positions), "reason": list(reasons)}
    return graph

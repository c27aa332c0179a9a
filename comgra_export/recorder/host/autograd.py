"""Places in autograd's graph, which can be found again without keeping anything of the graph alive."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from torch.autograd.graph import GradientEdge, Node

__all__ = ["GraphPlace", "edges_before", "find_places"]


class GraphPlace(NamedTuple):
    """A certain output of an operation.

    Attributes:
        kind: The class of the operation of autograd.
        number: Its number, which no other operation has that was made in the same thread.
        output: Which of its outputs.
    """

    kind: type[Node]
    number: int
    output: int


def find_places(start: Node, places: Collection[GraphPlace]) -> dict[GraphPlace, GradientEdge | None]:
    """Finds places in the graph that leads to an operation.

    Args:
        start: The operation.
        places: What to look for.

    Returns:
        The places that were found; None for those that cannot be told apart from another, since several threads made the graph.
    """
    wanted: dict[tuple[type[Node], int], list[GraphPlace]] = {}
    for place in places:
        wanted.setdefault((place.kind, place.number), []).append(place)
    found: dict[GraphPlace, GradientEdge | None] = {}
    waiting, seen = [start], {start}
    while waiting:
        node = waiting.pop()
        for place in wanted.get((type(node), node._sequence_nr()), ()):
            found[place] = None if place in found else GradientEdge(node, place.output)
        for before, _ in node.next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)
    return found


def edges_before(start: Node) -> set[tuple[Node, int]]:
    """All that an operation was computed from: operations, each with the number of its output."""
    waiting, edges, seen = [start], set(), {start}
    while waiting:
        for before, output in waiting.pop().next_functions:
            if before is None:
                continue
            edges.add((before, output))
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return edges

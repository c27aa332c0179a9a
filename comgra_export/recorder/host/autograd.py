"""Autograd's graph: how its places are identified without keeping them alive, and which gradient is the last one of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge, Node

from comgra_export.recorder.host.torch_internals import (
    PYTHON_NODES_FORGET,
    count_dispatch_modes,
    current_node,
    keeps_graph,
    result_key,
    saves_tensors,
    sequence_number_of,
    will_run_backwards,
    without_function_overrides,
)

__all__ = [
    "Edge",
    "GraphPlace",
    "edge_of",
    "edge_to",
    "edges_before",
    "find_places",
    "is_last_gradient",
    "is_leaf_node",
    "keeper_of",
    "nodes_before",
    "reached_within",
    "require_gradient",
    "runs_for_the_last_time",
    "variable_of",
]

Edge = tuple[type[Node] | None, int]
"""Identifies an output of an operation of autograd, or a leaf, without keeping it alive: the operation's type and `result_key`, or None and
the identity of the leaf, which somebody else must keep alive."""

# Autograd's own operations, which stay anyway; those of the user must not be kept alive.
_saving: dict[type[Node], bool] = {}

# How many operations `reached_within` visits for each result. A cell has a dozen, and the steps of a sequence do not lead to its results.
_WITHIN = 64

# How many operations `runs_for_the_last_time` visits. What saves tensors is seldom farther from a sum or a view.
_NEAR = 8


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


def nodes_before(start: Node) -> Iterator[Node]:
    """Yields an operation, and all that it was computed from, each once."""
    waiting, seen = [start], {start}
    while waiting:
        node = waiting.pop()
        yield node
        for before, _ in node.next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)


def find_places(start: Node, places: Collection[GraphPlace]) -> dict[GraphPlace, GradientEdge | None]:
    """Finds places in the graph that leads to an operation.

    Returns:
        The places that were found; None for those that cannot be distinguished from another, since several threads made the graph.
    """
    wanted: dict[tuple[type[Node], int], list[GraphPlace]] = {}
    for place in places:
        wanted.setdefault((place.kind, place.number), []).append(place)
    edges: dict[GraphPlace, GradientEdge | None] = {}
    for node in nodes_before(start):
        for place in wanted.get((type(node), sequence_number_of(node)), ()):
            edges[place] = None if place in edges else GradientEdge(node, place.output)
    return edges


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


def reached_within(results: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[tuple[list[int], list[int]]]:
    """What each result of one function was computed from directly: which of the other results, and which of the inputs.

    An input that only leads to another result, which this one was computed from, is none. What autograd does not follow is not found.

    Returns:
        For each result, positions in `results` and in `inputs`. None are found among the results for those without a graph of their own,
        and for those whose graph within the function is large.
    """
    places = {_place_of(tensor): (1, position) for position, tensor in enumerate(inputs) if tensor.requires_grad}
    for position, tensor in enumerate(results):
        if tensor.grad_fn is not None:
            places.setdefault(_place_of(tensor), (0, position))
    return [_reached_from(tensor, places) for tensor in results]


def _place_of(tensor: Tensor) -> tuple[Node | int, int]:
    node = tensor.grad_fn
    return (id(tensor), -1) if node is None else (node, tensor.output_nr)


def _reached_from(result: Tensor, places: Mapping[tuple[Node | int, int], tuple[int, int]]) -> tuple[list[int], list[int]]:
    positions: tuple[dict[int, None], dict[int, None]] = {}, {}
    if result.grad_fn is None or places[_place_of(result)][0] == 1:
        return [], []
    waiting, seen = [result.grad_fn], {result.grad_fn}
    while waiting:
        for before, output in waiting.pop().next_functions:
            if before is None:
                continue
            is_leaf = is_leaf_node(before)
            place = places.get((id(variable_of(before)), -1) if is_leaf else (before, output))
            if place is not None:
                of_inputs, position = place
                positions[of_inputs][position] = None
            elif not is_leaf and before not in seen:
                seen.add(before)
                waiting.append(before)
        if len(seen) > _WITHIN:
            return [], []
    return list(positions[0]), list(positions[1])


def is_leaf_node(node: Node) -> bool:
    """Whether a node of autograd's graph is the one that adds up the gradient of a leaf."""
    return type(node).__name__ == "AccumulateGrad"


def variable_of(node: Node) -> Tensor:
    """The leaf of such a node."""
    variable: Tensor = node.variable  # type: ignore[attr-defined]
    return variable


def keeper_of(tensor: Tensor) -> Node | None:
    """What has to be kept so that the node of a tensor goes on to know what comes before it; None if the node alone is enough."""
    if not PYTHON_NODES_FORGET or not isinstance(tensor.grad_fn, BackwardCFunction) or count_dispatch_modes():
        return None
    with torch.enable_grad(), without_function_overrides():
        return tensor.view_as(tensor).grad_fn


def require_gradient(leaf: Tensor) -> None:
    """Lets a leaf require a gradient, unless its dtype can have none or PyTorch refuses, as within a transformation of a function."""
    with suppress(RuntimeError):
        leaf.requires_grad_()


def edge_to(node: Node, output: int) -> Edge:
    """The edge that leads to an output of an operation, or to a leaf."""
    return (None, id(variable_of(node))) if is_leaf_node(node) else (type(node), result_key(node, output))


def edge_of(tensor: Tensor) -> Edge:
    """The edge by which gradients come to a tensor, as it is now."""
    node = tensor.grad_fn
    return (None, id(tensor)) if node is None else (type(node), result_key(node, tensor.output_nr))


def is_last_gradient() -> bool:
    """Whether no further gradient can come to the tensor by whose hook this is called. False if that is not known.

    It is so if the operation that made the tensor is about to run backwards, for the last time. Autograd is asked about the backward pass
    that brought this gradient, so it does not matter who began it, nor whether it runs within another one. A gradient that is asked for
    by the tensor's name (`torch.autograd.grad(other, tensor)`) may still come, since the operation does not run for it.
    """
    if keeps_graph is None or current_node is None or will_run_backwards is None or keeps_graph():
        return False
    operation = current_node()
    return operation is not None and runs_for_the_last_time(operation, _runs)


def runs_for_the_last_time(operation: Node, runs: Callable[[Node], bool]) -> bool:
    """Whether an operation cannot run backwards again after a backward pass that lets go of what was saved for it.

    That is so if the operation saves tensors, or leads to one that does, as a sum or a view may: another pass would end in an error of the
    user's own. It does not see whether all saved tensors happen to be undefined, as for a layer of which only the bias requires a gradient.
    A `torch.autograd.Function` need not use what it has saved.

    `runs` says whether an operation runs in this backward pass.
    """
    waiting = [operation]
    for _ in range(_NEAR):
        if not waiting:
            break
        node = waiting.pop(0)
        if isinstance(node, BackwardCFunction):
            continue
        if not _saves_tensors(type(node)):
            waiting += [before for before, _ in node.next_functions if before is not None]
        elif runs(node):
            return True
    return False


def _saves_tensors(kind: type[Node]) -> bool:
    if kind not in _saving:
        _saving[kind] = saves_tensors(kind)
    return _saving[kind]


def _runs(operation: Node) -> bool:
    """Whether an operation runs in this backward pass. If only its gradients are asked for, autograd itself says that it does."""
    assert will_run_backwards is not None
    try:
        return any(will_run_backwards(before) for before, _ in operation.next_functions if before is not None)
    except RuntimeError:  # It has no answer for a leaf whose gradient is asked for.
        return False

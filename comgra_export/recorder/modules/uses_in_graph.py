"""Looking through the graph of a backward pass for the operations to which tensors were given that went into calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from torch import Tensor
from torch.autograd.graph import GradientEdge, Node

from comgra_export.recorder.host.autograd import Edge, edge_of, edge_to, is_leaf_node, runs_for_the_last_time
from comgra_export.recorder.host.torch_internals import sequence_number_of
from comgra_export.recorder.modules.uses import InputUse, UsedTensor
from comgra_export.recorder.tracing.other_threads import is_numbered_apart

__all__ = ["FoundUse", "GraphUses", "find_uses"]


class FoundUse(NamedTuple):
    """An operation that computes from a tensor, within a call into which the tensor goes.

    Attributes:
        node: The operation.
        number: Its number.
        position: Which of its arguments the tensor is.
        use: The call.
    """

    node: Node
    number: int
    position: int
    use: InputUse


class GraphUses(NamedTuple):
    """What a graph has of the tensors that go into calls.

    Attributes:
        found: The operations within calls.
        are_last: Of each tensor that the graph leads to, whether its gradient is the last one if the pass lets go of what was saved for it.
        are_numbered_apart: Whether parts of the graph were made in different threads.
    """

    found: list[FoundUse]
    are_last: dict[UsedTensor, bool]
    are_numbered_apart: bool


def find_uses(roots: Sequence[Tensor | GradientEdge], by_edge: Mapping[Edge, UsedTensor]) -> GraphUses:
    """Looks through a graph once, and takes note of it with the tensors and calls that it finds.

    Args:
        roots: Where it begins.
        by_edge: The tensors that go into calls, by the edges that lead to them.
    """
    found: list[FoundUse] = []
    last: dict[UsedTensor, bool] = {}
    numbers: dict[Node, int] = {}
    is_apart = False
    for root in roots:
        node = root.grad_fn if isinstance(root, Tensor) else root.node
        used = by_edge.get(edge_of(root) if isinstance(root, Tensor) else edge_to(root.node, root.output_nr))
        if used is not None:
            used.is_reached = used.is_used_elsewhere = True
        if node is not None and not is_leaf_node(node):
            numbers[node] = sequence_number_of(node)
    waiting = list(numbers)
    while waiting:
        node = waiting.pop()
        for position, (before, output) in enumerate(node.next_functions):
            if before is None:
                continue
            if not is_leaf_node(before):
                if before not in numbers:
                    numbers[before] = sequence_number_of(before)
                    waiting.append(before)
                is_apart = is_apart or is_numbered_apart(node, before)
            used = by_edge.get(edge_to(before, output))
            if used is not None:
                last[used] = last.get(used, True) and runs_for_the_last_time(before, _always)
                use = _note_use(used, numbers[node])
                if use is not None:
                    found.append(FoundUse(node, numbers[node], position, use))
    return GraphUses(found, last, is_apart or len(set(numbers.values())) < len(numbers))


def _always(_: Node) -> bool:
    return True


def _note_use(used: UsedTensor, number: int) -> InputUse | None:
    """Takes note that an operation uses a tensor; returns through which call, None where that is none of them."""
    used.is_reached = True
    use = used.innermost(number)
    if use is None:
        used.is_used_elsewhere = True
    else:
        use.computes = True
    return use

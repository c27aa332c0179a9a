"""Which calls of watched modules a tensor goes into, and through which of them only part of its gradient comes."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from torch import Tensor
from torch.autograd.graph import GradientEdge, Node

from comgra_export.recorder.gradients.sums import GradientSum
from comgra_export.recorder.host.autograd import Edge, edge_of, edge_to, is_leaf_node, runs_for_the_last_time
from comgra_export.recorder.host.torch_internals import is_view, sequence_number_of, version_of
from comgra_export.recorder.tracing.other_threads import is_numbered_apart
from comgra_export.recorder.tracing.registrations import Reference, Registration

__all__ = [
    "FoundUse",
    "GraphUses",
    "InputUse",
    "PartialGradient",
    "UsedTensor",
    "find_uses",
]


class PartialGradient(NamedTuple):
    """The gradient of a tensor through one call, which is not all of its gradient.

    Attributes:
        use: The call.
        parts: The calls, this one and those within it, that compute from the tensor themselves: it is the total of their `direct`.
    """

    use: InputUse
    parts: list[InputUse]


class InputUse:
    """A tensor that goes into a call, at one place or several.

    Autograd numbers the operations of a thread in the order in which they are made. Those of a call have the numbers from `first` on and
    below `end`.

    Args:
        of: The tensor.
        tensor: Likewise, with the values that it has now.
        reference: How the gradient through this call is called.
        module: The name of the module.
        histogram_values: Of how many values of that gradient, at most, there is a histogram; 0: there is none.
        first: The number of the next operation, before the call.
        outer: The innermost call around this one that the tensor goes into.

    Attributes:
        places: Where in the calls it goes in: which iteration, counted from the first one of the step, and which row of ports.
        end: The number of the next operation, after the call; None while it runs.
        is_void: Whether the gradient through this call cannot be told from others: it returned the tensor as it is, say.
        computes: Whether something was found that this call computes from the tensor, without the calls within it that the tensor goes
            into, too.
        direct: The gradient through that; None where nobody summed it.
        has_unsummed: Whether a gradient has come through that which nobody summed, since the gradient through this call had no record.
        shared_with: The call around this one that computes the same from the tensor, so that the gradient is the same.
        registration: The record of the gradient through this call; None where it has none.
    """

    __slots__ = (
        "_view",
        "computes",
        "direct",
        "end",
        "first",
        "has_unsummed",
        "histogram_values",
        "is_void",
        "module",
        "of",
        "outer",
        "places",
        "reference",
        "registration",
        "shared_with",
    )

    def __init__(
        self, of: UsedTensor, tensor: Tensor, reference: Reference, module: str, histogram_values: int, first: int, outer: InputUse | None
    ) -> None:
        self.of = of
        self.reference = reference
        self.module = module
        self.histogram_values = histogram_values
        self.first = first
        self.outer = outer
        self.places: list[tuple[int, int]] = []
        self.end: int | None = None
        self.is_void = False
        self.computes = False
        self.direct: GradientSum | None = None
        self.has_unsummed = False
        self.shared_with: InputUse | None = None
        self.registration: Registration | None = None
        # Where a view is changed in place, autograd leads gradients past what it was before.
        self._view = (weakref.ref(tensor), version_of(tensor)) if is_view(tensor) else None

    def close(self, end: int) -> None:
        """Takes note that the call has ended.

        Args:
            end: The number of the next operation.
        """
        self.end = end
        if self._view is not None:
            tensor, version = self._view[0](), self._view[1]
            self.is_void = tensor is not None and version_of(tensor) != version
            self._view = None

    def has_made(self, number: int) -> bool:
        """Whether an operation was made within the call."""
        return self.first <= number and (self.end is None or number < self.end)


class UsedTensor:
    """A tensor that goes into calls of watched modules.

    Args:
        registration: What is known of it.

    Attributes:
        is_reached: Whether a backward pass was looked through that leads to it.
        is_used_elsewhere: Whether such a pass leads to it from outside of all these calls, too.
        uses: The calls, in the order in which they began.
    """

    __slots__ = ("_firsts", "is_reached", "is_used_elsewhere", "registration", "uses")

    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        self.is_reached = False
        self.is_used_elsewhere = False
        self.uses: list[InputUse] = []
        self._firsts: list[int] = []

    def add(self, use: InputUse) -> None:
        """Takes note of a call that begins."""
        self.uses.append(use)
        self._firsts.append(use.first)

    def running(self) -> InputUse | None:
        """The innermost call in progress."""
        use = self.uses[-1] if self.uses else None
        while use is not None and use.end is not None:
            use = use.outer
        return use

    def innermost(self, number: int) -> InputUse | None:
        """The innermost call within which an operation was made, of those whose gradient can be told from others; None: elsewhere."""
        place = bisect_right(self._firsts, number) - 1
        use = self.uses[place] if place >= 0 else None
        while use is not None and (use.is_void or not use.has_made(number)):
            use = use.outer
        return use

    def partial_gradients(self) -> list[PartialGradient]:
        """The gradients through single calls, where they are not all of the tensor's gradient.

        That is so where it goes into another call, neither around this one nor within it, or is used elsewhere. Of calls that compute the
        same from it, since one lies within the other, the outer one is there, and `shared_with` of the inner one.
        """
        uses = [use for use in self.uses if not use.is_void]
        outer_of = {use: self._outer(use) for use in uses}
        around = dict.fromkeys(uses, 0)
        within = dict.fromkeys(uses, 1)
        computing = {use: int(use.computes) for use in uses}
        for use, outer in outer_of.items():
            if outer is not None:
                around[use] = around[outer] + 1
        for use in reversed(uses):
            outer = outer_of[use]
            if outer is not None:
                within[outer] += within[use]
                computing[outer] += computing[use]
        all_computing = sum(use.computes for use in uses)
        found = []
        for place, use in enumerate(uses):
            outer = outer_of[use]
            use.shared_with = None
            if outer is not None and not outer.computes and within[outer] == within[use] + 1:
                use.shared_with = outer.shared_with or outer
            elif self.is_used_elsewhere or computing[use] < all_computing or around[use] + within[use] < len(uses):
                inner = uses[place : place + within[use]]
                found.append(PartialGradient(use, [one for one in inner if one.computes]))
        return found

    @staticmethod
    def _outer(use: InputUse) -> InputUse | None:
        """The innermost call around another whose gradient can be told from others."""
        outer = use.outer
        while outer is not None and outer.is_void:
            outer = outer.outer
        return outer


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

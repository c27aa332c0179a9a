"""The calls of watched modules that a tensor goes into, and which operations and parts of its gradient belong to each."""

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
from comgra_export.recorder.modules.ports import TensorAtPort
from comgra_export.recorder.tracing.other_threads import is_numbered_apart
from comgra_export.recorder.tracing.registrations import Reference, Registration

__all__ = [
    "GraphUses",
    "InputUse",
    "OperationUse",
    "PartialGradient",
    "UsedTensor",
    "find_uses",
]


class PartialGradient(NamedTuple):
    """The gradient of a tensor through one call, which is not all of its gradient.

    Attributes:
        parts: This call and those within it, if they compute from the tensor themselves. The gradient is the total of their `direct`.
    """

    use: InputUse
    parts: list[InputUse]


class InputUse:
    """A tensor that goes into a call, at one place or several.

    Autograd numbers the operations of a thread in the order in which they are made. Those of a call have the numbers from `first` up to,
    but not including, `end`. `tensor` is the tensor `of` with the values that it has now.

    Attributes:
        outer: The innermost call around this one that the tensor goes into.
        places: Where it goes in: the iteration, counted from the first of the step, and the row of ports.
        end: The number of the next operation, after the call; None while it runs.
        is_void: Whether the gradient through this call cannot be separated from others: for example, the call returned the tensor itself.
        computes: Whether this call computes from the tensor itself, and not only the calls within it that the tensor also goes into.
        direct: The sum of the gradients of what it computes itself; None if there is no sum.
        has_unsummed: Whether such a gradient has come that was not summed, since the gradient through this call had no record.
        shared_with: The call around this one that computes the same from the tensor, so that the gradient is the same.
        registration: The record of the gradient through this call; None if it has none.
    """

    __slots__ = (
        "_view",
        "computes",
        "direct",
        "end",
        "first",
        "has_unsummed",
        "is_void",
        "module",
        "of",
        "outer",
        "places",
        "port",
        "registration",
        "shared_with",
    )

    def __init__(self, of: UsedTensor, tensor: Tensor, port: TensorAtPort, module: str, first: int) -> None:
        self.of = of
        self.port = port
        self.module = module
        self.first = first
        self.outer = of.running()
        self.places: list[tuple[int, int]] = []
        self.end: int | None = None
        self.is_void = False
        self.computes = False
        self.direct: GradientSum | None = None
        self.has_unsummed = False
        self.shared_with: InputUse | None = None
        self.registration: Registration | None = None
        # If a view is changed in place, autograd leads gradients past what it was before.
        self._view = (weakref.ref(tensor), version_of(tensor)) if is_view(tensor) else None

    @property
    def reference(self) -> Reference:
        """The name of the gradient through this call."""
        node, role = self.port.node, f"gradient of {self.port.role}"
        return Reference(f"{node}: {role}", self.places[0][0], node, role)

    def close(self, end: int) -> None:
        """Notes that the call has ended. `end` is the number of the next operation."""
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

    Attributes:
        is_reached: Whether the graph of a backward pass leads to it.
        is_used_elsewhere: Whether such a graph also leads to it from outside all these calls.
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
        """Notes a call that begins."""
        self.uses.append(use)
        self._firsts.append(use.first)

    def running(self) -> InputUse | None:
        """The innermost call in progress."""
        use = self.uses[-1] if self.uses else None
        while use is not None and use.end is not None:
            use = use.outer
        return use

    def innermost(self, number: int) -> InputUse | None:
        """The innermost call within which an operation was made, if its gradient can be separated from others; None if there is none."""
        place = bisect_right(self._firsts, number) - 1
        use = self.uses[place] if place >= 0 else None
        while use is not None and (use.is_void or not use.has_made(number)):
            use = use.outer
        return use

    def partial_gradients(self) -> list[PartialGradient]:
        """The gradients through single calls, if they are only parts of the tensor's gradient.

        They are if the tensor also goes into a call that is neither around this call nor within it, or is used elsewhere. If a call and
        one within it compute the same from the tensor, the result holds the outer call, and the inner call has it as `shared_with`.
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
        partials = []
        for place, use in enumerate(uses):
            outer = outer_of[use]
            use.shared_with = None
            if outer is not None and not outer.computes and within[outer] == within[use] + 1:
                use.shared_with = outer.shared_with or outer
            elif self.is_used_elsewhere or computing[use] < all_computing or around[use] + within[use] < len(uses):
                inner = uses[place : place + within[use]]
                partials.append(PartialGradient(use, [part for part in inner if part.computes]))
        return partials

    @staticmethod
    def _outer(use: InputUse) -> InputUse | None:
        """The innermost call around another whose gradient can be separated from others."""
        outer = use.outer
        while outer is not None and outer.is_void:
            outer = outer.outer
        return outer


class OperationUse(NamedTuple):
    """An operation that computes from a tensor, within a call into which the tensor goes.

    Attributes:
        position: Which of its arguments the tensor is.
    """

    node: Node
    number: int
    position: int
    use: InputUse


class GraphUses(NamedTuple):
    """Where a graph uses the tensors that go into calls.

    Attributes:
        operations: The operations within calls that compute from them.
        are_last: Whether the gradient of each tensor that the graph leads to is its last, if the pass frees what was saved for it.
        are_numbered_apart: Whether parts of the graph were made in different threads.
    """

    operations: list[OperationUse]
    are_last: dict[UsedTensor, bool]
    are_numbered_apart: bool


def find_uses(roots: Sequence[Tensor | GradientEdge], by_edge: Mapping[Edge, UsedTensor]) -> GraphUses:
    """Searches a graph once for uses of tensors, given by the edges that lead to them. Notes them with the tensors and calls."""
    operations: list[OperationUse] = []
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
                last[used] = last.get(used, True) and runs_for_the_last_time(before, lambda _: True)
                use = _note_use(used, numbers[node])
                if use is not None:
                    operations.append(OperationUse(node, numbers[node], position, use))
    return GraphUses(operations, last, is_apart or len(set(numbers.values())) < len(numbers))


def _note_use(used: UsedTensor, number: int) -> InputUse | None:
    """Notes that an operation uses a tensor. Returns the call through which it does; None if it is outside all calls."""
    used.is_reached = True
    use = used.innermost(number)
    if use is None:
        used.is_used_elsewhere = True
    else:
        use.computes = True
    return use

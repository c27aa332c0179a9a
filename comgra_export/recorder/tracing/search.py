"""Which registered tensors depend directly on which: the search, and the tracer that follows PyTorch's autograd graph.

A registered tensor A is a direct dependency of B when a path leads from B back to A with no other registered tensor on it. For every
place on the way we compute one set: the registered tensors that it reaches first. The set of a place is the union of the sets of what
comes before it, so every place is visited once. Sets are integers used as bit masks: unions are fast, and a place with one predecessor
shares its set. A second set holds those that are reached by a path all of which carries gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from comgra_export.errors import MisuseError

__all__ = [
    "AutogradTracer",
    "Dependency",
    "Edge",
    "Place",
    "Search",
    "Spot",
    "Tracer",
    "edge_of",
    "edge_to",
    "is_leaf_node",
    "keeper_of",
    "result_key",
    "variable_of",
    "version_of",
]


class Dependency(NamedTuple):
    """A registered tensor on which another depends, and whether gradients flow through that dependency."""

    number: int
    carries_gradient: bool


class Spot:
    """A tensor with the values that it has at some time, as a place in the graph.

    Attributes:
        number: Its number if it is registered, else None.
        is_used: Whether something is known to have been computed from it.
    """

    __slots__ = ("is_used", "number")

    def __init__(self) -> None:
        self.number: int | None = None
        self.is_used = False


# Up to 2.12, a node of `torch.autograd.Function` is empty as soon as no tensor and no other operation refers to it.
_NODES_FORGET = tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 13)

Place = Spot | Node
Edge = tuple[type[Node] | None, int]
"""Identifies an output of an operation of autograd, or a leaf, without keeping it alive: the operation's type and `result_key`, or None and
the identity of the leaf, which somebody else must keep alive."""

_AnySpot = TypeVar("_AnySpot", bound=Spot)
_Reached = tuple[int, int]


class Tracer(Protocol[_AnySpot]):
    """Knows how the tensors of one training step depend on each other, over all of its iterations."""

    def spot(self, tensor: Tensor) -> _AnySpot:
        """The spot of a tensor as it is now; made if there is none."""

    def spot_to_register(self, tensor: Tensor) -> _AnySpot:
        """Like `spot`, but a new one where the values of a registered tensor have been changed in place since."""

    def register(self, spot: _AnySpot, number: int) -> None:
        """Gives a spot its number: from now on, searches stop there."""

    def connect(self, source: _AnySpot, sink: _AnySpot) -> None:
        """Makes the source a dependency of the sink, through which no gradient flows."""

    def direct_dependencies(self, spot: _AnySpot, name: str) -> list[Dependency]:
        """The registered tensors that a spot depends on directly, by ascending number.

        Args:
            spot: The spot.
            name: How messages name it.

        Raises:
            MisuseError: Connections made by hand form a loop through tensors that are not registered.
        """

    def tensor_of(self, spot: _AnySpot) -> Tensor | None:
        """The tensor that has the values of a spot, if it is still there and known. It takes a look at every tensor."""

    def operation(self, tensor: Tensor) -> str | None:
        """The operation that made a tensor: that of autograd or, where there is none, the name of the function if it was seen."""

    def forget(self) -> None:
        """Lets go of everything, at the end of the step."""


class Search:
    """The sets of all places that were looked at.

    Args:
        predecessors: What comes directly before a place, each with whether gradients flow from it to the place.
    """

    def __init__(self, predecessors: Callable[[Place], Sequence[tuple[Place, bool]]]) -> None:
        self._predecessors = predecessors
        self._registered: dict[Place, int] = {}
        self._reached: dict[Place, _Reached] = {}
        self._is_outdated = False

    def stop_at(self, place: Spot, number: int) -> None:
        """From now on, searches end at this place, where a tensor was registered under this number."""
        self._registered[place] = number

    def __contains__(self, place: Place | None) -> bool:
        return place in self._reached

    def start_anew(self) -> None:
        """Something has changed in the graph."""
        self._reached.clear()
        self._is_outdated = True

    def forget(self) -> None:
        """Lets go of everything."""
        self._reached.clear()
        self._registered.clear()

    def direct_dependencies(self, start: Spot, name: str) -> list[Dependency]:
        """As `Tracer.direct_dependencies`."""
        every, with_gradient = self._reached.get(start) or self._look_once(start) or self._visit(start, name)
        return [Dependency(number, bool(with_gradient >> number & 1)) for number in _numbers_in(every)]

    def _look_once(self, start: Spot) -> _Reached | None:
        """What a place reaches, where all that comes directly before it is registered or known: the usual case. None elsewhere."""
        self._is_outdated = False
        before = self._predecessors(start)
        if self._is_outdated:
            return None
        for one, _ in before:
            if one not in self._registered and one not in self._reached:
                return None
        return self._unite(before)

    def _unite(self, before: Sequence[tuple[Place, bool]]) -> _Reached:
        """The set of a place whose predecessors are all registered or known."""
        every = with_gradient = 0
        for one, carries_gradient in before:
            number = self._registered.get(one)
            if number is None:
                found, found_with_gradient = self._reached[one]
            else:
                # The sets of single tensors are not kept: among thousands, each would take a kilobyte.
                found = found_with_gradient = 1 << number
            every = _union(every, found)
            if carries_gradient:
                with_gradient = _union(with_gradient, found_with_gradient)
        return every, every if with_gradient == every else with_gradient

    def _visit(self, start: Spot, name: str) -> _Reached:
        """Depth first, with a stack of our own: graphs are deeper than Python's recursion limit."""
        reached, registered, predecessors = self._reached, self._registered, self._predecessors
        opened: dict[Place, Sequence[tuple[Place, bool]]] = {}
        stack: list[Place] = [start]
        self._is_outdated = False
        while True:
            place = stack[-1]
            if place in reached:
                stack.pop()
                continue
            before = opened.get(place)
            if before is None:
                opened[place] = before = predecessors(place)
                if self._is_outdated:
                    # Looking at a place has brought to light that it has changed.
                    opened.clear()
                    stack[:] = [start]
                    self._is_outdated = False
                    continue
                unknown = [one for one, _ in before if one not in registered and one not in reached]
                if unknown:
                    # What is opened and not reached lies on the path that led here.
                    if not opened.keys().isdisjoint(unknown):
                        raise MisuseError(
                            f"finish_iteration: connections made by add_tensor_connection form a loop among tensors that are not "
                            f"registered, which the tensor {name!r} depends on. Remove the connection that leads back to an earlier tensor."
                        )
                    stack.extend(unknown)
                    continue
            del opened[place]
            stack.pop()
            result = self._unite(before)
            if place is start:
                return result
            reached[place] = result


class AutogradSpot(Spot):
    """A certain output of an operation of autograd, or a leaf."""

    __slots__ = ("node", "sources", "tensor", "version")

    def __init__(self, node: Node | None, tensor: Tensor | None) -> None:
        super().__init__()
        # Python hands out the addresses of dead objects again, so a spot keeps alive what it is found by.
        self.node = node
        self.tensor = tensor
        self.version = None if tensor is None else version_of(tensor)
        self.sources: list[AutogradSpot] = []


class AutogradTracer(Tracer[AutogradSpot]):
    """Reads the dependencies from autograd's graph. It costs nothing while the network runs, and sees only what carries gradients."""

    def __init__(self) -> None:
        self._outputs: dict[tuple[Node, int], AutogradSpot] = {}
        self._leaves: dict[int, AutogradSpot] = {}
        self._unknown_leaves: set[int] = set()
        self._keepers: list[Node] = []
        self._search = Search(self._predecessors)

    def forget(self) -> None:
        """As `Tracer.forget`. The search refers back to this tracer, so what it knows must not wait for the garbage collector."""
        self._outputs.clear()
        self._leaves.clear()
        self._keepers.clear()
        self._search.forget()

    def spot(self, tensor: Tensor) -> AutogradSpot:
        """As `Tracer.spot`."""
        if tensor.grad_fn is not None:
            key = (tensor.grad_fn, tensor.output_nr)
            if key not in self._outputs:
                self._outputs[key] = AutogradSpot(tensor.grad_fn, None)
                if (keeper := keeper_of(tensor)) is not None:
                    self._keepers.append(keeper)
            return self._outputs[key]
        if id(tensor) not in self._leaves:
            self._leaves[id(tensor)] = AutogradSpot(None, tensor)
            if id(tensor) in self._unknown_leaves:
                self._start_anew()
        return self._leaves[id(tensor)]

    def spot_to_register(self, tensor: Tensor) -> AutogradSpot:
        """As `Tracer.spot_to_register`."""
        spot = self.spot(tensor)
        if spot.tensor is None or spot.number is None or (spot.version is not None and spot.version == version_of(tensor)):
            return spot
        self._leaves[id(tensor)] = changed = AutogradSpot(None, tensor)
        self._start_anew()
        return changed

    def register(self, spot: AutogradSpot, number: int) -> None:
        """As `Tracer.register`."""
        if spot in self._search or spot.node in self._search:
            self._start_anew()
        spot.number = number
        self._search.stop_at(spot, number)

    def connect(self, source: AutogradSpot, sink: AutogradSpot) -> None:
        """As `Tracer.connect`."""
        if source not in sink.sources:
            sink.sources.append(source)
            self._start_anew()

    def direct_dependencies(self, spot: AutogradSpot, name: str) -> list[Dependency]:
        """As `Tracer.direct_dependencies`."""
        return self._search.direct_dependencies(spot, name)

    def tensor_of(self, spot: AutogradSpot) -> Tensor | None:
        """As `Tracer.tensor_of`. Results are not known."""
        return spot.tensor if spot.tensor is not None and spot.version == version_of(spot.tensor) else None

    def operation(self, tensor: Tensor) -> str | None:
        """As `Tracer.operation`."""
        return None if tensor.grad_fn is None else tensor.grad_fn.name()

    def _start_anew(self) -> None:
        self._search.start_anew()
        self._unknown_leaves.clear()

    def _predecessors(self, place: Place) -> list[tuple[Place, bool]]:
        if isinstance(place, AutogradSpot):
            before: list[tuple[Place, bool]] = [(source, False) for source in place.sources]
            return before if place.node is None else [(place.node, True), *before]
        assert not isinstance(place, Spot)
        return [(self._before(node, output), True) for node, output in place.next_functions if node is not None]

    def _before(self, node: Node, output: int) -> Place:
        if not is_leaf_node(node):
            return self._outputs.get((node, output), node)
        leaf = variable_of(node)
        known = self._leaves.get(id(leaf))
        if known is None:
            self._unknown_leaves.add(id(leaf))
        return known or node


def is_leaf_node(node: Node) -> bool:
    """Whether a node of autograd's graph is where the gradient of a leaf is added up."""
    return type(node).__name__ == "AccumulateGrad"


def variable_of(node: Node) -> Tensor:
    """The leaf of such a node."""
    variable: Tensor = node.variable  # type: ignore[attr-defined]
    return variable


def keeper_of(tensor: Tensor) -> Node | None:
    """What has to be kept so that the node of a tensor goes on to know what comes before it; None where that is the node alone."""
    if not _NODES_FORGET or not isinstance(tensor.grad_fn, BackwardCFunction) or torch._C._len_torch_dispatch_stack():
        return None
    with torch.enable_grad(), torch._C.DisableTorchFunction():
        return tensor.view_as(tensor).grad_fn


def result_key(node: Node, output: int) -> int:
    """Identifies a result of an operation among those of its type and thread, without keeping the operation alive."""
    return node._sequence_nr() << 16 | output


def edge_to(node: Node, output: int) -> Edge:
    """The edge that leads to an output of an operation, or to a leaf."""
    return (None, id(variable_of(node))) if is_leaf_node(node) else (type(node), result_key(node, output))


def edge_of(tensor: Tensor) -> Edge:
    """The edge by which gradients come to a tensor, as it is now."""
    node = tensor.grad_fn
    return (None, id(tensor)) if node is None else (type(node), result_key(node, tensor.output_nr))


def version_of(tensor: Tensor) -> int | None:
    """How often in-place operations have changed a tensor; None where PyTorch does not count."""
    try:
        return tensor._version
    except RuntimeError:  # Of what was made in inference mode, it does not.
        return None


def _union(first: int, second: int) -> int:
    """Shares the integer where it can: sets of many thousands of tensors are large."""
    if not second or first == second:
        return first
    return first | second if first else second


def _numbers_in(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest

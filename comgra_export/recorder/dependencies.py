"""Which registered tensors depend directly on which, read from PyTorch's autograd graph and the connections made by hand.

A registered tensor A is a direct dependency of B when a path leads from B back to A with no other registered tensor on it. For every
operation on the way we compute one set: the registered tensors that it reaches first. The set of an operation is the union of the sets
of its inputs, so every operation is visited once. Sets are integers used as bit masks: unions are fast, and an operation with one input
shares its set.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.errors import MisuseError

__all__ = ["DependencyTracer", "Spot", "version_of"]


class Spot:
    """A tensor's place in the graph: a certain output of an operation, or a leaf.

    Attributes:
        number: Its number if it is registered, else None.
    """

    def __init__(self, node: Node | None, tensor: Tensor | None) -> None:
        self.number: int | None = None
        self.bit = 0
        # Python hands out the addresses of dead objects again, so a spot keeps alive what it is found by.
        self.node = node
        self.tensor = tensor
        self.version = None if tensor is None else version_of(tensor)
        self.sources: list[Spot] = []


class DependencyTracer:
    """The dependency graph of one training step, over all of its iterations."""

    def __init__(self) -> None:
        self._outputs: dict[tuple[Node, int], Spot] = {}
        self._leaves: dict[int, Spot] = {}
        self._reached: dict[Node | Spot, int] = {}
        self._unknown_leaves: set[int] = set()

    def spot(self, tensor: Tensor) -> Spot:
        """The spot of a tensor as it is now; made if there is none."""
        if tensor.grad_fn is not None:
            key = (tensor.grad_fn, tensor.output_nr)
            if key not in self._outputs:
                self._outputs[key] = Spot(tensor.grad_fn, None)
            return self._outputs[key]
        if id(tensor) not in self._leaves:
            self._leaves[id(tensor)] = Spot(None, tensor)
            if id(tensor) in self._unknown_leaves:
                self._forget_sets()
        return self._leaves[id(tensor)]

    def spot_to_register(self, tensor: Tensor) -> Spot:
        """Like `spot`, but a new one where an in-place operation has changed a registered leaf since: it has other values now."""
        spot = self.spot(tensor)
        if spot.tensor is None or spot.number is None or (spot.version is not None and spot.version == version_of(tensor)):
            return spot
        self._leaves[id(tensor)] = changed = Spot(None, tensor)
        self._forget_sets()
        return changed

    def register(self, spot: Spot, number: int) -> None:
        """Gives a spot its number: from now on, searches stop there."""
        if spot in self._reached or spot.node in self._reached:
            self._forget_sets()
        spot.number = number
        spot.bit = 1 << number

    def connect(self, source: Spot, sink: Spot) -> None:
        """Makes the source a dependency of the sink."""
        if source not in sink.sources:
            sink.sources.append(source)
            self._forget_sets()

    def direct_dependencies(self, spot: Spot, name: str) -> list[int]:
        """Numbers of the registered tensors that a spot depends on directly, in ascending order.

        Args:
            spot: The spot.
            name: How messages name it.

        Raises:
            MisuseError: Connections made by hand form a loop through tensors that are not registered.
        """
        return list(_numbers_in(self._set_of(spot, name)))

    def _forget_sets(self) -> None:
        self._reached.clear()
        self._unknown_leaves.clear()

    def _set_of(self, start: Spot, name: str) -> int:
        """Depth first, with a stack of our own: graphs are deeper than Python's recursion limit."""
        reached = self._reached
        opened: dict[Node | Spot, list[Node | Spot]] = {}
        stack: list[Node | Spot] = [start]
        while stack:
            place = stack[-1]
            if place in reached:
                stack.pop()
                continue
            if place not in opened:
                opened[place] = list(self._predecessors(place))
                unknown = [before for before in opened[place] if not _is_registered(before) and before not in reached]
                # What is opened and not reached lies on the path that led here.
                if any(before in opened for before in unknown):
                    raise MisuseError(
                        f"finish_iteration: connections made by add_tensor_connection form a loop among tensors that are not registered, "
                        f"which the tensor {name!r} depends on. Remove the connection that leads back to an earlier tensor."
                    )
                if unknown:
                    stack.extend(unknown)
                    continue
            union = 0
            for before in opened.pop(place):
                found = before.bit if isinstance(before, Spot) and before.number is not None else reached[before]
                union = found if not union else union | found if found != union else union
            reached[place] = union
            stack.pop()
        return reached[start]

    def _predecessors(self, place: Node | Spot) -> Iterator[Node | Spot]:
        if isinstance(place, Spot):
            if place.node is not None:
                yield place.node
            yield from place.sources
            return
        for node, output in place.next_functions:
            if node is None:
                continue
            if type(node).__name__ == "AccumulateGrad":
                leaf = node.variable  # type: ignore[attr-defined]
                if id(leaf) in self._leaves:
                    yield self._leaves[id(leaf)]
                else:
                    self._unknown_leaves.add(id(leaf))
            else:
                yield self._outputs.get((node, output), node)


def _is_registered(place: Node | Spot) -> bool:
    return isinstance(place, Spot) and place.number is not None


def _numbers_in(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def version_of(tensor: Tensor) -> int | None:
    """How often in-place operations have changed a tensor; None where PyTorch does not count."""
    return None if tensor.is_inference() else tensor._version

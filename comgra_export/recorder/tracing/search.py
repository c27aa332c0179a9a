"""Which registered tensors depend directly on which: the search, and what a tracer must know for it.

A registered tensor A is a direct dependency of B if a path leads from B back to A with no other registered tensor on it. For every place
on the way, the search computes one set: the registered tensors that it reaches first. The set of a place is the union of the sets of
what comes before it, so the search visits every place once. Sets are integers used as bit masks: unions are fast, and a place with one
predecessor shares its set. A second set holds the tensors that are reached by a path all of which carries gradients.

If a tracer does not know all that comes before a place, it names one of `UNSEEN`, `OUTSIDE` and `ONLY_AUTOGRAD` among it. It calls their
paths paths with gradients, so that the two sets of a place are more often the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.errors import MisuseError
from comgra_export.storage.model.layout import NotKnown, SourceLine

__all__ = ["ONLY_AUTOGRAD", "OUTSIDE", "UNSEEN", "Dependencies", "Dependency", "Place", "Search", "TracedValue", "Tracer"]


class Dependency(NamedTuple):
    """A registered tensor on which another depends, and whether gradients flow through that dependency."""

    number: int
    carries_gradient: bool


class Dependencies(NamedTuple):
    """The registered tensors on which another depends directly, by ascending number, and why it may depend on more; None: it does not."""

    known: list[Dependency]
    not_known: NotKnown | None


class TracedValue:
    """What a tensor holds at some time, as a place in the graph.

    Attributes:
        number: Its number if it is registered, else None.
        is_used: Whether something is known to have been computed from it.
    """

    __slots__ = ("is_used", "number")

    def __init__(self) -> None:
        self.number: int | None = None
        self.is_used = False


Place = TracedValue | Node

UNSEEN = TracedValue()
"""Comes before a registered tensor that no call which was seen has made."""

OUTSIDE = TracedValue()
"""Comes before what may have been made from values that had left PyTorch."""

ONLY_AUTOGRAD = TracedValue()
"""Comes before an operation that only autograd's graph knows of, which leaves out what carries no gradient."""

# In the sets, they have the first bits, before the registered tensors. The first reason counts.
_NOT_KNOWN: dict[TracedValue, NotKnown] = {OUTSIDE: "outside", UNSEEN: "unseen", ONLY_AUTOGRAD: "autograd"}
_RESERVED = len(_NOT_KNOWN)

_AnyValue = TypeVar("_AnyValue", bound=TracedValue)
_Reached = tuple[int, int]


class Tracer(Protocol[_AnyValue]):
    """Knows how the tensors of one training step depend on each other, over all of its iterations."""

    def value_of(self, tensor: Tensor) -> _AnyValue:
        """What a tensor holds now; made if it is not known."""

    def value_to_register(self, tensor: Tensor) -> _AnyValue:
        """Like `value_of`, but a new one if a registered tensor was changed in place since."""

    def register(self, value: _AnyValue, number: int) -> None:
        """Gives a value its number: from now on, searches stop there."""

    def connect(self, source: _AnyValue, sink: _AnyValue) -> None:
        """Makes the source a dependency of the sink, through which no gradient flows."""

    def direct_dependencies(self, value: _AnyValue, name: str) -> Dependencies:
        """What a value depends on directly. Messages name the value by `name`.

        Raises:
            MisuseError: Connections made by hand form a loop through tensors that are not registered.
        """

    def tensor_of(self, value: _AnyValue) -> Tensor | None:
        """The tensor that holds a value, if it is still there and known. Goes through all tensors."""

    def operation(self, tensor: Tensor) -> str | None:
        """The operation that made a tensor: that of autograd or, if there is none, the name of the function if it was seen."""

    def made_at(self, tensor: Tensor) -> SourceLine | None:
        """The line of the project that called the function which made a tensor; None if it is not known."""

    def forget(self) -> None:
        """Lets go of everything, at the end of the step."""


class Search:
    """The sets of all places that were visited.

    Args:
        predecessors: What comes directly before a place, each with whether gradients flow from it to the place.
    """

    def __init__(self, predecessors: Callable[[Place], Sequence[tuple[Place, bool]]]) -> None:
        self._predecessors = predecessors
        # Which bit of a set each has.
        self._registered: dict[Place, int] = _first_bits()
        self._reached: dict[Place, _Reached] = {}
        self._is_outdated = False

    def stop_at(self, place: TracedValue, number: int) -> None:
        """From now on, searches end at this place, at which a tensor was registered under this number."""
        self._registered[place] = number + _RESERVED

    def __contains__(self, place: Place | None) -> bool:
        return place in self._reached

    def start_anew(self) -> None:
        """Something has changed in the graph."""
        self._reached.clear()
        self._is_outdated = True

    def forget(self) -> None:
        """Lets go of everything."""
        self._reached.clear()
        self._registered = _first_bits()

    def direct_dependencies(self, start: TracedValue, name: str) -> Dependencies:
        """As `Tracer.direct_dependencies`."""
        every, with_gradient = self._reached.get(start) or self._reach_directly(start) or self._visit(start, name)
        not_known = next((reason for bit, reason in enumerate(_NOT_KNOWN.values()) if every >> bit & 1), None)
        every, with_gradient = every >> _RESERVED, with_gradient >> _RESERVED
        return Dependencies([Dependency(number, bool(with_gradient >> number & 1)) for number in _numbers_in(every)], not_known)

    def _reach_directly(self, start: TracedValue) -> _Reached | None:
        """What a place reaches, if all that comes directly before it is registered or known: the usual case. Else None."""
        self._is_outdated = False
        before = self._predecessors(start)
        if self._is_outdated:
            return None
        for source, _ in before:
            if source not in self._registered and source not in self._reached:
                return None
        return self._unite(before)

    def _unite(self, before: Sequence[tuple[Place, bool]]) -> _Reached:
        """The set of a place whose predecessors are all registered or known."""
        every = with_gradient = 0
        for source, carries_gradient in before:
            bit = self._registered.get(source)
            if bit is None:
                reached, reached_with_gradient = self._reached[source]
            else:
                # The sets of single tensors are not kept: among thousands, each would take a kilobyte.
                reached = reached_with_gradient = 1 << bit
            every = _union(every, reached)
            if carries_gradient:
                with_gradient = _union(with_gradient, reached_with_gradient)
        return every, every if with_gradient == every else with_gradient

    def _visit(self, start: TracedValue, name: str) -> _Reached:
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
                unknown = [source for source, _ in before if source not in registered and source not in reached]
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


def _first_bits() -> dict[Place, int]:
    return {place: bit for bit, place in enumerate(_NOT_KNOWN)}


def _union(first: int, second: int) -> int:
    """Shares the integer if it can: sets of many thousands of tensors are large."""
    if not second or first == second:
        return first
    return first | second if first else second


def _numbers_in(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest

"""Which calls of watched modules a tensor goes into, and through which of them only part of its gradient comes."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from typing import NamedTuple

from torch import Tensor

from comgra_export.recorder.gradients.sums import GradientSum
from comgra_export.recorder.host.torch_internals import is_view, version_of
from comgra_export.recorder.tracing.registrations import Reference, Registration

__all__ = ["InputUse", "PartialGradient", "UsedTensor"]


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

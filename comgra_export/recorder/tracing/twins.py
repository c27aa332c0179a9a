"""Gradients of tensors that require none: the recorder computes with twins of them that do.

A registered tensor without `requires_grad` gets a twin: another tensor on the same memory, which requires a gradient. If a function is
called with a tensor that has a twin, the gradient must find its way through:

- Some other argument requires a gradient. The function computes with the twins instead, and its result, which requires a gradient either
  way, is the user's. Whether that is so is checked in the graph that was made; otherwise the user gets what the function returns for the
  arguments as they are.
- None does. The function computes twice: for the user, with the arguments as they are; and again with the twins, on the same random
  numbers. The second result is the twin of the first. A function that changes its argument in place does so to a copy of the twin.

So the user's tensors have the values, flags, identities and memory that they would have had without a recorder. If this is
impossible, the function gets its arguments as they are, and the gradients end there, for a reason that is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.torch_internals import (
    count_dispatch_modes,
    default_saved_tensor_hooks,
    innermost_transform,
    saved_tensor_hooks_are_allowed,
    tracing_state,
)
from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.functions import Function
from comgra_export.recorder.tracing.replay import as_leaf
from comgra_export.recorder.tracing.twin_calls import Outcome, Twin, TwinMemory, TwinnedCall, call_once, call_twice
from comgra_export.recorder.tracing.values import Inputs, Value

__all__ = ["TWIN_BYTES", "GradientTwins"]

TWIN_BYTES = 2_000_000_000
"""How much memory one step may take for twins. The function that goes beyond is the last one that is computed with any."""

_Call = Callable[..., Any]
_SHARED = "it was changed in place through another tensor that shares its memory"


class GradientTwins:
    """The twins of one step's tensors. A twin is that of the values that a tensor holds: a change in place makes new ones."""

    def __init__(self, tracer: DataFlowTracer) -> None:
        self._bytes_of_leaves = 0
        self._tracer = tracer
        self._twins: dict[Value, Twin] = {}
        self._reasons: dict[int, str] = {}
        self._memory = TwinMemory()

    @property
    def bytes(self) -> int:
        """As `TwinMemory.bytes`."""
        return self._memory.bytes

    def make(self, number: int, tensor: Tensor) -> Tensor:
        """The twin of a tensor that is being registered under a number: a leaf, or what was computed from other twins."""
        value = self._tracer.value_of(tensor)
        known = self._twins.get(value)
        bit = 1 << number
        if known is not None:
            self._twins[value] = Twin(known.tensor, known.roots | bit)
            return known.tensor
        twin = as_leaf(tensor)
        self._twins[value] = Twin(twin, bit)
        self._bytes_of_leaves += bytes_of(twin)
        return twin

    def twin(self, tensor: Tensor) -> Tensor | None:
        """The twin of a tensor with the values that it has now, if it has one."""
        if not self._twins:
            return None
        twin = self._twins.get(self._tracer.value_of(tensor))
        return None if twin is None else twin.tensor

    def why_full(self) -> str | None:
        """Why no more memory is taken; None if some is left. The gradients of leaves count before they come."""
        if self.bytes + self._bytes_of_leaves < TWIN_BYTES:
            return None
        return f"more than {TWIN_BYTES / 1e9:g} GB would be taken in this step for gradients of tensors that require none"

    def why_ended(self, number: int) -> str | None:
        """Why the gradient of a registered tensor is not or not fully known; None if nothing is amiss."""
        return self._reasons.get(number)

    def release(self) -> None:
        """Lets go of all twins."""
        self._twins.clear()
        self._memory.copies.clear()

    def concern(self, inputs: Inputs) -> bool:
        """Whether a call with these arguments concerns any twin."""
        twins = self._twins
        if twins:
            for value in inputs.values:
                if value in twins or (value.is_changed_through_others and any(source in twins for source in value.sources)):
                    return True
        return False

    def carrying(self, inputs: Inputs, roots: int) -> int:
        """A bit for each position of an argument with a twin that these registered tensors' gradients depend on."""
        bits = 0
        for position, value in enumerate(inputs.values):
            twin = self._twins.get(value)
            if twin is not None and twin.roots & roots:
                bits |= 1 << position
        return bits

    def end_at(self, inputs: Inputs, reason: str) -> None:
        """Gradients do not get through a call with these arguments."""
        self._end(self._choose(inputs).values(), reason)

    def adopt(self, outcome: Outcome) -> None:
        """Makes the twins of a call's results known, once the results are known to the tracer."""
        for tensor, twin in outcome.twins:
            self._twins[self._tracer.value_of(tensor)] = Twin(twin, outcome.roots)

    def call(self, function: Function, original: _Call, arguments: tuple[Any, ...], named: dict[str, Any], inputs: Inputs) -> Outcome:
        """Calls a function for the user, such that gradients flow to the twins of its arguments if they can.

        Exceptions of the function pass.
        """
        twins = self._choose(inputs)
        written = function.written(arguments, named)
        if not torch.is_grad_enabled() or function.stops_gradients or not twins:
            return Outcome(original(*arguments, **named))
        reason = self.why_full() or _why_not_now(function, inputs)
        once = reason is None and inputs.require_gradients()
        if once:
            for tensor in written:
                twin = twins.pop(id(tensor), None)
                if twin is not None:
                    # It is a result that requires a gradient from now on, and its history is autograd's alone.
                    self._end([twin], f"it was changed in place by {function.name}")
            if _saving_is_watched():
                reason = f"{function.name} was called where saved tensors are watched, as in a checkpointed block"
        elif reason is None and not function.is_known:
            reason = f"{function.name} is not a function of PyTorch's own, so it was called once"
        if reason is not None:
            self._end(twins.values(), reason)
        elif twins:
            call = TwinnedCall(function, original, arguments, named, inputs=inputs, twins=twins, written=written)
            compute = call_once if once else call_twice
            return compute(call, self._memory, self._end)
        return Outcome(original(*arguments, **named))

    def _choose(self, inputs: Inputs) -> dict[int, Twin]:
        twins = {}
        for tensor, value in zip(inputs.tensors, inputs.values, strict=True):
            twin = self._twins.get(value)
            if twin is None:
                if value.is_changed_through_others:
                    # The twins of what it held before, and of what was written to it.
                    self._end([self._twins[source] for source in value.sources if source in self._twins], _SHARED)
                continue
            if tensor.requires_grad:
                # The user has asked for this gradient themselves, so that autograd knows it from now on.
                del self._twins[value]
            else:
                twins[id(tensor)] = twin
        return twins

    def _end(self, twins: Iterable[Twin], reason: str) -> None:
        for twin in twins:
            roots = twin.roots
            while roots:
                lowest = roots & -roots
                self._reasons.setdefault(lowest.bit_length() - 1, reason)
                roots ^= lowest


def _why_not_now(function: Function, inputs: Inputs) -> str | None:
    """Why nothing may be computed here that the user did not ask for."""
    if count_dispatch_modes():
        return f"{function.name} was called under a TorchDispatchMode"
    if tracing_state() is not None or innermost_transform() is not None:
        return f"{function.name} was called within a transformation, such as torch.vmap or a compiler"
    if not saved_tensor_hooks_are_allowed():
        return f"{function.name} was called where hooks for saved tensors are forbidden"
    if function.is_random and any(tensor.device.type not in ("cpu", "cuda") for tensor in inputs.tensors):
        return f"{function.name} may draw random numbers on a device on which they cannot be drawn again"
    return None


def _saving_is_watched() -> bool:
    return default_saved_tensor_hooks() is not None

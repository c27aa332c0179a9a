"""Gradients of tensors that require none, had by computing with twins of them that do.

A registered tensor without `requires_grad` gets a twin: another tensor on the same memory, which requires a gradient. Where a function is
called with a tensor that has a twin, the gradient must find its way through:

- Some other argument requires a gradient. The function computes with the twins instead, and its result, which requires a gradient either
  way, is the user's. Whether that is so is checked in the graph that was made; otherwise the user gets what the function returns for the
  arguments as they are.
- None does. The function computes twice: for the user, with the arguments as they are; and again with the twins, on the same random
  numbers. The second result is the twin of the first. A function that changes its argument in place does so to a copy of the twin.

So the user's tensors have the values, flags, identities and memory that they would have had without a recorder. Where this cannot be
had, the function gets its arguments as they are, and the gradients end there, for a reason that is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import torch
from torch import Tensor
from torch._C import _EnableTorchFunction
from torch.autograd.graph import Node, get_gradient_edge, saved_tensors_hooks

from comgra_export.recorder.data_flow import DataFlowTracer
from comgra_export.recorder.dependencies import is_leaf_node, version_of
from comgra_export.recorder.flow_values import Inputs, Value
from comgra_export.recorder.functions import Function, tensors_in
from comgra_export.recorder.gaps import describe_error
from comgra_export.recorder.memory import bytes_of
from comgra_export.recorder.repeating import RandomNumbers, SavedCopy, graft

__all__ = ["TWIN_BYTES", "GradientTwins", "Outcome"]

TWIN_BYTES = 2_000_000_000
"""How much memory one step may take for twins. The function that goes beyond is the last one that is computed with any."""

_Call = Callable[..., Any]
_SHARED = "it was changed in place through another tensor that shares its memory"


class _Twin(NamedTuple):
    """A twin, and the registered tensors whose gradients depend on it: a bit for the number of each."""

    tensor: Tensor
    roots: int


class Outcome(NamedTuple):
    """What came of a call.

    Attributes:
        result: What the user gets.
        twins: Results and tensors changed in place, each with its twin.
        roots: The registered tensors whose gradients flow through the call.
    """

    result: Any
    twins: Sequence[tuple[Tensor, Tensor]] = ()
    roots: int = 0


class GradientTwins:
    """The twins of one step's tensors.

    Args:
        tracer: Knows which values a tensor holds: a twin is that of the values, and a change in place makes new ones.

    Attributes:
        bytes: How much memory was taken for second results and for copies. What was given back since is not subtracted: when the backward
            pass frees what it has used is not told.
    """

    def __init__(self, tracer: DataFlowTracer) -> None:
        self.bytes = 0
        self._bytes_of_leaves = 0
        self._tracer = tracer
        self._twins: dict[Value, _Twin] = {}
        self._reasons: dict[int, str] = {}
        # Whatever several calls save is copied once.
        self._copies: WeakValueDictionary[tuple[Any, ...], SavedCopy] = WeakValueDictionary()

    def make(self, number: int, tensor: Tensor) -> Tensor:
        """The twin of a tensor that is being registered under a number: a leaf, or what was computed from other twins."""
        value = self._tracer.spot(tensor)
        known = self._twins.get(value)
        bit = 1 << number
        if known is not None:
            self._twins[value] = _Twin(known.tensor, known.roots | bit)
            return known.tensor
        if type(tensor) is Tensor:
            twin = tensor.detach().requires_grad_()
        else:
            with _EnableTorchFunction():  # Only so is the twin of the same class.
                twin = tensor.detach().requires_grad_()
        self._twins[value] = _Twin(twin, bit)
        self._bytes_of_leaves += bytes_of(twin)
        return twin

    def twin(self, tensor: Tensor) -> Tensor | None:
        """The twin of a tensor with the values that it has now, if it has one."""
        if not self._twins:
            return None
        found = self._twins.get(self._tracer.spot(tensor))
        return None if found is None else found.tensor

    def why_full(self) -> str | None:
        """Why no more memory is taken; None where some is left. The gradients of leaves count before they come."""
        if self.bytes + self._bytes_of_leaves < TWIN_BYTES:
            return None
        return f"more than {TWIN_BYTES / 1e9:g} GB would be taken in this step for gradients of tensors that require none"

    def why_ended(self, number: int) -> str | None:
        """Why the gradient of a registered tensor is not or not fully known; None where nothing is amiss."""
        return self._reasons.get(number)

    def release(self) -> None:
        """Lets go of all twins."""
        self._twins.clear()
        self._copies.clear()

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
            self._twins[self._tracer.spot(tensor)] = _Twin(twin, outcome.roots)

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
            compute = self._call_once if once else self._call_twice
            return compute(function, original, arguments, named, inputs, twins, written)
        return Outcome(original(*arguments, **named))

    def _choose(self, inputs: Inputs) -> dict[int, _Twin]:
        twins = {}
        for tensor, value in zip(inputs.tensors, inputs.values, strict=True):
            twin = self._twins.get(value)
            if twin is None:
                if value.is_changed_through_others:
                    # Of what it held before, and of what was written to it.
                    self._end([self._twins[source] for source in value.sources if source in self._twins], _SHARED)
                continue
            if tensor.requires_grad:
                # The user has asked for this gradient themselves, so that autograd knows it from now on.
                del self._twins[value]
            else:
                twins[id(tensor)] = twin
        return twins

    def _call_once(
        self,
        function: Function,
        original: _Call,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        inputs: Inputs,
        twins: dict[int, _Twin],
        written: Sequence[Tensor],
    ) -> Outcome:
        """Some argument requires a gradient."""
        legitimate = {_edge_of(tensor) for tensor in inputs.tensors if tensor.requires_grad}
        replaced, replaced_named = _replace_arguments(function, arguments, named, twins)
        numbers = RandomNumbers(function, inputs, named)
        result, error = None, None
        try:
            with self._copying():
                result = original(*replaced, **replaced_named)
        except Exception as trouble:
            # Without its traceback, which refers to the arguments.
            error = trouble.with_traceback(None)
        if error is not None:
            numbers.restore()
            result = original(*arguments, **named)
            self._end(twins.values(), _why_not_known(function, error))
            return Outcome(result)
        roots = _union_of(twins)
        borders = {_edge_of(twin.tensor) for twin in twins.values()}
        results = tensors_in((result,))
        illegitimate = {id(one) for one in results if one.requires_grad and not _reaches(_edge_of(one), legitimate, borders)}
        if not illegitimate:
            return Outcome(result, (), roots)
        if written or function.may_write:
            plain = [one.detach() for one in results]
        else:
            # Mostly views, and what a function returns as it was given.
            numbers.restore()
            plain = tensors_in((original(*arguments, **named),))
        replacing = {id(one): other for one, other in zip(results, plain, strict=True) if id(one) in illegitimate}
        pairs = _pairs(
            [replacing[id(one)] for one in results if id(one) in replacing], [one for one in results if id(one) in replacing], inputs
        )
        pairs = [(tensor, graft(tensor, computed)) for tensor, computed in pairs]
        return Outcome(_map(result, lambda one: replacing.get(id(one), one)), pairs, roots)

    def _call_twice(
        self,
        function: Function,
        original: _Call,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        inputs: Inputs,
        twins: dict[int, _Twin],
        written: Sequence[Tensor],
    ) -> Outcome:
        """No argument requires a gradient."""
        out = named.get("out") if named else None
        changed = list(written) if out is None else []
        numbers = RandomNumbers(function, inputs, named)
        copies: dict[int, _Twin] = {}
        try:
            # Before the user's tensors change.
            for tensor in changed:
                twin = twins.get(id(tensor))
                copies[id(tensor)] = _Twin((tensor.detach() if twin is None else twin.tensor).clone(), 0 if twin is None else twin.roots)
                self.bytes += bytes_of(tensor)
        except Exception as error:
            self._end(twins.values(), _why_not_known(function, error))
            return Outcome(original(*arguments, **named))
        versions = [version_of(tensor) for tensor in inputs.tensors]
        result = original(*arguments, **named)
        if not any(one.is_floating_point() or one.is_complex() for one in [*changed, *tensors_in((result,))]):
            return Outcome(result)
        if not changed and out is None and versions != [version_of(tensor) for tensor in inputs.tensors]:
            self._end(twins.values(), f"{function.name} changed a tensor in place, so it was called once")
            return Outcome(result)
        replaced, replaced_named = _replace_arguments(function, arguments, named, {**twins, **copies})
        replaced_named.pop("out", None)
        end = numbers.now()
        try:
            numbers.restore()
            with self._remembering(function, list(twins.values())):
                second = original(*replaced, **replaced_named)
            self.bytes += sum(bytes_of(one) for one in tensors_in((second,)) if not one._is_view())
            pairs = [(tensor, copies[id(tensor)].tensor) for tensor in changed if copies[id(tensor)].tensor.requires_grad]
            pairs = [(tensor, graft(tensor, computed)) for tensor, computed in pairs + _pairs(result, second, inputs)]
        except Exception as error:
            self._end(twins.values(), _why_not_known(function, error))
            return Outcome(result)
        finally:
            numbers.restore(end)
        return Outcome(result, pairs, _union_of(twins))

    def _end(self, twins: Iterable[_Twin], reason: str) -> None:
        for twin in twins:
            roots = twin.roots
            while roots:
                lowest = roots & -roots
                self._reasons.setdefault(lowest.bit_length() - 1, reason)
                roots ^= lowest

    def _copying(self) -> saved_tensors_hooks:
        """What is saved for the backward pass is copied: the user may change their tensors where nothing was saved without a recorder."""

        def pack(tensor: Tensor) -> SavedCopy:
            try:
                storage = tensor.untyped_storage()
            except (RuntimeError, NotImplementedError):  # A sparse tensor.
                return SavedCopy(tensor, None)
            place = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
            key = (storage._cdata, version_of(tensor), *place)
            copy = self._copies.get(key)
            if copy is None:
                self._copies[key] = copy = SavedCopy(tensor, storage)
                self.bytes += bytes_of(tensor)
            return copy

        return saved_tensors_hooks(pack, lambda copy: copy.tensor)

    def _remembering(self, function: Function, twins: Sequence[_Twin]) -> saved_tensors_hooks:
        """What is saved serves only the gradients of twins. Where it has changed until it is used, they are not known."""

        def pack(tensor: Tensor) -> tuple[Tensor, int | None]:
            # Not the tensor itself: it may be the result of the very operation that saves it, which would then never be freed.
            return tensor.detach(), version_of(tensor)

        def unpack(saved: tuple[Tensor, int | None]) -> Tensor:
            tensor, version = saved
            if version_of(tensor) != version:
                self._end(twins, f"what {function.name} had used was changed in place before the backward pass")
            return tensor

        return saved_tensors_hooks(pack, unpack)


def _why_not_now(function: Function, inputs: Inputs) -> str | None:
    """Why nothing may be computed here that the user did not ask for."""
    if torch._C._len_torch_dispatch_stack():
        return f"{function.name} was called under a TorchDispatchMode"
    if torch._C._get_tracing_state() is not None or torch._C._functorch.peek_interpreter_stack() is not None:
        return f"{function.name} was called within a transformation, such as torch.vmap or a compiler"
    if not torch._C._autograd._saved_tensors_hooks_is_enabled():  # type: ignore[attr-defined]
        return f"{function.name} was called where hooks for saved tensors are forbidden"
    if function.is_random and any(tensor.device.type not in ("cpu", "cuda") for tensor in inputs.tensors):
        return f"{function.name} may draw random numbers on a device on which they cannot be drawn again"
    return None


def _why_not_known(function: Function, error: Exception) -> str:
    return f"the gradient through {function.name} is not known ({describe_error(error)})"


def _saving_is_watched() -> bool:
    return torch._C._autograd._top_saved_tensors_default_hooks(True) is not None


def _union_of(twins: dict[int, _Twin]) -> int:
    roots = 0
    for twin in twins.values():
        roots |= twin.roots
    return roots


def _replace_arguments(
    function: Function, arguments: tuple[Any, ...], named: dict[str, Any], twins: dict[int, _Twin]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def replace(tensor: Tensor) -> Tensor:
        twin = twins.get(id(tensor))
        return tensor if twin is None else twin.tensor

    return (
        tuple(_map(one, replace) if function.may_replace(position) else one for position, one in enumerate(arguments)),
        {name: _map(one, replace) if function.may_replace(name) else one for name, one in named.items()},
    )


def _map(value: Any, change: Callable[[Tensor], Tensor]) -> Any:  # noqa: ANN401
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_map(one, change) for one in value)
    if type(value) is dict:
        return {name: _map(one, change) for name, one in value.items()}
    if isinstance(value, tuple) and tensors_in(value):  # What `max` and its like return.
        return type(value)([_map(one, change) for one in value])
    return value


def _pairs(first: Any, second: Any, inputs: Inputs) -> list[tuple[Tensor, Tensor]]:  # noqa: ANN401
    """Results with their twins. What a function was given, and returns as it is, has one already."""
    given = {id(tensor) for tensor in inputs.tensors}
    pairs = zip(tensors_in((first,)), tensors_in((second,)), strict=True)
    return [(tensor, twin) for tensor, twin in pairs if id(tensor) not in given and twin.requires_grad]


def _edge_of(tensor: Tensor) -> Node:
    return get_gradient_edge(tensor).node


def _reaches(start: Node, targets: set[Node], borders: set[Node]) -> bool:
    """Whether a graph that a call has made leads to one of the targets without passing a border."""
    waiting, seen = [start], {start}
    while waiting:
        node = waiting.pop()
        if node in targets:
            return True
        if node in borders:
            continue
        if is_leaf_node(node):
            return True  # Parameters of a module may be reached that were not among the arguments.
        for before, _ in node.next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)
    return False

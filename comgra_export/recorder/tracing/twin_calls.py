"""Calls of functions with the twins of their arguments, such that the user gets what they would have got without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import ref

from torch import Tensor
from torch.autograd.graph import Node, get_gradient_edge, saved_tensors_hooks

from comgra_export.recorder.host.autograd import is_leaf_node
from comgra_export.recorder.host.gaps import describe_error
from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.nested import tensors_in
from comgra_export.recorder.host.torch_internals import is_view, storage_key, version_of
from comgra_export.recorder.tracing.functions import Function
from comgra_export.recorder.tracing.replay import RandomNumbers, SavedCopy, as_leaf, graft, graft_apart
from comgra_export.recorder.tracing.values import Inputs

__all__ = ["End", "Outcome", "Twin", "TwinMemory", "TwinnedCall", "call_once", "call_twice"]


class Twin(NamedTuple):
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


class TwinnedCall(NamedTuple):
    """A call of a function with tensors that have twins.

    Attributes:
        function: What is known of the function.
        inputs: The tensors among them.
        twins: The twins of these, by the identity of the tensor.
        written: The tensors that it writes to.
    """

    function: Function
    original: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    inputs: Inputs
    twins: dict[int, Twin]
    written: Sequence[Tensor]


class TwinMemory:
    """What calls with the twins of a step have taken.

    Attributes:
        bytes: How much memory was taken for second results and for copies. What was given back since is not subtracted: when the backward
            pass frees what it has used is not told.
        copies: What was copied for the backward pass: whatever several calls save is copied once.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self.copies: dict[tuple[Any, ...], ref[SavedCopy]] = {}


End = Callable[[Iterable[Twin], str], None]
"""Takes note that gradients do not get through to twins, and why."""


def call_once(call: TwinnedCall, memory: TwinMemory, end: End) -> Outcome:
    """Calls a function of whose arguments one or more require a gradient. `end` is called if gradients do not get through."""
    function, original, arguments, named, inputs, twins, written = call
    legitimate = {_edge_of(tensor) for tensor in inputs.tensors if tensor.requires_grad}
    replaced, replaced_named = _replace_arguments(function, arguments, named, twins)
    numbers = RandomNumbers(function, inputs, named)
    result, error = None, None
    try:
        with _copying(memory):
            result = original(*replaced, **replaced_named)
    except Exception as trouble:
        # Without its traceback, which refers to the arguments.
        error = trouble.with_traceback(None)
    if error is not None:
        numbers.restore()
        result = original(*arguments, **named)
        end(twins.values(), _why_not_known(function, error))
        return Outcome(result)
    roots = _union_of(twins)
    borders = {_edge_of(twin.tensor) for twin in twins.values()}
    results = tensors_in((result,))
    illegitimate = {id(part) for part in results if part.requires_grad and not _reaches(_edge_of(part), legitimate, borders)}
    if not illegitimate:
        return Outcome(result, (), roots)
    if written or function.may_write:
        plain = [part.detach() for part in results]
    else:
        # Mostly views, and what a function returns as it was given.
        numbers.restore()
        plain = tensors_in((original(*arguments, **named),))
    replacing = {id(part): other for part, other in zip(results, plain, strict=True) if id(part) in illegitimate}
    pairs = _pairs(
        [replacing[id(part)] for part in results if id(part) in replacing], [part for part in results if id(part) in replacing], inputs
    )
    pairs = [(tensor, graft(tensor, computed)) for tensor, computed in pairs]
    return Outcome(_map(result, lambda part: replacing.get(id(part), part)), pairs, roots)


def call_twice(call: TwinnedCall, memory: TwinMemory, end: End) -> Outcome:
    """Calls a function of whose arguments none requires a gradient. `end` is called if gradients do not get through."""
    function, original, arguments, named, inputs, twins, written = call
    out = named.get("out") if named else None
    changed = list(written) if out is None else []
    numbers = RandomNumbers(function, inputs, named)
    leaves: dict[int, Twin] = {}
    copies: dict[int, Twin] = {}
    try:
        leaves.update((key, Twin(as_leaf(twin.tensor), twin.roots)) for key, twin in twins.items())
        # Before the user's tensors change.
        for tensor in changed:
            leaf = leaves.get(id(tensor))
            copies[id(tensor)] = Twin((tensor.detach() if leaf is None else leaf.tensor).clone(), 0 if leaf is None else leaf.roots)
            memory.bytes += bytes_of(tensor)
    except Exception as error:
        end(twins.values(), _why_not_known(function, error))
        return Outcome(original(*arguments, **named))
    versions = [version_of(tensor) for tensor in inputs.tensors]
    result = original(*arguments, **named)
    if not any(part.is_floating_point() or part.is_complex() for part in [*changed, *tensors_in((result,))]):
        return Outcome(result)
    if not changed and out is None and versions != [version_of(tensor) for tensor in inputs.tensors]:
        end(twins.values(), f"{function.name} changed a tensor in place, so it was called once")
        return Outcome(result)
    replaced, replaced_named = _replace_arguments(function, arguments, named, {**leaves, **copies})
    replaced_named.pop("out", None)
    drawn = numbers.now()
    try:
        numbers.restore()
        with _remembering(function, list(twins.values()), end):
            second = original(*replaced, **replaced_named)
        memory.bytes += sum(bytes_of(part) for part in tensors_in((second,)) if not is_view(part))
        pairs = [(tensor, copies[id(tensor)].tensor) for tensor in changed if copies[id(tensor)].tensor.requires_grad]
        ends = [leaf.tensor for leaf in leaves.values()], [twin.tensor for twin in twins.values()]
        pairs = [(tensor, graft_apart(tensor, computed, *ends)) for tensor, computed in pairs + _pairs(result, second, inputs)]
    except Exception as error:
        end(twins.values(), _why_not_known(function, error))
        return Outcome(result)
    finally:
        numbers.restore(drawn)
    return Outcome(result, pairs, _union_of(twins))


def _copying(memory: TwinMemory) -> saved_tensors_hooks:
    """What is saved for the backward pass is copied: the user may change tensors that nothing would have saved without a recorder."""

    def pack(tensor: Tensor) -> SavedCopy:
        """Copies a tensor that is saved, unless the same values were copied before."""
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):  # A sparse tensor.
            return SavedCopy(tensor, None)
        place = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        key = (storage_key(storage), version_of(tensor), *place)
        known = memory.copies.get(key)
        copy = None if known is None else known()
        if copy is None:
            copy = SavedCopy(tensor, storage)
            memory.copies[key] = ref(copy)
            memory.bytes += bytes_of(tensor)
        return copy

    return saved_tensors_hooks(pack, lambda copy: copy.tensor)


def _remembering(function: Function, twins: Sequence[Twin], end: End) -> saved_tensors_hooks:
    """What is saved serves only the gradients of twins. If it has changed until it is used, they are not known."""

    def pack(tensor: Tensor) -> tuple[Tensor, int | None]:
        """Takes a tensor that is saved, and its version."""
        # Not the tensor itself: it may be the result of the very operation that saves it, which would then never be freed.
        return tensor.detach(), version_of(tensor)

    def unpack(saved: tuple[Tensor, int | None]) -> Tensor:
        tensor, version = saved
        if version_of(tensor) != version:
            end(twins, f"what {function.name} had used was changed in place before the backward pass")
        return tensor

    return saved_tensors_hooks(pack, unpack)


def _why_not_known(function: Function, error: Exception) -> str:
    return f"the gradient through {function.name} is not known ({describe_error(error)})"


def _union_of(twins: dict[int, Twin]) -> int:
    roots = 0
    for twin in twins.values():
        roots |= twin.roots
    return roots


def _replace_arguments(
    function: Function, arguments: tuple[Any, ...], named: dict[str, Any], twins: dict[int, Twin]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def replace(tensor: Tensor) -> Tensor:
        twin = twins.get(id(tensor))
        return tensor if twin is None else twin.tensor

    return (
        tuple(_map(part, replace) if function.may_replace(position) else part for position, part in enumerate(arguments)),
        {name: _map(part, replace) if function.may_replace(name) else part for name, part in named.items()},
    )


def _map(value: Any, change: Callable[[Tensor], Tensor]) -> Any:  # noqa: ANN401
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_map(part, change) for part in value)
    if type(value) is dict:
        return {name: _map(part, change) for name, part in value.items()}
    if isinstance(value, tuple) and tensors_in(value):  # What `max` and its like return.
        return type(value)([_map(part, change) for part in value])
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

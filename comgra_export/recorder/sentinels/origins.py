"""Which function made the first value that is not finite of finite ones, and at which element."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from comgra_export.recorder.host.dtypes import why_not_recordable
from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.recorder.host.memory import Memory, memory_of
from comgra_export.recorder.host.nested import tensors_in
from comgra_export.recorder.host.torch_internals import version_of
from comgra_export.storage.model.lines import NonFiniteOrigin, OriginOperand

__all__ = ["FunctionOrigins", "NamesModules"]

_UNDEFINED_SOMEWHERE = frozenset(
    [
        "acos",
        "acosh",
        "arccos",
        "arccosh",
        "arcsin",
        "arctanh",
        "asin",
        "atanh",
        "digamma",
        "div",
        "divide",
        "exp",
        "expm1",
        "float_power",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "log_softmax",
        "logit",
        "logsumexp",
        "norm",
        "normalize",
        "pow",
        "reciprocal",
        "rsqrt",
        "softmax",
        "sqrt",
        "std",
        "tan",
        "truediv",
        "rdiv",
        "rtruediv",
        "rpow",
        "true_divide",
        "vector_norm",
        "xlogy",
    ]
)
_NO_DERIVATIVE_AT_ZERO = frozenset({"norm", "sqrt", "std", "vector_norm"})
_NAMES = {"truediv": "div", "true_divide": "div", "divide": "div", "rdiv": "reciprocal", "rtruediv": "reciprocal", "rpow": "pow"}
_MOST_BYTES = 64 * 2**20
# What a tensor without values takes. A step may make very many small ones.
_BYTES_OF_A_TENSOR = 1024

_State = tuple[int | None, Memory | None]
"""The version of a tensor, and its memory. Both are as before only if nothing was written, freed or put elsewhere."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class NamesModules(Protocol):
    """Knows which watched module is running."""

    def module_in_progress(self) -> str | None:
        """Its name; None if none is."""


class _Call(NamedTuple):
    function: str
    module: str | None
    operands: tuple[Tensor, ...]
    result: Tensor
    states: tuple[_State, ...]


class FunctionOrigins:
    """Keeps what functions such as `log` were called with and returned in a step, until it is known whether something is not finite.

    Only functions that are not defined everywhere are kept, up to 64 MB of memory, counted with all that a view keeps alive. What was
    overwritten or freed meanwhile is left out, and so are tensors whose values cannot be read (sparse, nested, complex, within `vmap`).

    Attributes:
        calls: Knows which watched module is running, if modules are watched. Weak: nothing of a step is kept for it.
    """

    def __init__(self) -> None:
        self.calls: weakref.ref[NamesModules] | None = None
        self._calls: list[_Call] = []
        self._bytes = 0
        self._memories: set[Memory] = set()

    def clear(self) -> None:
        """Lets go of everything."""
        self._calls.clear()
        self._memories.clear()
        self._bytes = 0

    def wants(self, function: _Named) -> bool:
        """As `ResultListener.wants`."""
        return function.name.strip("_") in _UNDEFINED_SOMEWHERE

    def after_function(
        self,
        function: _Named,
        original: Callable[..., Any],  # noqa: ARG002
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        result: object,
    ) -> None:
        """As `ResultListener.after_function`."""
        name = function.name.strip("_")
        if not isinstance(result, Tensor) or not result.is_floating_point() or not is_plain(result):
            return
        operands = [tensor for tensor in tensors_in(arguments, *named.values()) if is_plain(tensor)]
        if any(operand is result for operand in operands) or any(map(why_not_recordable, (result, *operands))):
            return
        held = [tensor.detach() for tensor in (result, *operands)]
        states = tuple(map(_state_of, held))
        memories = {memory for _, memory in states if memory is not None} - self._memories
        size = len(held) * _BYTES_OF_A_TENSOR + sum(size for _, size in memories)
        if self._bytes + size > _MOST_BYTES:
            return
        self._bytes += size
        self._memories |= memories
        calls = None if self.calls is None else self.calls()
        module = None if calls is None else calls.module_in_progress()
        self._calls.append(_Call(_NAMES.get(name, name), module, tuple(held[1:]), held[0], states))

    def before_backward(self, roots: object) -> None:
        """As `ResultListener.before_backward`."""

    def find(self, *, in_gradients: bool) -> NonFiniteOrigin | None:
        """The call that made the first value that is not finite of finite ones; None if none of those that were kept did.

        A NaN counts before an infinity, which may be meant, as the logarithm of a mask.

        Args:
            in_gradients: Whether only gradients are not finite. Then it is the last call at whose result there is no derivative.
        """
        with torch.no_grad(), undisturbed():
            calls = [call for call in self._calls if call.states == tuple(map(_state_of, (call.result, *call.operands)))]
            if in_gradients:
                at_zero = (_origin(call, call.result == 0) for call in reversed(calls) if call.function in _NO_DERIVATIVE_AT_ZERO)
                return next((origin for origin in at_zero if origin is not None), None)
            made = (_origin(call, ~call.result.isfinite()) for call in calls if all(_is_finite(operand) for operand in call.operands))
            origins = [origin for origin in made if origin is not None]
        return next((origin for origin in origins if origin.value != origin.value), next(iter(origins), None))


def _state_of(tensor: Tensor) -> _State:
    return version_of(tensor), memory_of(tensor)


def _is_finite(tensor: Tensor) -> bool:
    return bool(tensor.isfinite().all())


def _origin(call: _Call, where: Tensor) -> NonFiniteOrigin | None:
    """The first element of a result that a mask chooses, with the operands there."""
    places = where.reshape(-1).nonzero()
    if not len(places):
        return None
    index = tuple(int(place) for place in torch.unravel_index(places[0, 0], call.result.shape))
    operands = tuple(_operand(operand, call.result, index) for operand in call.operands if operand.numel())
    return NonFiniteOrigin(call.function, call.module, tuple(call.result.shape), index, float(call.result[index]), operands)


def _operand(operand: Tensor, result: Tensor, index: tuple[int, ...]) -> OriginOperand:
    numbers = operand.double() if not operand.is_floating_point() else operand
    try:
        value = float(numbers.expand(result.shape)[index])
    except RuntimeError:
        # A reduction: many of its values are behind one of the result.
        value = None
    return OriginOperand(float(numbers.min()), float(numbers.max()), value)

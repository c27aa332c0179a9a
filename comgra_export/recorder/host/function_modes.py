"""The function modes by which calls are watched, and their place among those of the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.overrides import TorchFunctionMode

from comgra_export.recorder.host.torch_internals import count_function_modes, default_device_mode, pop_function_mode, push_function_mode

__all__ = ["WatchingMode", "are_twins_in_use", "insert_mode", "remove_mode"]

_Observe = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class WatchingMode(TorchFunctionMode):
    """Hands over every call of a function: `observe` gets the function and its arguments by position and by name, and calls it.

    With `has_twins`, it may do so with other tensors than those given.

    Attributes:
        is_idle: Whether its step has not begun or is over.
    """

    def __init__(self, observe: _Observe, *, has_twins: bool) -> None:
        super().__init__()
        self._observe = observe
        self.has_twins = has_twins
        self.is_idle = True

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        return self._observe(func, args, kwargs or {})


def are_twins_in_use() -> bool:
    """Whether a step of another recorder computes with twins in this thread, so that no second one can."""
    modes = _take_all()
    for mode in reversed(modes):
        push_function_mode(mode)
    return any(isinstance(mode, WatchingMode) and mode.has_twins and not mode.is_idle for mode in modes)


def insert_mode(mode: WatchingMode) -> None:
    """Puts a mode below the user's modes: what their contexts take off the stack must be theirs.

    Only the default device has to stay below all. A mode that computes with twins is below the modes of other recorders, so that those see
    the user's own tensors.
    """
    # Steps that ended in another thread have left modes here.
    above = [other for other in _take_all() if not (isinstance(other, WatchingMode) and other.is_idle)]
    if above and above[-1] is default_device_mode():
        push_function_mode(above.pop())
    if not mode.has_twins and above and isinstance(above[-1], WatchingMode) and above[-1].has_twins:
        push_function_mode(above.pop())
    push_function_mode(mode)
    for other in reversed(above):
        push_function_mode(other)


def remove_mode(mode: TorchFunctionMode) -> bool:
    """Takes a mode from wherever it is, and leaves the others as they are. Returns whether it was there."""
    above = _take_all()
    for other in reversed(above):
        if other is not mode:
            push_function_mode(other)
    return any(other is mode for other in above)


def _take_all() -> list[TorchFunctionMode]:
    """Takes all modes off the stack, the uppermost first."""
    return [pop_function_mode() for _ in range(count_function_modes())]

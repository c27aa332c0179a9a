"""The calls of all modules, reported to listeners: one pair of hooks, and one account of which calls are in progress."""

from __future__ import annotations

import threading
from typing import Any, Protocol

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.host.compilation import CompiledModulesSilence
from comgra_export.recorder.host.hooks import is_being_called, remove_hooks
from comgra_export.recorder.host.isolation import is_running_backwards

__all__ = ["CallListener", "ModuleCalls"]


class CallListener(Protocol):
    """Wants to know of the calls of all modules, tracked or not."""

    def before_call(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        """A module is about to be called, with these arguments by position."""

    def after_call(self, module: nn.Module, result: object, has_raised: bool) -> None:
        """A call is over, also one that began before the listener was added.

        `result` is None if the call has raised. `has_raised` is also true if a listener before this one did.
        """

    @property
    def has_calls_in_progress(self) -> bool:
        """Whether it must get interrupted calls before the next call begins. To find them takes a microsecond."""

    def call_was_interrupted(self, module: nn.Module) -> None:
        """A call of a module is over, which PyTorch did not say since Ctrl-C has ended it. Inner calls are reported first."""

    def elsewhere_called(self, module: nn.Module) -> None:
        """A module is about to be called in another thread. The end of that call is not reported."""


class ModuleCalls:
    """Tells listeners of the calls of modules in one thread: that in which the first listener was added.

    It hooks into all modules of the process at once. Hooks of single modules would turn off the fast path of
    `nn.TransformerEncoderLayer`, would be copied and pickled with the module, and might have it compiled anew. What runs within compiled
    code or in the recomputation of a checkpointed block is not reported. The hooks never change what passes through a module.

    Listeners are called in the order in which they were added. The hooks are there as long as any listener is.
    """

    def __init__(self) -> None:
        self._listeners: tuple[CallListener, ...] = ()
        self._hooks: list[RemovableHandle] = []
        self._silence = CompiledModulesSilence()
        self._thread: int | None = None
        self._running: list[nn.Module] = []

    def add(self, listener: CallListener) -> None:
        """From now on, the listener gets every call."""
        self._listeners += (listener,)
        if not self._hooks:
            self._thread = threading.get_ident()
            self._silence.start()
            self._hooks.append(register_module_forward_pre_hook(self._before))
            self._hooks.append(register_module_forward_hook(self._after, with_kwargs=True, always_call=True))

    def remove(self, listener: CallListener) -> None:
        """The listener gets nothing any more. Does nothing if it is not there."""
        self._listeners = tuple(other for other in self._listeners if other is not listener)
        if not self._listeners and self._hooks:
            remove_hooks(self._hooks)
            self._hooks.clear()
            self._silence.stop()
            self._running.clear()

    def end_interrupted(self, entering: nn.Module | None = None) -> None:
        """Ends the calls that Ctrl-C has ended: PyTorch calls no hooks then. A call of `entering` is about to begin, if it is given."""
        running = self._running
        while running:
            module = running[-1]
            if is_being_called(module, sum(other is module for other in running) + (module is entering)):
                return
            self._end_last()

    def _before(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        # A compiler that traces this finds nothing in it.
        if torch.compiler.is_compiling() or is_running_backwards():
            return
        if threading.get_ident() != self._thread:
            for listener in self._listeners:
                listener.elsewhere_called(module)
            return
        for listener in self._listeners:
            if listener.has_calls_in_progress:
                self.end_interrupted(module)
                break
        # Before anything that can fail: the call must be known when it is left.
        self._running.append(module)
        for listener in self._listeners:
            listener.before_call(module, arguments)

    def _after(self, module: nn.Module, _: object, *others: object) -> None:
        if torch.compiler.is_compiling() or is_running_backwards() or threading.get_ident() != self._thread:
            return
        # The arguments by name and the result; of a module that raises, only the result, which is None.
        has_raised, result = len(others) == 1, others[-1]
        running = self._running
        if any(other is module for other in reversed(running)):
            while running[-1] is not module:
                self._end_last()
            running.pop()
        error: Exception | None = None
        for listener in self._listeners:
            try:
                listener.after_call(module, result, has_raised or error is not None)
            except Exception as trouble:
                # As PyTorch does it: the other listeners are called first.
                error = error or trouble
        try:
            if error is not None:
                raise error
        finally:
            # Its traceback refers to this frame, and so would keep the result alive until the garbage collector runs.
            del error

    def _end_last(self) -> None:
        module = self._running.pop()
        for listener in self._listeners:
            listener.call_was_interrupted(module)

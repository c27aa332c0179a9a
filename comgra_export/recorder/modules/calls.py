"""The calls of watched modules in a step: what goes in, what comes out, and which call is made within which."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils.hooks import RemovableHandle

from comgra_export.errors import RecordingGapError
from comgra_export.recorder.host.hooks import is_being_called, named_arguments, remove_hooks
from comgra_export.recorder.host.isolation import is_running_backwards
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.modules.attention import dropout_of, meaning_of, why_no_pattern
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.ports import Port, TensorAtPort, argument_ports, describe_in_words, result_ports, role_of_input
from comgra_export.recorder.modules.uses import InputUse
from comgra_export.recorder.modules.watched import WatchedModule
from comgra_export.recorder.tracing.other_threads import OtherThreads
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.storage.model import CallEntry, CallTree, PortEntry, PortSide

__all__ = ["CallWatch", "PortRegistry"]

# So far within an attention, its pattern is looked for: a head, and the dropout in it.
_MAX_DEPTH = 2


class PortRegistry(Protocol):
    """Knows the tensors of a step."""

    def register_port(self, tensor: Tensor, port: TensorAtPort) -> Registration:
        """Registers the tensor at a port, unless it is registered already."""


class _Call:
    """A call that is in progress.

    Attributes:
        row: Its position in the tree of its iteration.
        iteration: Which one that is, counted from the first one of the step.
        depth: How far it lies within an attention: 0 for one, 1 for a part of it, ...; None where that is too far to look for its pattern.
        has_pattern: Whether the pattern of an attention was seen at its ports, or at those of calls within it.
        has_attention: Whether an attention was called within it.
        uses: What is known of its inputs whose gradients are watched.
    """

    __slots__ = ("depth", "has_attention", "has_pattern", "iteration", "module", "node", "row", "uses", "watched")

    def __init__(self, module: nn.Module, watched: WatchedModule, iteration: int, row: int, node: str, depth: int | None) -> None:
        self.module = module
        self.watched = watched
        self.iteration = iteration
        self.row = row
        self.node = node
        self.depth = depth
        self.has_pattern = False
        self.has_attention = False
        self.uses: list[InputUse] = []


class CallWatch:
    """Records the calls of watched modules, between `start` and `stop`, and within iterations.

    Like `ModuleWatch`, it hooks into all modules of the process at once, and does not see what runs in other threads, within compiled code
    or in the recomputation of a checkpointed block. It never changes what passes through a module.

    Args:
        watched: The modules.
        registry: What registers a tensor. Only referred to weakly: hooks must not keep a step alive.
        gradients: What watches the gradients that come back through single calls.
        other_threads: Is told of calls in other threads.
        report: What to do with an exception of our own: it gets a sentence and the exception.
    """

    def __init__(
        self,
        watched: Mapping[nn.Module, WatchedModule],
        registry: PortRegistry,
        gradients: CallGradients,
        other_threads: OtherThreads,
        report: Callable[[str, Exception], None],
    ) -> None:
        self._watched = watched
        self._registry = weakref.ref(registry)
        self._gradients = gradients
        self._other_threads = other_threads
        self._report = report
        self._thread: int | None = None
        self._hooks: list[RemovableHandle] = []
        self._iteration = 0
        self._is_within_iteration = False
        self._running: list[_Call] = []
        self._calls: list[CallEntry] = []
        self._ports: list[tuple[int, PortSide, str, Registration | None, str | None]] = []
        self._numbers: dict[int, int] = {}

    def start(self) -> None:
        """Begins to watch the calls of this thread."""
        self._thread = threading.get_ident()
        self._hooks = [
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, with_kwargs=True, always_call=True),
        ]

    def release(self) -> None:
        """Removes the hooks, and lets go of everything."""
        remove_hooks(self._hooks)
        self._hooks.clear()
        self._running.clear()
        self._forget()

    def start_iteration(self) -> None:
        """Begins an iteration. A call that is in progress belongs to the one before."""
        self._iteration += 1
        self._is_within_iteration = True

    def finish_iteration(self) -> CallTree | None:
        """The calls of the iteration, which ends; None where none was seen."""
        self._is_within_iteration = False
        self.end_interrupted()
        tree = CallTree(tuple(self._calls), tuple(map(_entry, self._ports))) if self._calls else None
        self._forget()
        return tree

    def _forget(self) -> None:
        self._calls.clear()
        self._ports.clear()
        self._numbers.clear()

    def _before(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        # A compiler that traces this finds nothing in it.
        if torch.compiler.is_compiling() or not self._is_within_iteration:
            return
        watched = self._watched.get(module)
        if watched is None or is_running_backwards():
            return
        if not self._is_here():
            self._other_threads.note_call(watched.name, torch.is_grad_enabled())
            return
        try:
            call = self._enter(module, watched)
            limit = watched.parameters.may_be_named
            named = named_arguments(module) if limit is None or len(arguments) < limit else {}
            with without_function_overrides():
                self._take(call, "input", argument_ports(watched.parameters, arguments, named))
        except RecordingGapError:
            raise
        except Exception as error:
            self._report(f"the inputs of {watched.name} could not be recorded", error)

    def _after(self, module: nn.Module, _: object, *others: object) -> None:
        # The arguments by name and the result; of a module that raises, only the result, which is None.
        if torch.compiler.is_compiling() or not self._running:
            return
        watched = self._watched.get(module)
        if watched is None or is_running_backwards() or not self._is_here():
            return
        try:
            call = self._leave(module, has_raised=len(others) == 1)
            if call is not None and call.iteration == self._iteration and self._is_within_iteration and len(others) > 1:
                with without_function_overrides():
                    ports = result_ports(others[-1])
                    self._take(call, "output", ports)
                    if watched.is_attention and not (call.has_pattern or call.has_attention):
                        text = why_no_pattern(module, [port.tensor for port in ports])
                        self._ports.append((call.row, "output", "attention", None, text))
        except RecordingGapError:
            raise
        except Exception as error:
            self._report(f"the outputs of {watched.name} could not be recorded", error)

    def _is_here(self) -> bool:
        return threading.get_ident() == self._thread

    def end_interrupted(self, entering: nn.Module | None = None) -> None:
        """Ends the calls of whose end Ctrl-C has kept their hooks from telling.

        Args:
            entering: The module of which a call is about to begin, if one is.
        """
        while self._running:
            module = self._running[-1].module
            known = sum(call.module is module for call in self._running)
            if is_being_called(module, known + (module is entering)):
                return
            self._leave(module, has_raised=True)

    def _enter(self, module: nn.Module, watched: WatchedModule) -> _Call:
        self.end_interrupted(entering=module)
        outer = self._running[-1] if self._running else None
        parent = -1 if outer is None or outer.iteration != self._iteration else outer.row
        number = self._numbers.get(watched.position, 0)
        self._numbers[watched.position] = number + 1
        node = watched.name if number == 0 else f"{watched.name} (call {number + 1})"
        call = _Call(module, watched, self._iteration, len(self._calls), node, _depth_in_attention(watched, outer))
        if watched.is_attention:
            for one in self._running:
                one.has_attention = True
        self._calls.append(CallEntry(watched.position, parent, number, module.training, False))
        self._running.append(call)
        return call

    def _leave(self, module: nn.Module, has_raised: bool) -> _Call | None:
        """Takes a call from those in progress, with those within it that an interrupt has kept from leaving."""
        running = self._running
        for depth in range(len(running) - 1, -1, -1):
            if running[depth].module is module:
                call = running[depth]
                for one in running[depth:]:
                    self._gradients.leave(one.uses)
                for inner in running[depth + 1 :] if not has_raised else running[depth:]:
                    if inner.iteration == self._iteration and self._calls:
                        self._calls[inner.row] = self._calls[inner.row]._replace(raised=True)
                del running[depth:]
                return call
        return None

    def _take(self, call: _Call, side: PortSide, ports: Sequence[Port]) -> None:
        registry = self._registry()
        if registry is None:
            return
        watched = call.watched
        # Only the outermost call brings in what comes from outside of the network.
        is_input = side == "input" and watched.is_root and self._calls[call.row].parent == -1
        for path, tensor, text in ports:
            registration = meaning = None
            if tensor is not None:
                # What goes into an attention may be the pattern of another one.
                if call.depth is not None and not (side == "input" and watched.is_attention):
                    meaning = meaning_of(tensor, dropout_of(call.module) if side == "output" else 0.0)
                role = role_of_input(path) if side == "input" else path
                port = TensorAtPort(call.node, role, is_input, side == "output", watched.with_values, watched.histogram_values, meaning)
                registration = registry.register_port(tensor, port)
                if meaning is not None:
                    for one in (call, *self._running):
                        one.has_pattern = True
                if registration.entry is None:
                    registration, text = None, describe_in_words(tensor)
                elif side == "input":
                    place = (call.iteration - 1, len(self._ports))
                    self._gradients.enter(call.uses, tensor, registration, port, watched.name, place)
                else:
                    self._gradients.note_returned(call.uses, tensor)
            self._ports.append((call.row, side, path, registration, text))


def _depth_in_attention(watched: WatchedModule, outer: _Call | None) -> int | None:
    """How far a call lies within an attention; None where that is more than `_MAX_DEPTH`."""
    if watched.is_attention:
        return 0
    return None if outer is None or outer.depth is None or outer.depth >= _MAX_DEPTH else outer.depth + 1


def _entry(port: tuple[int, PortSide, str, Registration | None, str | None]) -> PortEntry:
    call, side, path, registration, text = port
    if registration is None:
        return PortEntry(call, side, path, None, None, text)
    record = (registration.replaced_by or registration).first
    return PortEntry(call, side, path, record.name, record.iteration, None, registration.meaning)

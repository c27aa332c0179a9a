"""The calls of watched modules in a step: what goes in, what comes out, and which call is made within which."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from comgra_export.errors import RecordingGapError
from comgra_export.recorder.host.hooks import named_arguments
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.modules.attention import dropout_of, meaning_of, why_no_pattern
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.ports import Port, TensorAtPort, argument_ports, describe_in_words, result_ports, role_of_input
from comgra_export.recorder.modules.uses import InputUse
from comgra_export.recorder.modules.watched import WatchedModule
from comgra_export.recorder.tracing.other_threads import OtherThreads
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.storage.model.calls import CallEntry, CallTree, PortEntry, PortSide

__all__ = ["CallWatch", "PortRegistry"]

# How deep within an attention its pattern is searched for: in a head, and in the dropout of the head.
_MAX_DEPTH = 2
# The path of what an attention returns as its pattern, if it returns one.
_SECOND_RESULT = "output[1]"

# The row of the call, the side, the path, the registration of a tensor that has one, and a text for anything else.
_PortRow = tuple[int, PortSide, str, Registration | None, str | None]


class PortRegistry(Protocol):
    """Knows the tensors of a step."""

    def register_port(self, tensor: Tensor, port: TensorAtPort) -> Registration:
        """Registers the tensor at a port, unless it is registered already."""


class _Call:
    """A call that is in progress.

    Attributes:
        row: Its position in the tree of its iteration.
        iteration: The number of the iteration, counted from the first of the step.
        depth: How deep it lies within an attention: 0 for the attention, 1 for a part of it, ...; None if it is too deep for its pattern.
        has_pattern: Whether the pattern of an attention was seen at its ports, or at those of calls within it.
        has_attention: Whether an attention was called within it.
        uses: Its inputs whose gradients are watched.
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

    It refers only weakly to `registry`: hooks must not keep a step alive. `report` gets a sentence and the exception if something of our
    own fails.

    Attributes:
        is_within_iteration: Whether an iteration is in progress.
        is_after_model: Whether no call is in progress, and a module that was given to `watch` has returned in this iteration.
        is_evaluating: Whether the last of these, or of parts called alone, did so in evaluation mode, or with gradients turned off.
    """

    def __init__(
        self,
        calls: ModuleCalls,
        watched: Mapping[nn.Module, WatchedModule],
        registry: PortRegistry,
        gradients: CallGradients,
        other_threads: OtherThreads,
        report: Callable[[str, Exception], None],
    ) -> None:
        self._module_calls = calls
        self._watched = watched
        self._registry = weakref.ref(registry)
        self._gradients = gradients
        self._other_threads = other_threads
        self._report = report
        self._iteration = 0
        self.is_within_iteration = False
        self.is_after_model = self.is_evaluating = False
        self._has_returned = False
        self._running: list[_Call] = []
        self._calls: list[CallEntry] = []
        self._ports: list[_PortRow] = []
        self._numbers: dict[int, int] = {}

    def start(self) -> None:
        """Begins to watch calls."""
        self._module_calls.add(self)

    def release(self) -> None:
        """Ends it, and lets go of everything."""
        self._module_calls.remove(self)
        self._running.clear()
        self._forget()

    def module_in_progress(self) -> str | None:
        """The name of the innermost watched module that is running; None if none is."""
        return self._running[-1].watched.name if self._running else None

    def start_iteration(self) -> None:
        """Begins an iteration. A call that is in progress belongs to the one before."""
        self._iteration += 1
        self.is_within_iteration = True
        self._has_returned = self.is_after_model = self.is_evaluating = False

    def finish_iteration(self) -> CallTree | None:
        """The calls of the iteration, which ends; None if none was seen."""
        self.is_within_iteration = self.is_after_model = False
        self._module_calls.end_interrupted()
        tree = CallTree(tuple(self._calls), tuple(map(_entry, self._ports))) if self._calls else None
        self._forget()
        return tree

    def _forget(self) -> None:
        self._calls.clear()
        self._ports.clear()
        self._numbers.clear()

    def before_call(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        """As `CallListener.before_call`."""
        watched = self._watched.get(module) if self.is_within_iteration else None
        if watched is None:
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

    def after_call(self, module: nn.Module, result: object, has_raised: bool) -> None:
        """As `CallListener.after_call`."""
        watched = self._watched.get(module) if self._running else None
        if watched is None:
            return
        try:
            call = self._leave(module, has_raised)
            if call is not None and call.iteration == self._iteration and self.is_within_iteration and not has_raised:
                with without_function_overrides():
                    ports = result_ports(result)
                    self._take(call, "output", ports)
                    if watched.is_attention and not (call.has_pattern or call.has_attention):
                        text = why_no_pattern(module, [port.tensor for port in ports])
                        self._ports.append((call.row, "output", "attention", None, text))
        except RecordingGapError:
            raise
        except Exception as error:
            self._report(f"the outputs of {watched.name} could not be recorded", error)

    @property
    def has_calls_in_progress(self) -> bool:
        """As `CallListener.has_calls_in_progress`."""
        return bool(self._running)

    def call_was_interrupted(self, module: nn.Module) -> None:
        """As `CallListener.call_was_interrupted`."""
        self._leave(module, has_raised=True)

    def elsewhere_called(self, module: nn.Module) -> None:
        """As `CallListener.elsewhere_called`."""
        watched = self._watched.get(module) if self.is_within_iteration else None
        if watched is not None:
            self._other_threads.note_call(watched.name, torch.is_grad_enabled())

    def _enter(self, module: nn.Module, watched: WatchedModule) -> _Call:
        outer = self._running[-1] if self._running else None
        parent = -1 if outer is None or outer.iteration != self._iteration else outer.row
        number = self._numbers.get(watched.position, 0)
        self._numbers[watched.position] = number + 1
        node = watched.name if number == 0 else f"{watched.name} (call {number + 1})"
        call = _Call(module, watched, self._iteration, len(self._calls), node, _depth_in_attention(watched, outer))
        if watched.is_attention:
            for outer_call in self._running:
                outer_call.has_attention = True
        self._calls.append(CallEntry(watched.position, parent, number, module.training, False))
        self._running.append(call)
        self.is_after_model = False
        return call

    def _leave(self, module: nn.Module, has_raised: bool) -> _Call | None:
        if not self._running or self._running[-1].module is not module:
            return None
        call = self._running.pop()
        if not has_raised and call.iteration == self._iteration and (call.watched.is_root or not self._running):
            self._has_returned = self._has_returned or call.watched.is_root
            self.is_evaluating = not (module.training and torch.is_grad_enabled())
        self.is_after_model = self._has_returned and self.is_within_iteration and not self._running
        self._gradients.leave(call.uses)
        if has_raised and call.iteration == self._iteration and self._calls:
            self._calls[call.row] = self._calls[call.row]._replace(raised=True)
        return call

    def _take(self, call: _Call, side: PortSide, ports: Sequence[Port]) -> None:
        registry = self._registry()
        if registry is None:
            return
        for path, tensor, text in ports:
            registration = None
            if tensor is not None:
                registration = self._take_tensor(registry, call, side, path, tensor)
                if registration is None:
                    text = describe_in_words(tensor)
            self._ports.append((call.row, side, path, registration, text))

    def _take_tensor(self, registry: PortRegistry, call: _Call, side: PortSide, path: str, tensor: Tensor) -> Registration | None:
        """Registers a tensor at a port, and watches the gradient through the call. Returns None if no numbers of it can be recorded."""
        watched = call.watched
        meaning = None
        # The input of an attention may be the pattern of another attention.
        if call.depth is not None and not (side == "input" and watched.is_attention):
            is_second_result = side == "output" and watched.is_attention and path == _SECOND_RESULT
            meaning = meaning_of(tensor, dropout_of(call.module) if side == "output" else 0.0, is_second_result=is_second_result)
        role = role_of_input(path) if side == "input" else path
        # Only the outermost call brings in what comes from outside the network.
        is_input = side == "input" and watched.is_root and self._calls[call.row].parent == -1
        port = TensorAtPort(
            call.node,
            role,
            is_input,
            is_result=side == "output",
            with_values=watched.with_values,
            histogram_values=watched.histogram_values,
            meaning=meaning,
        )
        registration = registry.register_port(tensor, port)
        if meaning is not None:
            for running in (call, *self._running):
                running.has_pattern = True
        if registration.entry is None:
            return None
        if side == "input":
            self._gradients.enter(call.uses, tensor, registration, port, watched.name, (call.iteration - 1, len(self._ports)))
        else:
            self._gradients.note_returned(call.uses, tensor)
        return registration


def _depth_in_attention(watched: WatchedModule, outer: _Call | None) -> int | None:
    """How deep a call lies within an attention; None if it is deeper than `_MAX_DEPTH`."""
    if watched.is_attention:
        return 0
    return None if outer is None or outer.depth is None or outer.depth >= _MAX_DEPTH else outer.depth + 1


def _entry(port: _PortRow) -> PortEntry:
    call, side, path, registration, text = port
    if registration is None:
        return PortEntry(call, side, path, None, None, text)
    record = (registration.replaced_by or registration).first
    return PortEntry(call, side, path, record.name, record.iteration, text=None, meaning=registration.meaning)

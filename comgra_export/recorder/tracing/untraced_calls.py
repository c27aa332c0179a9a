"""What the calls of modules depend on within which functions are not watched."""

from __future__ import annotations

from torch import Tensor, nn

from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.values import Inputs, Value
from comgra_export.storage.model.layout import SourceLine

__all__ = ["UntracedCalls"]


class _Call:
    """A call that is in progress.

    Attributes:
        inputs: What it was called with.
        has_inner: Whether a call was made in it.
        pending: What calls made directly in it have returned, and none of them was called with since, in order.
    """

    __slots__ = ("has_inner", "inputs", "module", "pending")

    def __init__(self, module: nn.Module) -> None:
        self.module = module
        self.inputs = Inputs([], (), 0)
        self.has_inner = False
        self.pending: dict[Value, None] = {}

    def take_sources(self) -> tuple[Value, ...]:
        """What is computed now within the call, and not by a call in it, is taken to be computed from this."""
        sources = tuple(self.pending) or self.inputs.values
        self.pending.clear()
        return sources


class UntracedCalls:
    """The calls in progress of a module whose functions are not watched, and of the modules in it.

    What a call returned depends on what went into it and on its parameters. If calls were made within it, it depends on what those returned
    and none of them took, and so does what they are called with that was not seen before. No gradient flows through these dependencies,
    unless autograd knows of it.
    """

    def __init__(self, tracer: DataFlowTracer) -> None:
        self._tracer = tracer
        self._running: list[_Call] = []
        self._known: set[Value] = set()

    def __bool__(self) -> bool:
        return bool(self._running)

    def interrupt(self, module: nn.Module) -> None:
        """Ctrl-C has ended a call of a module. It is the innermost one, unless Ctrl-C came before the call was entered."""
        if self._running[-1].module is module:
            self._running.pop()
        if not self._running:
            self._known.clear()

    def clear(self) -> None:
        """Lets go of all calls."""
        self._running.clear()
        self._known.clear()

    def enter(self, module: nn.Module, arguments: list[Tensor]) -> None:
        """A module is about to be called with these tensors."""
        outer = self._running[-1] if self._running else None
        call = _Call(module)
        # Before anything that can fail: the call must be known when it is left.
        self._running.append(call)
        call.inputs = self._tracer.inputs(arguments, are_shared=True)
        if outer is None:
            # They were there before, whichever call uses them.
            self._known.update(self._tracer.inputs([*module.parameters(), *module.buffers()]).values)
        else:
            self._link(outer, call.inputs)
        self._known.update(call.inputs.values)

    def leave(self, module: nn.Module, results: list[Tensor], called_at: SourceLine | None) -> Inputs | None:
        """A call of a module, made at a line of the project, is over, with these results; none if it has raised.

        Returns:
            What the outermost call was called with, and its parameters, if that is the one which is over; else None.
        """
        if self._running[-1].module is not module:
            return None
        call = self._running.pop()
        try:
            self._record(call, results, called_at)
        finally:
            if not self._running:
                self._known.clear()
        return None if self._running else self._tracer.inputs([*call.inputs.tensors, *module.parameters()])

    def _link(self, outer: _Call, inputs: Inputs) -> None:
        """Takes note of what a call within another one is called with."""
        outer.has_inner = True
        for value in inputs.values:
            outer.pending.pop(value, None)
        unknown = [tensor for tensor, value in zip(inputs.tensors, inputs.values, strict=True) if value not in self._known]
        if unknown:
            sources = outer.take_sources()
            for tensor in unknown:
                self._tracer.record_untraced(None, sources, tensor, None)

    def _record(self, call: _Call, results: list[Tensor], called_at: SourceLine | None) -> None:
        if not results:
            return
        parameters = self._tracer.inputs(list(call.module.parameters(recurse=not call.has_inner))).values
        sources = (*call.take_sources(), *parameters)
        for tensor in results:
            value = self._tracer.value_of(tensor)
            if value not in self._known:
                self._tracer.record_untraced(type(call.module).__name__, sources, tensor, called_at)
                self._known.add(value)
            if self._running:
                self._running[-1].pending[value] = None

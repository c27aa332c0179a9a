"""Watching the functions of PyTorch that the training script calls, so that the flow of data can be traced."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer

from comgra_export.recorder.host.autograd import reached_within
from comgra_export.recorder.host.function_modes import WatchingMode, insert_mode, remove_mode
from comgra_export.recorder.host.hooks import named_arguments
from comgra_export.recorder.host.isolation import is_running_backwards
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.host.nested import tensors_in
from comgra_export.recorder.host.optimizer_hooks import AFTER_UPDATE, BEFORE_UPDATE
from comgra_export.recorder.host.source_lines import SourceLines
from comgra_export.recorder.host.torch_internals import innermost_transform, version_of, without_function_overrides
from comgra_export.recorder.tracing.backward_calls import backward_roots, frees_graph
from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.functions import Function, describe_function
from comgra_export.recorder.tracing.listeners import UPDATE, BeforeBackward, OperationListener, ResultListener
from comgra_export.recorder.tracing.twin_calls import Outcome
from comgra_export.recorder.tracing.twins import GradientTwins
from comgra_export.recorder.tracing.untraced_calls import UntracedCalls
from comgra_export.recorder.tracing.values import Inputs

__all__ = ["OperationWatch"]

# They ask whether any function mode is active, and compute in another way if one is.
_MODULES_WITH_FAST_PATH = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder)


class OperationWatch:
    """Traces the flow of data between `start` and `stop`, and computes with gradient twins on the way.

    Calls are ignored while autograd runs backwards, within steps of optimizers, and within modules that have a fast path in evaluation
    mode. What a module of the last kind returns, and each of the modules in it, depends on its arguments and parameters.

    `twins` is None if gradients of tensors that require none are not asked for. `on_trouble` gets an exception of our own.
    `before_backward` is also called before a backward pass whose gradients are returned. `results` want to know what functions
    return. With `source_lines`, what a function makes knows the line that called it. `on_exception` gets the name of a function that
    raises, and the exception.
    """

    def __init__(
        self,
        calls: ModuleCalls,
        tracer: DataFlowTracer,
        twins: GradientTwins | None,
        listeners: Sequence[OperationListener],
        on_trouble: Callable[[Exception], None],
        *,
        before_backward: BeforeBackward | None = None,
        results: Sequence[ResultListener] = (),
        source_lines: SourceLines | None = None,
        on_exception: Callable[[str, Exception], None] | None = None,
    ) -> None:
        self._module_calls = calls
        self._tracer = tracer
        self._twins = twins
        self._listeners = listeners
        self._on_trouble = on_trouble
        self._before_backward = before_backward
        self._results = results
        self._source_lines = source_lines
        self._on_exception = on_exception
        self._mode = WatchingMode(self.observe, has_twins=twins is not None)
        self._thread = threading.get_ident()
        self._untraced = UntracedCalls(tracer)
        self._is_optimizing = False

    @property
    def is_running(self) -> bool:
        """Whether calls are watched."""
        return not self._mode.is_idle

    def start(self) -> None:
        """Begins to watch the calls of this thread."""
        if self.is_running:
            return
        self._mode.is_idle = False
        self._thread = threading.get_ident()
        self._module_calls.add(self)
        BEFORE_UPDATE.add(self._before_optimizer)
        # Before that of a recorder that ends the step there.
        AFTER_UPDATE.add(self._after_optimizer, first=True)
        insert_mode(self._mode)

    def stop(self) -> None:
        """Ends it, and leaves the user's own modes as they are."""
        if not self.is_running:
            return
        self._mode.is_idle = True
        self._module_calls.remove(self)
        BEFORE_UPDATE.remove(self._before_optimizer)
        AFTER_UPDATE.remove(self._after_optimizer)
        self._untraced.clear()
        self._is_optimizing = False
        remove_mode(self._mode)

    def observe(self, original: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:  # noqa: ANN401
        """Calls a function for the user, and takes note of what it does."""
        function = describe_function(original)
        if function.is_ignored or self._mode.is_idle or is_running_backwards():
            if function.takes_values_out and not self._mode.is_idle:
                self._tracer.have_values_left = True
            return original(*arguments, **named)
        if function.is_backward or function.returns_gradients:
            try:
                with without_function_overrides():
                    self._notify_before_backward(function, arguments, named)
            except Exception as error:
                self._on_trouble(error)
        if function.is_backward:
            try:
                result = original(*arguments, **named)
            except Exception as error:
                self._note_exception(function, error)
                raise
            self._notify_backward()
            return result
        written: Sequence[Tensor] = ()
        versions = None
        concerns_twins = False
        try:
            inputs = self._tracer.inputs(tensors_in(*arguments, *named.values()), function.is_sharing)
            if self._source_lines is not None:
                inputs.called_at = self._source_lines.here()
            if named or function.writes_arguments:
                written = function.written(arguments, named)
                if written:
                    for listener in self._listeners:
                        listener.before_overwrite(function.name, written)
            if function.may_write:
                versions = [version_of(tensor) for tensor in inputs.tensors]
            if self._twins is not None:
                concerns_twins = self._twins.concern(inputs)
        except Exception as error:
            self._on_trouble(error)
            return original(*arguments, **named)
        outcome = None
        try:
            if concerns_twins and self._twins is not None:
                outcome = self._twins.call(function, original, arguments, named, inputs)
                result = outcome.result
            else:
                result = original(*arguments, **named)
        except Exception as error:
            self._note_exception(function, error)
            raise
        try:
            if versions is not None:
                written = [*written, *_written_meanwhile(inputs, versions, written)]
            if isinstance(result, Tensor) and outcome is None and not written and not function.stops_gradients:
                self._tracer.record_result(function.name, inputs, result, False, function.is_sharing or _views_are_hidden())
            else:
                self._record(function, named, inputs, written, result, outcome)
            for results in self._results:
                if results.wants(function):
                    with without_function_overrides():
                        results.after_function(function, original, arguments, named, result)
        except Exception as error:
            self._on_trouble(error)
        return result

    def _note_exception(self, function: Function, error: Exception) -> None:
        if self._on_exception is not None:
            self._on_exception(function.name, error)

    def _record(
        self,
        function: Function,
        named: dict[str, Any],
        inputs: Inputs,
        written: Sequence[Tensor],
        result: Any,  # noqa: ANN401
        outcome: Outcome | None,
    ) -> None:
        tracer = self._tracer
        with_twins: set[int] = set()
        if outcome is not None and outcome.roots and self._twins is not None:
            with_twins = {id(tensor) for tensor, _ in outcome.twins}
            inputs.carrying |= self._twins.carrying(inputs, outcome.roots)
        flows = not function.stops_gradients
        if function.is_rebinding and inputs.tensors:
            tracer.record_rebinding(function.name, inputs)
        else:
            for tensor in written:
                carries = flows and torch.is_grad_enabled() and (tensor.requires_grad or id(tensor) in with_twins)
                tracer.record_write(function.name, inputs, tensor, function.keeps_values(tensor, named), carries)
        may_share = function.is_sharing or _views_are_hidden()
        results = tensors_in((result,))
        for tensor in results:
            # What stops gradients and returns something that requires one has made it a graph of its own.
            if flows or not tensor.requires_grad:
                tracer.record_result(function.name, inputs, tensor, id(tensor) in with_twins, may_share)
        if len(results) > 1 and flows and not written:
            self._record_inner(inputs, results, outcome)
        if outcome is not None and self._twins is not None:
            self._twins.adopt(outcome)

    def _record_inner(self, inputs: Inputs, results: Sequence[Tensor], outcome: Outcome | None) -> None:
        """Takes from autograd what each result was computed from.

        It may be another result, as the memory of an LSTM cell is for its hidden state, or some of the inputs, as in `broadcast_tensors`.
        """
        twins = {} if outcome is None else {id(tensor): twin for tensor, twin in outcome.twins}
        made = [twins.get(id(tensor), tensor) for tensor in results]
        if len({tensor.grad_fn for tensor in made if tensor.grad_fn is not None}) < 2:
            return
        given = inputs.tensors
        if outcome is not None and self._twins is not None:
            twins_of_inputs = map(self._twins.twin, given)
            given = [tensor if twin is None else twin for tensor, twin in zip(given, twins_of_inputs, strict=True)]
        for tensor, (others, reached) in zip(results, reached_within(made, given), strict=True):
            # Nothing is found for what autograd does not follow.
            if others or reached:
                self._tracer.record_inner(tensor, [results[position] for position in others], inputs, reached)

    def _notify_before_backward(self, function: Function, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        roots, creates_graph = backward_roots(arguments, named), bool(named.get("create_graph"))
        if function.is_backward or not creates_graph:
            for results in self._results:
                results.before_backward(roots)
        if self._before_backward is not None:
            self._before_backward(roots, creates_graph, function.is_backward and frees_graph(arguments, named))

    def _notify_backward(self) -> None:
        try:
            for listener in self._listeners:
                listener.after_backward()
        except Exception as error:
            self._on_trouble(error)

    def before_call(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        """As `CallListener.before_call`."""
        if not self.is_running:
            return
        if self._is_optimizing:
            # It has raised, so that it has not said that it is done.
            self._resume()
        if not self._untraced:
            if module.training or not _has_fast_path(module):
                return
            if torch.is_grad_enabled() and any(parameter.requires_grad for parameter in module.parameters()):
                return
            if not remove_mode(self._mode):
                return
        try:
            with without_function_overrides():
                self._untraced.enter(module, tensors_in((arguments, named_arguments(module))))
        except Exception as error:
            self._on_trouble(error)

    def after_call(self, module: nn.Module, result: object, has_raised: bool) -> None:  # noqa: ARG002
        """As `CallListener.after_call`."""
        if not self._untraced or not self.is_running:
            return
        try:
            with without_function_overrides():
                results = tensors_in(result)
                called_at = None if self._source_lines is None else self._source_lines.here()
                inputs = self._untraced.leave(module, results, called_at)
                if inputs is not None and results and self._twins is not None:
                    self._twins.end_at(inputs, f"{type(module).__name__} ran its fast path")
        except Exception as error:
            self._on_trouble(error)
        finally:
            if not self._untraced:
                insert_mode(self._mode)

    @property
    def has_calls_in_progress(self) -> bool:
        """As `CallListener.has_calls_in_progress`."""
        return bool(self._untraced)

    def call_was_interrupted(self, module: nn.Module) -> None:
        """As `CallListener.call_was_interrupted`."""
        if self._untraced:
            self._untraced.interrupt(module)
            if not self._untraced:
                insert_mode(self._mode)

    def elsewhere_called(self, module: nn.Module) -> None:
        """As `CallListener.elsewhere_called`. Such calls are not watched."""

    def _before_optimizer(self, optimizer: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        # A closure runs the network within the step. The optimizer itself is among the arguments.
        if len(arguments) > 1 or named.get("closure") is not None or not self._is_here():
            return
        try:
            parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
            for listener in self._listeners:
                listener.before_overwrite(UPDATE, parameters)
        except Exception as error:
            self._on_trouble(error)
        if remove_mode(self._mode):
            self._is_optimizing = True

    def _after_optimizer(self, *_: object) -> None:
        # Whichever it is: one that raised before has not said that it is done.
        if self._is_optimizing and self._is_here():
            self._resume()

    def _resume(self) -> None:
        self._is_optimizing = False
        insert_mode(self._mode)

    def _is_here(self) -> bool:
        return self.is_running and threading.get_ident() == self._thread and not is_running_backwards()


def _has_fast_path(module: nn.Module) -> bool:
    if not isinstance(module, _MODULES_WITH_FAST_PATH):
        return False
    # No attention has one whose batch is not first.
    return any(isinstance(part, nn.MultiheadAttention) and part.batch_first for part in module.modules())


def _written_meanwhile(inputs: Inputs, versions: Sequence[int | None], expected: Sequence[Tensor]) -> list[Tensor]:
    """The arguments that a call has changed in place although nothing said so."""
    pairs = zip(inputs.tensors, versions, strict=True)
    return [tensor for tensor, version in pairs if version_of(tensor) != version and not any(tensor is other for other in expected)]


def _views_are_hidden() -> bool:
    """Whether tensors do not say that they are views of others."""
    return torch.is_inference_mode_enabled() or innermost_transform() is not None

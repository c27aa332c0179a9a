"""What a script computes from what a watched model returns: up to the losses, and to where backward passes begin."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge

from comgra_export.errors import RecordingGapError
from comgra_export.recorder.host.nested import tensors_in
from comgra_export.recorder.host.torch_internals import innermost_transform
from comgra_export.recorder.modules.calls import CallWatch
from comgra_export.recorder.modules.watched import WatchedModule
from comgra_export.recorder.tracing.functions import Function
from comgra_export.recorder.tracing.loss_functions import arguments_of_loss
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.search import TracedValue
from comgra_export.storage.model.layout import TensorType
from comgra_export.storage.model.step_description import LossCall, TensorReference

__all__ = ["ComputedRegistry", "LossWatch"]

_MAX_RESULTS = 30
"""At most this many results of functions are registered in an iteration, as many tensors of calls of loss functions, and as many roots."""

_MAX_CALLS = 1000
"""At most this many calls of loss functions are kept of a step, and as many roots."""


class ComputedRegistry(Protocol):
    """Registers tensors that no watched module has met."""

    def register_computed(self, tensor: Tensor, name: str, tensor_type: TensorType, histogram_values: int) -> None:
        """Registers a tensor under the name of a function."""


class _Call(NamedTuple):
    """A call of a loss function. What it was called with and returned may get a name later."""

    function: str
    options: Mapping[str, float | bool | str | None]
    prediction: TracedValue | None
    target: TracedValue | None
    result: TracedValue | None


class LossWatch:
    """Follows what the script computes after a watched model has returned. It keeps no tensor alive.

    Within an iteration, and while gradients are turned on, it registers what functions return that depends on a registered tensor and
    requires a gradient. If the model was evaluated without gradients, it registers only what loss functions are called with and return.
    Without watched modules, it registers nothing. It still takes note of the calls of loss functions and of the tensors at which backward
    passes begin.

    Args:
        registered: The tensors of the step.
        registry: Registers tensors. Only referred to weakly: hooks must not keep a step alive.
        calls: Knows where in the watched modules the step is; None if no module is watched.
        watched: The watched modules.
        report: What to do with an exception of our own: it gets a sentence and the exception.
    """

    def __init__(
        self,
        registered: RegisteredTensors,
        registry: ComputedRegistry,
        calls: CallWatch | None,
        watched: Mapping[nn.Module, WatchedModule],
        report: Callable[[str, Exception], None],
    ) -> None:
        self._registered = registered
        self._registry = weakref.ref(registry)
        self._calls = calls
        self._histogram_values = max((module.histogram_values for module in watched.values() if module.is_root), default=0)
        self._report = report
        self._losses: list[_Call] = []
        self._roots: list[TracedValue] = []
        self._results_left = self._loss_tensors_left = self._roots_left = 0
        self._has_evaluated = False

    def start_iteration(self) -> None:
        """Begins an iteration."""
        self._results_left = self._loss_tensors_left = self._roots_left = _MAX_RESULTS

    def finish_iteration(self) -> None:
        """Makes losses of what loss functions have returned within watched modules, before the graph of the iteration is built."""
        for call in self._losses:
            self._mark_as_loss(call.result)

    def end_evaluation(self) -> None:
        """The model has returned in an evaluation. From now on, only calls of loss functions are of interest."""
        self._has_evaluated = True

    def release(self) -> None:
        """Lets go of everything."""
        self._losses.clear()
        self._roots.clear()

    def wants(self, function: Function) -> bool:
        """As `ResultListener.wants`."""
        if function.is_loss or self._has_evaluated:
            return function.is_loss
        return self._calls is not None and self._calls.is_after_model and self._results_left > 0

    def after_function(
        self, function: Function, original: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], result: object
    ) -> None:
        """As `ResultListener.after_function`."""
        if innermost_transform() is not None:
            return
        try:
            if function.is_loss:
                self._take_loss(function.name, original, arguments, named, result)
            elif torch.is_grad_enabled():
                name = function.name.strip("_")
                results = [result] if isinstance(result, Tensor) else tensors_in(result)
                for position, tensor in enumerate(results):
                    if self._results_left > 0 and self._register(tensor, name if len(results) == 1 else f"{name}[{position}]"):
                        self._results_left -= 1
        except RecordingGapError:
            raise
        except Exception as error:
            self._report(f"what {function.name} returned could not be recorded", error)

    def before_backward(self, roots: Sequence[Tensor | GradientEdge]) -> None:
        """As `ResultListener.before_backward`."""
        if self._has_evaluated:
            return
        try:
            for root in roots:
                if isinstance(root, Tensor) and len(self._roots) < _MAX_CALLS:
                    self._take_root(root)
        except RecordingGapError:
            raise
        except Exception as error:
            self._report("where a backward pass begins could not be recorded", error)

    def losses(self) -> tuple[LossCall, ...]:
        """The calls of loss functions of which something is recorded."""
        calls = (
            LossCall(call.function, call.options, *map(self._reference, (call.prediction, call.target, call.result)))
            for call in self._losses
        )
        return tuple(call for call in calls if any((call.prediction, call.target, call.result)))

    def backward_roots(self) -> tuple[TensorReference, ...]:
        """The recorded tensors at which backward passes have begun, each once."""
        references = (self._reference(root) for root in self._roots)
        return tuple(dict.fromkeys(reference for reference in references if reference is not None))

    def _take_loss(
        self, name: str, original: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], result: object
    ) -> None:
        if len(self._losses) == _MAX_CALLS:
            return
        options, prediction, target = arguments_of_loss(original, arguments, named)
        if self._calls is not None and self._calls.is_within_iteration and (torch.is_grad_enabled() or self._calls.is_evaluating):
            if prediction is not None:
                self._register_for_loss(prediction, f"{name}: prediction", "calculated")
            is_about_model = prediction is not None and self._registered.find(prediction) is not None
            if target is not None and is_about_model and self._registered.find(target) is None and self._loss_tensors_left > 0:
                self._loss_tensors_left -= 1
                self._add(target, f"{name}: target", "calculated" if target.requires_grad else "target")
            # What a watched module returns is named when it does.
            if isinstance(result, Tensor) and not self._calls.has_calls_in_progress:
                self._register_for_loss(result, name, "loss")
        values = [self._registered.value_of(tensor) if isinstance(tensor, Tensor) else None for tensor in (prediction, target, result)]
        self._losses.append(_Call(name, options, *values))

    def _register_for_loss(self, tensor: Tensor, name: str, tensor_type: TensorType) -> None:
        if self._loss_tensors_left > 0 and self._register(tensor, name, tensor_type):
            self._loss_tensors_left -= 1

    def _take_root(self, root: Tensor) -> None:
        is_here = self._calls is not None and self._calls.is_within_iteration and not self._calls.has_calls_in_progress
        if is_here and self._roots_left > 0 and self._register(root, "loss" if root.dim() == 0 else "backward root", "loss"):
            self._roots_left -= 1
        value = self._registered.value_of(root)
        if not any(value is other for other in self._roots):
            self._roots.append(value)
        self._mark_as_loss(value)

    def _register(self, tensor: Tensor, name: str, tensor_type: TensorType = "calculated") -> bool:
        """Registers a tensor if it carries gradients to something that is recorded, or would if gradients were turned on.

        Returns whether it was registered now.
        """
        is_part = tensor.requires_grad or not torch.is_grad_enabled()
        if not is_part or not tensor.dtype.is_floating_point or self._registered.find(tensor) is not None:
            return False
        if not self._registered.depends_on_registered(tensor):
            return False
        self._add(tensor, name, tensor_type)
        return True

    def _add(self, tensor: Tensor, name: str, tensor_type: TensorType) -> None:
        registry = self._registry()
        if registry is not None:
            registry.register_computed(tensor, name, tensor_type, self._histogram_values)

    def _mark_as_loss(self, value: TracedValue | None) -> None:
        """Makes a loss of a number that the user has not named, as long as the graph of its iteration is not built."""
        registration = None if value is None else self._registered.record_of(value)
        if registration is None or not registration.is_found or registration.number not in self._registered.in_iteration:
            return
        is_open = self._calls is not None and self._calls.is_within_iteration
        if is_open and registration.traits.kind == "single_value" and registration.traits.type == "calculated":
            registration.rename(registration.first, "loss")

    def _reference(self, value: TracedValue | None) -> TensorReference | None:
        registration = None if value is None else self._registered.record_of(value)
        return None if registration is None else TensorReference(registration.first.name, registration.first.iteration)

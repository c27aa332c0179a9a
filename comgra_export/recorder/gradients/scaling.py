"""The factor by which a `GradScaler` multiplies the loss. Gradients are recorded without it."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.amp import GradScaler
from torch.optim import Optimizer

from comgra_export.errors import MisuseError
from comgra_export.recorder.gradients.parameter_history import ZEROING, function_name
from comgra_export.recorder.host.memory import Memory, memory_of
from comgra_export.recorder.host.torch_internals import (
    CHECK_AND_UNSCALE,
    optimizer_states_of_scaler,
    scale_tensor,
    without_function_overrides,
)

__all__ = ["ScalerRegistry", "StepScaling", "divide_by_scale"]


@runtime_checkable
class _Scaler(Protocol):
    def get_scale(self) -> float: ...


class ScalerRegistry:
    """Knows the user's scaler, without keeping it alive."""

    def __init__(self) -> None:
        self._find: weakref.ref[_Scaler] | None = None

    def track(self, scaler: object) -> None:
        """Notes a scaler, as `ComgraRecorder.track_grad_scaler` describes."""
        if not isinstance(scaler, _Scaler) or isinstance(scaler, type):
            raise MisuseError(f"track_grad_scaler: a {type(scaler).__name__} has no get_scale(). Give a torch.amp.GradScaler.")
        before = self.scaler()
        if before is not None:
            which = "this one" if before is scaler else "another one"
            raise MisuseError(f"track_grad_scaler: {which} is tracked already. Use one GradScaler for all losses, and track it once.")
        self._find = weakref.ref(scaler)

    def scaler(self) -> _Scaler | None:
        """The scaler, as long as it exists."""
        return None if self._find is None else self._find()

    @property
    def is_in_use(self) -> bool:
        """Whether there is a scaler that is not turned off."""
        return self._scaler_in_use() is not None

    def scale(self) -> float | Tensor | None:
        """The factor as it is now.

        Returns:
            A number; or a copy on the accelerator, without dimensions, if reading the number would wait for it. None if there is no scaler,
            or it is turned off.
        """
        scaler = self._scaler_in_use()
        if scaler is None:
            return None
        factor = scale_tensor(scaler)
        with torch.no_grad(), without_function_overrides():
            if isinstance(factor, Tensor) and factor.numel() == 1 and factor.device.type != "cpu":
                # The scaler changes it in place.
                return factor.detach().reshape(()).clone()
            return float(scaler.get_scale())

    def _scaler_in_use(self) -> _Scaler | None:
        scaler = self.scaler()
        return scaler if scaler is not None and getattr(scaler, "is_enabled", lambda: True)() else None


class StepScaling:
    """By which factor the gradients of one step are too large.

    `watched` says whether `after_backward` and `before_overwrite` will be called.

    Attributes:
        scale: The factor of the last backward pass; before the first, that at the start of the step. A tensor if it is on an accelerator.
            None: no factor.
        is_doubtful: Whether `without_scale` got a gradient for which it was not known if the factor was taken out already.
        error: What went wrong first while the user's code ran, if anything did.
    """

    def __init__(self, registry: ScalerRegistry, optimizers: Iterable[Optimizer], *, watched: bool) -> None:
        self.is_doubtful = False
        self.error: Exception | None = None
        self._registry = registry
        self._is_found = False
        self._optimizers = {id(optimizer): weakref.ref(optimizer) for optimizer in optimizers}
        self._watched = watched
        self._unscaled: dict[int, weakref.ref[Tensor]] = {}
        self._unscaled_memory: set[Memory] = set()
        self.scale = registry.scale()

    def find(self, scaler: GradScaler) -> None:
        """Notes a scaler that the script has not handed over, and that is scaling a loss of this step."""
        known = self._registry.scaler()
        if known is None or (self._is_found and known is not scaler):
            self._is_found = True
            self._registry = ScalerRegistry()
            self._registry.track(scaler)
            self.scale = self._registry.scale()

    def may_scale(self) -> bool:
        """Whether gradients that come now may be too large."""
        return self.scale is not None or self._registry.is_in_use

    def after_backward(self) -> None:
        """Notes the factor. It may change only later, in `scaler.update()`."""
        try:
            self.scale = self._registry.scale()
            # Sparse gradients are not added to in place: what is at these places now is something else.
            self._unscaled_memory.clear()
        except Exception as error:
            self._keep(error)

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """Notes the gradients that `scaler.unscale_` or `scaler.step` is about to divide, and those that are about to be set to zero."""
        name = function_name(function)
        if name != CHECK_AND_UNSCALE and not (self._unscaled and name in ZEROING):
            return
        try:
            with without_function_overrides():
                for tensor in tensors:
                    if name == CHECK_AND_UNSCALE:
                        self._unscaled[id(tensor)] = weakref.ref(tensor)
                        memory = memory_of(tensor)
                        if memory is not None:
                            self._unscaled_memory.add(memory)
                    else:
                        self._unscaled.pop(id(tensor), None)
        except Exception as error:
            self._keep(error)

    def without_scale(self, gradient: Tensor, parameter: Tensor | None) -> Tensor:
        """A gradient without the factor; the tensor is not changed.

        `parameter` is the parameter whose gradient it is, if it is that of one.
        """
        if self.scale is None:
            return gradient
        is_unscaled = parameter is not None and self.is_unscaled(parameter)
        if is_unscaled is None:
            self.is_doubtful = True
        return divide_by_scale(gradient, self.scale) if is_unscaled is False else gradient

    def is_unscaled(self, parameter: Tensor) -> bool | None:
        """Whether the gradient that a parameter has now was divided by the factor already; None if that is not known.

        If operations are not watched, this asks the scaler. The scaler forgets it in `update()`, and knows it only for parameters of
        tracked optimizers.
        """
        with without_function_overrides():
            gradient = parameter.grad
            if not self._watched:
                return self._was_unscaled_by_optimizer(parameter)
            if gradient is None:
                return False
            if gradient.layout == torch.sparse_coo:
                return memory_of(gradient) in self._unscaled_memory
            unscaled = self._unscaled.get(id(gradient))
            return unscaled is not None and unscaled() is gradient

    def _was_unscaled_by_optimizer(self, parameter: Tensor) -> bool | None:
        states = optimizer_states_of_scaler(self._registry.scaler())
        if states is None:
            return None
        done = {key for key, state in states.items() if getattr(state.get("stage"), "name", "READY") != "READY"}
        if not done:
            return False
        for key, find in self._optimizers.items():
            optimizer = find()
            if optimizer is not None and any(parameter is other for group in optimizer.param_groups for other in group["params"]):
                return key in done
        return False if done <= self._optimizers.keys() else None

    def _keep(self, error: Exception) -> None:
        if self.error is None:
            self.error = error.with_traceback(None)


def divide_by_scale(gradient: Tensor, scale: float | Tensor) -> Tensor:
    """A gradient without the factor. float16 becomes float32: in float16, what the factor had kept from underflow would be lost.

    It is exact if the factor is a power of two and the result is a normal number. By default, the factor of a `GradScaler` is a power of
    two.
    """
    with torch.no_grad(), without_function_overrides():
        wide = gradient.float() if gradient.dtype == torch.float16 else gradient
        if isinstance(scale, Tensor):
            scale = scale.to(device=wide.device, non_blocking=True)
        return wide / scale

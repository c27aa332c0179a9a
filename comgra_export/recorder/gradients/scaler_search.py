"""Finding the `GradScaler` of a script that does not hand it over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.autograd.graph import GradientEdge

from comgra_export.recorder.gradients.scaling import StepScaling
from comgra_export.recorder.host.callers import calling_scaler
from comgra_export.recorder.tracing.functions import Function

__all__ = ["ScalerSearch"]


class ScalerSearch:
    """Sees the multiplication in `scaler.scale(loss)`, and tells the step by which factor its gradients will be too large.

    `report` gets an exception of our own, with a sentence.
    """

    def __init__(self, scaling: StepScaling, report: Callable[[str, Exception], None]) -> None:
        self._scaling = scaling
        self._report = report

    def wants(self, function: Function) -> bool:
        """As `ResultListener.wants`."""
        return function.name == "mul"

    def after_function(self, _: Function, __: Callable[..., Any], arguments: tuple[Any, ...], *___: object) -> None:
        """As `ResultListener.after_function`."""
        if len(arguments) != 2 or not isinstance(arguments[1], Tensor) or arguments[1].dim() > 0:
            return
        try:
            scaler = calling_scaler()
            if scaler is not None:
                self._scaling.find(scaler)
        except Exception as error:
            self._report("the scale of the loss could not be found", error)

    def before_backward(self, roots: Sequence[Tensor | GradientEdge]) -> None:
        """As `ResultListener.before_backward`."""

"""What a step wants to know of the operations that are about to change tensors in place."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence

from torch import Tensor, nn

from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.tracing.operations import UPDATE

__all__ = ["HeldValues", "ParameterUpdates"]


class ParameterUpdates:
    """Tells when parameters are about to change, before anything else is done for it.

    Args:
        before_update: What to call then. Weak, so that the listeners of a step do not lead back to it.
    """

    def __init__(self, before_update: weakref.WeakMethod[Callable[[], None]]) -> None:
        self._before_update = before_update

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """As `OperationListener.before_overwrite`."""
        if function == UPDATE or any(type(tensor) is not Tensor and isinstance(tensor, nn.Parameter) for tensor in tensors):
            before_update = self._before_update()
            if before_update is not None:
                with without_function_overrides():
                    before_update()

    def after_backward(self) -> None:
        """As `OperationListener.after_backward`."""


class HeldValues:
    """Tells what is held of a step that memory is about to change.

    Args:
        measurements: What holds it.
    """

    def __init__(self, measurements: Measurements) -> None:
        self._measurements = measurements

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:  # noqa: ARG002
        """As `OperationListener.before_overwrite`."""
        self._measurements.before_overwrite(tensors)

    def after_backward(self) -> None:
        """As `OperationListener.after_backward`."""

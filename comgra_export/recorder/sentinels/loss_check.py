"""Whether the tensors at which backward passes begin are finite, on steps that are not recorded."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nan
from typing import Any

import torch
from torch import Tensor

from comgra_export.recorder.host.backward_hook import BEFORE_BACKWARD
from comgra_export.recorder.host.isolation import is_being_captured, is_plain
from comgra_export.recorder.host.torch_internals import (
    count_dispatch_modes,
    count_function_modes,
    current_backward_pass,
    is_view,
    without_function_overrides,
)
from comgra_export.recorder.sentinels.sums import SumsOnDevice, sum_of

__all__ = ["LossCheck"]


class LossCheck:
    """Finds a loss that is not finite although its gradients may be, as if a constant part of it is NaN.

    A value on the CPU is read. It waits for no device: on CUDA, the losses of several steps travel together, so that it is known later
    which step it was.

    Args:
        step: The number of the training step in progress, if it is not recorded; None otherwise.
        arrived: Takes the first loss that was not finite on a device: its step, and NaN or infinity.
        report: Takes an exception of our own. Nothing is checked after it.

    Attributes:
        found: The step of the last loss on the CPU that was not finite, and NaN if it holds a NaN, infinity if it holds an infinity; None
            if there was none, or it was taken.
    """

    def __init__(
        self,
        step: Callable[[], float | None],
        *,
        arrived: Callable[[float, float], None],
        report: Callable[[Exception], None],
    ) -> None:
        self.found: tuple[float, float] | None = None
        self._step = step
        self._arrived = arrived
        self._report = report
        self._on_device = SumsOnDevice()
        BEFORE_BACKWARD.add(self._before_backward)

    def finish(self) -> None:
        """Reads what is still on a device, and leaves no hook behind."""
        self.remove_hook()
        self._take_arrived(self._on_device.wait())

    def remove_hook(self) -> None:
        """Checks nothing any more."""
        BEFORE_BACKWARD.remove(self._before_backward)

    def take(self, step: float) -> float | None:
        """What was found in a step on the CPU, or None; it is let go of."""
        last, self.found = self.found, None
        return last[1] if last is not None and last[0] == step else None

    def _before_backward(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        roots = arguments[0] if arguments else named.get("tensors")
        try:
            # Most calls end here. It is written out, since every call counts in a step of a small network.
            if type(roots) is Tensor and not count_function_modes() and not count_dispatch_modes() and roots.is_cpu:
                try:
                    if isfinite(roots.item()):
                        return
                except (RuntimeError, TypeError, ValueError):
                    # It has several values, or a complex one.
                    pass
            if not count_dispatch_modes() and current_backward_pass() == -1:
                with without_function_overrides():
                    self._look(roots)
        except Exception as error:
            self._report(error)

    def _look(self, roots: object) -> None:
        step = self._step()
        if step is None:
            return
        for root in [roots] if isinstance(roots, Tensor) else roots if isinstance(roots, (list, tuple)) else []:
            if not isinstance(root, Tensor) or not is_plain(root) or not root.is_floating_point() or root.layout is not torch.strided:
                continue
            if root.is_cpu:
                # The sum of large numbers can be infinite although they are finite.
                if not isfinite(sum_of(root).item()) and not root.isfinite().all():
                    self.found = (step, nan if root.isnan().any() else inf)
            elif root.is_cuda and not is_being_captured():
                # A single value is kept as it is. A view would keep what it is one of.
                total = sum_of(root) if root.dim() or is_view(root) else root.detach()
                self._take_arrived(self._on_device.add(step, "", total))

    def _take_arrived(self, not_finite: tuple[float, str, float] | None) -> None:
        if not_finite is not None:
            step, _, total = not_finite
            self._on_device = SumsOnDevice()
            self._arrived(step, abs(total))

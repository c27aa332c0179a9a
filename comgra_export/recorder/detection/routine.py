"""Steps that pass unrecorded like the one before. Most steps of a training do, so this is written for few calls."""

from __future__ import annotations

import weakref
from threading import get_ident
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import Optimizer

from comgra_export.recorder.detection.control import StepControl
from comgra_export.recorder.detection.hooks import DetectionHooks
from comgra_export.recorder.detection.numbering import StepNumbers
from comgra_export.recorder.detection.steps import DetectedSteps
from comgra_export.recorder.host.hooks import named_arguments
from comgra_export.recorder.host.torch_internals import current_backward_pass

__all__ = ["Routine"]


class Routine:
    """Begins and ends training steps that are not recorded, if they go as the last one did. All others are left to `StepDetector`.

    Such a step begins with a call of the same watched module, and ends when the same optimizer has made its step, in the same thread.
    Since the last one, no other step has begun, no forward pass was declared, and no other optimizer shares the steps. Then all that
    `StepDetector` would look at is as it was, and what it would do is done here, to the same objects.
    """

    def __init__(self, control: weakref.ref[StepControl], hooks: DetectionHooks, numbers: StepNumbers, steps: DetectedSteps) -> None:
        self._control = control
        self._hooks = hooks
        self._numbers = numbers
        self._steps = steps
        self._module: nn.Module | None = None
        self._may_be_named: int | None = None
        self._keeps_call = False
        self._optimizer: weakref.ref[Optimizer] | None = None
        self._begun: tuple[nn.Module, int | None, bool] | None = None
        self._thread = 0

    def note_beginning(self, module: nn.Module, may_be_named: int | None, *, keeps_call: bool) -> None:
        """A step begins that is not recorded, with a call of this module. `may_be_named` is as in `Entrance`.

        `keeps_call`: the first call of each step is kept, as `StepDetector.keeps_calls` says.
        """
        self._begun = module, may_be_named, keeps_call

    def note_end(self, optimizer: Optimizer) -> None:
        """The step that began last has ended with the step of this optimizer."""
        begun, self._begun = self._begun, None
        if begun is not None and not self._steps.updates.has_followers:
            self._module, self._may_be_named, self._keeps_call = begun
            self._optimizer = weakref.ref(optimizer)
            self._thread = get_ident()

    def forget(self) -> None:
        """The next step may go another way."""
        self._module = self._optimizer = self._begun = None

    def begins(self, module: nn.Module, arguments: tuple[Any, ...]) -> bool:
        """A module is about to be called. Returns whether that has begun such a step."""
        steps = self._steps
        if module is not self._module or steps.kind is not None or get_ident() != self._thread:
            return False
        control = self._control()
        if control is None or not module.training or not torch.is_grad_enabled() or not control.skip_next(self._numbers.trained_in_all):
            return False
        steps.kind = "train"
        steps.updates.updated_by.clear()
        if self._keeps_call:
            limit = self._may_be_named
            steps.unrecorded_call = module, arguments, named_arguments(module) if limit is None or len(arguments) < limit else {}
        self._hooks.close_entrance_for_now()
        return True

    def ends(self, optimizer: Optimizer) -> bool:
        """An optimizer has made its step. Returns whether that has ended such a step."""
        known, steps = self._optimizer, self._steps
        if known is None or known() is not optimizer or steps.kind != "train" or steps.is_to_drop or self._hooks.has_exit:
            return False
        control = self._control()
        if control is None or get_ident() != self._thread or current_backward_pass() != -1:
            return False
        steps.updates.updated_by.add(known)
        self._numbers.trained_in_all += 1
        steps.kind = steps.unrecorded_call = None
        try:
            control.leave_skipped()
        finally:
            self._hooks.open_entrance_again()
        return True

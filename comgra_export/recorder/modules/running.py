"""Which tracked modules run in a step, and which of them made a tensor."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.host.nested import tensors_in_result
from comgra_export.recorder.host.torch_internals import version_of, without_function_overrides
from comgra_export.recorder.modules.exceptions import StepExceptions
from comgra_export.storage.model.step_description import ModuleRuns

__all__ = ["ModulePlace", "ModuleWatch"]


class ModulePlace(NamedTuple):
    """The place of a tracked module: its position in `Network.modules`, and its dotted name."""

    position: int
    name: str


class _Maker(NamedTuple):
    tensor: weakref.ref[Tensor]
    version: int | None
    name: str


class ModuleWatch:
    """Follows the tracked modules while they run forwards, from `start` to `stop`. It never raises.

    `modules` are without wrappers such as `DistributedDataParallel`, which share the name of what they hold. `exceptions` gets those
    that they raise.

    Attributes:
        data_parallel: The `DistributedDataParallel` modules that ran forwards with gradients turned on, tracked or not, and whether their
            gradients are to be averaged over the processes when autograd comes through them next.
        error: What went wrong first in a call, if anything did.
    """

    def __init__(self, calls: ModuleCalls, modules: Mapping[nn.Module, ModulePlace], exceptions: StepExceptions) -> None:
        self.data_parallel: dict[DistributedDataParallel, bool] = {}
        self.error: Exception | None = None
        self._module_calls = calls
        self._modules = modules
        self._exceptions = exceptions
        self._is_started = False
        self._running: list[tuple[nn.Module, ModulePlace]] = []
        self._makers: dict[int, _Maker] = {}
        self._calls: dict[int, int] = {}
        self._training: dict[int, bool] = {}

    def start(self) -> None:
        """Begins to watch. Does nothing if it does already."""
        if not self._is_started:
            self._is_started = True
            self._module_calls.add(self)

    def stop(self) -> None:
        """Ends it, and forgets what is running. It still knows what has run."""
        self._is_started = False
        self._module_calls.remove(self)
        self._running.clear()

    def release(self) -> None:
        """Stops, and lets go of all tensors and modules."""
        self.stop()
        self._makers.clear()
        self.data_parallel.clear()

    def innermost(self) -> tuple[nn.Module, str] | None:
        """The innermost tracked module that runs in the training thread now, and its name."""
        return (self._running[-1][0], self._running[-1][1].name) if self._running else None

    def current(self) -> str | None:
        """The name of the innermost tracked module that runs in the training thread now."""
        innermost = self.innermost()
        return None if innermost is None else innermost[1]

    def module_of(self, tensor: Tensor) -> str | None:
        """The name of the tracked module to which a tensor belongs.

        Returns:
            The innermost module that runs now. If none runs, the first module that has returned this very tensor since it was last changed
            in place, alone or within tuples, lists, dicts and dataclasses. None if there is none.
        """
        current = self.current()
        if current is not None:
            return current
        maker = self._makers.get(id(tensor))
        return maker.name if maker is not None and maker.tensor() is tensor else None

    def runs(self) -> ModuleRuns:
        """Which tracked modules have run since `start`."""
        positions = tuple(sorted(self._calls))
        return ModuleRuns(
            modules=positions,
            training=tuple(self._training[position] for position in positions),
            calls=tuple(self._calls[position] for position in positions),
        )

    def before_call(self, module: nn.Module, arguments: object) -> None:  # noqa: ARG002
        """As `CallListener.before_call`."""
        try:
            place = self._modules.get(module)
            if place is not None:
                self._running.append((module, place))
                self._calls[place.position] = self._calls.get(place.position, 0) + 1
                self._training[place.position] = module.training
        except Exception as error:
            self._keep(error)

    def after_call(self, module: nn.Module, result: object, has_raised: bool) -> None:
        """As `CallListener.after_call`."""
        try:
            place = self._leave(module)
            if place is not None and has_raised:
                # PyTorch calls its hooks while it handles the exception.
                self._exceptions.note(sys.exc_info()[1], place.name)
            elif place is not None:
                # Otherwise a function mode that traces the user's calls would see ours.
                with without_function_overrides():
                    for tensor in tensors_in_result(result):
                        self._note_maker(tensor, place)
            if isinstance(module, DistributedDataParallel) and torch.is_grad_enabled():
                self.data_parallel[module] = bool(module.require_backward_grad_sync)
        except Exception as error:
            self._keep(error)

    has_calls_in_progress = False
    """As `CallListener.has_calls_in_progress`. An interrupted call may count as running until the module around it ends."""

    def call_was_interrupted(self, module: nn.Module) -> None:
        """As `CallListener.call_was_interrupted`."""
        self._leave(module)

    def elsewhere_called(self, module: nn.Module) -> None:
        """As `CallListener.elsewhere_called`. Such calls are not followed."""

    def _leave(self, module: nn.Module) -> ModulePlace | None:
        if self._running and self._running[-1][0] is module:
            return self._running.pop()[1]
        return None

    def _note_maker(self, tensor: Tensor, place: ModulePlace) -> None:
        version = version_of(tensor)
        before = self._makers.get(id(tensor))
        # A container returns what its last part returned, and some modules return their input as it is.
        if before is None or before.tensor() is not tensor or before.version != version:
            self._makers[id(tensor)] = _Maker(weakref.ref(tensor), version, place.name)

    def _keep(self, error: Exception) -> None:
        if self.error is None:
            # Its traceback would keep the step's tensors alive.
            self.error = error.with_traceback(None)

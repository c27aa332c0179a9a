"""Which tracked modules run in a step, and which of them made a tensor."""

from __future__ import annotations

import dataclasses
import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.nn.parallel import DistributedDataParallel
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.host.compilation import CompiledModulesSilence
from comgra_export.recorder.host.isolation import is_running_backwards
from comgra_export.recorder.host.torch_internals import version_of, without_function_overrides
from comgra_export.storage.model import ModuleRuns

__all__ = ["ModulePlace", "ModuleWatch"]

# Of what a module returns, so much is looked through for tensors. Results may be large, and may contain themselves.
_MAX_DEPTH = 8
_MAX_PARTS = 1000


class ModulePlace(NamedTuple):
    """Where a tracked module is found: its position in `Network.modules`, and its dotted name."""

    position: int
    name: str


class _Maker(NamedTuple):
    tensor: weakref.ref[Tensor]
    version: int | None
    name: str


class ModuleWatch:
    """Follows the tracked modules while they run forwards, from `start` to `stop`.

    It hooks into all modules of the process at once: hooks of single modules would turn off the fast path of
    `nn.TransformerEncoderLayer`, would be copied and pickled with the module, and might have it compiled anew. What runs in other threads
    than the one that called `start`, within compiled code, or in the recomputation of a checkpointed block is not seen. The hooks never
    change what passes through a module, and never raise.

    Args:
        modules: The tracked modules, save wrappers such as `DistributedDataParallel`, which share the name of what they hold.

    Attributes:
        data_parallel: The `DistributedDataParallel` modules that ran forwards with gradients turned on, tracked or not, and whether their
            gradients are to be averaged over the processes when autograd comes through them next.
        error: What went wrong first in a hook, if anything did.
    """

    def __init__(self, modules: Mapping[nn.Module, ModulePlace]) -> None:
        self.data_parallel: dict[DistributedDataParallel, bool] = {}
        self.error: Exception | None = None
        self._modules = modules
        self._thread: int | None = None
        self._hooks: list[RemovableHandle] = []
        self._silence = CompiledModulesSilence()
        self._running: list[tuple[nn.Module, ModulePlace]] = []
        self._makers: dict[int, _Maker] = {}
        self._calls: dict[int, int] = {}
        self._training: dict[int, bool] = {}

    def start(self) -> None:
        """Begins to watch. Does nothing if it does already."""
        if self._hooks:
            return
        self._thread = threading.get_ident()
        self._silence.start()
        self._hooks.append(register_module_forward_pre_hook(self._before))
        self._hooks.append(register_module_forward_hook(self._after, always_call=True))

    def stop(self) -> None:
        """Removes the hooks, and forgets what is running. What is known of the step stays."""
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        self._running.clear()
        self._silence.stop()

    def release(self) -> None:
        """Stops, and lets go of all tensors and modules."""
        self.stop()
        self._makers.clear()
        self.data_parallel.clear()

    def current(self) -> str | None:
        """The name of the innermost tracked module that runs in the training thread now."""
        return self._running[-1][1].name if self._running else None

    def module_of(self, tensor: Tensor) -> str | None:
        """The name of the tracked module to which a tensor belongs.

        Returns:
            The innermost one that runs now; else the one that returned this very tensor, alone or within tuples, lists, dicts and
            dataclasses: the first that did since it was last changed in place. None where there is none.
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

    def _before(self, module: nn.Module, _: object) -> None:
        # A compiler that traces this finds nothing in it.
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread or is_running_backwards():
            return
        try:
            place = self._modules.get(module)
            if place is not None:
                self._running.append((module, place))
                self._calls[place.position] = self._calls.get(place.position, 0) + 1
                self._training[place.position] = module.training
        except Exception as error:
            self._keep(error)

    def _after(self, module: nn.Module, _: object, output: object) -> None:
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread or is_running_backwards():
            return
        try:
            place = self._leave(module)
            if place is not None:
                # Otherwise a function mode that traces the user's calls would see ours.
                with without_function_overrides():
                    if type(output) is Tensor:
                        self._note_maker(output, place)
                    else:
                        for tensor in _tensors_in(output):
                            self._note_maker(tensor, place)
            if isinstance(module, DistributedDataParallel) and torch.is_grad_enabled():
                self.data_parallel[module] = bool(module.require_backward_grad_sync)
        except Exception as error:
            self._keep(error)

    def _leave(self, module: nn.Module) -> ModulePlace | None:
        """Takes a module from the running ones, with those above it that an interrupt has kept from leaving."""
        running = self._running
        for depth in range(len(running) - 1, -1, -1):
            if running[depth][0] is module:
                place = running[depth][1]
                del running[depth:]
                return place
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


def _tensors_in(result: object) -> Iterator[Tensor]:
    if isinstance(result, Tensor):
        yield result
        return
    level: list[object] = [result]
    parts = 0
    for _ in range(_MAX_DEPTH):
        next_level: list[object] = []
        for value in level:
            if isinstance(value, Tensor):
                yield value
                continue
            if isinstance(value, dict):
                inner = list(value.values())
            elif isinstance(value, (tuple, list)):
                inner = list(value)
            elif dataclasses.is_dataclass(value) and not isinstance(value, type):
                inner = [getattr(value, field.name, None) for field in dataclasses.fields(value)]
            else:
                continue
            parts += len(inner)
            if parts > _MAX_PARTS:
                return
            next_level += inner
        level = next_level

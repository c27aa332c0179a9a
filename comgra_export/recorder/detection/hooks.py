"""The hooks by which steps are detected: of all modules and of all optimizers."""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

from torch import nn
from torch.nn.modules.module import register_module_forward_hook
from torch.optim.optimizer import Optimizer
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.host.compilation import CompiledModulesSilence
from comgra_export.recorder.host.hooks import remove_hooks
from comgra_export.recorder.host.optimizer_hooks import AFTER_UPDATE, BEFORE_UPDATE
from comgra_export.recorder.host.torch_internals import (
    GLOBAL_FORWARD_HOOKS,
    GLOBAL_FORWARD_PRE_HOOKS,
    drop_forward_pre_hook,
    new_forward_pre_hook,
    put_forward_pre_hook,
)

__all__ = ["DetectionHooks", "HookListener"]


class HookListener(Protocol):
    """Gets the calls of all modules and the steps of all optimizers."""

    def before_call(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        """A module is about to be called, with these arguments by position."""

    def after_call(self, module: nn.Module, _: object, *others: object) -> None:
        """A call is over. `others` are the arguments by name and the result; if the call has raised, only the result."""

    def before_update(self, optimizer: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """An optimizer is about to make a step. It is among the arguments."""

    def after_update(self, optimizer: Optimizer, *_: object) -> None:
        """An optimizer has made a step."""


class DetectionHooks:
    """The hooks of a listener, of which only those are there that it needs now.

    The one after updates is always there. The one before calls comes with `open_entrance`; those after calls and before updates
    come with `open_exit`. The hooks of a recorded step stand in `ModuleCalls`: these ones must begin it.

    Attributes:
        has_exit: Whether there are hooks after calls and before updates. They are there as long as a step is being recorded.
        close_entrance_for_now: As `close_entrance`, without a call of Python. Compiled modules stay silent.
    """

    def __init__(self, listener: HookListener) -> None:
        self._listener: HookListener | None = listener
        self._silence = CompiledModulesSilence()
        self._before_call = listener.before_call
        self._entrance = new_forward_pre_hook()
        self.close_entrance_for_now = partial(drop_forward_pre_hook, self._entrance, None)
        self.has_exit = False
        self._exit: list[RemovableHandle] = []

    def start(self) -> None:
        """From now on, there are hooks. Before, the listener must be complete: another thread may be training."""
        if self._listener is not None:
            AFTER_UPDATE.add(self._listener.after_update)
            self.open_entrance()

    @property
    def is_last_exit(self) -> bool:
        """Whether PyTorch calls the hook after calls as the last of its kind."""
        return bool(next(reversed(GLOBAL_FORWARD_HOOKS)) == self._exit[0].id)

    def open_entrance(self) -> None:
        """From now on, there is a hook before calls."""
        if self._listener is not None and self._entrance not in GLOBAL_FORWARD_PRE_HOOKS:
            self._silence.start()
            # This happens at every step, so it is not registered anew.
            put_forward_pre_hook(self._entrance, self._before_call)

    def close_entrance(self) -> None:
        """There is no hook before calls any more."""
        drop_forward_pre_hook(self._entrance, None)
        self._silence.stop()

    def open_entrance_again(self) -> None:
        """Undoes `close_entrance_for_now`."""
        self._silence.start()
        put_forward_pre_hook(self._entrance, self._before_call)

    def open_exit(self) -> None:
        """From now on, there are hooks after calls and before updates."""
        if self._listener is not None:
            # Before that of the step, which takes note that values are overwritten: the gradients come first.
            BEFORE_UPDATE.add(self._listener.before_update, first=True)
            self._exit.append(register_module_forward_hook(self._listener.after_call, with_kwargs=True, always_call=True))
            self.has_exit = True

    def close_exit(self) -> None:
        """There are no hooks after calls and before updates any more."""
        self.has_exit = False
        remove_hooks(self._exit)
        self._exit.clear()
        if self._listener is not None:
            BEFORE_UPDATE.remove(self._listener.before_update)

    def remove(self) -> None:
        """Removes all hooks, for good. The listener is not kept alive any more."""
        self.close_entrance()
        self.close_exit()
        listener, self._listener = self._listener, None
        if listener is not None:
            AFTER_UPDATE.remove(listener.after_update)

"""The hooks by which steps are detected: of all modules and of all optimizers."""

from __future__ import annotations

from typing import Any, Protocol

from torch import nn
from torch.nn.modules.module import register_module_forward_hook
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.host.compilation import CompiledModulesSilence
from comgra_export.recorder.host.hooks import remove_hooks
from comgra_export.recorder.host.torch_internals import (
    GLOBAL_FORWARD_HOOKS,
    GLOBAL_FORWARD_PRE_HOOKS,
    GLOBAL_OPTIMIZER_POST_HOOKS,
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

    Those of optimizers are there from the beginning. Those before calls come with `open_entrance`, and those after calls with `open_exit`.
    The hooks of a recorded step stand in `ModuleCalls`: these ones must begin it.

    Attributes:
        has_exit: Whether there is a hook after calls. There is one as long as a step is being recorded.
    """

    def __init__(self, listener: HookListener) -> None:
        self._listener: HookListener | None = listener
        self._silence = CompiledModulesSilence()
        self._entrance = new_forward_pre_hook()
        self.has_exit = False
        self._exit: list[RemovableHandle] = []
        self._before_update = [register_optimizer_step_pre_hook(listener.before_update)]
        self._after_update: list[RemovableHandle] = []
        self.listen_after_update()

    @property
    def is_last_exit(self) -> bool:
        """Whether PyTorch calls the hook after calls as the last of its kind."""
        return bool(next(reversed(GLOBAL_FORWARD_HOOKS)) == self._exit[0].id)

    @property
    def is_last_after_update(self) -> bool:
        """Whether PyTorch calls the hook after the step of an optimizer as the last of its kind."""
        return bool(next(reversed(GLOBAL_OPTIMIZER_POST_HOOKS)) == self._after_update[0].id)

    def open_entrance(self) -> None:
        """From now on, there is a hook before calls."""
        if self._listener is not None and self._entrance not in GLOBAL_FORWARD_PRE_HOOKS:
            self._silence.start()
            # This happens at every step, so it is not registered anew.
            put_forward_pre_hook(self._entrance, self._listener.before_call)

    def close_entrance(self) -> None:
        """There is no hook before calls any more."""
        if drop_forward_pre_hook(self._entrance):
            self._silence.stop()

    def open_exit(self) -> None:
        """From now on, there is a hook after calls."""
        if self._listener is not None:
            self._exit.append(register_module_forward_hook(self._listener.after_call, with_kwargs=True, always_call=True))
            self.has_exit = True

    def close_exit(self) -> None:
        """There is no hook after calls any more."""
        self.has_exit = False
        _remove(self._exit)

    def listen_after_update(self) -> None:
        """Puts the hook after the steps of optimizers behind all others that are there now."""
        _remove(self._after_update)
        if self._listener is not None:
            self._after_update.append(register_optimizer_step_post_hook(self._listener.after_update))

    def remove(self) -> None:
        """Removes all hooks, for good. The listener is not kept alive any more."""
        self._listener = None
        self.close_entrance()
        self.close_exit()
        for hooks in (self._before_update, self._after_update):
            _remove(hooks)


def _remove(hooks: list[RemovableHandle]) -> None:
    remove_hooks(hooks)
    hooks.clear()

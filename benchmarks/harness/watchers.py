"""Watching a model with our recorder. (With TorchExplorer: `torchexplorer_watcher`.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal, Protocol

from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from comgra_export import DecisionMakerForRecordingsHardcoded, watch

__all__ = ["Watched", "Watcher", "our_watcher"]

Watched = Literal["unrecorded", "recorded", "recorded in memory", "empty hooks"]
"""Whether the steps are recorded. Ours does not keep a recording in memory alone. "Empty hooks" is what PyTorch takes to call any."""

_MANY = 1_000_000
# As in the check of updates.
_FEW_VALUES = 4096


class Watcher(Protocol):
    """Watches a model within a `with`, whose value waits until what was recorded is on disk."""

    def __call__(self, model: nn.Module, folder: Path, how: Watched) -> AbstractContextManager[Callable[[], object]]: ...


@contextmanager
def our_watcher(model: nn.Module, folder: Path, how: Watched) -> Iterator[Callable[[], object]]:
    """Watch a model with comgra_export. Afterwards, nothing of it is left on the model or in PyTorch."""
    if how == "empty hooks":
        with _empty_hooks(model):
            yield _nothing
        return
    steps = range(_MANY if how == "recorded" else 0)
    decide = DecisionMakerForRecordingsHardcoded(steps)
    with watch(model, folder, decision_maker_for_recordings=decide, existing_trial="rename") as recorder:
        yield recorder.flush


@contextmanager
def _empty_hooks(model: nn.Module) -> Iterator[None]:
    """The least that a step costs which is not recorded: its hooks, and the sums of the two gradients that are checked before an update.

    As with ours, no module within the first one that is called meets a hook.
    """
    small = [parameter for parameter in model.parameters() if parameter.numel() <= _FEW_VALUES] or [next(model.parameters())]
    checked = dict.fromkeys((small[-1], small[0]))

    def before_call(*_: object) -> None:
        handles.pop().remove()

    def before_update(*_: object) -> None:
        for parameter in checked:
            if parameter.grad is not None:
                parameter.grad.sum().item()

    def after_update(*_: object) -> None:
        handles.append(register_module_forward_pre_hook(before_call))

    handles = [register_module_forward_pre_hook(before_call)]
    others = [register_optimizer_step_pre_hook(before_update), register_optimizer_step_post_hook(after_update)]
    try:
        yield
    finally:
        for handle in (*handles, *others):
            handle.remove()


def _nothing() -> None:
    pass

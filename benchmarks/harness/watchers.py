"""Watching a model with our recorder. (With TorchExplorer: `torchexplorer_watcher`.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal, Protocol

from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from comgra_export import DecisionMakerForRecordingsHardcoded, watch
from comgra_export.recorder.host.torch_internals import drop_forward_pre_hook, new_forward_pre_hook, put_forward_pre_hook
from comgra_export.recorder.numbers.kernels import read_rows

__all__ = ["Watched", "Watcher", "our_watcher"]

Watched = Literal["unrecorded", "recorded", "recorded in memory", "empty hooks", "one pass"]
"""Whether the steps are recorded. Ours does not keep a recording in memory alone. "Empty hooks" is what PyTorch takes to call any, and "one
pass" what the processor takes to read once what a recorded step reads."""

_MANY = 1_000_000


class Watcher(Protocol):
    """Watches a model within a `with`, whose value waits until what was recorded is on disk."""

    def __call__(self, model: nn.Module, folder: Path, how: Watched) -> AbstractContextManager[Callable[[], object]]: ...


@contextmanager
def our_watcher(model: nn.Module, folder: Path, how: Watched) -> Iterator[Callable[[], object]]:
    """Watch a model with comgra_export. Afterwards, nothing of it is left on the model or in PyTorch."""
    if how == "empty hooks":
        with _empty_hooks():
            yield _nothing
        return
    if how == "one pass":
        with _one_pass(model):
            yield _nothing
        return
    steps = range(_MANY if how == "recorded" else 0)
    decide = DecisionMakerForRecordingsHardcoded(steps)
    with watch(model, folder, decision_maker_for_recordings=decide, existing_trial="rename") as recorder:
        yield recorder.flush


@contextmanager
def _empty_hooks() -> Iterator[None]:
    """The least that a step costs which is not recorded: the three hooks without which nothing of it is seen, and nothing in them.

    As with ours, no module within the first one that is called meets a hook.
    """
    number = new_forward_pre_hook()

    def before_call(*_: object) -> None:
        drop_forward_pre_hook(number, None)

    def before_update(*_: object) -> None:
        pass

    def after_update(*_: object) -> None:
        put_forward_pre_hook(number, before_call)

    handles = [register_optimizer_step_pre_hook(before_update), register_optimizer_step_post_hook(after_update)]
    put_forward_pre_hook(number, before_call)
    try:
        yield
    finally:
        drop_forward_pre_hook(number, None)
        for handle in handles:
            handle.remove()


@contextmanager
def _one_pass(model: nn.Module) -> Iterator[None]:
    """The least that a recorded step costs: every number of it read once by compiled code that adds up rows, and nothing kept of it.

    These are the values that go into each module and come out of it, and their gradients, the parameters and theirs.
    """
    read: list[Tensor] = []

    def add_up(tensor: Tensor) -> None:
        read_rows(tensor.detach().contiguous(), tensor.shape[0])

    def after_call(_: nn.Module, inputs: tuple[Tensor, ...], result: Tensor) -> None:
        for tensor in (*inputs, result):
            # What comes out of one module goes into the next.
            if not any(tensor is other for other in read):
                read.append(tensor)
                add_up(tensor)
                if tensor.requires_grad:
                    tensor.register_hook(add_up)

    def before_update(*_: object) -> None:
        read.clear()
        for parameter in model.parameters():
            add_up(parameter)
            if parameter.grad is not None:
                add_up(parameter.grad)

    handles = [register_module_forward_hook(after_call), register_optimizer_step_pre_hook(before_update)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _nothing() -> None:
    pass

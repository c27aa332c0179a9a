"""Whether a gradient that flows is the last one that its tensor can get."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

__all__ = ["is_last_gradient", "runs_for_the_last_time"]

# Private, and not in every version. Without them, every gradient may be followed by another one.
_keeps_graph = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", None)
_current_operation = getattr(torch._C, "_current_autograd_node", None)
_will_run = getattr(torch._C, "_will_engine_execute_node", None)

# Of autograd's own operations, which stay anyway; those of the user must not be kept alive.
_saving: dict[type[Node], bool] = {}

# So many operations are looked at. What saves tensors is seldom farther from a sum or a view.
_NEAR = 8


def is_last_gradient() -> bool:
    """Whether no further gradient can come to the tensor by whose hook this is called. Where that is not known, it is false.

    It is so where the operation that made the tensor is about to run backwards, for the last time. Autograd is asked about the backward
    pass that brought this gradient, so it does not matter who has begun it, nor whether it runs within another one. A gradient that is
    asked for by the tensor's name (`torch.autograd.grad(other, tensor)`) may come all the same, since the operation does not run for it.
    """
    if _keeps_graph is None or _current_operation is None or _will_run is None or _keeps_graph():
        return False
    operation = _current_operation()
    return operation is not None and runs_for_the_last_time(operation, _runs)


def runs_for_the_last_time(operation: Node, runs: Callable[[Node], bool]) -> bool:
    """Whether an operation cannot run backwards again after a backward pass that lets go of what was saved for it.

    That is so where the operation saves tensors, or where it leads to one that does, as a sum or a view may: another pass would end in an
    error of the user's own. Those that save tensors of which all happen to be undefined are not told apart, as a layer of which only the
    bias requires a gradient. A `torch.autograd.Function` need not look at what it has saved.

    Args:
        operation: The operation.
        runs: Whether an operation runs in this backward pass.
    """
    waiting = [operation]
    for _ in range(_NEAR):
        if not waiting:
            break
        one = waiting.pop(0)
        if isinstance(one, BackwardCFunction):
            continue
        if not _saves_tensors(type(one)):
            waiting += [before for before, _ in one.next_functions if before is not None]
        elif runs(one):
            return True
    return False


def _saves_tensors(kind: type[Node]) -> bool:
    if kind not in _saving:
        _saving[kind] = any(name.startswith("_raw_saved_") for name in dir(kind))
    return _saving[kind]


def _runs(operation: Node) -> bool:
    """Whether an operation runs in this backward pass. Of one whose gradients only are asked for, autograd itself says that it does."""
    assert _will_run is not None
    try:
        return any(_will_run(before) for before, _ in operation.next_functions if before is not None)
    except RuntimeError:  # Of a leaf whose gradient is asked for, it does not say.
        return False

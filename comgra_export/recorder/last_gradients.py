"""Whether a gradient that flows is the last one that its tensor can get."""

from __future__ import annotations

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

__all__ = ["is_last_gradient", "saves_tensors"]

# Private, and not in every version. Without them, every gradient may be followed by another one.
_keeps_graph = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", None)
_current_operation = getattr(torch._C, "_current_autograd_node", None)
_will_run = getattr(torch._C, "_will_engine_execute_node", None)

# Of autograd's own operations, which stay anyway; those of the user must not be kept alive.
_saving: dict[type[Node], bool] = {}


def is_last_gradient() -> bool:
    """Whether no further gradient can come to the tensor by whose hook this is called. Where that is not known, it is false.

    It is so where the operation that made the tensor is about to run backwards, and autograd frees what it saved as soon as it has: a
    further gradient would end in an error of the user's own. Autograd is asked about the backward pass that brought this gradient, so it
    does not matter who has begun it, nor whether it runs within another one.
    """
    if _keeps_graph is None or _current_operation is None or _will_run is None or _keeps_graph():
        return False
    operation = _current_operation()
    return operation is not None and saves_tensors(type(operation)) and _runs(operation)


def saves_tensors(kind: type[Node]) -> bool:
    """Whether operations of a kind save tensors, without which they cannot run backwards.

    Those of which all happen to be undefined are not told apart: a convolution of which only the bias requires a gradient, say. A
    `torch.autograd.Function` need not look at what it has saved.
    """
    if issubclass(kind, BackwardCFunction):
        return False
    if kind not in _saving:
        _saving[kind] = any(name.startswith("_raw_saved_") for name in dir(kind))
    return _saving[kind]


def _runs(operation: Node) -> bool:
    """Whether the operation runs in this backward pass. Of one whose gradients only are asked for, autograd itself says that it does."""
    assert _will_run is not None
    try:
        return any(_will_run(before) for before, _ in operation.next_functions if before is not None)
    except RuntimeError:  # Of a leaf whose gradient is asked for, it does not say.
        return False

"""The names of operations, as autograd and PyTorch's functions have them."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["ACTIVATIONS", "has_graph", "hides_others", "is_view", "plain_name"]

ACTIVATIONS = {
    "relu": "relu",
    "relu6": "relu6",
    "threshold": "relu",
    "leaky_relu": "leaky_relu",
    "elu": "elu",
    "gelu": "gelu",
    "silu": "silu",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "softmax": "softmax",
    "log_softmax": "log_softmax",
}
"""Activations by the plain names of the operations that compute them."""

_OF_AUTOGRAD = re.compile(r"(.+?)Backward\d*")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VIEWS = frozenset(
    [
        "alias",
        "as_strided",
        "clone",
        "contiguous",
        "expand",
        "flatten",
        "movedim",
        "permute",
        "reshape",
        "reshape_alias",
        "squeeze",
        "t",
        "to",
        "to_copy",
        "transpose",
        "unflatten",
        "unsafe_view",
        "unsqueeze",
        "view",
    ]
)

_OF_ONE = frozenset([*ACTIVATIONS, "amax", "amin", "cumsum", "max", "mean", "min", "prod", "sum"])
_OF_TWO = frozenset(["add", "bmm", "dot", "matmul", "mm", "mul", "mv", "sub", *_VIEWS])
"""Views are taken of products too: that of batches is one."""


@lru_cache(maxsize=10_000)
def plain_name(operation: str | None) -> str:
    """The name of the function for an operation: `log_softmax` for `LogSoftmaxBackward0`, `relu` for `relu_`, and nothing for None."""
    if operation is None:
        return ""
    of_autograd = _OF_AUTOGRAD.fullmatch(operation)
    name = operation if of_autograd is None else _CAPITAL.sub("_", of_autograd[1]).lower()
    return name.rsplit(".", 1)[-1].strip("_")


def is_view(operation: str | None) -> bool:
    """Whether an operation leaves all values as they are, and at most orders them anew."""
    return plain_name(operation) in _VIEWS


def hides_others(operation: str | None, operands: int) -> bool:
    """Whether a tensor was computed from more tensors than its last operation takes, so that others were in between.

    Args:
        operation: The last operation.
        operands: How many recorded tensors it was computed from directly, without parameters.
    """
    name = plain_name(operation)
    return (name in _OF_ONE and operands > 1) or (name in _OF_TWO and operands > 2)


def has_graph(operation: str | None) -> bool:
    """Whether autograd recorded the operation, so that a gradient could flow back through it."""
    return operation is not None and _OF_AUTOGRAD.fullmatch(operation) is not None

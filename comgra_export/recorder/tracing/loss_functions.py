"""PyTorch's loss functions, and the arguments of their calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, NamedTuple

from torch import Tensor

__all__ = ["FUNCTIONAL", "LOSS_FUNCTIONS", "LossArguments", "arguments_of_loss"]

FUNCTIONAL = "torch.nn.functional"
"""The module in which they are."""

LOSS_FUNCTIONS = frozenset(
    {
        *("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "ctc_loss"),
        *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "gaussian_nll_loss", "poisson_nll_loss", "soft_margin_loss"),
        *("hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss", "triplet_margin_loss", "multi_margin_loss"),
        *("multilabel_margin_loss", "multilabel_soft_margin_loss"),
    }
)
"""Their names."""

_TARGETS = ("target", "targets")


class LossArguments(NamedTuple):
    """The arguments of a call of a loss function.

    Attributes:
        options: The numbers, booleans, strings and None among them, by name, defaults included.
        prediction: The first tensor.
        target: The argument `target`; the second tensor if there is no such argument.
    """

    options: dict[str, float | bool | str | None]
    prediction: Tensor | None
    target: Tensor | None


def arguments_of_loss(function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> LossArguments:
    """Assigns the arguments of a call to the parameters of the function.

    Args:
        function: A loss function.
        arguments: The arguments by position.
        named: The arguments by name.
    """
    names, defaults = _parameters(function)
    given = {**defaults, **dict(zip(names, arguments, strict=False)), **named}
    tensors = [value for value in given.values() if isinstance(value, Tensor)]
    target = next((given[name] for name in _TARGETS if isinstance(given.get(name), Tensor)), None)
    if target is None and len(tensors) > 1:
        target = tensors[1]
    options: dict[str, float | bool | str | None] = {}
    for name, value in given.items():
        if value is None or isinstance(value, (bool, str)):
            options[name] = value
        elif isinstance(value, Real):
            options[name] = int(value) if isinstance(value, Integral) else float(value)
    return LossArguments(options, tensors[0] if tensors else None, target)


@lru_cache
def _parameters(function: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The names of the parameters of a function, and all of them with their defaults; None for those that must be given."""
    parameters = inspect.signature(function).parameters
    defaults = {name: None if item.default is item.empty else item.default for name, item in parameters.items()}
    return tuple(parameters), defaults

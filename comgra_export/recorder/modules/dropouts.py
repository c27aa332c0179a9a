"""Dropout by a function, which no module stands for: whether and how much the values are dropped, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.autograd.graph import GradientEdge

from comgra_export.recorder.tracing.functions import Function
from comgra_export.storage.model.step_description import DropoutCall

__all__ = ["DropoutWatch"]

_MOST = 100
"""At most this many are kept of a step."""


class _Signature(NamedTuple):
    """The position and the name of the share that a function drops, and of the switch that turns it on, if it has one.

    The share and the switch have the defaults of `torch.nn.functional`. The functions of `torch` itself have none: there, both are given.
    """

    share: tuple[int, str]
    default: float
    switch: tuple[int, str] | None = None
    is_on: bool = True


_SIGNATURES: Mapping[str, _Signature] = {
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d"), _Signature((1, "p"), 0.5, (2, "training"))),
    **dict.fromkeys(("alpha_dropout", "feature_alpha_dropout"), _Signature((1, "p"), 0.5, (2, "training"), is_on=False)),
    "scaled_dot_product_attention": _Signature((4, "dropout_p"), 0.0),
}
_MODULES = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)
# That of `torch.dropout`, beside `training` of `torch.nn.functional.dropout`.
_OTHER_SWITCH = "train"


class DropoutWatch:
    """Takes note of functions that drop values, each once for a module. What modules for dropout do is known by their mode.

    Args:
        current: Returns the innermost tracked module that runs now, and its name; None if none does.
        report: What to do with an exception of our own: it gets a sentence and the exception.
    """

    def __init__(self, current: Callable[[], tuple[nn.Module, str] | None], report: Callable[[str, Exception], None]) -> None:
        self._current = current
        self._report = report
        self._noted: dict[DropoutCall, None] = {}

    def noted(self) -> tuple[DropoutCall, ...]:
        """The calls that dropped values."""
        return tuple(self._noted)

    def wants(self, function: Function) -> bool:
        """As `ResultListener.wants`."""
        return function.name in _SIGNATURES and function.is_known and len(self._noted) < _MOST

    def after_function(
        self, function: Function, _: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], __: object
    ) -> None:
        """As `ResultListener.after_function`."""
        try:
            share, current = _share(_SIGNATURES[function.name], arguments, named), self._current()
            if share > 0 and not (current is not None and isinstance(current[0], _MODULES)):
                self._noted[DropoutCall(function.name, share, None if current is None else current[1])] = None
        except Exception as error:
            self._report(f"what {function.name} drops could not be recorded", error)

    def before_backward(self, roots: Sequence[Tensor | GradientEdge]) -> None:
        """As `ResultListener.before_backward`."""


def _share(signature: _Signature, arguments: Sequence[Any], named: Mapping[str, Any]) -> float:
    """The share of values that a call dropped; 0 if it was turned off, or the share is no plain number."""

    def given(place: tuple[int, str], default: Any) -> Any:  # noqa: ANN401
        position, name = place
        return arguments[position] if position < len(arguments) else named.get(name, default)

    share = given(signature.share, signature.default)
    is_on = signature.switch is None or given(signature.switch, named.get(_OTHER_SWITCH, signature.is_on)) is True
    return float(share) if is_on and type(share) in (int, float) else 0.0

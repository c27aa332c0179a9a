"""The call of a function that made the first value that is not finite, in words."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.analysis.history.run import Run
from comgra_export.storage import NonFiniteOrigin

__all__ = ["describe_origin", "origin_in"]


def origin_in(run: Run, step: float) -> NonFiniteOrigin | None:
    """Where the values that are not finite began in a step; None if no check of the step has found it."""
    return next((point.origin for point in run.recording.sentinel_points if point.step == step), None)


def describe_origin(run: Run, step: float, *, backward: bool = False) -> str:
    """A sentence such as "It begins with log of -0.31 within `model.head`, in sample 7, at element [3]." Empty if it is not known.

    Args:
        run: The run.
        step: The number of the step.
        backward: Whether only gradients are not finite.
    """
    origin = origin_in(run, step)
    if origin is None:
        return ""
    values = [operand.value for operand in origin.operands]
    applied = _applied(origin.function, values)
    where = f" within `{origin.module}`" if origin.module is not None else ""
    begin = f"The derivative of {origin.function} does not exist at {origin.value:.3g}" if backward else f"It begins with {applied}"
    return f"{begin}{where}{_place(run, origin, step)}.{_ranges(origin)}"


def _ranges(origin: NonFiniteOrigin) -> str:
    """From where to where the operands go, as a sentence. An empty operand has no range."""
    ranges = [f"{operand.smallest:.3g} to {operand.largest:.3g}" for operand in origin.operands if operand.smallest <= operand.largest]
    if not ranges:
        return ""
    begin = "The operand has" if len(origin.operands) == 1 else "The operands have"
    return f" {begin} values from {' and from '.join(ranges)}."


def _applied(function: str, values: Sequence[float | None]) -> str:
    if not values or values[0] is None:
        return f"{function} of finite values"
    if function == "div" and len(values) > 1 and values[1] is not None:
        return f"{values[0]:.3g} divided by {values[1]:.3g}"
    return f"{function} of {' and '.join(f'{value:.3g}' for value in values if value is not None)}"


def _place(run: Run, origin: NonFiniteOrigin, step: float) -> str:
    """The sample, if the first dimension is that of the batch, and the element."""
    sizes = [each.batch_size for each in run.steps if each.step == step]
    if not sizes or not origin.shape or origin.shape[0] != sizes[0]:
        return f", at element {list(origin.element)}" if origin.element else ", a single value"
    element = f", at element {list(origin.element[1:])}" if len(origin.element) > 1 else ""
    return f", in sample {origin.element[0]}{element}"

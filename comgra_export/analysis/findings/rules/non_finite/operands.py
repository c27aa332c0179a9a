"""What an operation was applied to, in words: its operands with their ranges, and the operand that it is not defined for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = ["Operand", "can_be_undefined", "describe_operands", "operand_at", "operation_name", "undefined_for"]

_LARGEST_EXPONENT = 88.0


class Operand(NamedTuple):
    """What an operation was applied to: a tensor, its smallest and largest finite value, and how many of its values are zero."""

    key: TensorKey
    smallest: float
    largest: float
    zeros: int


def _at_most(limit: float) -> Callable[[Operand], float | None]:
    return lambda operand: operand.smallest if operand.smallest <= limit else None


def _below_zero(operand: Operand) -> float | None:
    return operand.smallest if operand.smallest < 0 else None


def _zero(operand: Operand) -> float | None:
    return 0.0 if operand.zeros else None


def _beyond_one(operand: Operand) -> float | None:
    worst = max((operand.smallest, operand.largest), key=abs)
    return worst if abs(worst) > 1 else None


def _at_least_one(operand: Operand) -> float | None:
    worst = max((operand.smallest, operand.largest), key=abs)
    return worst if abs(worst) >= 1 else None


def _outside_zero_and_one(operand: Operand) -> float | None:
    return operand.smallest if operand.smallest <= 0 else operand.largest if operand.largest >= 1 else None


def _never(_: Operand) -> float | None:
    """Not defined for some matrices, whatever the range of their values."""
    return None


def _large(operand: Operand) -> float | None:
    return operand.largest if operand.largest > _LARGEST_EXPONENT else None


_UNDEFINED: Mapping[str, Callable[[Operand], float | None]] = {
    "log": _at_most(0.0),
    "log2": _at_most(0.0),
    "log10": _at_most(0.0),
    "log1p": _at_most(-1.0),
    "sqrt": _below_zero,
    "rsqrt": _at_most(0.0),
    "pow": _at_most(0.0),
    "reciprocal": _zero,
    "div": _zero,
    "acos": _beyond_one,
    "asin": _beyond_one,
    "exp": _large,
    "expm1": _large,
    "logit": _outside_zero_and_one,
    "acosh": _at_most(1.0),
    "atanh": _at_least_one,
    "erfinv": _at_least_one,
    "logdet": _never,
    "linalgslogdet": _never,
    "linalginvex": _never,
    "linalgsolveex": _never,
    "linalgcholeskyex": _never,
    "lgamma": _at_most(0.0),
    "digamma": _at_most(0.0),
}
"""Per operation a value among its operands for which it is not finite."""

_BACKWARD_UNDEFINED: Mapping[str, Callable[[Operand], float | None]] = {
    **_UNDEFINED,
    "sqrt": _at_most(0.0),
    "norm": _zero,
    "linalgvectornorm": _zero,
    "std": _zero,
    "cdist": _never,
    "linalgeigh": _never,
    "linalgsvd": _never,
}
"""The same for derivatives."""


def operation_name(operation: str | None) -> str:
    """The name of an operation without what autograd adds: `log` for `LogBackward0`. Empty if it is not known."""
    return re.sub(r"Backward\d*$", "", operation or "").lower()


def can_be_undefined(operation: str | None) -> bool:
    """Whether an operation or its derivative is not defined for some finite values, as the logarithm and the root are."""
    return operation_name(operation) in _BACKWARD_UNDEFINED


def operand_at(run: Run, key: TensorKey, position: int) -> Operand | None:
    """A tensor as an operand, in a recorded step; None if the step does not hold it, or none of its values is finite."""
    series = run.values(key)
    if series is None:
        return None
    row = _row(series, position)
    if row is None or np.isnan(series.extrema[row]).any():
        return None
    return Operand(key, float(series.extrema[row, 0]), float(series.extrema[row, 1]), int(series.counts[row, 3]))


def describe_operands(operands: Sequence[Operand]) -> str:
    """Names and ranges, such as `x (-0.31 to 2)`."""
    return ", ".join(f"`{each.key.name}` ({each.smallest:.3g} to {each.largest:.3g})" for each in operands)


def undefined_for(operation: str, operands: Sequence[Operand], *, backward: bool = False) -> str | None:
    """The operand that an operation, or its derivative, is not defined for, such as "the log of -0.31"; None if there is none."""
    check = (_BACKWARD_UNDEFINED if backward else _UNDEFINED).get(operation)
    if check is None:
        return None
    for operand in operands:
        value = check(operand)
        if value is not None:
            return f"a division by {value:.3g}" if operation == "div" else f"the {operation} of {value:.3g}"
    return None


def _row(series: Series, position: int) -> int | None:
    rows = np.flatnonzero(series.positions == position)
    return int(rows[0]) if len(rows) else None

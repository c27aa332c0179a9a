"""Which points of a curve are kept."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.storage.text.names import shown

__all__ = ["CurveThinning", "as_number", "check_is_number"]

_KEPT_AT_FIRST = 300
_BACKOFF_FACTOR = 1.01
_OUTLIER_HISTORY = 6
_OUTLIER_MARGIN = 0.5


def _no_values() -> deque[float]:
    return deque(maxlen=_OUTLIER_HISTORY)


@dataclass
class _Curve:
    last_timepoint: float = -math.inf
    repeats_until: float = -math.inf
    next_due: float = 0.0
    kept: int = 0
    kept_values: deque[float] = field(default_factory=_no_values)


class CurveThinning:
    """Keeps all points early in a curve and ever fewer later, but every outlier.

    The first 300 points are kept. After them, a point is kept if its timepoint is a hundredth further than that of the one before (at or
    past the curve's next due point, which grows by the factor 1.01). It is also kept if its value is an outlier: above
    `max + 0.5 * (max - min)` or below `min - 0.5 * (max - min)` of the last six kept values. A NaN that follows a number counts as an
    outlier too, so that the moment at which a curve breaks is never thinned away.
    """

    def __init__(self) -> None:
        self._curves: dict[tuple[str, str, str], _Curve] = {}

    def meets(self, group: str, type_of_execution: str, name: str, timepoint: float) -> bool:
        """Takes the timepoint of the next point of a curve, and returns whether it is new. If so, ask `keeps` next.

        After `allow_repetition`, the curve may have it already.

        Raises:
            MisuseError: It is not finite, negative, or not greater than the last one of the curve.
        """
        label = f"The curve {name!r} of the group {group!r} and the type {type_of_execution!r}"
        if not 0 <= timepoint < math.inf:
            raise MisuseError(f"{label} got the timepoint {timepoint} in record_kpi_in_graph. Give a finite number that is not negative.")
        curve = self._curves.setdefault((group, type_of_execution, name), _Curve())
        if timepoint <= curve.repeats_until:
            return False
        if timepoint <= curve.last_timepoint:
            raise MisuseError(
                f"{label} got the timepoint {timepoint} in record_kpi_in_graph after {curve.last_timepoint}. "
                "Give each curve a greater timepoint every time, or give the second curve another name."
            )
        curve.last_timepoint, curve.repeats_until = timepoint, -math.inf
        return True

    def keeps(self, group: str, type_of_execution: str, name: str, timepoint: float, value: float) -> bool:
        """Takes the value of a point that `meets` called new, in the order of the calls, and says whether the point is kept."""
        curve = self._curves[group, type_of_execution, name]
        is_due = curve.kept < _KEPT_AT_FIRST or timepoint >= curve.next_due
        if not (is_due or _is_outlier(value, curve.kept_values)):
            return False
        curve.kept += 1
        curve.kept_values.append(value)
        while timepoint >= curve.next_due:
            curve.next_due = max(1.0, curve.next_due * _BACKOFF_FACTOR)
        return True

    def allow_repetition(self) -> None:
        """Lets every curve meet its timepoints again, until it gets past them: a step was dropped, and may be run again."""
        for curve in self._curves.values():
            curve.repeats_until = curve.last_timepoint


def as_number(label: str, value: object) -> float:
    """A number, or the element of a tensor with one element, as a float. Waits for the device of the tensor.

    Raises:
        MisuseError: It is neither.
    """
    if isinstance(value, Tensor):
        check_is_number(label, value)
        value = value.detach().item()
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise MisuseError(f"{label} is {shown(value)}. Give a number.") from None


def check_is_number(label: str, tensor: Tensor) -> None:
    """Raises a `MisuseError` unless a tensor holds one real number. Does not read it."""
    if tensor.numel() != 1:
        raise MisuseError(f"{label} is a tensor of the shape {list(tensor.shape)}. Give a tensor with one element, or a number.")
    if tensor.is_complex():
        raise MisuseError(f"{label} is a complex tensor. Give a real number, such as its magnitude.")


def _is_outlier(value: float, kept: deque[float]) -> bool:
    if math.isnan(value):
        return not math.isnan(kept[-1])
    numbers = [other for other in kept if not math.isnan(other)]
    if not numbers:
        return False
    highest, lowest = max(numbers), min(numbers)
    margin = _OUTLIER_MARGIN * (highest - lowest)
    return value > highest + margin or value < lowest - margin

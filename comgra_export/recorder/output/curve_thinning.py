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

    def time_of(self, group: str, type_of_execution: str, name: str, timepoint: float) -> float | None:
        """Takes the timepoint of the next point of a curve, and returns the one that it gets. Ask `keeps` next.

        A point that is not behind the last one of its curve, such as a further one of the same step, gets a place directly behind it. So
        does one whose timepoint is not finite.

        Returns:
            None if the curve has the point already, which may be so after `allow_repetition`.
        """
        curve = self._curves.setdefault((group, type_of_execution, name), _Curve())
        if math.isfinite(timepoint) and timepoint <= curve.repeats_until:
            return None
        if not math.isfinite(timepoint) or timepoint <= curve.last_timepoint:
            timepoint = _behind(curve.last_timepoint)
        curve.last_timepoint, curve.repeats_until = timepoint, -math.inf
        return timepoint

    def keeps(self, group: str, type_of_execution: str, name: str, timepoint: float, value: float) -> bool:
        """Takes the value of a point and the time that `time_of` gave it, in the order of the calls. Says whether the point is kept."""
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


def _behind(timepoint: float) -> float:
    """A timepoint directly behind another one: a millionth, as the numbers of evaluations do it, unless that is too little to be seen."""
    if math.isinf(timepoint):
        return 0.0
    return max(round(timepoint + 1e-6, 6), math.nextafter(timepoint, math.inf))


def _is_outlier(value: float, kept: deque[float]) -> bool:
    if math.isnan(value):
        return not math.isnan(kept[-1])
    numbers = [other for other in kept if not math.isnan(other)]
    if not numbers:
        return False
    highest, lowest = max(numbers), min(numbers)
    margin = _OUTLIER_MARGIN * (highest - lowest)
    return value > highest + margin or value < lowest - margin

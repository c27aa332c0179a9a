"""When the cheap check gives a reason to record a step that the schedule left out."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from comgra_export.storage.text.steps import step_in_words

__all__ = ["TriggerRule"]

_WINDOW = 50
_LEAST_OBSERVATIONS = 20
_LEAST_ROBUST_Z = 6.0
# Between logarithms. It also keeps tensors that hardly vary from having outliers.
_LEAST_DISTANCE = math.log(4.0)
# From the largest of the other logarithms. What varies with heavy tails is often far from its median, and seldom this far from all others.
_LEAST_DISTANCE_FROM_LARGEST = math.log(2.0)
_LARGEST_LOGARITHM = math.log(sys.float_info.max)
# The standard deviation of a normal distribution, in median absolute deviations.
_SPREAD_PER_DEVIATION = 1.4826
_OBSERVATIONS_PER_REFRESH = 20

_FINITE, _INFINITE, _NAN = range(3)


@dataclass
class _Budget:
    """Keeps triggers apart, by distances that grow.

    Attributes:
        distance: How many checks after the next trigger another one is allowed.
        growth: By what each trigger multiplies the distance.
    """

    distance: float
    growth: float
    _next: float = field(default=-math.inf, init=False)

    def spend(self, count: int) -> bool:
        """Whether a trigger is allowed after so many checks. If so, it is counted."""
        if count < self._next:
            return False
        self._next = count + self.distance
        self.distance *= self.growth
        return True


class _History:
    """The magnitudes of one tensor in one type of execution.

    Attributes:
        limit: Finite magnitudes up to here are no outliers, as far as was known a few observations ago. Negative after a non-finite
            magnitude, so that the next one is examined whatever it is.
        is_unusual: Whether the last magnitude was an outlier.
        state: The worst state since the last finite magnitude.
        non_finite_at: The last step with a non-finite magnitude.
    """

    __slots__ = ("_count", "_logarithms", "is_unusual", "limit", "non_finite_at", "state")

    def __init__(self) -> None:
        self.limit = sys.float_info.max
        self.is_unusual = False
        self.state = _FINITE
        self.non_finite_at: float | None = None
        self._logarithms = array("d")
        self._count = 0

    @property
    def window(self) -> int:
        """How many magnitudes the median is taken over."""
        return len(self._logarithms)

    def add(self, magnitude: float) -> None:
        """Adds a finite magnitude."""
        logarithm = math.log(magnitude) if magnitude else -math.inf
        if self._count < _WINDOW:
            self._logarithms.append(logarithm)
        else:
            self._logarithms[self._count % _WINDOW] = logarithm
        self._count += 1
        # Sorting at every step would cost more than everything else here.
        if not self._count % _OBSERVATIONS_PER_REFRESH:
            self.refresh()

    def refresh(self) -> float:
        """Works out the limit anew, and returns the median of the logarithms; -infinity if there are no outliers."""
        middle = _median(self._logarithms) if self._count >= _LEAST_OBSERVATIONS else -math.inf
        self.limit = sys.float_info.max if middle == -math.inf else math.exp(min(middle + _LEAST_DISTANCE, _LARGEST_LOGARITHM))
        return middle

    def is_far_above_the_rest(self) -> bool:
        """Whether the magnitude added last is more than twice as large as any other. Not if there are no outliers."""
        if self.refresh() == -math.inf:
            return False
        last = self._logarithms[(self._count - 1) % _WINDOW]
        second = sorted(self._logarithms)[-2]
        return last - second > _LEAST_DISTANCE_FROM_LARGEST

    def is_outlier(self, magnitude: float, middle: float) -> bool:
        """Whether a magnitude above the limit is an outlier, by the median just worked out."""
        spread = _SPREAD_PER_DEVIATION * _median([abs(logarithm - middle) for logarithm in self._logarithms])
        logarithm = math.log(magnitude)
        return logarithm - middle > _LEAST_ROBUST_Z * spread and logarithm - max(self._logarithms) > _LEAST_DISTANCE_FROM_LARGEST


def _median(numbers: Sequence[float]) -> float:
    ordered = sorted(numbers)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


class TriggerRule:
    """Decides by the largest magnitudes of each step which steps to record in full.

    There are two reasons to record a step:

    - A tensor holds a NaN or an infinity, and did not the last time it was checked; or it holds a NaN, and held an infinity then.
    - Its largest magnitude is an outlier, and was none the last time. It is more than 4 times the median of the last 50 magnitudes of the
      same tensor and type of execution, and more than twice the largest of them. And its logarithm is more than 6 standard deviations above
      the median of theirs, as estimated from the median absolute deviation. At least 20 magnitudes are needed. A tensor that is mostly zero
      has no outliers.

    The reason names the first tensor that is more than twice as large as in any other of these 50 steps, even if it is no outlier itself:
    what is computed from it may be a more conspicuous one.

    Triggered steps become rarer. For non-finite values, the distance to the next one is at least 1 step, then 2, 4 and so on. Outliers are
    counted apart, with at least 20 steps, then 30, 45 and so on.

    On 48 healthy programs of the evaluation (31,047 steps; perceptrons, convolutions, recurrent networks, transformers, GANs, policy
    gradients), outliers triggered 2 steps: less than 0.1 of 1,000. Inputs with heavy tails trigger more: 7 of 1,000 for Student's t with
    3 degrees of freedom, on 16 other programs, without the limit of twice the largest.
    """

    def __init__(self) -> None:
        self._histories: dict[str, dict[tuple[str, str, int], _History]] = {}
        self._checks = 0
        self._non_finite_budget = _Budget(1, 2)
        self._outlier_budget = _Budget(20, 1.5)

    def observe(self, step: float, type_of_execution: str, tensors: Sequence[tuple[str, str, int]], largest: Sequence[float]) -> str | None:
        """Adds what was checked in a step. Each type of execution is judged on its own.

        `tensors` are (group, name, iteration). The largest magnitude of each is 0 or more, infinity, or NaN.

        Returns:
            Why to record the step, as a sentence without its full stop; None if there is no reason.
        """
        # The numbers of evaluations are close together.
        self._checks += 1
        histories = self._histories.setdefault(type_of_execution, {})
        non_finite: list[str] = []
        outliers: list[tuple[int, str]] = []
        for position, (tensor, magnitude) in enumerate(zip(tensors, largest, strict=True)):
            history = histories.get(tensor)
            if history is None:
                history = histories[tensor] = _History()
            if magnitude <= history.limit:
                history.is_unusual = False
                history.add(magnitude)
            elif not math.isfinite(magnitude):
                state = _NAN if math.isnan(magnitude) else _INFINITE
                if state > history.state:
                    non_finite.append(_describe_non_finite(tensor, state, history.non_finite_at))
                history.state = max(state, history.state)
                history.non_finite_at, history.limit = step, -1.0
            else:
                history.state = _FINITE
                # The limit may be a few observations old, or a non-finite value has replaced it.
                middle = history.refresh()
                is_unusual = magnitude > history.limit and history.is_outlier(magnitude, middle)
                if is_unusual and not history.is_unusual:
                    outliers.append((position, _describe_outlier(tensor, magnitude, math.exp(middle), history.window)))
                history.is_unusual = is_unusual
                history.add(magnitude)
        if non_finite and self._non_finite_budget.spend(self._checks):
            return _summarize(non_finite)
        if outliers and self._outlier_budget.spend(self._checks):
            reasons = [reason for _, reason in outliers]
            for tensor, magnitude in zip(tensors[: outliers[0][0]], largest, strict=False):
                history = histories[tensor]
                if math.isfinite(magnitude) and history.is_far_above_the_rest():
                    usual = math.exp(history.refresh())
                    return _summarize([_describe_outlier(tensor, magnitude, usual, history.window), *reasons])
            return _summarize(reasons)
        return None


def _describe_non_finite(tensor: tuple[str, str, int], state: int, before: float | None) -> str:
    what = "a NaN" if state == _NAN else "an infinity"
    return f"{_name(tensor)} holds {what} for the first time" + ("" if before is None else f" since {step_in_words(before)}")


def _describe_outlier(tensor: tuple[str, str, int], magnitude: float, usual: float, window: int) -> str:
    return (
        f"the largest magnitude of {_name(tensor)} is {magnitude:.2g}, {magnitude / usual:.2g} times its median of the last {window} steps"
    )


def _name(tensor: tuple[str, str, int]) -> str:
    group, name, iteration = tensor
    quoted = repr(name) if group == "forward" else f"the gradient {group!r} of {name!r}"
    return quoted if iteration <= 0 else f"{quoted} in iteration {iteration}"


def _summarize(reasons: list[str]) -> str:
    """The first reason. It is the furthest upstream if tensors are registered as they are made."""
    others = len(reasons) - 1
    return reasons[0] + ("" if not others else f"; {others} other tensor{'s' if others > 1 else ''} too")

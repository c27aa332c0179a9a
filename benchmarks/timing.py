"""Timing that a busy machine disturbs little: medians, and things to compare measured in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from statistics import median
from time import perf_counter

__all__ = ["in_turn", "median_ratio", "seconds", "seconds_per_call"]

_SERIES = 7


def seconds(call: Callable[[], object]) -> float:
    """Return how long one call takes."""
    begin = perf_counter()
    call()
    return perf_counter() - begin


def seconds_per_call(call: Callable[[], object], count: int) -> float:
    """Return the median over several series of `count` calls, per call."""

    def series() -> None:
        for _ in range(count):
            call()

    return median(seconds(series) for _ in range(_SERIES)) / count


def in_turn(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Time every call once per round, so that a slow moment of the machine meets all of them.

    The order changes from round to round, since each call disturbs the next. The first round is not counted.
    """
    order = Random(0)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for index in range(rounds + 1):
        for name in order.sample(sorted(calls), len(calls)):
            duration = seconds(calls[name])
            if index > 0:
                times[name].append(duration)
    return times


def median_ratio(times: list[float], baseline: list[float]) -> float:
    """Return the median of the ratios within each round."""
    return median(a / b for a, b in zip(times, baseline, strict=True))

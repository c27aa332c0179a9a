"""Timing that a busy machine disturbs little: things to compare are measured in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from time import perf_counter
from typing import NamedTuple

__all__ = ["Lap", "Laps", "in_turn", "laps_in_turn", "ratios", "seconds", "seconds_per_call", "stopwatch"]

_SERIES = 7


class Lap(NamedTuple):
    """How long something took.

    Attributes:
        held: Seconds until it returned.
        total: Seconds until what it had left to the background was done too.
    """

    held: float
    total: float


class Laps(list[Lap]):
    """Laps of the same thing."""

    @property
    def held(self) -> list[float]:
        return [lap.held for lap in self]

    @property
    def total(self) -> list[float]:
        return [lap.total for lap in self]


def seconds(call: Callable[[], object]) -> float:
    """Return how long one call takes."""
    begin = perf_counter()
    call()
    return perf_counter() - begin


def seconds_per_call(call: Callable[[], object], count: int) -> list[float]:
    """Return, for several series of `count` calls, how long one call took."""

    def series() -> None:
        for _ in range(count):
            call()

    return [seconds(series) / count for _ in range(_SERIES)]


def stopwatch(call: Callable[[], object], wait: Callable[[], object], repetitions: int = 1) -> Callable[[], Lap]:
    """Return a function that calls several times, waits for the background after each, and returns the mean lap."""

    def run() -> Lap:
        laps = []
        for _ in range(repetitions):
            held = seconds(call)
            laps.append((held, held + seconds(wait)))
        return Lap(*(sum(column) / repetitions for column in zip(*laps, strict=True)))

    return run


def laps_in_turn(calls: Mapping[str, Callable[[], Lap]], rounds: int, *, warm_up: bool = True) -> dict[str, Laps]:
    """Let every call take a lap in every round, so that a slow moment of the machine meets all of them.

    The order changes from round to round, since each call disturbs the next.

    Args:
        calls: Functions that time themselves.
        rounds: How many rounds count.
        warm_up: Whether there is a round before that does not count. Before a single round there is none: its numbers mean nothing.
    """
    order = Random(0)
    laps = {name: Laps() for name in calls}
    for index in range(-1 if warm_up and rounds > 1 else 0, rounds):
        for name in order.sample(sorted(calls), len(calls)):
            lap = calls[name]()
            if index >= 0:
                laps[name].append(lap)
    return laps


def in_turn(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Time calls that leave nothing to the background, in turn, after a round that does not count."""
    laps = laps_in_turn({name: stopwatch(call, _nothing) for name, call in calls.items()}, rounds)
    return {name: laps[name].held for name in calls}


def ratios(times: Sequence[float], baseline: Sequence[float]) -> list[float]:
    """Return the ratio within each round."""
    return [a / b for a, b in zip(times, baseline, strict=True)]


def _nothing() -> None:
    pass

"""What a user wants in a bundle, by hand: trials, steps, tensors, samples and the precision of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import floor
from typing import Literal, get_args

from comgra_export.errors import WrongChoiceError

__all__ = ["SampleChoice", "Selection", "chosen_names", "make_selection", "matches"]

Precision = Literal["float32", "float16", "bfloat16", "none"]

_NAMES_LISTED = 12
_PIECE = re.compile(
    r"(?P<ends>first|last)(?:\s+(?P<count>\d+))?|every\s+(?P<every>\d+)(?:st|nd|rd|th)?|(?P<low>\d+)?(?P<range>-)(?P<high>\d+)?|(?P<one>\d+)",
)
_NO_LIMIT = 10**18


@dataclass(frozen=True)
class StepChoice:
    """Steps, as they were asked for.

    Attributes:
        first: How many of the first steps.
        last: How many of the last steps.
        every: Every n-th step, for each of these numbers `n`.
        ranges: Pairs of the lowest and the highest number. They hold the evaluations after these steps too.
        numbers: Single steps and evaluations.
    """

    text: str
    first: int = 0
    last: int = 0
    every: tuple[int, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    numbers: frozenset[float] = frozenset()

    def of(self, steps: Sequence[float]) -> set[float]:
        """Which of the steps of one type of execution of a trial are chosen; they ascend."""
        last = {*steps[len(steps) - self.last :]} if self.last else set()
        chosen = {*steps[: self.first]} | last | self.numbers.intersection(steps)
        for distance in self.every:
            chosen.update(steps[::distance])
        # An evaluation belongs to the training step before it.
        return chosen | {step for step in steps if any(low <= max(floor(step), 0) <= high for low, high in self.ranges)}


@dataclass(frozen=True)
class SampleChoice:
    """Samples, as they were asked for in `text`: the first `count`, or those whose position in the batch is in one of the `ranges`."""

    text: str
    count: int | None = None
    ranges: tuple[tuple[int, int], ...] = ()

    def of(self, index: Sequence[int]) -> tuple[int, ...]:
        """Which of the recorded samples, given by their positions in the batch, are chosen: places in that list."""
        if self.count is not None:
            return tuple(range(min(self.count, len(index))))
        return tuple(place for place, sample in enumerate(index) if any(low <= sample <= high for low, high in self.ranges))


@dataclass(frozen=True)
class Selection:
    """What is wanted. What is not said is wanted.

    Attributes:
        trials: Patterns of names; empty: all.
        steps: None: all.
        tensors: Patterns of names of tensors and nodes whose values are wanted; empty: all.
        without_tensors: Patterns of those whose values are not wanted.
        samples: Those whose values are wanted; None: all that were recorded.
        precision: How exact values are to be; `float32` leaves them as they were recorded.
    """

    trials: tuple[str, ...] = ()
    steps: StepChoice | None = None
    tensors: tuple[str, ...] = ()
    without_tensors: tuple[str, ...] = ()
    samples: SampleChoice | None = None
    precision: Precision = "float32"

    def has_values_of(self, name: str, node: str) -> bool:
        """Whether the values of a tensor are wanted."""
        wanted = not self.tensors or any(matches(pattern, (name, node)) for pattern in self.tensors)
        return wanted and not any(matches(pattern, (name, node)) for pattern in self.without_tensors)


def make_selection(
    trials: str | Sequence[str] | None,
    steps: str | float | Iterable[float] | None,
    tensors: str | Sequence[str] | None,
    samples: str | int | None,
    precision: str,
) -> Selection:
    """Reads what a user wrote.

    Raises:
        WrongChoiceError: Something is not as the documentation of `export` says.
    """
    known = get_args(Precision)
    if precision not in known:
        raise WrongChoiceError(f"precision={precision!r} is not one of {', '.join(known)}.")
    patterns = _patterns(tensors)
    return Selection(
        trials=_patterns(trials),
        steps=None if steps is None else _step_choice(steps),
        tensors=tuple(pattern for pattern in patterns if not pattern.startswith("!")),
        without_tensors=tuple(pattern[1:] for pattern in patterns if pattern.startswith("!")),
        samples=None if samples is None else _sample_choice(samples),
        precision=precision,  # type: ignore[arg-type]
    )


def chosen_names(patterns: Sequence[str], names: Sequence[str], what: str) -> set[str]:
    """The names that one of the patterns matches.

    Raises:
        WrongChoiceError: A pattern matches none of them.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        matching = {name for name in names if matches(pattern, (name,))}
        if not matching:
            listed = sorted(set(names))
            more = f" and {len(listed) - _NAMES_LISTED:,} more" if len(listed) > _NAMES_LISTED else ""
            raise WrongChoiceError(f"There is no {what} {pattern!r}. There are: {', '.join(listed[:_NAMES_LISTED])}{more}.")
        chosen |= matching
    return chosen


def matches(pattern: str, names: Iterable[str]) -> bool:
    """Whether a pattern, in which `*` stands for any text, is one of the names or matches one."""
    return any(pattern == name or fnmatchcase(name, pattern) for name in names)


def _patterns(given: str | Sequence[str] | None) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else list(given or ())
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


def _step_choice(given: str | float | Iterable[float]) -> StepChoice:
    if not isinstance(given, str):
        numbers = [given] if isinstance(given, int | float) else list(given)
        text = ", ".join(map(str, numbers))
        return StepChoice(
            text, ranges=tuple((int(number), int(number)) for number in numbers if number == int(number)), numbers=frozenset(numbers)
        )
    first, last, every, ranges = 0, 0, [], []
    for piece in _pieces(given, "steps", "numbers (100), ranges (100-500, 100-, -500), 'every 10th', 'first', 'last' and 'first 5'"):
        if piece["ends"] == "first":
            first = max(first, int(piece["count"] or 1))
        elif piece["ends"] == "last":
            last = max(last, int(piece["count"] or 1))
        elif piece["every"]:
            every.append(max(1, int(piece["every"])))
        else:
            ranges.append(_range(piece))
    return StepChoice(given, first, last, tuple(every), tuple(ranges))


def _sample_choice(given: str | int) -> SampleChoice:
    text = str(given)
    if re.fullmatch(r"\s*\d+\s*", text):
        return SampleChoice(text, count=int(text))
    pieces = _pieces(text, "samples", "a number (how many), or positions in the batch (0,3,8-11; a single one: 3-3)")
    if any(piece["ends"] or piece["every"] for piece in pieces):
        raise WrongChoiceError(f"samples={given!r} is not understood. Give a number (how many), or positions in the batch (0,3,8-11).")
    return SampleChoice(text, ranges=tuple(_range(piece) for piece in pieces))


def _pieces(text: str, argument: str, syntax: str) -> list[dict[str, str | None]]:
    pieces = []
    for part in text.split(","):
        match = _PIECE.fullmatch(part.strip())
        if match is None or part.strip() == "-":
            raise WrongChoiceError(f"{argument}={text!r} is not understood at {part.strip()!r}. Give, separated by commas: {syntax}.")
        pieces.append(match.groupdict())
    return pieces


def _range(piece: dict[str, str | None]) -> tuple[int, int]:
    if piece["one"]:
        return int(piece["one"]), int(piece["one"])
    return int(piece["low"] or 0), int(piece["high"] or _NO_LIMIT)

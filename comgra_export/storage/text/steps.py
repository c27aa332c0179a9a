"""The numbers of steps. Those of training steps are integers; those of evaluations lie between these."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

__all__ = [
    "MAX_EVALUATIONS",
    "MAX_STEP",
    "as_step",
    "evaluation_number",
    "is_step",
    "parts_of_step",
    "step_in_words",
    "step_label",
    "steps_in_short",
    "updates_between",
]

MAX_STEP = 999_999_999_999
"""The largest number that a training step may have."""

MAX_EVALUATIONS = 999_999
"""So many evaluations between two training steps have numbers of their own."""

_DIGITS = 6


def evaluation_number(trained: int, position: int) -> float:
    """The number of an evaluation: that of the training step before it, plus a millionth for each evaluation since.

    Args:
        trained: How many training steps were made before: the number of the next one. Before the first, numbers are below 0.
        position: Which evaluation since then, counted from 1, at most `MAX_EVALUATIONS`.
    """
    return round(trained - 1 + position / (MAX_EVALUATIONS + 1), _DIGITS)


def as_step(number: float) -> float:
    """The number of a step, such as an element of a column of numbers: an `int` if it is one of a training step."""
    whole = int(number)
    return whole if whole == number else float(number)


def is_step(value: object) -> bool:
    """Whether a value is the number of a step: an `int` from 0 on, or a `float` as `evaluation_number` makes it."""
    if type(value) is int:
        return 0 <= value <= MAX_STEP
    return type(value) is float and -1 < value < MAX_STEP and value != int(value) and value == evaluation_number(*parts_of_step(value))


def parts_of_step(step: float) -> tuple[int, int]:
    """How many training steps were made before a step, and which evaluation since then it is: 0 for a training step itself."""
    before = floor(step)
    return (before, 0) if before == step else (before + 1, round((step - before) * (MAX_EVALUATIONS + 1)))


def updates_between(before: float, step: float) -> range:
    """The training steps whose updates came after the beginning of one step, or after an evaluation, and before another step."""
    return range(ceil(before), ceil(step))


def step_label(step: float, *, is_grouped: bool = False) -> str:
    """The number of a step as people read it: `1200`, `after 1200`, or `after 1200 (3)` for the third evaluation after it.

    Evaluations before any training are called `evaluation 1`, `evaluation 2` and so on. `is_grouped`: with commas between thousands.
    """
    trained, evaluation = parts_of_step(step)
    form = "," if is_grouped else ""
    if evaluation == 0:
        return f"{trained:{form}}"
    if trained == 0:
        return f"evaluation {evaluation:{form}}"
    return f"after {trained - 1:{form}}" + ("" if evaluation == 1 else f" ({evaluation:{form}})")


def steps_in_short(steps: Sequence[float]) -> str:
    """Which steps there are: `0 to 119`, or `0 to 119, with 12 evaluations`. Evaluations alone are named as `step_label` does.

    Args:
        steps: Their numbers, ascending; at least one.
    """
    trained = [step for step in steps if parts_of_step(step)[1] == 0]
    ends = [step_label(step, is_grouped=True) for step in ((trained or steps)[0], (trained or steps)[-1])]
    evaluations = len(steps) - len(trained) if trained else 0
    others = f", with {evaluations:,} evaluation{'' if evaluations == 1 else 's'}" if evaluations else ""
    return (ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}") + others


def step_in_words(step: float, *, is_grouped: bool = False) -> str:
    """A step within a sentence: `step 1200`, or `evaluation 3 after step 1200`. `is_grouped`: with commas between thousands."""
    trained, evaluation = parts_of_step(step)
    form = "," if is_grouped else ""
    if evaluation == 0:
        return f"step {trained:{form}}"
    return f"evaluation {evaluation:{form}} {'before training' if trained == 0 else f'after step {trained - 1:{form}}'}"

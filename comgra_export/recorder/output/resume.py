"""With which step number a run goes on that is resumed and detects its steps itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["TRAINING", "last_step_before"]

TRAINING = "train"
"""The type of execution of a detected training step."""


def last_step_before(steps: Sequence[int], is_training: Callable[[int], bool], trainings: int) -> int | None:
    """The last recorded step of a run from before it had made this many training steps. The run makes the later ones anew.

    The number of a step counts the training steps before it, and the evaluations directly before it. Only recorded evaluations are known.
    After others, a step is taken for a later one than it is.

    Args:
        steps: The numbers of the recorded steps, ascending.
        is_training: Whether a step is one of training, and not an evaluation.
        trainings: How many training steps were made before the run is resumed.

    Returns:
        Its number; None if there is none.
    """
    last: int | None = None
    evaluations = 0
    for step in steps[_first_in_doubt(steps, trainings) :]:
        if last is None or step != last + 1:
            evaluations = 0
        before = step - evaluations
        if before > trainings or (before == trainings and is_training(step)):
            break
        last = step
        evaluations += not is_training(step)
    return last if last is not None else max((step for step in steps if step < trainings), default=None)


def _first_in_doubt(steps: Sequence[int], trainings: int) -> int:
    """The position of the first of the consecutive step numbers that lead up to `trainings`. All steps before it were there."""
    position = next((position for position, step in enumerate(steps) if step >= trainings), len(steps))
    while 0 < position < len(steps) and steps[position - 1] == steps[position] - 1:
        position -= 1
    return position

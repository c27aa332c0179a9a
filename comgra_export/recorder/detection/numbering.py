"""Which numbers detected steps get."""

from __future__ import annotations

from math import floor

from comgra_export.storage.text.steps import MAX_EVALUATIONS, evaluation_number, parts_of_step

__all__ = ["DetectedNumber", "StepNumbers"]


# No class of its own: one is made at every step.
DetectedNumber = tuple[float, int]
"""The number of a detected step, and the number by which the schedule decides on it."""


class StepNumbers:
    """Counts training steps and evaluations, apart from each other.

    The number of a training step is how many there were before. That of an evaluation lies behind that of the training step before it, as
    `evaluation_number` says. The schedule is asked about an evaluation by how many training steps there were, plus how many evaluations
    since the last of these. If an evaluation was due at that number or behind it, the next number counts.

    `first_step` training steps were made before. `last_step` is the last step that was recorded before these.

    Attributes:
        trained_in_all: How many training steps ended, those before the first included.
    """

    def __init__(self, first_step: int, last_step: float | None) -> None:
        self._first_step = self.trained_in_all = first_step
        trained, evaluations = (first_step, 0) if last_step is None else parts_of_step(last_step)
        # A run that is resumed does not write over the evaluations that it keeps.
        self._evaluations = evaluations if trained == first_step else 0
        self._turn = self._next_turn = 0

    @property
    def trained(self) -> int:
        """How many training steps ended, without those before the first."""
        return self.trained_in_all - self._first_step

    def take(self, is_training: bool, last: float | None) -> DetectedNumber | None:
        """The number of a step that begins; None for an evaluation if too many came since the last training step.

        `last` is that of the step before, if there was one: the script may have begun it itself, with a number of its own.
        """
        trained = self.trained_in_all if last is None else max(self.trained_in_all, floor(last) + 1)
        if is_training:
            return trained, trained
        evaluation = self._evaluations + 1 if trained == self.trained_in_all else 1
        if last is not None and evaluation_number(trained, evaluation) <= last:
            evaluation = parts_of_step(last)[1] + 1
        if evaluation > MAX_EVALUATIONS:
            return None
        self._turn = max(self.trained_in_all + self._evaluations, self._next_turn)
        return evaluation_number(trained, evaluation), self._turn

    def note_due_evaluation(self) -> None:
        """The evaluation whose number was taken last is due. The next one has another turn."""
        self._next_turn = self._turn + 1

    def count(self, is_training: bool) -> None:
        """A step is over."""
        if is_training:
            self.trained_in_all += 1
            self._evaluations = 0
        else:
            self._evaluations += 1

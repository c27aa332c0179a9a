"""Which numbers detected steps get."""

from __future__ import annotations

__all__ = ["StepNumbers"]


class StepNumbers:
    """Counts training steps and evaluations.

    The number of a training step is how many there were before. That of an evaluation is how many training steps there were, plus how many
    evaluations since the last of these. A number that a recorded step has already is not used again.

    `first_step` training steps were made before. `last_step` is the last recorded one of these.
    """

    def __init__(self, first_step: int, last_step: int | None) -> None:
        self._first_step = self._trainings = first_step
        self._last_step = last_step
        self._evaluations = 0
        self.has_other_number = False
        """Whether the last number that was taken is not the count of the steps, since a recorded step had that number."""

    @property
    def trained(self) -> int:
        """How many training steps ended, without those before the first."""
        return self._trainings - self._first_step

    @property
    def trained_in_all(self) -> int:
        """How many training steps ended, those before the first included."""
        return self._trainings

    def take(self, is_training: bool, last: int | None) -> int:
        """The number of a step that begins. `last` is that of the step before, if there was one."""
        last = self._last_step if last is None else last
        count = self._trainings if is_training else self._trainings + self._evaluations
        number = count if last is None else max(count, last + 1)
        self.has_other_number = number != count
        return number

    def count(self, is_training: bool) -> None:
        """A step is over."""
        if is_training:
            self._trainings += 1
            self._evaluations = 0
        else:
            self._evaluations += 1

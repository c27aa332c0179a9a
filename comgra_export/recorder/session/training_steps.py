"""How many training steps a script has made, recorded or not."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TrainingSteps"]


@dataclass
class _OfType:
    """Steps of a type of execution: how many ended, and in how many gradients were to be recorded. `idle`: the recorder did nothing."""

    ended: int = 0
    with_gradients: int = 0
    idle: int = 0
    idle_with_gradients: int = 0

    @property
    def trained(self) -> int:
        # A script may ask for gradients only if the recorder is active. Then nothing tells the other steps of this type apart.
        is_asked_only_if_active = bool(self.with_gradients and self.idle and not self.idle_with_gradients)
        return self.ended if is_asked_only_if_active else self.with_gradients


class TrainingSteps:
    """Counts training steps, and no evaluations.

    A step that the script begins and ends itself trains if gradients are recorded in it, or would be if it were due. If the script asks
    for gradients only on steps that are recorded, all steps of the same type count.
    """

    def __init__(self) -> None:
        self._types: dict[str | None, _OfType] = {}
        self._detected: int | None = 0
        self._has_gradients = False

    def begin_step(self) -> None:
        """A step begins."""
        self._has_gradients = False

    def note_gradients(self) -> None:
        """Gradients are to be recorded, whether the step is recorded or not."""
        self._has_gradients = True

    def end_step(self, type_of_execution: str | None, *, is_active: bool) -> None:
        """A step has ended that the script began itself. `is_active`: something of it was recorded, checked or held back."""
        of_type = self._types.setdefault(type_of_execution, _OfType())
        of_type.ended += 1
        of_type.with_gradients += self._has_gradients
        of_type.idle += not is_active
        of_type.idle_with_gradients += self._has_gradients and not is_active

    def add_detected(self, count: int | None) -> None:
        """Adds training steps that the recorder detected itself; None if it cannot know how many there were."""
        self._detected = None if count is None or self._detected is None else self._detected + count

    def take(self) -> int | None:
        """The number since the last call; None if it is not known: steps ended, and nothing shows which of them trained."""
        by_hand, detected = sum(of_type.trained for of_type in self._types.values()), self._detected
        is_known = bool(by_hand or detected or not self._types)
        self._types.clear()
        self._detected = 0
        return by_hand + detected if is_known and detected is not None else None

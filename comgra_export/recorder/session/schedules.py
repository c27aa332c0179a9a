"""Which training steps are recorded."""

from __future__ import annotations

import copy
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import cast

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.callers import level_of_user
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.storage.text.names import shown

__all__ = [
    "DecisionMakerForRecordings",
    "DecisionMakerForRecordingsFrequencyPerType",
    "DecisionMakerForRecordingsHardcoded",
    "DueSteps",
    "choose_schedule",
]

_EVERY_STEP_UNTIL = 10


class DecisionMakerForRecordings(ABC):
    """Decides which training steps are recorded. Subclass it for a schedule of your own; if that counts, each recorder needs a new one."""

    @abstractmethod
    def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:
        """Says whether to record a step. Asked once per step, at `start_batch`.

        Args:
            training_step: The step's number.
            type_of_execution: The step's type.
        """

    @abstractmethod
    def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
        """Notes that a step was recorded. Called at `finish_batch`, and never for a step that was abandoned."""


@dataclass
class DecisionMakerForRecordingsHardcoded(DecisionMakerForRecordings):
    """Records exactly the steps given, whatever their type.

    Args:
        fixed_training_steps: Their numbers.
    """

    fixed_training_steps: Collection[int]

    def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:  # noqa: ARG002
        """True for the steps given."""
        return training_step in self.fixed_training_steps

    def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
        """Changes nothing."""


@dataclass
class DecisionMakerForRecordingsFrequencyPerType(DecisionMakerForRecordings):
    """Records every type of execution at its own pace, so that rare types are recorded as reliably as frequent ones.

    A type is due when it was never recorded, or when its last recording is at least its current difference ago. Each recording
    multiplies that type's difference by the factor.

    Args:
        min_training_steps_difference: The difference that every type starts with, in training steps.
        exponential_backoff_factor: At least 1. With 1, the pace stays as it is.
        identifier_to_last_recorded_step_and_min_difference: Where to begin: for each type of execution, the step of its last recording and
            its difference. The dictionary is kept up to date, so that a run that is resumed can go on with it. None: nothing was recorded.

    Raises:
        MisuseError: The difference is negative, or the factor is below 1.
    """

    min_training_steps_difference: float
    exponential_backoff_factor: float = 1.0
    identifier_to_last_recorded_step_and_min_difference: dict[str, tuple[int, float]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        given = self.identifier_to_last_recorded_step_and_min_difference
        self._is_shared = given is not None
        self._last_step_and_difference: dict[str, tuple[int, float]] = {} if given is None else given
        self.identifier_to_last_recorded_step_and_min_difference = self._last_step_and_difference
        if not self.min_training_steps_difference >= 0:
            raise MisuseError(f"min_training_steps_difference is {self.min_training_steps_difference}. Give 0 or more training steps.")
        if not self.exponential_backoff_factor >= 1:
            raise MisuseError(
                f"exponential_backoff_factor is {self.exponential_backoff_factor}. Give 1 for equal distances, or more for growing ones."
            )

    def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:
        """True if the type is due."""
        if type_of_execution not in self._last_step_and_difference:
            return True
        last_step, difference = self._last_step_and_difference[type_of_execution]
        return training_step >= last_step + difference

    def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
        """Begins the type's next waiting time."""
        _, difference = self._last_step_and_difference.get(type_of_execution, (None, self.min_training_steps_difference))
        self._last_step_and_difference[type_of_execution] = (training_step, difference * self.exponential_backoff_factor)


class _GrowingDistances(DecisionMakerForRecordings):
    """Records marked steps: 0 to 15, and then at distances that grow by about a tenth. They are the same in every run.

    A type that misses a mark, since its steps are rare, is recorded at its next step.
    """

    def __init__(self) -> None:
        self._next_mark: dict[str, int] = {}

    def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:
        """True if a mark was reached since the last recording of the type, or if there was none."""
        return training_step >= self._next_mark.get(type_of_execution, 0)

    def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
        """Goes on to the next mark."""
        mark = self._next_mark.get(type_of_execution, 0)
        while mark <= training_step:
            mark += 1 if mark < _EVERY_STEP_UNTIL else (mark + 5) // 10
        self._next_mark[type_of_execution] = mark


_OURS = (DecisionMakerForRecordingsHardcoded, DecisionMakerForRecordingsFrequencyPerType, _GrowingDistances)


def choose_schedule(schedule: object, every: object) -> DecisionMakerForRecordings:
    """The schedule that `ComgraRecorder` was given as `decision_maker_for_recordings` or as `every`; the default for neither.

    Raises:
        MisuseError: Both were given, or one of them is not usable.
    """
    if every is not None:
        if schedule is not None:
            raise MisuseError(
                "ComgraRecorder: both every and decision_maker_for_recordings say which steps to record. Give one of the two."
            )
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise MisuseError(f"ComgraRecorder: every is {shown(every)}. Give how many steps apart the recorded steps are, 1 or more.")
        return DecisionMakerForRecordingsFrequencyPerType(every)
    if schedule is None:
        return _GrowingDistances()
    if not hasattr(schedule, "is_record_on_this_step"):
        raise MisuseError(
            f"ComgraRecorder: decision_maker_for_recordings is {shown(schedule)}. Give a schedule such as "
            "DecisionMakerForRecordingsHardcoded({0, 10}), or pass every=10 instead to record every tenth step."
        )
    return _own_copy(cast(DecisionMakerForRecordings, schedule))


def _own_copy(schedule: DecisionMakerForRecordings) -> DecisionMakerForRecordings:
    """A schedule of ours as a copy with its state of now, so that two recorders that are given it do not count each other's steps.

    One of the script's own may be meant to be shared, and may hold what cannot be copied. So may one with a state that the script gave.
    """
    is_ours = type(schedule) is DecisionMakerForRecordingsFrequencyPerType and not schedule._is_shared
    return copy.deepcopy(schedule) if is_ours else schedule


class DueSteps:
    """Asks the schedule which steps are due, even before the type of a step is known."""

    def __init__(self, decision_maker: DecisionMakerForRecordings) -> None:
        self._decision_maker = decision_maker
        self._known_types: set[str] = set()
        self._knows_all_types = False
        self._may_count_questions = not isinstance(decision_maker, _OURS)

    @property
    def question(self) -> Callable[[int, str], bool] | None:
        """Says as `is_due` whether a step is due, if its type was asked about before. None: `is_due` has to decide."""
        return self._decision_maker.is_record_on_this_step if type(self._decision_maker) in _OURS else None

    def is_due(self, training_step: int, type_of_execution: str | None) -> bool | None:
        """Whether a step is to be recorded; None if that depends on its type, which is not known yet."""
        if type_of_execution is not None:
            self._known_types.add(type_of_execution)
            return self._ask(training_step, type_of_execution)
        if self._knows_all_types and not any(self._ask(training_step, known) for known in sorted(self._known_types)):
            return False
        return None

    def _ask(self, training_step: int, type_of_execution: str) -> bool:
        if not self._may_count_questions:
            return bool(self._decision_maker.is_record_on_this_step(training_step, type_of_execution))
        before = dict(getattr(self._decision_maker, "__dict__", {}))
        answer = bool(self._decision_maker.is_record_on_this_step(training_step, type_of_execution))
        after = getattr(self._decision_maker, "__dict__", {})
        # Not as a generator: this runs in every step.
        is_changed = False
        for name in after:
            is_changed |= after[name] is not before.get(name)
        if is_changed:
            self._may_count_questions = False
            warnings.warn(
                f"{type(self._decision_maker).__name__}.is_record_on_this_step changes the state of its schedule. Here, it is called "
                "once per step; comgra calls it at every call of the recorder. If its answer depends on how often it is called, change "
                "the state in mark_recording_on_this_step instead, which is called once for each recorded step.",
                ComgraRecordingWarning,
                stacklevel=level_of_user(),
            )
        return answer

    def add_type(self, type_of_execution: str) -> None:
        """Adds a type of execution to those that are known."""
        self._known_types.add(type_of_execution)

    def note_recorded(self, training_step: int, type_of_execution: str) -> None:
        """Tells the schedule that a step was recorded because it was due."""
        self._decision_maker.mark_recording_on_this_step(training_step, type_of_execution)

    def declare_all_types_known(self) -> None:
        """From now on, a step of unknown type may be due only if one of the known types is."""
        self._knows_all_types = True

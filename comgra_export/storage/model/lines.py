"""What grows line by line: notes, curves, gaps, the journal and the checks of every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = [
    "MAX_ROWS",
    "CurvePoint",
    "Gap",
    "JournalEntry",
    "JournalEvent",
    "NonFiniteInput",
    "NonFiniteOrigin",
    "Note",
    "OriginOperand",
    "SentinelPoint",
    "SessionEnd",
]

MAX_ROWS = 5
"""How many rows of an input with values that are not finite are named."""


@dataclass(frozen=True)
class Note:
    """A line of `notes.jsonl`; `step` is None before the first step."""

    text: str
    step: float | None = None


@dataclass(frozen=True)
class CurvePoint:
    """A line of `curves.jsonl`: the point `(t, v)` of the curve `(group, name, type)`. `t` is finite, `v` any float.

    `is_own` says that the recorder made it without a word in the script.
    """

    group: str
    name: str
    type: str
    t: float
    v: float
    is_own: bool = False


@dataclass(frozen=True)
class Gap:
    """Something that could not be recorded, and why.

    Attributes:
        reason: Why, as a sentence.
        step: Its step; None if it belongs to none.
        iteration: Its iteration; None if it belongs to all or none.
        group: Its group of records; None if it belongs to all or none.
        tensor: The name of its tensor; None if it belongs to all or none.
        whole_step: Whether the step is missing as a whole. Such a gap belongs to no recorded step.
    """

    reason: str
    step: float | None = None
    iteration: int | None = None
    group: str | None = None
    tensor: str | None = None
    whole_step: bool = False


JournalEvent = Literal["opened", "finished", "closed"]


class SessionEnd(NamedTuple):
    """How a session ended.

    Attributes:
        trained: How many training steps the recorder saw in it, recorded or not; None if that is not known.
        error: The exception that left the context of the recorder, in one line; None if there was none.
        error_step: The step in which it came, or the last one before it; None if there was no step.
        between_steps: Whether it came after that step had ended.
    """

    trained: int | None = None
    error: str | None = None
    error_step: float | None = None
    between_steps: bool = False


@dataclass(frozen=True)
class JournalEntry:
    """A line of `journal.jsonl`.

    Attributes:
        event: `opened`: a process began to write. `finished`: a recorded step was finished, and handed over to be written. `closed`: the
            process ended the recording; nothing is missing.
        session: Which opening of the recording, counted from 0.
        step: The step that was finished; for `opened`, None.
        time: Seconds since `started` in the header.
        end: How the session ended; None but for `closed`.
    """

    event: JournalEvent
    session: int
    step: float | None = None
    time: float | None = None
    end: SessionEnd | None = None


class OriginOperand(NamedTuple):
    """An operand of a function: its smallest and its largest value, and that which the result was made of, if it is one."""

    smallest: float
    largest: float
    value: float | None


class NonFiniteOrigin(NamedTuple):
    """The call of a function that made a value that is not finite of finite ones, or that has no derivative at its result.

    Attributes:
        function: Its name, such as `log`.
        module: The watched module in which it was called; None if there was none.
        shape: The shape of the result.
        element: The index of the first such element of the result.
        value: What the result is there.
        operands: What it was called with.
    """

    function: str
    module: str | None
    shape: tuple[int, ...]
    element: tuple[int, ...]
    value: float
    operands: tuple[OriginOperand, ...]


class NonFiniteInput(NamedTuple):
    """An input of the network that holds values that are not finite.

    Attributes:
        name: Its name, as in a recorded step.
        nan: How many of its values are NaN.
        positive: How many are infinity.
        negative: How many are minus infinity.
        rows: The first indices along its first dimension at which it holds such a value, ascending; none if it has no dimension.
    """

    name: str
    nan: int
    positive: int
    negative: int
    rows: tuple[int, ...]


@dataclass(frozen=True)
class SentinelPoint:
    """The cheap check of one step, recorded or not: a line of `sentinels.jsonl`.

    Attributes:
        tensors: What was checked: (group, name, iteration), as in a layout.
        largest: The largest magnitude of each; NaN if it holds a NaN, infinity if it holds an infinity.
        triggered: Why the step was recorded for it, or None.
        origin: The call that made the first value that is not finite, if a tensor holds one and the call is known.
        inputs: The inputs of the step's first call that hold values that are not finite; None if that is not known.
        loss: Of what `backward` was called on: NaN if it holds a NaN, infinity if it holds an infinity. None if it is finite, or this is
            not known.
    """

    step: float
    type_of_execution: str
    tensors: tuple[tuple[str, str, int], ...]
    largest: tuple[float, ...]
    triggered: str | None = None
    origin: NonFiniteOrigin | None = None
    inputs: tuple[NonFiniteInput, ...] | None = None
    loss: float | None = None

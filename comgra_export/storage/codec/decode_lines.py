"""Reading the lines of the files that grow: notes, curves, gaps, the journal and the sentinels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast, get_args

from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.model.lines import (
    MAX_ROWS,
    CurvePoint,
    Gap,
    JournalEntry,
    JournalEvent,
    NonFiniteInput,
    NonFiniteOrigin,
    Note,
    OriginOperand,
    SentinelPoint,
    SessionEnd,
)
from comgra_export.storage.text.json_codec import damaged
from comgra_export.storage.text.steps import MAX_STEP

__all__ = ["MAX_ERROR", "SentinelDecoder", "decode_curve_point", "decode_gap", "decode_journal_entry", "decode_note", "gap_in"]

MAX_ERROR = 1000
"""How many characters the exception may have that ended a session."""

_EVENTS = frozenset(get_args(JournalEvent))


def decode_note(content: object, file: str) -> Note:
    """Reads a line of `notes.jsonl`."""
    note = JsonObject(content, file)
    return Note(note.text("text"), note.optional_step("step"))


def decode_curve_point(content: object, file: str) -> CurvePoint:
    """Reads a line of `curves.jsonl`."""
    point = JsonObject(content, file)
    time = point.number("t")
    if not math.isfinite(time):
        raise point.wrong("t", "is not finite")
    is_own = point.optional_boolean("own") or False
    return CurvePoint(point.text("group"), point.text("name"), point.text("type"), time, point.number("v"), is_own)


def decode_gap(content: object, file: str) -> Gap:
    """Reads a line of `gaps.jsonl`."""
    gap = JsonObject(content, file)
    return replace(gap_in(gap), whole_step=gap.optional_boolean("whole_step") or False)


def gap_in(gap: JsonObject) -> Gap:
    """Reads what a gap says wherever it stands: in a line of `gaps.jsonl`, or among a step's `gaps`."""
    return Gap(
        reason=gap.text("reason"),
        step=gap.optional_step("step"),
        iteration=gap.optional_integer("iteration", -1),
        group=gap.optional_text("group"),
        tensor=gap.optional_text("tensor"),
    )


def decode_journal_entry(content: object, file: str) -> JournalEntry:
    """Reads a line of `journal.jsonl`."""
    entry = JsonObject(content, file)
    event = cast("JournalEvent", entry.choice("event", _EVENTS))
    return JournalEntry(
        event=event,
        session=entry.integer("session", 0),
        step=entry.step("step") if event == "finished" else None,
        time=entry.optional_number("time"),
        end=_session_end(entry) if event == "closed" else None,
    )


def _session_end(entry: JsonObject) -> SessionEnd:
    error = entry.optional_text("error")
    if error is not None and len(error) > MAX_ERROR:
        raise entry.wrong("error", f"has more than {MAX_ERROR:,} characters")
    is_between = entry.optional_boolean("between_steps") or False
    return SessionEnd(entry.optional_integer("trained", 0), error, entry.optional_step("error_step"), is_between)


class SentinelDecoder:
    """Reads the lines of `sentinels.jsonl`, in their order: what a line is about was said by one before it."""

    def __init__(self) -> None:
        self._tensors: tuple[tuple[str, str, int], ...] | None = None

    def decode(self, content: object, file: str) -> SentinelPoint | None:
        """Reads the next line.

        Returns:
            The check of a step; None if the line says what the ones after it are about.

        Raises:
            DamagedRecordingError: The line contradicts the format; or it cannot be said what it is about, since the line that said so was
                damaged.
        """
        line = JsonObject(content, file)
        if line.has("tensors"):
            # Until they have been read whole, it is not known what the next lines are about.
            self._tensors = None
            self._tensors = tuple(_checked_tensor(member, line) for member in line.entries("tensors"))
            return None
        if self._tensors is None:
            raise damaged(file, "no readable line before it says which tensors it is about")
        largest = line.numbers("largest")
        if len(largest) != len(self._tensors):
            raise line.wrong("largest", f"has {len(largest)} numbers, but there are {len(self._tensors)} tensors")
        return SentinelPoint(
            step=line.step("step"),
            type_of_execution=line.text("type"),
            tensors=self._tensors,
            largest=tuple(largest),
            triggered=line.optional_text("triggered"),
            origin=_origin(line.member("origin")) if line.has("origin") else None,
            inputs=tuple(map(_input, line.objects("inputs"))) if line.has("inputs") else None,
            loss=line.optional_number("loss"),
        )

    def skip(self) -> None:
        """Passes over a line that is not even JSON. It may have said what the ones after it are about."""
        self._tensors = None


def _origin(origin: JsonObject) -> NonFiniteOrigin:
    shape, element = origin.shape("shape"), origin.integers("element", 0, MAX_STEP)
    if len(element) != len(shape) or any(place >= size for place, size in zip(element, shape, strict=True)):
        raise origin.wrong("element", "is none of the shape")
    operands = tuple(
        OriginOperand(operand.number("smallest"), operand.number("largest"), operand.optional_number("value"))
        for operand in origin.objects("operands")
    )
    return NonFiniteOrigin(
        origin.text("function"), origin.optional_text("module"), tuple(shape), tuple(element), origin.number("value"), operands
    )


def _input(content: JsonObject) -> NonFiniteInput:
    nan, positive, negative = (content.integer(key, 0) for key in ("nan", "positive", "negative"))
    rows = content.ascending("rows")
    if not nan + positive + negative or len(rows) > min(MAX_ROWS, nan + positive + negative):
        raise content.wrong("rows", "does not fit the counts")
    return NonFiniteInput(content.text("name"), nan, positive, negative, tuple(rows))


def _checked_tensor(member: object, line: JsonObject) -> tuple[str, str, int]:
    if isinstance(member, list) and len(member) == 3:
        group, name, iteration = member
        if isinstance(group, str) and isinstance(name, str) and type(iteration) is int and -1 <= iteration <= MAX_STEP:
            return group, name, iteration
    raise line.wrong("tensors", "holds something other than lists of a group, a name and an iteration")

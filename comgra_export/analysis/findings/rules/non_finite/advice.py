"""What to try if a value is not finite, and what would show that its place is wrong: by what is known of the place."""

from __future__ import annotations

from typing import Literal

__all__ = ["Known", "advice_for", "wrong_if_for"]

Known = Literal["operands", "data", "parameter", "place"]
"""What a finding names: the operands of an operation, data, a parameter, or only a likely place."""

_OPERANDS_NAMED = "Look at the operands of the operation, and clamp them or add a small number before log, sqrt and divisions."
_SENTINELS = "Record with `sentinels=True` to have the first such step recorded, and the operation and its operands named."
_NO_OPERANDS = "Clamp what goes into log, sqrt and divisions near this place, or add a small number before them."
_DATA = "Check the data that the samples come from."

_WRONG_IF: dict[Known, str] = {
    "operands": "The operation gives a finite result for the operands that are named.",
    "data": "The value is meant to be there, and the network leaves it out.",
    "parameter": "The parameter is meant to hold such a value.",
    "place": "The value was made elsewhere: the recording does not show which operation made it.",
}


def advice_for(known: Known, *, has_sentinels: bool) -> tuple[str, ...]:
    """What to try, the most useful first. No operation made what is in the data."""
    if known == "data":
        return (_DATA,) if has_sentinels else (_DATA, _SENTINELS)
    if known == "operands":
        return (_OPERANDS_NAMED, _DATA) if has_sentinels else (_OPERANDS_NAMED, _DATA, _SENTINELS)
    return (_NO_OPERANDS, _DATA) if has_sentinels else (_SENTINELS, _NO_OPERANDS, _DATA)


def wrong_if_for(known: Known) -> str:
    """What would show that a finding is wrong."""
    return _WRONG_IF[known]

"""How much is tried where there is no end to it: less while one works, more once in a while."""

from __future__ import annotations

from typing import Literal, TypeVar, cast

from hypothesis import settings

__all__ = ["BREADTHS", "Breadth", "at_breadth", "breadth", "examples"]

Breadth = Literal["quick", "ci", "full"]
"""`quick` is for `make quick`, `ci` for `make test` and for pytest as it is, `full` for `make test-full`."""

BREADTHS: dict[Breadth, float] = {"quick": 0.2, "ci": 1, "full": 5}

Value = TypeVar("Value")


def breadth() -> Breadth:
    """The breadth of this run: what pytest was given as `--hypothesis-profile`."""
    return cast(Breadth, settings.get_current_profile_name())


def at_breadth(*, quick: Value, ci: Value, full: Value) -> Value:
    """What is chosen at the breadth of this run."""
    return {"quick": quick, "ci": ci, "full": full}[breadth()]


def examples(number: int) -> settings:
    """Settings of hypothesis for a test that needs so many examples in `make test`."""
    return settings(max_examples=max(1, round(number * BREADTHS[breadth()])))

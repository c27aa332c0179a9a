"""Through which tensors a user wants gradient flows to be estimated."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.errors import WrongChoiceError

__all__ = ["Sequences", "make_sequences"]

Sequences = tuple[tuple[str, ...], ...]
"""Names of tensors, in the order in which they are computed; two or more in each, and none twice."""


def make_sequences(given: str | Sequence[str | Sequence[str]] | None) -> Sequences:
    """Reads what a user wrote. The same sequence is taken once.

    Raises:
        WrongChoiceError: It is not as the documentation of `export` says.
    """
    several = [given] if isinstance(given, str) else list(given or ())
    return tuple(dict.fromkeys(map(_sequence, several)))


def _sequence(given: str | Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() for name in given.split(",")) if isinstance(given, str) else tuple(given)
    if len(names) < 2 or not all(isinstance(name, str) and name for name in names):
        raise WrongChoiceError(
            f"estimate_flow={given!r} does not name two or more tensors. Give their names in the order of computation, "
            "separated by commas, such as 'x, h, y'."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WrongChoiceError(f"estimate_flow={given!r} has {twice!r} twice. Name each tensor once.")
    return names

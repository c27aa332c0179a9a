"""Parts of what rules say: names in backticks, and shares of steps."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["in_short", "names_of", "share_of"]

# Everything from here on is rounded to seven digits.
_MOST_IN_FULL = 999_999.5


def in_short(number: float) -> str:
    """A number of 1 or more without decimals: `8,300`, and one with more than six digits as `5.7e29`."""
    return f"{number:,.0f}" if number < _MOST_IN_FULL else f"{number:.2g}".replace("e+0", "e").replace("e+", "e")


def names_of(names: Sequence[str]) -> str:
    """One name, or two, or the first and how many more there are: "`a` and 3 more"."""
    first = f"`{names[0]}`"
    if len(names) == 1:
        return first
    return f"{first} and `{names[1]}`" if len(names) == 2 else f"{first} and {len(names) - 1} more"


def share_of(share: float, noun: str) -> str:
    """A share in words: `all recorded steps`, or `95% of the recorded steps`. Only all of them are called so."""
    return f"all {noun}" if share == 1 else f"{min(share, 0.99):.0%} of the {noun}"

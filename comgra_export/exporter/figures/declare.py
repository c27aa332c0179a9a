"""How a Python file says that a function draws a figure, and what it depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comgra_export.errors import MisuseError
from comgra_export.storage import clean_text

if TYPE_CHECKING:
    from comgra_export.exporter.figures.view import View

__all__ = ["Figure", "visualization"]

SELECTORS = ("step", "iteration", "sample")
"""What a figure may depend on, besides trial and rank."""


@dataclass(frozen=True)
class Figure:
    """A function that draws, as it was declared. It can still be called.

    Attributes:
        per: What it depends on, in the order of `SELECTORS`.
    """

    title: str
    per: tuple[str, ...]
    draw: Callable[[View], object]

    def __call__(self, view: View) -> object:
        """Draws."""
        return self.draw(view)


def visualization(title: str, per: str | tuple[str, ...] | list[str] = ("step",)) -> Callable[[Callable[[View], object]], Figure]:
    """Declares a function that draws a figure at export.

    Args:
        title: What stands above it.
        per: What it depends on besides trial and rank: `step`, `iteration` and `sample`, or nothing. It is called once for each. What
            depends on the iteration or the sample depends on the step too, since steps may have different ones.

    Raises:
        MisuseError: `per` names something else, or the function cannot be called.
    """
    wanted = {per} if isinstance(per, str) else set(per)
    if not wanted <= set(SELECTORS):
        unknown = ", ".join(map(repr, sorted(map(str, wanted.difference(SELECTORS)))))
        raise MisuseError(f"visualization({title!r}, per=...): there is no {unknown}. Give some of {', '.join(SELECTORS)}.")
    if wanted:
        wanted.add("step")

    def declare(draw: Callable[[View], object]) -> Figure:
        if not callable(draw):
            raise MisuseError(f"visualization({title!r}) stands above a {type(draw).__name__}. Put it above a function.")
        return Figure(clean_text(str(title)), tuple(name for name in SELECTORS if name in wanted), draw)

    return declare

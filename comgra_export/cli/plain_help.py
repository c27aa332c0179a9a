"""Help and errors without Python: a flag shows no type, an argument its name alone, and a wrong value no kind of exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["PlainCommand", "PlainGroup"]


class PlainCommand(TyperCommand):
    """A command whose help names no types of Python."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Reads the arguments."""
        with _refusing_in_words():
            return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        """Returns the parameters, as the help shows them."""
        return _without_types(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Returns what follows the name of the command: `RECORDINGS...`; some versions of Typer write `{RECORDINGS}...` instead."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """A group of commands whose help names no types of Python."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Reads the arguments."""
        with _refusing_in_words():
            return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        """Returns the parameters, as the help shows them."""
        return _without_types(super().get_params(ctx))


@contextmanager
def _refusing_in_words() -> Iterator[None]:
    """Leaves out what some versions of Typer say first of a wrong value."""
    try:
        yield
    except typer.BadParameter as error:
        error.message = error.message.removeprefix("Value error, ")
        raise


def _without_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            # Some versions of Typer show <bool> and <path> here. The others do not ask.
            parameter.display_type_rich = _no_type
    return parameters


def _no_type(ctx: object) -> None:  # noqa: ARG001
    return None

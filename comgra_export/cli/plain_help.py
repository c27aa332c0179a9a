"""Help without the types of Python: a flag shows none, and an argument shows its name alone."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["PlainCommand", "PlainGroup"]


class PlainCommand(TyperCommand):
    """A command whose help names no types of Python."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        """Returns the parameters, as the help shows them."""
        return _without_types(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Returns what follows the name of the command: `RECORDINGS...`; some versions of Typer write `{RECORDINGS}...` instead."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """A group of commands whose help names no types of Python."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        """Returns the parameters, as the help shows them."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            # Some versions of Typer show <bool> and <path> here. The others do not ask.
            parameter.display_type_rich = _no_type
    return parameters


def _no_type(ctx: object) -> None:  # noqa: ARG001
    return None

"""Which trial a command is about, and how commands print JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import typer

from comgra_export.cli.console import warn
from comgra_export.errors import WrongChoiceError
from comgra_export.reading import Reading, Trial, read
from comgra_export.storage import encode_number

__all__ = ["VERSION", "choose_trial", "json_number", "json_numbers", "opened", "print_json"]

VERSION = 1
"""Of the JSON of each command."""


def opened(path: str) -> Reading:
    """Opens recordings or a bundle. What cannot be opened is warned about."""
    data = read(path)
    for problem in data.problems:
        warn(problem)
    return data


def choose_trial(data: Reading, wanted: str | None) -> tuple[str, Trial]:
    """A trial and its name, by its own name or by `GROUP/TRIAL`.

    Raises:
        WrongChoiceError: There is no such trial; or none is wanted, and there are several.
    """
    names = list(data.trials)
    if wanted is None and len(names) > 1:
        raise WrongChoiceError(f"There are {len(names)} trials. Choose one with --trial: {', '.join(names)}.")
    name = names[0] if wanted is None else data.trials.full_name(wanted)
    return name, data.trials[name]


def print_json(name: str, content: Mapping[str, object]) -> None:
    """Prints a line of JSON in ASCII: `format`, `version`, and the content."""
    # Not through the console, which would wrap it.
    typer.echo(json.dumps({"format": f"comgra-{name}", "version": VERSION, **content}, allow_nan=False))


def json_number(value: Any) -> float | int | str | bool:  # noqa: ANN401
    """A number of NumPy or Python as JSON holds it: integers as such, and NaN and infinities as texts."""
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool):
        return number
    return encode_number(int(number) if isinstance(number, float) and number.is_integer() and abs(number) < 2**53 else number)


def json_numbers(values: Any) -> Any:  # noqa: ANN401
    """Numbers in lists of any depth."""
    return [json_numbers(each) for each in values] if isinstance(values, list) else json_number(values)

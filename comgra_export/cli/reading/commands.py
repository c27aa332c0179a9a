"""The arguments of the commands that print what was recorded."""

from __future__ import annotations

from typing import Annotated

import typer

from comgra_export.cli.console import failing_in_words
from comgra_export.cli.plain_help import PlainCommand

__all__ = ["TrialOption", "add_commands"]

_PATH = "Recordings, also at an address such as s3://bucket/runs, or a page, zip or folder that build has written."
PathArgument = Annotated[str, typer.Argument(metavar="PATH", help=_PATH, show_default=False)]
TrialOption = Annotated[str | None, typer.Option(metavar="NAME", help="The trial, if there are several.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


def add_commands(app: typer.Typer) -> None:
    """Adds the commands."""
    for command in (values, curves, graph, diff):
        app.command(cls=PlainCommand)(command)


def values(
    path: PathArgument,
    *,
    tensor: Annotated[str, typer.Option(metavar="NAME", help="Name of the tensor.", show_default=False)],
    step: Annotated[float, typer.Option(metavar="N", help="Number of the step.", show_default=False)],
    group: Annotated[str, typer.Option(metavar="NAME", help="[bold]forward[/bold] for values, or a group of gradients.")] = "forward",
    iteration: Annotated[int | None, typer.Option(metavar="N", help="The iteration, if there are several.", show_default=False)] = None,
    rank: Annotated[int | None, typer.Option(metavar="N", help="The rank. Default: all together.", show_default=False)] = None,
    trial: TrialOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a tensor in a step: its statistics, and the values of the samples that were recorded.

    [dim]comgra-export values report.html --tensor hidden --step 100[/dim]
    """
    from comgra_export.cli.reading.values import run_values

    with failing_in_words():
        run_values(path, tensor=tensor, step=step, group=group, iteration=iteration, rank=rank, trial=trial, as_json=as_json)


def curves(path: PathArgument, trial: TrialOption = None, as_json: JsonOption = False) -> None:
    """Print the curves: in short, or all of their points with --json."""
    from comgra_export.cli.reading.curves import run_curves

    with failing_in_words():
        run_curves(path, trial=trial, as_json=as_json)


def graph(
    path: PathArgument,
    step: Annotated[float | None, typer.Option(metavar="N", help="Default: the last training step.", show_default=False)] = None,
    trial: TrialOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what was computed from what in a step."""
    from comgra_export.cli.reading.graph import run_graph

    with failing_in_words():
        run_graph(path, step=step, trial=trial, as_json=as_json)


def diff(
    left: Annotated[str, typer.Argument(metavar="A", help=_PATH, show_default=False)],
    right: Annotated[str, typer.Argument(metavar="B", help="The one to compare it with.", show_default=False)],
    tolerance: Annotated[
        float,
        typer.Option(
            metavar="X", help="Numbers differ if they are further apart than X times the tensor's largest number. 0 demands equality."
        ),
    ] = 1e-5,
    trial: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="The trial, if there are several. Given twice: that of A, then that of B.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say in which step two runs begin to differ, and which tensor was computed first of those that do.

    Statistics of all values are compared, also of those that were not recorded one by one. Exits with 6 if the runs differ.

    [dim]comgra-export diff original/ ported/ --tolerance 1e-4[/dim]
    """
    from comgra_export.cli.reading.diff import run_diff

    with failing_in_words():
        run_diff(left, right, tolerance=tolerance, trials=trial or [], as_json=as_json)

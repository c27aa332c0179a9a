"""The arguments of `comgra-export import`, by the tool that wrote the files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comgra_export.cli.console import failing_in_words
from comgra_export.cli.plain_help import PlainCommand, PlainGroup

__all__ = ["importing"]

OutputOption = Annotated[Path, typer.Option("--output", "-o", metavar="RECORDINGS", help="Folder for the recordings. It is created.")]
GroupOption = Annotated[str, typer.Option(metavar="NAME", help="Group of the recording.")]
TrialOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name within the group. Default: the name of the files or of their folder.", show_default=False),
]
BuildOption = Annotated[
    str | None,
    typer.Option("--build", metavar="OUT", help="Also build a page: report.html, report.zip or report/.", show_default=False),
]
ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace an earlier import of this name, and its page.")]

importing = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="Turn files of other tools into recordings.")
"""The command and its own commands."""


@importing.command(cls=PlainCommand)
def checkpoints(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="Checkpoints: .safetensors files, files that torch.save wrote, or a folder with the parts of a checkpoint. "
            "The last number in each name is its step.",
            show_default=False,
        ),
    ],
    output: OutputOption = Path("imported"),
    group: GroupOption = "checkpoints",
    trial: TrialOption = None,
    page: BuildOption = None,
    force: ForceOption = False,
) -> None:
    """Make a recording from checkpoints: a step for each, and what changed since the one before.

    Each tensor has statistics, a histogram and a norm, and so has its difference. Reading runs no code in the files.

    [dim]comgra-export import checkpoints ck/*.safetensors --build report.html[/dim]
    """
    from comgra_export.cli.importing.checkpoints import run_import_checkpoints

    with failing_in_words():
        run_import_checkpoints(files, output, group=group, trial=trial, page=page, force=force)


@importing.command(cls=PlainCommand)
def comgra(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="The folder given to comgra's recorder, a group in it, or a trial.", show_default=False),
    ],
    output: OutputOption = Path("imported"),
    page: BuildOption = None,
    force: ForceOption = False,
) -> None:
    """Make recordings from those of comgra 0.11: numbers, graphs, modules, curves and notes.

    Reading the pickles runs no code in them.

    [dim]comgra-export import comgra my_comgra_data/ --build report.html[/dim]
    """
    from comgra_export.cli.importing.comgra import run_import_comgra

    with failing_in_words():
        run_import_comgra(folder, output, page=page, force=force)


@importing.command(cls=PlainCommand)
def tensorboard(
    logdir: Annotated[Path, typer.Argument(metavar="LOGDIR", help="The folder that tensorboard --logdir takes.", show_default=False)],
    output: OutputOption = Path("imported"),
    group: GroupOption = "tensorboard",
    page: BuildOption = None,
    force: ForceOption = False,
) -> None:
    """Make recordings from TensorBoard's event files: a trial for each run, with all points of its curves.

    [dim]comgra-export import tensorboard runs/ --build report.html[/dim]
    """
    from comgra_export.cli.importing.tensorboard import run_import_tensorboard

    with failing_in_words():
        run_import_tensorboard(logdir, output, group=group, page=page, force=force)


@importing.command("vnittest", cls=PlainCommand)
def import_vnittest(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="The folder of flow_info.pkl, the prefix of the file names (data/test_), or the pickle itself.",
            show_default=False,
        ),
    ],
    output: OutputOption = Path("imported"),
    group: GroupOption = "vnittest",
    trial: TrialOption = None,
    page: BuildOption = None,
    force: ForceOption = False,
) -> None:
    """Make a recording from vnittest's files: flows, layers, and the pictures of input and target.

    Reading the pickle runs no code in it.

    [dim]comgra-export import vnittest debug_data/ --build report.html[/dim]
    """
    from comgra_export.cli.importing.vnittest import run_import

    with failing_in_words():
        run_import(source, output, group=group, trial=trial, page=page, force=force)

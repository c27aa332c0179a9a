"""The arguments of the commands that put bundles on a site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comgra_export.cli.console import failing_in_words
from comgra_export.cli.options import ForceOption
from comgra_export.cli.plain_help import PlainCommand

__all__ = ["add_publishing"]


def add_publishing(app: typer.Typer) -> None:
    """Adds the commands."""
    for command in (gallery, publish):
        app.command(cls=PlainCommand)(command)


def gallery(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Folder with pages, zips and folders that build has written, at any depth. "
            "A picture for report.html is called report.png.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="SITE", help="Folder of the site.")] = Path("site"),
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the index.")] = "Gallery",
    description: Annotated[str, typer.Option(metavar="TEXT", help="A sentence below the title.", show_default=False)] = "",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address of the site, such as https://me.github.io/runs. With it, link previews show the pictures.",
            show_default=False,
        ),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a site of bundles: an index with titles, findings and pictures, to be searched without a server.

    [dim]comgra-export gallery reports -o site/[/dim]
    """
    from comgra_export.cli.publishing.gallery import run_gallery

    with failing_in_words():
        run_gallery(folder, output, title=title, description=description, address=address, force=force)


def publish(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Folder in the repository with the bundles, as for gallery.")] = "reports",
    *,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the index.")] = "Gallery",
    workflow: Annotated[
        bool, typer.Option("--workflow", help="Write it to .github/workflows/comgra-gallery.yml instead of printing it.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace an existing workflow.")] = False,
) -> None:
    """Print a GitHub workflow that publishes the bundles of a repository on GitHub Pages.

    [dim]comgra-export publish reports --workflow[/dim]
    """
    from comgra_export.cli.publishing.workflow import run_publish

    with failing_in_words():
        run_publish(folder, title=title, write=workflow, force=force)

"""`comgra-export publish`: a workflow for GitHub Pages."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from comgra_export.cli.console import out, printable
from comgra_export.errors import OutputExistsError, OutputNotWritableError, WrongChoiceError
from comgra_export.resources import find_resource
from comgra_export.version import __version__

__all__ = ["WORKFLOW", "run_publish", "workflow_for"]

WORKFLOW = Path(".github/workflows/comgra-gallery.yml")
"""The place of the workflow, seen from the root of the repository."""


def run_publish(folder: str, *, title: str, write: bool, force: bool) -> None:
    """Print the workflow, or write it."""
    text = workflow_for(folder, title)
    if not Path(folder).is_dir():
        raise WrongChoiceError(
            f"There is no folder {folder!r} here. Give the one with the bundles, seen from the root of the repository, and run this there."
        )
    if not write:
        typer.echo(text, nl=False)
        return
    if WORKFLOW.exists() and not force:
        raise OutputExistsError(f"{WORKFLOW} already exists. Pass --force to replace it.")
    try:
        WORKFLOW.parent.mkdir(parents=True, exist_ok=True)
        WORKFLOW.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputNotWritableError(f"{WORKFLOW} cannot be written: {error.strerror}.") from error
    out.print(f"Wrote {WORKFLOW}", highlight=False)
    out.print(printable(f"Commit it with {folder}, and choose GitHub Actions under Settings, Pages."), highlight=False, markup=False)


def workflow_for(folder: str, title: str) -> str:
    """The workflow, in YAML.

    Raises:
        WrongChoiceError: The folder is not one of the repository, or a text has characters that a line cannot hold.
    """
    if folder.startswith(("/", "-")) or ".." in Path(folder).parts:
        raise WrongChoiceError(f"{folder!r} is not a folder of the repository. Give its path from the root of the repository.")
    if not (folder + title).isprintable() or "${{" in folder + title:
        raise WrongChoiceError("A folder or a title in a workflow is printable text, without line breaks and without ${{.")
    text = find_resource("templates/gallery-workflow.yml").read_text(encoding="ascii")
    version = __version__.split("+", maxsplit=1)[0]
    command = f"comgra-export gallery {shlex.quote(folder)} -o _site --title {shlex.quote(title)}"
    pattern = folder.strip("/").replace("'", "''")
    return text.replace("@PATTERN@", f"{pattern}/**").replace("@VERSION@", version).replace("@COMMAND@", command)

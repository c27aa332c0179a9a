"""`comgra-export build`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from comgra_export.analysis.overview.words import bytes_in_words
from comgra_export.cli.console import open_in_browser, out, printable, progress_bar, warn
from comgra_export.cli.rebuilding import state_of, watch
from comgra_export.errors import WrongChoiceError
from comgra_export.storage.files.places import is_address

if TYPE_CHECKING:
    from comgra_export.exporter import Bundle

__all__ = ["Choices", "build_with_progress", "run_build", "show_page"]

_PROBLEMS_SHOWN = 10


class Choices(TypedDict, total=False):
    """Arguments of `export`: what is wanted, how large the bundle may be, its story, first view and picture, and who computes."""

    trials: list[str] | None
    steps: str | None
    tensors: list[str] | None
    samples: str | None
    precision: str
    estimate_flow: list[str] | None
    max_size: str | None
    preset: str | None
    story: Path | None
    start: str | None
    picture: str | None
    jobs: int | None
    backend: str | None
    address: str | None


def build_with_progress(
    recordings: str | Path | Sequence[str | Path],
    output: Path | str | None,
    *,
    title: str | None,
    description: str,
    force: bool,
    visualization: list[Path] | None = None,
    choices: Choices | None = None,
    live: bool = False,
) -> Bundle:
    """Export with a progress bar, and print what was written, what was left out and what is missing in it."""
    from comgra_export.exporter import Progress, export

    new_folder = None if output is None or is_address(output) or Path(output).parent.exists() else Path(output).parent
    with progress_bar() as bar:
        task = bar.add_task("Reading", total=None)

        def show(progress: Progress) -> None:
            bar.update(task, description=progress.stage, completed=progress.done, total=progress.total)

        with warnings.catch_warnings():
            # The problems of the bundle, printed below, say the same.
            warnings.filterwarnings("ignore", ".* holds no step", UserWarning)
            bundle = export(
                recordings,
                output,
                title=title,
                description=description,
                visualization=visualization,
                force=force,
                progress=show,
                live=live,
                **(choices or Choices()),
            )
    for problem in bundle.problems[:_PROBLEMS_SHOWN]:
        warn(problem)
    if len(bundle.problems) > _PROBLEMS_SHOWN:
        warn(f"and {len(bundle.problems) - _PROBLEMS_SHOWN} more, all listed on the page's About tab")
    out.print(f"Wrote {printable(bundle.place)} ({bytes_in_words(bundle.bytes)}){_left_out(bundle)}", highlight=False, markup=False)
    if new_folder is not None:
        out.print(f"  Made the folder {printable(str(new_folder))}", highlight=False, markup=False)
    for omission in bundle.omissions:
        out.print(f"  {printable(omission)}", highlight=False, markup=False)
    return bundle


def _left_out(bundle: Bundle) -> str:
    """Return the end of the sentence that says what was written: how much is missing in it."""
    count = bundle.steps_left_out
    if count == 0:
        return ""
    return f", without {count:,} {'step' if count == 1 else 'steps'} of {bundle.steps + count:,} that could not be read"


def run_build(
    recordings: Sequence[str],
    output: Path | str | None,
    *,
    title: str | None,
    description: str,
    visualization: list[Path] | None,
    force: bool,
    open_page: bool,
    keep_fresh: bool,
    choices: Choices,
) -> None:
    """Build a bundle, open it if asked, and keep it fresh if asked."""
    if keep_fresh and output is None:
        raise WrongChoiceError("Only a folder can be kept fresh. Give one with -o, such as -o report/.")
    if keep_fresh and any(map(is_address, recordings)):
        raise WrongChoiceError("Only recordings on this machine can be watched. Leave out --watch.")

    def build(replace: bool) -> Bundle:
        """Exports as asked for, also over an existing bundle if `replace`."""
        return build_with_progress(
            recordings,
            output,
            title=title,
            description=description,
            force=replace,
            visualization=visualization,
            choices=choices,
            live=keep_fresh,
        )

    before = state_of(recordings) if keep_fresh else frozenset()
    bundle = build(force)
    show_page(bundle, open_page=open_page)
    if keep_fresh:
        watch(recordings, lambda: build(True), before)


def show_page(bundle: Bundle, *, open_page: bool) -> None:
    """Open a bundle in the browser, or say how to, if that is not plain. Nothing for a bundle at an address."""
    if bundle.address is not None:
        return
    if bundle.page is None:
        out.print("Extract all of it, and open its index.html in a browser.")
    elif open_page:
        open_in_browser(bundle.page)
    else:
        out.print(f"Open it in a browser: {printable(str(bundle.page.resolve()))}", highlight=False, markup=False)

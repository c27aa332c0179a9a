"""`comgra-export demo`: the tutorial network, trained, recorded and exported."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import cast

from comgra_export.cli.build import build_with_progress, show_page
from comgra_export.cli.console import has_screen, out, progress_bar
from comgra_export.errors import ComgraExportError, MisuseError, OutputExistsError
from comgra_export.resources import find_resource

__all__ = ["run_demo"]

_GROUP = "tutorial"
_DESCRIPTION = (
    "A recurrent network sums five sequences and says which sums are positive. It was trained twice; "
    "in one of the two runs it has a bug that costs it much of its performance. Can you find it?"
)

# So many lines tell the progress of a training where no bar does.
_LINES = 20

_Run = Callable[..., Path]


def run_demo(output: Path | str, recordings: Path, *, steps: int | None, force: bool, open_page: bool | None) -> None:
    """Train both variants, build the bundle, and open it unless told otherwise."""
    from comgra_export.exporter.output.bundle_output import check_output

    check_output(output, force=force)
    run = _tutorial()
    with progress_bar() as bar:
        task = bar.add_task("Training", total=None)
        variants: set[str] = set()

        def show(done: int, total: int, variant: str) -> None:
            bar.update(task, description=variant, completed=done, total=total)
            if variant not in variants:
                variants.add(variant)
                out.print(f"Variant {variant} ...", highlight=False)
            # Without a terminal there is no bar.
            if bar.disable and done % max(1, total // _LINES) == 0:
                out.print(f"  {done:,} of {total:,} steps", highlight=False)

        out.print("Training the tutorial network in two variants. This takes a few minutes, and longer on a slow machine.")
        group = _train(run, recordings, steps, show, force=force)
    bundle = build_with_progress(group, output, title="Tutorial: a network with a subtle bug", description=_DESCRIPTION, force=force)
    show_page(bundle, open_page=has_screen() if open_page is None else open_page)


def _tutorial() -> _Run:
    """Load the tutorial's `run` from the examples that came with the package."""
    if importlib.util.find_spec("torch") is None:
        raise ComgraExportError(
            "The demo trains a network, and torch is not installed. Install it with: pip install 'comgra-export[recorder]'"
        )
    spec = importlib.util.spec_from_file_location("comgra_export_tutorial", find_resource("examples/tutorial.py"))
    if spec is None or spec.loader is None:
        raise ComgraExportError("examples/tutorial.py cannot be loaded. Install the package again.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(_Run, module.run)


def _train(run: _Run, recordings: Path, steps: int | None, progress: Callable[[int, int, str], None], *, force: bool) -> Path:
    """Train both variants; the recordings of an earlier demo are replaced, if that was asked for, and nothing else is."""
    wanted = {} if steps is None else {"steps": steps}
    try:
        return run(recordings, group=_GROUP, progress=progress, existing_trial="replace" if force else "error", **wanted)
    except MisuseError as error:
        remedy = "Choose another --recordings." if force else "Pass --force to replace them, or choose another --recordings."
        raise OutputExistsError(f"The demo cannot write its recordings. {error} {remedy}") from error

"""`comgra-export rerun`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from comgra_export.cli.adapters import load_adapter, own_traceback
from comgra_export.cli.build import build_with_progress, show_page
from comgra_export.cli.console import out, print_lines, printable, progress_bar
from comgra_export.cli.edited import Edit, read_array, read_edit
from comgra_export.errors import AdapterError, ComgraExportError, WrongChoiceError
from comgra_export.storage import find_recordings, name_of_folder

__all__ = ["run_rerun"]


def run_rerun(
    adapter: str,
    array_file: Path,
    edit_file: Path | None,
    recordings: Path,
    *,
    group: str | None,
    trial: str | None,
    output: str | None,
    force: bool,
) -> None:
    """Run a function on an edited input, add what it records as a new trial, and build a bundle if asked."""
    if importlib.util.find_spec("torch") is None:
        raise ComgraExportError(
            "This command runs a network, and torch is not installed. Install it with: pip install 'comgra-export[recorder]'"
        )
    from comgra_export.exporter.output.bundle_output import check_output

    if output is not None:
        check_output(output, force=force)
    array = read_array(array_file)
    edit = _edit_of(array_file, edit_file, array)
    original = _original(recordings, edit, group, trial)
    try:
        with progress_bar() as bar:
            bar.add_task(f"Running {printable(adapter)}", total=None)
            function = load_adapter(adapter)
            from comgra_export import rerun

            note = f"Input {array_file.name!r}." if edit is None else edit.in_words()
            added = rerun(
                function,
                array,
                original.parents[1],
                group=name_of_folder(original.parent.name),
                trial=name_of_folder(original.name),
                note=note,
            )
    except AdapterError as error:
        if error.__cause__ is not None:
            print_lines(own_traceback(error.__cause__))
        raise
    out.print(f"Added the trial {printable(added.name)!r} to {printable(str(added.parent))}", highlight=False, markup=False)
    if output is not None:
        show_page(build_with_progress(added.parent, output, title=None, description="", force=force), open_page=False)


def _edit_of(array_file: Path, edit_file: Path | None, array: NDArray[Any]) -> Edit | None:
    """What the JSON file says: the one that was given, else the one of the same name beside the array, if there is one."""
    beside = array_file.with_suffix(".json")
    if edit_file is None and beside.is_file():
        edit_file = beside
    return None if edit_file is None else read_edit(edit_file, array)


def _original(recordings: Path, edit: Edit | None, group: str | None, trial: str | None) -> Path:
    """The folder of the trial that the input is of: as the options say, else the JSON file; else the only one there is."""
    trials = sorted({Path(folder).parent for folder in find_recordings(recordings)})
    wanted_group = group if group is not None or edit is None else edit.group
    wanted_trial = trial if trial is not None or edit is None else edit.trial
    fitting = [
        folder
        for folder in trials
        if wanted_group in (None, name_of_folder(folder.parent.name)) and wanted_trial in (None, name_of_folder(folder.name), _name(folder))
    ]
    if len(fitting) == 1:
        return fitting[0].resolve()
    wanted = " and ".join(f"the {kind} {name!r}" for kind, name in (("group", wanted_group), ("trial", wanted_trial)) if name is not None)
    there = ", ".join(map(_name, trials[:10]))
    what = f"no trial with {wanted}" if not fitting else "more than one trial that the input may be of"
    raise WrongChoiceError(f"In {recordings} there is {what}: {there}. Give --recordings, --group or --trial.")


def _name(trial: Path) -> str:
    """`GROUP/TRIAL`, by the folder of the trial."""
    return f"{name_of_folder(trial.parent.name)}/{name_of_folder(trial.name)}"

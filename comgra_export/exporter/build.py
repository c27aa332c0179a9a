"""From recordings to a bundle."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from comgra_export.exporter.bundle import Bundle
from comgra_export.exporter.bundle_writer import Content, Written, write_fitting
from comgra_export.exporter.figures import draw_figures
from comgra_export.exporter.findings.add import add_findings
from comgra_export.exporter.flow_estimates.add import add_estimates
from comgra_export.exporter.flow_estimates.sequences import make_sequences
from comgra_export.exporter.output.bundle_output import check_output, shape_of
from comgra_export.exporter.output.destinations import make_target
from comgra_export.exporter.output.drawing_frame import make_drawing_frame
from comgra_export.exporter.output.page import read_picture
from comgra_export.exporter.output.replacing import bytes_at
from comgra_export.exporter.output.scripts import load_visualizations
from comgra_export.exporter.output.shapes import zipped_bytes
from comgra_export.exporter.output.viewer import load_viewer
from comgra_export.exporter.plan.index import index_json
from comgra_export.exporter.plan.page_title import default_title
from comgra_export.exporter.plan.plan import make_plan
from comgra_export.exporter.plan.reading import Reader
from comgra_export.exporter.plan.runs import overviews_of
from comgra_export.exporter.plan.selection import Selection, chosen_names, make_selection, matches
from comgra_export.exporter.plan.sources import Source, Sources, open_sources
from comgra_export.exporter.plan.story import read_start, read_story
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress
from comgra_export.exporter.size.fitting import Fitting
from comgra_export.exporter.size.reduction import select_steps
from comgra_export.storage import Place, place_of
from comgra_export.workers import Workers

__all__ = ["export"]

LARGE_PAGE_BYTES = 100_000_000
_EMPTY_PAGE_BYTES = 8_000
_PROBLEMS_WARNED_OF = 3


def export(
    recordings: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    description: str = "",
    visualization: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
    trials: str | Sequence[str] | None = None,
    steps: str | float | Iterable[float] | None = None,
    tensors: str | Sequence[str] | None = None,
    samples: str | int | None = None,
    precision: str = "float32",
    estimate_flow: str | Sequence[str | Sequence[str]] | None = None,
    max_size: int | str | None = None,
    preset: str | None = None,
    live: bool = False,
    story: str | os.PathLike[str] | Sequence[Mapping[str, object]] | None = None,
    start: str | None = None,
    picture: str | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    address: str | None = None,
) -> Bundle:
    """Turns recordings into a bundle: a page that opens by double-click, offline.

    The same recordings and arguments give the same bytes, with the same build of zlib. Nothing about this machine goes into them.

    Findings that `comgra-findings.toml` mutes, in the working directory or a parent up to the root of the repository, are counted and not
    shown.

    `trials`, `steps`, `tensors`, `samples` and `precision` choose what goes in. `max_size` and `preset` leave out more until the bundle
    fits, in the order that `docs/sharing.md` gives. Statistics and curves stay exact, and the page lists what was left out.

    Args:
        recordings: Folder of a group, trial or rank, or of the root or the folder above it if that holds one group; or several of these.
            All trials found there become trials of the bundle, with all of their ranks. If several of these have trials of the same
            name, the names of the folders tell them apart: `trial of monday`. An address works too: `s3://bucket/runs`.
        output: Where to write. A name that ends in `.html` gives one file, in `.zip` a zip file, any other one a folder; a name of a file
            of another kind, such as `report.txt`, is refused. Without it `GROUP.html` in the current folder. It may be an address.
        title: Shown on top of the page. Without it the name of the group; if nobody named that, the name of the only trial or the
            class of the network.
        description: Shown below the title, as plain text.
        visualization: One or several files that draw in a tab of their own, as `docs/visualization.md` describes. JavaScript runs in the
            page, in a sandboxed frame. Python is run now, and what it draws becomes part of the bundle.
        force: Replace an existing bundle at `output`, and nothing else.
        progress: Called often with the progress of the export.
        trials: Names of trials, with or without their group in front; `*` stands for any text. Several in a list, or separated by commas.
        steps: Numbers (`100`), ranges (`100-500`, `100-`, `-500`), `every 10th` recorded one, `first`, `last`, `first 5`, `last 5`,
            separated by commas; or numbers in a list. `every`, `first` and `last` count the steps of each type of execution of each trial.
            The number of a training step brings the evaluations after it along; that of an evaluation (`136.000001`, in a list) is one.
        tensors: Names of tensors or nodes whose values to keep. `*` stands for any text, and a `!` in front leaves a name out. The graph
            and the statistics keep all tensors.
        samples: A number `n`: the values of `n` samples. Positions in the batch, such as `0,3,8-11`: the values of these samples.
        precision: `float32`: values as they were recorded. `float16`, `bfloat16`: rounded to two bytes, if they have more; what float16
            cannot hold is rounded to bfloat16. `none`: no values.
        estimate_flow: Names of two or more tensors in the order in which they are computed, such as `"x, h, y"`: the gradient flow through
            them is estimated from the gradients that were recorded, as `docs/gradient-flow.md` describes. Several of these in a list;
            names that hold commas in a list of their own.
        max_size: The most bytes that the bundle may have: a number, or a size such as `25MB`.
        preset: Where the bundle goes: `issue` (24 MB), `mail` (18 MB, one file) or `pages` (900 MB, a folder).
        live: Whether open pages of the bundle load newer data in place when it is built again. Only for a folder. Open pages check a
            small file beside them every two seconds.
        story: Notes that readers walk through, each with its view, as `docs/story.md` describes: a list, or a JSON file with one.
        start: The view that the page opens with: the part of its address from `#` on. Without it the overview.
        picture: Address on the web of a picture that previews of links to the page show, such as `https://me.github.io/report.png`. The
            page itself neither holds nor loads it.
        jobs: How many workers read and encode, as `docs/scaling.md` describes. Without it one, or all of a cluster.
        backend: `dask` or `ray`: the workers of a cluster. Otherwise they are processes of this machine.
        address: That of the cluster, such as `tcp://10.0.0.1:8786`.

    Returns:
        What was written. Damaged steps are left out, and its `problems` name them, as the page does. If it holds no step, a
        `UserWarning` says why.

    Raises:
        RecordingError: There is no recording, or none that can be read.
        OutputExistsError: Something is at `output`, and `force` is False or does not allow replacing it.
        OutputNotWritableError: `output` cannot be written to.
        WrongChoiceError: An argument, the story or `comgra-findings.toml` is not understood, or names something that does not exist.
        ExportError: The recordings belong to several groups; a visualization cannot be used; one file would be too large for browsers;
            or even the smallest possible bundle does not fit.
    """
    report = progress or _ignore
    reader = Reader(Workers(jobs, backend, address))
    selection = make_selection(trials, steps, tensors, samples, precision)
    sequences = make_sequences(estimate_flow)
    notes, first_view, picture_address = read_story(story), read_start(start), read_picture(picture)
    sources = open_sources(recordings)
    # A slash at its end asks for a folder, and a Path would lose it.
    target = make_target(None if output is None else os.fspath(output), sources.group, max_size, preset)
    viewer = load_viewer()
    own = load_visualizations(visualization)
    frame = make_drawing_frame(own.scripts, viewer)
    check_output(target.output, force=force, live=live)
    wanted, left_out = _wanted_trials(sources, selection)
    problems = Problems(sources.problems)
    recorded = add_findings(make_plan(wanted, problems, report), problems, report, reader)
    selected = add_estimates(select_steps(recorded, selection), sequences, selection.samples, problems, report)
    drawn = draw_figures(own.figures, selected.trials, report)
    problems.add(drawn.problems)
    content = Content(
        group=sources.group,
        title=default_title(sources.group, wanted) if title is None else title,
        description=description,
        viewer=viewer,
        scripts=own.scripts,
        drawing_frame=frame,
        recorded=recorded,
        runs=overviews_of(wanted, is_live=live),
        drawn=drawn,
        trials_left_out=left_out,
        samples=selection.samples,
        problems=problems,
        live=live,
        story=notes,
        start=first_view,
        picture=picture_address,
        reader=reader,
    )
    stored = zipped_bytes if shape_of(target.output) == ".zip" else len
    size_of_page = stored(viewer.script.encode("ascii")) + stored(viewer.style.encode("ascii")) + _EMPTY_PAGE_BYTES
    size_of_page += 0 if frame is None else stored(frame.json.encode("ascii"))
    size_of_page += stored(index_json({"story": notes}).encode("ascii"))
    fitting = Fitting(selected, drawn, selection, max_bytes=target.max_bytes, fixed_bytes=size_of_page, stored=stored, report=report)
    bundle = _bundle(place_of(target.output), write_fitting(content, fitting, target, force=force, report=report))
    if not bundle.steps:
        warnings.warn(" ".join([f"{bundle.path.name} holds no step.", *bundle.problems[:_PROBLEMS_WARNED_OF]]), stacklevel=2)
    return bundle


def _bundle(path: Place, written: Written) -> Bundle:
    """What was written, with a warning if browsers open it slowly."""
    index, problems = written.index, written.problems
    size = bytes_at(path, index["generation"])
    if shape_of(os.fspath(path)) == ".html" and size > LARGE_PAGE_BYTES:
        advice = "Some browsers open it slowly. A folder opens at once: give an output name without .html."
        problems.add([f"{path.name} has {size / 1e6:.0f} MB. {advice}"])
    return Bundle(
        path=path if isinstance(path, Path) else Path(path.name),
        bytes=size,
        content_digest=index["content_digest"],
        trials=len({trial["name"] for trial in index["trials"]}),
        steps=written.steps,
        problems=tuple(problems.sentences),
        steps_left_out=problems.steps_left_out,
        omissions=tuple(index["about"]["omissions"]),
        address=None if isinstance(path, Path) else str(path),
    )


def _wanted_trials(sources: Sources, selection: Selection) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """The sources of the trials that are wanted, and the names of the others."""
    if not selection.trials:
        return sources.sources, ()
    names = list(dict.fromkeys(source.name for source in sources.sources))
    # A name may have its group in front, as other commands write it.
    own = [
        pattern if any(matches(pattern, (name,)) for name in names) else pattern.removeprefix(f"{sources.group}/")
        for pattern in selection.trials
    ]
    chosen = chosen_names(own, names, "trial")
    return tuple(source for source in sources.sources if source.name in chosen), tuple(name for name in names if name not in chosen)


def _ignore(_: Progress) -> None:
    """Nobody wants to know."""

"""From recordings to a bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from comgra_export.exporter.about import about_recording, missing_steps
from comgra_export.exporter.bundle import Bundle
from comgra_export.exporter.format import FORMAT, VERSION, AboutRecording, Index
from comgra_export.exporter.index import content_digest
from comgra_export.exporter.outputs import Output, open_output
from comgra_export.exporter.packing import Packed, pack
from comgra_export.exporter.page import InlineChunk, load_viewer, render_page
from comgra_export.exporter.plan import make_plan
from comgra_export.exporter.problems import Problems
from comgra_export.exporter.progress import Progress, Report
from comgra_export.exporter.sources import Sources, open_sources
from comgra_export.exporter.visualization import load_visualization
from comgra_export.storage import Recording, clean_text
from comgra_export.version import __version__

__all__ = ["export"]

LARGE_PAGE_BYTES = 100_000_000


def export(
    recordings: Path | str | Sequence[Path | str],
    output: Path | str | None = None,
    *,
    title: str | None = None,
    description: str = "",
    visualization: Path | str | None = None,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Bundle:
    """Turns recordings into a bundle: a page that opens by double-click, offline.

    The same recordings, title and description give the same bytes, with the same build of zlib. Nothing about this machine goes into them.

    Args:
        recordings: Folder of a group, trial or rank, or of the root if it holds one group; or several of these. All trials found there
            become trials of the bundle, with all of their ranks.
        output: Where to write. A name that ends in `.html` gives one file, in `.zip` a zip file, any other one a folder. Without it
            `GROUP.html` in the current folder.
        title: Shown on top of the page. Without it the name of the group.
        description: Shown below the title, as plain text.
        visualization: A JavaScript file that draws in a tab of its own, as `docs/visualization.md` describes. It becomes part of the page.
        force: Replace a file, or a folder that holds a bundle and nothing else, at `output`.
        progress: Called often, with how far the export is.

    Returns:
        What was written. Damaged steps are left out, and its `problems` name them, as the page does.

    Raises:
        RecordingError: There is no recording, or none that can be read.
        OutputExistsError: Something is at `output`, and `force` is False or does not allow replacing it.
        OutputNotWritableError: `output` cannot be written to.
        ExportError: The recordings belong to several groups; or one file would be too large for browsers; or the visualization cannot be
            used.
    """
    report = progress or _ignore
    sources = open_sources(recordings)
    destination = f"{sources.group}.html" if output is None else output
    viewer = load_viewer()
    script = None if visualization is None else load_visualization(visualization)
    problems = Problems(sources.problems)
    with open_output(destination, force=force) as opened:
        plan = make_plan(sources.sources, problems, report)
        packed = pack(plan, opened.add_chunk, problems, report)
        for source in sources.sources:
            problems.add(source.recording.problems)
        recorded = [(planned, planned.source.recording) for planned in plan.trials if isinstance(planned.source.recording, Recording)]
        for planned, recording in recorded:
            problems.add(missing_steps(planned.source.label, recording.missing_steps))
        about = [about_recording(planned, recording) for planned, recording in recorded]
        index = _make_index(sources, packed, about, problems, sources.group if title is None else title, description)
        index["visualizations"] = [] if script is None else [clean_text(script.name)]
        index["content_digest"] = content_digest(index, packed.digest)
        chunks = _reported(opened, sum(packed.chunks["inline"]), report)
        opened.write_page(render_page(index, viewer, chunks, has_chunk_files=opened.has_chunk_files, visualization=script))
    path = Path(destination)
    size = _bytes_at(path)
    if path.is_file() and path.suffix.lower() == ".html" and size > LARGE_PAGE_BYTES:
        advice = "Some browsers open it slowly. A folder opens at once: give an output name without .html."
        problems.add([f"{path.name} has {size / 1e6:.0f} MB. {advice}"])
    return Bundle(
        path=path,
        bytes=size,
        content_digest=index["content_digest"],
        trials=len({trial["name"] for trial in packed.trials}),
        steps=packed.steps,
        problems=tuple(problems.sentences),
        steps_left_out=problems.steps_left_out,
    )


def _make_index(
    sources: Sources, packed: Packed, recordings: list[AboutRecording], problems: Problems, title: str, description: str
) -> Index:
    sets = packed.sets
    array_sets, sample_sets = sets.array_sets, sets.sample_sets
    return {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"comgra_export {__version__}",
        "title": clean_text(title),
        "description": clean_text(description),
        "group": sources.group,
        "content_digest": "",
        "strings": sets.strings,
        "chunks": packed.chunks,
        "array_sets": array_sets,
        "sample_sets": sample_sets,
        "structure_sets": sets.structure_sets,
        "layouts": packed.layouts,
        "structures": packed.structures,
        "facts": packed.facts,
        "module_runs": packed.module_runs,
        "parameter_lists": packed.parameter_lists,
        "trials": packed.trials,
        "visualizations": [],
        "about": {
            "recordings": recordings,
            "omissions": [],
            "problems": problems.sentences,
        },
    }


def _reported(output: Output, total: int, report: Report) -> Iterator[InlineChunk]:
    done = 0
    for chunk in output.inline_chunks:
        report(Progress("Writing", done, total))
        yield chunk
        done += 1
    report(Progress("Writing", done, total))


def _bytes_at(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def _ignore(_: Progress) -> None:
    """Nobody wants to know."""

"""Writes a bundle to its place, and keeps less of it until it fits."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

from comgra_export.exporter.about import about_page
from comgra_export.exporter.figures import Drawn
from comgra_export.exporter.format.constants import FORMAT, VERSION
from comgra_export.exporter.format.index import About, Index, RunOverview, StoryNote
from comgra_export.exporter.output.bundle_output import Output, open_output
from comgra_export.exporter.output.destinations import Target
from comgra_export.exporter.output.drawing_frame import DrawingFrame
from comgra_export.exporter.output.finding_lines import findings_in_lines
from comgra_export.exporter.output.page import InlineChunk, render_page
from comgra_export.exporter.output.scripts import Visualization
from comgra_export.exporter.output.viewer import Viewer
from comgra_export.exporter.pack.packing import Packed, pack
from comgra_export.exporter.plan.index import content_digest
from comgra_export.exporter.plan.plan import Plan
from comgra_export.exporter.plan.reading import Reader
from comgra_export.exporter.plan.selection import SampleChoice
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.exporter.reporting.too_large import TooLargeError
from comgra_export.exporter.size.fitting import Fitting
from comgra_export.storage import clean_text
from comgra_export.version import __version__

__all__ = ["Content", "Written", "write_fitting"]


@dataclass(frozen=True)
class Content:
    """What a bundle is made from, before the choice of how much to keep.

    Attributes:
        recorded: Everything that was recorded of the wanted trials.
        runs: How their runs went.
        drawn: Figures for the wanted steps.
        samples: The samples that are wanted; None: all.
        start: The address of the view that the page opens with; empty: the overview.
        picture: The address of a picture of the page; empty: none.
        reader: Reads the recordings.
    """

    group: str
    title: str
    description: str
    viewer: Viewer
    scripts: tuple[Visualization, ...]
    drawing_frame: DrawingFrame | None
    recorded: Plan
    drawn: Drawn
    runs: list[RunOverview]
    trials_left_out: tuple[str, ...]
    samples: SampleChoice | None
    problems: Problems
    live: bool
    story: list[StoryNote]
    start: str
    picture: str
    reader: Reader


@dataclass(frozen=True)
class Written:
    """What was written: the index, the number of steps, and all problems."""

    index: Index
    steps: int
    problems: Problems


def write_fitting(content: Content, fitting: Fitting, target: Target, *, force: bool, report: Report) -> Written:
    """Writes a bundle. If it turns out too large, writes it again with less in it.

    `exporter.size.fitting` lists the passes over the recordings that this takes.

    Raises:
        ExportError: Even the smallest possible bundle does not fit.
    """
    while True:
        try:
            return _write(content, fitting, target, force=force, report=report)
        except TooLargeError as error:
            fitting.go_down(error)


def _write(content: Content, fitting: Fitting, target: Target, *, force: bool, report: Report) -> Written:
    problems = copy.deepcopy(content.problems)
    with open_output(target.output, force=force, max_bytes=target.max_bytes, live=content.live) as opened:
        packed = pack(fitting.plan, content.drawn, opened.add_chunk, problems, report, content.reader)
        about = about_page(
            content.recorded,
            fitting.plan,
            problems,
            trials_left_out=content.trials_left_out,
            samples=content.samples,
            max_bytes=target.max_bytes if fitting.is_smaller else None,
        )
        index = _make_index(content, packed, about, opened)
        index["content_digest"] = content_digest(index, packed.digest)
        chunks = _reported(opened, sum(packed.chunks["inline"]), report)
        pieces = render_page(
            index,
            content.viewer,
            chunks,
            has_chunk_files=opened.has_chunk_files,
            drawing_frame=content.drawing_frame,
            frames=packed.policy,
            findings=findings_in_lines(fitting.plan.trials),
            picture=content.picture,
        )
        opened.write_page(pieces, index)
    return Written(index, packed.steps, problems)


def _make_index(content: Content, packed: Packed, about: About, opened: Output) -> Index:
    sets = packed.sets
    array_sets, sample_sets = sets.array_sets, sets.sample_sets
    step_types = sets.step_types(content.recorded.trials)
    return {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"comgra_export {__version__}",
        "title": clean_text(content.title),
        "description": clean_text(content.description),
        "group": content.group,
        "content_digest": "",
        "generation": opened.generation,
        "strings": sets.strings,
        "chunks": {**packed.chunks, "identity": opened.identities, "encoded": opened.inline_lengths},
        "array_sets": array_sets,
        "sample_sets": sample_sets,
        "structure_sets": sets.structure_sets,
        "call_sets": sets.call_sets,
        "layouts": packed.layouts,
        "structures": packed.structures,
        "calls": packed.calls,
        "facts": packed.facts,
        "module_runs": packed.module_runs,
        "parameter_lists": packed.parameter_lists,
        "trials": packed.trials,
        "runs": content.runs,
        "step_types": step_types,
        "visualizations": [clean_text(script.name) for script in content.scripts],
        "figures": packed.figures,
        "plotly": packed.plotly,
        "about": about,
        "story": content.story,
        "start": content.start,
    }


def _reported(output: Output, total: int, report: Report) -> Iterator[InlineChunk]:
    done = 0
    for chunk in output.inline_chunks:
        report(Progress("Writing", done, total))
        yield chunk
        done += 1
    report(Progress("Writing", done, total))

"""Fills a bundle with chunks, in the order of their usefulness, and notes in columns which is what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from comgra_export.exporter.figures import Drawn, DrawnSelection, FramePolicy
from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.format.constants import CHUNK_BYTES, JSON_LIST_BYTES, NO_FIGURES, NO_FINDINGS, NO_FLOWS, NO_SERIES
from comgra_export.exporter.format.figures import FigureSelections
from comgra_export.exporter.format.index import ChunkTable, Figure, Places, StepColumns, Trial
from comgra_export.exporter.pack.documents import curves_document, gaps_document, joined_documents, network_document, notes_document
from comgra_export.exporter.pack.flow_lanes import add_flows, pairs_of_flows
from comgra_export.exporter.pack.histogram_lanes import add_histograms
from comgra_export.exporter.pack.series import add_series
from comgra_export.exporter.pack.step_columns import SharedSets
from comgra_export.exporter.pack.step_lanes import Piece, StepLanes, lanes_of_step, wanted_of
from comgra_export.exporter.pack.stream import ChunkStream, chunk_stream
from comgra_export.exporter.plan.index import Digest, empty_columns, places
from comgra_export.exporter.plan.plan import Plan, PlannedStep, PlannedTrial
from comgra_export.exporter.plan.reading import Reader, batches
from comgra_export.exporter.reporting.problems import Lack, Problems
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.storage import Gap, dumps

__all__ = ["Packed", "pack"]

_NO_LANE = -1


@dataclass(frozen=True)
class Packed:
    """What the index says about the chunks of a bundle.

    Attributes:
        parameter_lists: Where the lists of parameters are that steps have numbers about.
        plotly: Chunk of the frame for figures of plotly, or -1.
        digest: SHA-256 of the raw bytes of all chunks, in order.
    """

    trials: list[Trial]
    sets: SharedSets
    layouts: Places
    structures: Places
    calls: Places
    facts: Places
    module_runs: Places
    parameter_lists: Places
    figures: list[Figure]
    plotly: int
    policy: FramePolicy
    chunks: ChunkTable
    steps: int
    digest: Digest


def pack(
    plan: Plan, drawn: Drawn, add: Callable[[int, EncodedChunk, bool], bool], problems: Problems, report: Report, reader: Reader
) -> Packed:
    """Packs everything that the plan names. `exporter.size.fitting` lists in which passes the steps are read.

    Figures of steps that are not in the plan are left out. So are steps whose numbers turn out to be damaged; `problems` gets those. `add`
    is that of `ChunkStream`. `report` gets how many bytes of numbers are done.
    """
    with chunk_stream(add) as stream:
        trials = _add_documents(stream, plan)
        structures = _add_lists(stream, plan.graphs)
        calls = _add_lists(stream, plan.calls)
        layouts = _add_lists(stream, plan.layouts)
        runs = _add_lists(stream, plan.facts.module_runs.values)
        parameters = _add_lists(stream, plan.facts.parameter_lists.values)
        facts = _add_lists(stream, plan.facts.facts.values)
        figures, policy = _add_figures(stream, plan, drawn)
        plotly = NO_FIGURES if drawn.plotly is None else stream.add_json(drawn.plotly)
        _add_over_time(stream, plan, trials, problems, report, reader)
        packer = _StepPacker(stream, plan.bytes, problems, report)
        lanes = _read_lanes(plan, reader)
        for planned, trial in zip(plan.trials, trials, strict=True):
            packer.pack_trial(planned, trial["steps"], lanes)
        stream.finish()
        report(Progress("Packing", plan.bytes, plan.bytes))
        return Packed(
            trials=trials,
            sets=packer.sets,
            layouts=layouts,
            structures=structures,
            calls=calls,
            facts=facts,
            module_runs=runs,
            parameter_lists=parameters,
            figures=figures,
            plotly=plotly,
            policy=policy,
            chunks=stream.table,
            steps=packer.steps,
            digest=stream.digest,
        )


def _add_documents(stream: ChunkStream, plan: Plan) -> list[Trial]:
    recordings = [planned.source.recording for planned in plan.trials]
    curves = [stream.add_json(curves_document(recording.curve_points)) for recording in recordings]
    notes = [stream.add_json(notes_document(recording.notes)) for recording in recordings]
    networks = [stream.add_json(network_document(recording.network)) for recording in recordings]
    gaps = [stream.add_json(gaps_document(_gaps(planned))) for planned in plan.trials]
    findings = [NO_FINDINGS if planned.findings is None else stream.add_json(planned.findings) for planned in plan.trials]
    return [
        {
            "name": planned.source.name,
            "rank": planned.source.rank,
            "problems": planned.problems,
            "worst": planned.worst,
            "steps": empty_columns(StepColumns),
            "network": networks[number],
            "notes": notes[number],
            "curves": curves[number],
            "gaps": gaps[number],
            "findings": findings[number],
            "series": NO_SERIES,
            "histograms": [],
            "flows": NO_FLOWS,
        }
        for number, planned in enumerate(plan.trials)
    ]


def _gaps(planned: PlannedTrial) -> list[Gap]:
    """Gaps of no recorded step, then those of each step, which get its number whether they have it or not."""
    gaps = list(planned.source.recording.gaps)
    for step in planned.steps:
        gaps.extend(replace(gap, step=step.description.step) for gap in step.description.gaps)
    return gaps


def _add_over_time(stream: ChunkStream, plan: Plan, trials: list[Trial], problems: Problems, report: Report, reader: Reader) -> None:
    total = sum(2 * len(planned.steps) + pairs_of_flows(planned) for planned in plan.trials)
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        report(Progress("Gathering", done, total))

    report(Progress("Gathering", 0, total))
    for planned, trial in zip(plan.trials, trials, strict=True):
        trial["series"] = add_series(stream, planned, reader, one_more)
        trial["histograms"] = add_histograms(stream, planned, problems, reader, one_more)
    for planned, trial in zip(plan.trials, trials, strict=True):
        trial["flows"] = add_flows(stream, planned, problems, one_more)


def _add_figures(stream: ChunkStream, plan: Plan, drawn: Drawn) -> tuple[list[Figure], FramePolicy]:
    """Adds what was drawn for the steps of the plan, each document once, and which selection has which. Returns what that needs, too."""
    kept = [
        [_kept_selections(selections, trial) for selections, trial in zip(figure.trials, plan.trials, strict=True)]
        for figure in drawn.figures
    ]
    used = sorted({selection.document for figure in kept for selections in figure for selection in selections})
    places = _add_lists(stream, [drawn.documents[document] for document in used])
    place_of = {document: place for document, *place in zip(used, places["chunk"], places["position"], strict=True)}
    figures: list[Figure] = [
        {
            "title": figure.title,
            "file": figure.file,
            "per": list(figure.per),
            "selections": [
                stream.add_json(dumps(_selection_columns(selections, place_of))) if selections else NO_FIGURES for selections in trials
            ],
        }
        for figure, trials in zip(drawn.figures, kept, strict=True)
    ]
    return figures, drawn.policy_of(used)


def _kept_selections(selections: Sequence[DrawnSelection], trial: PlannedTrial) -> list[DrawnSelection]:
    steps = {step.description.step for step in trial.steps} | {-1}
    return [selection for selection in selections if selection.step in steps]


def _selection_columns(selections: list[DrawnSelection], place_of: Mapping[int, Sequence[int]]) -> FigureSelections:
    return {
        "step": [selection.step for selection in selections],
        "iteration": [selection.iteration for selection in selections],
        "sample": [selection.sample for selection in selections],
        "chunk": [place_of[selection.document][0] for selection in selections],
        "position": [place_of[selection.document][1] for selection in selections],
    }


def _add_lists(stream: ChunkStream, documents: list[bytes]) -> Places:
    lists, list_of = joined_documents(documents, JSON_LIST_BYTES)
    numbers = [stream.add_json(text) for text in lists]
    return places([numbers[position] for position in list_of])


def _read_lanes(plan: Plan, reader: Reader) -> Iterator[StepLanes | str]:
    """The lanes of all steps, or why they cannot be read, trial by trial. About a chunk of them is one task for a worker."""
    wanted = (
        (planned.source, [wanted_of(step, is_encoded=not reader.is_alone) for step in batch])
        for planned in plan.trials
        for batch in batches(planned.steps, CHUNK_BYTES, lambda step: step.bytes)
    )
    return reader.each(lanes_of_step, wanted)


class _StepPacker:
    """Packs the lanes of steps, one step after another."""

    def __init__(self, stream: ChunkStream, total: int, problems: Problems, report: Report) -> None:
        self.sets = SharedSets()
        self.steps = 0
        self.done = 0
        self._stream = stream
        self._total = total
        self._problems = problems
        self._report = report

    def pack_trial(self, planned: PlannedTrial, columns: StepColumns, lanes: Iterator[StepLanes | str]) -> None:
        """Packs the steps of a trial and appends them to its columns. Their lanes come next in `lanes`."""
        for step in planned.steps:
            self._pack_step(planned, step, columns, next(lanes))

    def _pack_step(self, planned: PlannedTrial, step: PlannedStep, columns: StepColumns, read: StepLanes | str) -> None:
        if isinstance(read, str):
            what: Lack = "merged step" if planned.source.rank is None else "step"
            self._problems.left_out(what, planned.source.label, step.description.step, read)
            return
        self.sets.append_step(columns, step, read.arrays, self._pack_lanes(read.lanes))
        # What is merged was not recorded on its own.
        self.steps += planned.source.rank is not None

    def _pack_lanes(self, lanes: Mapping[int, Iterable[Piece]]) -> dict[int, int]:
        first_chunks = {}
        for width, pieces in lanes.items():
            first_chunks[width] = _NO_LANE
            for piece in pieces:
                self._report(Progress("Packing", self.done, self._total))
                number = self._stream.add_numbers(piece.raw, width, piece.chunk)
                if first_chunks[width] == _NO_LANE:
                    first_chunks[width] = number
                self.done += piece.raw.size
        return first_chunks

"""How large a bundle will be: what is in it once is encoded and counted, numbers are extrapolated from a sample of the steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import ceil

import numpy as np

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.figures import Drawn
from comgra_export.exporter.format.chunks import encode_json_chunk, encode_lane_chunk
from comgra_export.exporter.format.constants import CHUNK_BYTES, JSON_LIST_BYTES
from comgra_export.exporter.pack.documents import curves_document, gaps_document, joined_documents, network_document, notes_document
from comgra_export.exporter.pack.histogram_lanes import HISTOGRAM_INTEGERS
from comgra_export.exporter.pack.lanes import cut, lanes_of, little_endian_bytes
from comgra_export.exporter.plan.kept_values import kept_arrays, kept_layout
from comgra_export.exporter.plan.plan import NO_CALLS, NO_GRAPH, PlannedStep, PlannedTrial, Reduction
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.exporter.size.budget import Extent, Rung
from comgra_export.exporter.size.over_time import FlowKey, SeriesSize
from comgra_export.exporter.size.reduction import Reducer
from comgra_export.storage import Blob, dumps
from comgra_export.storage.arrays.histograms import HISTOGRAM_COLUMNS, StepHistograms
from comgra_export.storage.arrays.layout_arrays import histogram_records

__all__ = ["Estimate", "Stored"]

Stored = Callable[[bytes], int]

_STEPS_MEASURED = 16
_BYTES_MEASURED = 64_000_000
_CHUNKS_MEASURED = 3
_BASE64 = 4 / 3
# What the page says of a chunk and of a step, besides their content.
_BYTES_PER_CHUNK = 100
_BYTES_PER_STEP = 160
_BYTES_PER_FIGURE = 8
_LANES_PER_STEP = 3
_NO_STEP = -1

_HISTOGRAMS = "histograms"

_NOTHING = Extent(values=False, aggregates=False, parameters=False)
_CLASSES = {
    "statistics": _NOTHING,
    "values": Extent(aggregates=False, parameters=False),
    "values rounded": Extent(rounded=True, aggregates=False, parameters=False),
    "aggregates": Extent(values=False, parameters=False),
    "aggregates rounded": Extent(rounded=True, values=False, parameters=False),
    "parameters": Extent(values=False, aggregates=False),
    "parameters rounded": Extent(rounded_parameters=True, values=False, aggregates=False),
}


class Estimate:
    """The sizes of a bundle for every rung.

    `fixed_bytes` is the size of a page without anything in it. `stored` says what the text of a chunk takes where the bundle is written:
    its length, or less where it is zipped.
    """

    def __init__(self, reducer: Reducer, drawn: Drawn, fixed_bytes: int, stored: Stored, report: Report) -> None:
        self._reducer = reducer
        self._stored = stored
        plan = reducer.plan
        self._fixed: float = fixed_bytes + sum(_encoded_documents(_documents(trial), stored) for trial in plan.trials)
        self._graphs = _encoded_each(plan.graphs, stored)
        self._calls = _encoded_each(plan.calls, stored)
        self._facts = _encoded_each(plan.facts.facts.values, stored)
        for shared in (plan.facts.module_runs.values, plan.facts.parameter_lists.values):
            self._fixed += sum(_encoded_each(shared, stored))
        self._fixed += _encoded_documents([] if drawn.plotly is None else [drawn.plotly], stored)
        self._figures = _encoded_each(drawn.documents, stored)
        self._figures_of = _documents_by_step(drawn)
        self._drawn = drawn
        self._series = [
            SeriesSize(trial, (place.usefulness for place in places), lambda text: stored(text) + _BYTES_PER_CHUNK)
            for trial, places in zip(plan.trials, reducer.places, strict=True)
        ]
        self._layouts: dict[Reduction, int] = {}
        self._histograms: dict[int, int] = {}
        self._ratios = self._measure(report)

    def size_of(self, rung: Rung) -> float:
        """The size of a bundle that keeps what a rung says."""
        size = float(self._fixed)
        graphs: set[int] = set()
        calls: set[int] = set()
        facts: set[int] = set()
        layouts: set[Reduction] = set()
        figures: set[int] = set()
        for number, (trial, places) in enumerate(zip(self._reducer.plan.trials, self._reducer.places, strict=True)):
            figures.update(self._figures_of[number, _NO_STEP])
            kept = []
            for step, place in zip(trial.steps, places, strict=True):
                extent = rung.extent(place.usefulness, place.count)
                if extent is None:
                    continue
                kept.append(step)
                reduction = self._reducer.reduction(step, extent)
                raw = Counter({"statistics": self._reducer.statistics_bytes(step)}) + reduction.value_bytes
                size += sum(count * self._ratios[name] for name, count in raw.items())
                flows = self._reducer.kept_flows(number, step, rung)
                size += sum(self._reducer.flow_sizes.get(FlowKey(number, step.description.step, position), 0) for position in flows)
                if extent.histograms:
                    size += self._histograms_of(step.layout) * self._ratios[_HISTOGRAMS]
                size += _BYTES_PER_STEP + (ceil(raw.total() / CHUNK_BYTES) + _LANES_PER_STEP) * _BYTES_PER_CHUNK
                graphs.update(graph for graph in step.graphs if graph != NO_GRAPH)
                calls.update(tree for tree in step.calls if tree != NO_CALLS)
                facts.add(step.facts)
                of_step = self._figures_of[number, step.description.step]
                figures.update(of_step)
                size += len(of_step) * _BYTES_PER_FIGURE
                if reduction not in self._layouts:
                    self._layouts[reduction] = _encoded_documents([dumps(kept_layout(reduction.layout, reduction.kept))], self._stored)
                layouts.add(reduction)
            size += self._series[number].of(kept)
        size += sum(self._graphs[graph] for graph in graphs) + sum(self._facts[fact] for fact in facts if fact >= 0)
        size += sum(self._figures[figure] for figure in figures) + sum(self._calls[tree] for tree in calls)
        policy = self._drawn.policy_of(figures)
        size += sum(map(len, (*policy.script_sources, *policy.style_sources)))
        return size + sum(self._layouts[reduction] for reduction in layouts)

    def _measure(self, report: Report) -> dict[str, float]:
        """Encode the numbers of some steps, each class on its own, and return how many characters a byte of it, or a histogram, takes."""
        steps = _spread_steps(self._reducer)
        raw: Counter[str] = Counter()
        encoded: Counter[str] = Counter()
        read = 0
        for done, (trial, step) in enumerate(steps):
            report(Progress("Measuring", done, len(steps)))
            if read > _BYTES_MEASURED:
                break
            try:
                arrays = {**trial.source.recording.blobs(step.description.step), **step.parameters}
                histograms = trial.source.recording.histograms(step.description.step)
            except DamagedRecordingError:
                continue
            raw[_HISTOGRAMS] += len(histograms.bins)
            encoded[_HISTOGRAMS] += _encoded_histograms(histograms, self._stored)
            read += step.bytes
            for name, extent in _CLASSES.items():
                reduction = self._reducer.reduction(step, extent)
                kept = kept_arrays(reduction.layout, reduction.kept, arrays)
                _count(kept if name == "statistics" else _values_of(kept), name, raw, encoded, self._stored)
        report(Progress("Measuring", len(steps), len(steps)))
        return {name: encoded[name] / raw[name] if raw[name] else _BASE64 for name in (*_CLASSES, _HISTOGRAMS)}

    def _histograms_of(self, layout: int) -> int:
        """How many records of a recorded layout have a histogram."""
        if layout not in self._histograms:
            self._histograms[layout] = len(histogram_records(self._reducer.plan.recorded_layouts[layout]))
        return self._histograms[layout]


def _count(arrays: Mapping[str, Blob], name: str, raw: Counter[str], encoded: Counter[str], stored: Stored) -> None:
    for width, lane in lanes_of(arrays.values()).items():
        pieces = list(cut(lane, CHUNK_BYTES))
        for piece in pieces[:: ceil(len(pieces) / _CHUNKS_MEASURED) or 1]:
            raw[name] += piece.size
            encoded[name] += stored(encode_lane_chunk(piece, width).base64)


def _encoded_histograms(histograms: StepHistograms, stored: Stored) -> int:
    """What the histograms of a step take, with the other integers and the extrema of each record."""
    others = np.zeros((len(histograms.bins), HISTOGRAM_INTEGERS - HISTOGRAM_COLUMNS), np.int32)
    integers = np.concatenate([array.astype(np.int32).reshape(-1) for array in (histograms.bins.T, others, histograms.counts)])
    extrema = histograms.quantiles[:, [0, -1]]
    floats = np.concatenate([histograms.quantiles, extrema], axis=1).astype(np.float32).T
    pieces = [piece for lane in (integers, floats) for piece in cut([little_endian_bytes(lane)], CHUNK_BYTES)]
    return sum(stored(encode_lane_chunk(piece, 4).base64) for piece in pieces)


def _values_of(arrays: Mapping[str, Blob]) -> dict[str, Blob]:
    return {name: blob for name, blob in arrays.items() if name.startswith(("values.", "aggregates."))}


def _spread_steps(reducer: Reducer) -> list[tuple[PlannedTrial, PlannedStep]]:
    """Some steps of all trials and types, the most useful ones first."""
    steps = [
        (place.usefulness, trial, step)
        for trial, places in zip(reducer.plan.trials, reducer.places, strict=True)
        for step, place in zip(trial.steps, places, strict=True)
    ]
    ordered = sorted(steps, key=lambda entry: entry[0])
    return [(trial, step) for _, trial, step in ordered[:_STEPS_MEASURED]]


def _documents_by_step(drawn: Drawn) -> defaultdict[tuple[int, float], list[int]]:
    """What was drawn for every step of every trial, given by its position; -1 is what does not depend on the step."""
    by_step: defaultdict[tuple[int, float], list[int]] = defaultdict(list)
    for figure in drawn.figures:
        for trial, selections in enumerate(figure.trials):
            for selection in selections:
                by_step[trial, selection.step].append(selection.document)
    return by_step


def _documents(trial: PlannedTrial) -> list[bytes]:
    recording = trial.source.recording
    gaps = [*recording.gaps, *(gap for step in trial.steps for gap in step.description.gaps)]
    return [
        curves_document(recording.curve_points),
        notes_document(recording.notes),
        network_document(recording.network),
        gaps_document(gaps),
        *([] if trial.findings is None else [trial.findings]),
    ]


def _encoded_documents(documents: Iterable[bytes], stored: Stored) -> int:
    return sum(stored(encode_json_chunk(document).base64) + _BYTES_PER_CHUNK for document in documents)


def _encoded_each(documents: list[bytes], stored: Stored) -> list[float]:
    """The size of each document, as its share of the lists that they are in."""
    lists, list_of = joined_documents(documents, JSON_LIST_BYTES)
    ratios = [(stored(encode_json_chunk(text).base64) + _BYTES_PER_CHUNK) / len(text) for text in lists]
    return [len(document) * ratios[number] for document, number in zip(documents, list_of, strict=True)]

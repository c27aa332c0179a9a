"""A trial that is read from a bundle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.overview.run_summary import RunSummary
from comgra_export.errors import DamagedRecordingError, WrongChoiceError
from comgra_export.reading.bundles.damage import damaged
from comgra_export.reading.bundles.found import decode_report
from comgra_export.reading.bundles.histograms import HistogramReader
from comgra_export.reading.bundles.index import Bundle, TrialEntry
from comgra_export.reading.bundles.layouts import BundledLayout, decode_bundled_layout
from comgra_export.reading.bundles.runs import decode_run, unknown_run
from comgra_export.reading.bundles.series import SeriesReader
from comgra_export.reading.source import LayoutNumbers, StepHistogram, StepRow
from comgra_export.storage import (
    ARRAY_DTYPES,
    Blob,
    CurvePoint,
    Gap,
    Layout,
    Note,
    RecordedSamples,
    RecordPlace,
    StepDescription,
    Structure,
    expected_arrays,
)
from comgra_export.storage.arrays.safetensors import widened
from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.codec.decode_graph import decode_structure
from comgra_export.storage.codec.decode_lines import decode_gap, decode_note
from comgra_export.storage.text.steps import step_in_words

__all__ = ["BundleSource"]

_T = TypeVar("_T")


class BundleSource:
    """A rank of a trial in a bundle, or all of its ranks together.

    Args:
        bundle: The bundle.
        entry: Which entry of its trials.
    """

    def __init__(self, bundle: Bundle, entry: TrialEntry) -> None:
        self._bundle = bundle
        self._entry = entry
        self._damage: list[str] = []
        self._rows = {number: row for row, number in enumerate(entry.numbers)}
        self._layouts: dict[str, BundledLayout] = {}

    @property
    def group(self) -> str:
        """The name of the group."""
        return self._bundle.group

    @property
    def trial(self) -> str:
        """The name of the trial."""
        return self._entry.name

    @property
    def ranks(self) -> tuple[int, ...]:
        """The numbers of the ranks, ascending."""
        if self._entry.rank is not None:
            return (self._entry.rank,)
        return tuple(sorted(other.rank for other in self._bundle.trials if other.name == self.trial and other.rank is not None))

    @property
    def problems(self) -> Sequence[str]:
        """What could not be read when the bundle was made, and what cannot be read of it now."""
        return tuple(dict.fromkeys([*self._bundle.problems, *self._damage]))

    @property
    def omissions(self) -> Sequence[str]:
        """What was left out of the bundle, or rounded."""
        return self._bundle.omissions

    @cached_property
    def notes(self) -> Sequence[Note]:
        """The notes."""
        return self._listed("notes", decode_note)

    @cached_property
    def gaps(self) -> Sequence[Gap]:
        """What could not be recorded."""
        return self._listed("gaps", decode_gap)

    @cached_property
    def curve_points(self) -> Sequence[CurvePoint]:
        """The points of all curves."""
        return [point for curve in self._listed("curves", _points) for point in curve]

    @cached_property
    def summary(self) -> RunSummary:
        """How the run went, and its hyperparameters."""
        index = self._bundle.index
        runs = index.objects("runs") if index.has("runs") else []
        if self._entry.position < len(runs):
            last = max(self._entry.numbers, default=None)
            return replace(decode_run(runs[self._entry.position], self._bundle.chunks.label), last=last)
        return unknown_run(len(self._entry.numbers))

    @cached_property
    def steps(self) -> Sequence[StepRow]:
        """The steps, ascending."""
        entry, strings, sets = self._entry, self._bundle.strings, self._bundle.structure_sets
        column = entry.columns
        with_updates = set(self._series.steps_with_updates())
        return tuple(
            StepRow(
                step=number,
                type=strings[column["type"][row]],
                batch_size=column["batch_size"][row],
                iterations=len(sets[column["structure_set"][row]]),
                time=entry.times[row],
                epoch=entry.epochs[row],
                triggered=None if column["triggered"][row] < 0 else strings[column["triggered"][row]],
                is_training=number in with_updates or self._had_backward_pass(column["facts"][row]),
                layout=str(column["layout"][row]),
            )
            for row, number in enumerate(entry.numbers)
        )

    @property
    def step_numbers(self) -> Sequence[float]:
        """The numbers of all steps, ascending."""
        return self._entry.numbers

    def step(self, number: float) -> StepDescription:
        """What a bundle keeps of the description of a step."""
        row, column = self._rows[number], self._entry.columns
        return StepDescription(
            step=number,
            type_of_execution=self._bundle.strings[column["type"][row]],
            batch_size=column["batch_size"][row],
            layout=str(column["layout"][row]),
            structures=tuple(None if graph < 0 else str(graph) for graph in self._bundle.structure_sets[column["structure_set"][row]]),
            samples=RecordedSamples(self._bundle.sample_sets[column["sample_set"][row]]),
            time=self._entry.times[row],
            epoch=self._entry.epochs[row],
        )

    def layout(self, digest: str) -> Layout:
        """A layout, by its number in the bundle."""
        return self._layout(digest).layout

    def structure(self, digest: str) -> Structure:
        """A dependency graph, by its number in the bundle."""
        return self._document("structures", int(digest), _structure)

    def numbers(self) -> Iterator[LayoutNumbers]:
        """The statistics of all steps."""
        steps: defaultdict[str, list[float]] = defaultdict(list)
        for row, number in enumerate(self._entry.numbers):
            steps[str(self._entry.columns["layout"][row])].append(number)
        for digest, own in steps.items():
            numbers, is_there = self._series.numbers(self.layout(digest), own)
            for number in np.array(own)[~is_there].tolist():
                self._damage.append(f"{step_in_words(number).capitalize()} has no statistics in this bundle.")
            yield numbers if is_there.all() else numbers.at(is_there)

    def blobs(self, number: float, names: Collection[str]) -> Mapping[str, Blob]:
        """Some of the arrays of a step."""
        expected = expected_arrays(self.layout(self.step(number).layout))
        blobs = {}
        for name, (dtype, start, count) in self._arrays(number).items():
            if name in names and name in expected:
                if dtype not in expected[name].dtypes or count != expected[name].elements:
                    raise damaged(self._bundle.chunks.label, f"the array {name} of {step_in_words(number)} is not what its layout implies")
                blobs[name] = Blob(dtype, self._elements(number, dtype, start, count))
        missing = [name for name in names if name in expected and name not in blobs]
        if missing:
            raise damaged(self._bundle.chunks.label, f"the array {missing[0]} of {step_in_words(number)} is missing")
        return blobs

    def samples(self, number: float, place: RecordPlace) -> Sequence[int]:
        """The positions in the batch of the samples that are kept of a record."""
        index = self._bundle.sample_sets[self._entry.columns["sample_set"][self._rows[number]]]
        kept = self._layout(self.step(number).layout).kept[place.counts].samples
        return tuple(index[sample] for sample in kept if sample < len(index))

    def values(self, number: float, place: RecordPlace) -> NDArray[Any]:
        """The values of a record that are kept. What was rounded for the bundle has the dtype of the tensor again."""
        entry = place.entry
        kept = self._layout(self.step(number).layout).kept[place.counts]
        if not kept.rows:
            return np.zeros((0, entry.values_per_sample), np.float32)
        array = self._arrays(number).get(f"values.{kept.stored}")
        count = kept.rows * entry.values_per_sample
        if array is None or array[0] != kept.stored or kept.start + count > array[2]:
            raise damaged(self._bundle.chunks.label, f"the values of {step_in_words(number)} are not those that its layout implies")
        values = widened(kept.stored, self._elements(number, kept.stored, array[1] + kept.start, count)).reshape(kept.rows, -1)
        return values if kept.stored == entry.stored else values.astype(ARRAY_DTYPES["F64" if entry.stored == "F64" else "F32"])

    def histogram(self, number: float, place: RecordPlace) -> StepHistogram | None:
        """The histogram of a record; None if it is not in the bundle."""
        entry = place.entry
        if not entry.histogram:
            return None
        reader = HistogramReader(self._bundle.chunks, tuple(self._entry.histograms))
        return reader.find(number, self.step(number).type_of_execution, place.group, entry.name, entry.iteration)

    def report(self) -> Report:
        """What was found when the bundle was made."""
        number = self._entry.chunks["findings"]
        if number < 0:
            raise WrongChoiceError("No rule was checked when this bundle was made. Build it again from the recording to have findings.")
        run, problems = f"{self.group}/{self.trial}", tuple(self._bundle.problems)
        return self._bundle.chunks.document(number, lambda content, file: decode_report(content, file, run, problems))

    def of_rank(self, rank: int) -> BundleSource | None:
        """A single rank."""
        own = (other for other in self._bundle.trials if (other.name, other.rank) == (self.trial, rank))
        return next((BundleSource(self._bundle, other) for other in own), None)

    @cached_property
    def _series(self) -> SeriesReader:
        return SeriesReader(self._bundle.chunks, self._entry.chunks["series"])

    def _layout(self, digest: str) -> BundledLayout:
        if digest not in self._layouts:
            self._layouts[digest] = self._document("layouts", int(digest), decode_bundled_layout)
        return self._layouts[digest]

    def _document(self, kind: str, position: int, decode: Callable[[object, str], _T]) -> _T:
        """A document that shares its chunk with others."""
        places = self._bundle.places[kind]

        def member(content: object, file: str) -> _T:
            if not isinstance(content, list) or places.positions[position] >= len(content):
                raise damaged(file, f"it does not hold the {kind} that the index says")
            return decode(content[places.positions[position]], file)

        return self._bundle.chunks.document(places.chunks[position], member)

    def _listed(self, name: str, decode: Callable[[object, str], _T]) -> list[_T]:
        """A chunk that is a list; empty if it is damaged, which is added to the problems."""
        try:
            return self._bundle.chunks.document(self._entry.chunks[name], lambda content, file: _each(content, file, decode))
        except DamagedRecordingError as error:
            self._damage.append(f"The {name} are missing. {error}")
            return []

    def _had_backward_pass(self, facts: int) -> bool:
        return facts >= 0 and self._document("facts", facts, _had_backward_pass)

    def _arrays(self, number: float) -> Mapping[str, tuple[str, int, int]]:
        """Per array of a step its dtype, its first element in the lane of its width, and how many it has."""
        used: defaultdict[int, int] = defaultdict(int)
        arrays = {}
        for name, dtype, count in self._bundle.array_sets[self._entry.columns["array_set"][self._rows[number]]]:
            width = ARRAY_DTYPES[dtype].itemsize
            # Elements of different dtypes share a lane if they have the same width.
            arrays[name] = (dtype, used[width], count)
            used[width] += count
        return arrays

    def _elements(self, number: float, dtype: str, start: int, count: int) -> NDArray[np.generic]:
        stored = ARRAY_DTYPES[dtype]
        lane = self._entry.columns[f"lane{stored.itemsize}"][self._rows[number]]
        return self._bundle.chunks.elements(lane, stored, start, count)


def _each(content: object, file: str, decode: Callable[[object, str], _T]) -> list[_T]:
    if not isinstance(content, list):
        raise damaged(file, "it is not a list")
    return [decode(each, file) for each in content]


def _points(content: object, file: str) -> list[CurvePoint]:
    curve = JsonObject(content, file)
    group, name, kind, times, values = curve.text("group"), curve.text("name"), curve.text("type"), curve.numbers("t"), curve.numbers("v")
    if len(times) != len(values):
        raise damaged(file, "a curve has not as many values as times")
    return [CurvePoint(group, name, kind, float(t), float(v)) for t, v in zip(times, values, strict=True)]


def _had_backward_pass(content: object, file: str) -> bool:
    facts = JsonObject(content, file)
    return any(gradients.optional_integer("backward_passes", 0) for gradients in facts.objects("gradients"))


def _structure(content: object, file: str) -> Structure:
    """A laid-out graph without its layout."""
    graph = JsonObject(content, file)
    nodes, tensors = graph.member("nodes"), graph.member("tensors")
    names, types = nodes.texts("name"), nodes.texts("type")
    positions = tensors.integers("node", 0, min(len(names), len(types)) - 1)
    columns = {
        "name": tensors.texts("name"),
        "node": [names[position] for position in positions],
        "role": tensors.texts("role"),
        "type": [types[position] for position in positions],
        "record_name": tensors.texts("record_name"),
        "record_iteration": tensors.integers("record_iteration", -1),
    }
    cut = graph.ascending("without_gradient") if graph.has("without_gradient") else []
    edges: dict[str, object] = {"from": graph.integers("from", 0), "to": graph.integers("to", 0), "without_gradient": cut}
    if graph.has("not_known"):
        not_known = graph.member("not_known")
        edges["not_known"] = {"tensor": not_known.integers("tensor", 0), "reason": not_known.optional_texts("reason")}
    return decode_structure({"tensors": columns, **edges}, file)

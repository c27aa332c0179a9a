"""A trial that is read from recordings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.history.run import read_run, trains
from comgra_export.analysis.overview.run_summary import RunSummary, summary_of
from comgra_export.analysis.ranks import MergedRecording, merge_ranks
from comgra_export.errors import DamagedRecordingError
from comgra_export.reading.layout_numbers import STATISTICS, LayoutColumns
from comgra_export.reading.source import LayoutNumbers, StepHistogram, StepRow
from comgra_export.storage import (
    Blob,
    CurvePoint,
    Gap,
    Layout,
    Note,
    Recording,
    RecordPlace,
    StepDescription,
    Structure,
    iterate_records,
)
from comgra_export.storage.arrays.histograms import StepHistograms
from comgra_export.storage.arrays.safetensors import widened
from comgra_export.storage.text.steps import step_in_words

__all__ = ["RecordingSource"]


class RecordingSource:
    """One rank of a trial, or all of its ranks merged.

    Args:
        recordings: The ranks, at least one.
        judged: The ranks that findings are about; the same by default.
    """

    def __init__(self, recordings: Sequence[Recording], judged: Sequence[Recording] | None = None) -> None:
        self._judged = list(recordings if judged is None else judged)
        self._ranks = tuple(sorted(recordings, key=lambda recording: recording.header.rank))
        self._recording: Recording | MergedRecording = self._ranks[0] if len(self._ranks) == 1 else merge_ranks(self._ranks)
        self._unreadable: list[str] = []
        self._histograms: tuple[float, StepHistograms] | None = None

    @property
    def group(self) -> str:
        """The name of the group."""
        return self._recording.header.group

    @property
    def trial(self) -> str:
        """The name of the trial."""
        return self._recording.header.trial

    @property
    def ranks(self) -> tuple[int, ...]:
        """The numbers of the ranks, ascending."""
        return tuple(recording.header.rank for recording in self._ranks)

    @property
    def problems(self) -> Sequence[str]:
        """A sentence for everything that could not be read so far."""
        return tuple(dict.fromkeys([*self._recording.problems, *self._unreadable]))

    @property
    def omissions(self) -> Sequence[str]:
        """None: a recording is whole."""
        return ()

    @property
    def notes(self) -> Sequence[Note]:
        """The notes."""
        return self._recording.notes

    @property
    def gaps(self) -> Sequence[Gap]:
        """What could not be recorded: of no step, then step by step."""
        of_steps = (replace(gap, step=step.step) for step in self._descriptions.values() for gap in step.gaps)
        return (*self._recording.gaps, *of_steps)

    @property
    def curve_points(self) -> Sequence[CurvePoint]:
        """The points of all curves."""
        return self._recording.curve_points

    @cached_property
    def summary(self) -> RunSummary:
        """How the run went, and the hyperparameters on which all ranks agree."""
        return summary_of(self._ranks)

    @cached_property
    def steps(self) -> Sequence[StepRow]:
        """The steps that can be read, ascending."""
        return tuple(
            StepRow(
                step=step.step,
                type=step.type_of_execution,
                batch_size=step.batch_size,
                iterations=len(step.structures),
                time=step.time,
                epoch=step.epoch,
                triggered=step.triggered,
                is_training=trains(step),
                layout=step.layout,
            )
            for step in self._descriptions.values()
        )

    @property
    def step_numbers(self) -> Sequence[float]:
        """The numbers of all steps, ascending, whether or not they can be read."""
        return self._recording.steps

    def step(self, number: float) -> StepDescription:
        """The description of a step."""
        return self._recording.step(number)

    def layout(self, digest: str) -> Layout:
        """A layout that a step names."""
        return self._recording.layout(digest)

    def structure(self, digest: str) -> Structure:
        """A dependency graph that a step names."""
        return self._recording.structure(digest)

    def numbers(self) -> Iterator[LayoutNumbers]:
        """The statistics of all steps that can be read."""
        steps: defaultdict[str, list[float]] = defaultdict(list)
        for step in self._descriptions.values():
            steps[step.layout].append(step.step)
        for digest, own in steps.items():
            columns = LayoutColumns(self._recording.layout(digest))
            numbers = columns.room(own)
            is_there = np.ones(len(own), bool)
            for position, number in enumerate(own):
                try:
                    columns.fill(numbers, position, self._recording.blobs(number, STATISTICS))
                except DamagedRecordingError as error:
                    is_there[position] = False
                    self._leave_out(number, error)
            yield numbers if is_there.all() else numbers.at(is_there)

    def blobs(self, number: float, names: Collection[str]) -> Mapping[str, Blob]:
        """Some of the arrays of a step."""
        return self._recording.blobs(number, names)

    def samples(self, number: float, place: RecordPlace) -> Sequence[int]:
        """The positions in the batch of the samples of a record."""
        return self.step(number).samples.index[: place.entry.samples]

    def values(self, number: float, place: RecordPlace) -> NDArray[Any]:
        """The values of a record, `[K, N]`. Those of a single rank lie where they are stored, unless their dtype is bfloat16."""
        entry = place.entry
        if isinstance(self._recording, Recording):
            stored = self._recording.mapped_values(number, place)
        elif not entry.values_count:
            return np.zeros((0, entry.values_per_sample), np.float32)
        else:
            flat = self._recording.blobs(number, {f"values.{entry.stored}"})[f"values.{entry.stored}"].data.reshape(-1)
            stored = flat[place.values : place.values + entry.values_count].reshape(-1, entry.values_per_sample)
        return widened(entry.stored, stored)

    def histogram(self, number: float, place: RecordPlace) -> StepHistogram | None:
        """The histogram of a record; None if it has none."""
        if not place.entry.histogram:
            return None
        if self._histograms is None or self._histograms[0] != number:
            self._histograms = number, self._recording.histograms(number)
        histograms = self._histograms[1]
        records = [each for each in iterate_records(self.layout(self.step(number).layout)) if each.entry.histogram]
        position = next(row for row, each in enumerate(records) if each.counts == place.counts)
        sizes = histograms.bins[:, 1] + histograms.bins[:, 4]
        start = int(sizes[:position].sum())
        counts = histograms.counts[start : start + int(sizes[position])]
        return StepHistogram(histograms.bins[position], counts, histograms.quantiles[position])

    def report(self) -> Report:
        """What all rules find. Findings that `comgra-findings.toml` accepts are left out."""
        # There are many rules, and most readers need none.
        from comgra_export.analysis.findings.catalogue import all_rules
        from comgra_export.analysis.findings.find import find
        from comgra_export.analysis.findings.reports import mutes_of

        rules = all_rules()
        return find(read_run(self._judged), rules, mutes_of(None, rules))

    def of_rank(self, rank: int) -> RecordingSource | None:
        """A single rank."""
        own = [recording for recording in self._ranks if recording.header.rank == rank]
        return RecordingSource(own, self._judged) if own else None

    @cached_property
    def _descriptions(self) -> Mapping[float, StepDescription]:
        """The steps that can be read, by their numbers, ascending."""
        steps = {}
        for number in self._recording.steps:
            try:
                step = self._recording.step(number)
                self._recording.layout(step.layout)
                steps[number] = step
            except DamagedRecordingError as error:
                self._leave_out(number, error)
        return steps

    def _leave_out(self, number: float, error: DamagedRecordingError) -> None:
        self._unreadable.append(f"{step_in_words(number).capitalize()} is damaged. {error}")

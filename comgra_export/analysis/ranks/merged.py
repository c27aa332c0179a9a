"""The recordings of all ranks of a trial, read as if they were one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks.histogram_merge import merge_step_histograms
from comgra_export.analysis.ranks.line_merge import merge_curves, merge_notes, merge_sentinels
from comgra_export.analysis.ranks.merge_plan import MergePlan, TensorKey, plan_merge, ranks_in_words
from comgra_export.analysis.ranks.numbers import STATISTICS, differing_values, merge_statistics, merge_values
from comgra_export.analysis.ranks.step_details import merge_descriptions, same_gaps_once
from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage import (
    Blob,
    CallTree,
    CurvePoint,
    Gap,
    Layout,
    Network,
    Note,
    Recording,
    SentinelPoint,
    StepDescription,
    Structure,
    dumps,
    encode_layout,
    expected_arrays,
)
from comgra_export.storage.arrays.histograms import StepHistograms
from comgra_export.storage.text.paths import hash_of
from comgra_export.storage.text.steps import step_in_words, step_label

__all__ = ["MergedRecording", "merge_ranks"]

# Batches of many sizes give many layouts, and a plan is larger than a layout.
_PLANS_KEPT = 16

_STATISTICS_KEPT = 256 * 1024 * 1024
"""Bytes of merged statistics that are kept, so that who reads them apart from the values does not have them merged twice."""


def merge_ranks(recordings: Sequence[Recording]) -> MergedRecording:
    """Merges the recordings of the ranks of one trial, in any order. Nothing is read yet.

    Raises:
        MisuseError: There is none, or they belong to several trials, or two have the same rank.
    """
    if not recordings:
        raise MisuseError("There is no recording to merge. Give those of all ranks of a trial.")
    trials = {(recording.header.group, recording.header.trial) for recording in recordings}
    if len(trials) > 1 or len({recording.header.rank for recording in recordings}) < len(recordings):
        listed = ", ".join(str(recording.folder) for recording in recordings)
        raise MisuseError(f"These folders are not the ranks of one trial, each once: {listed}.")
    return MergedRecording(sorted(recordings, key=lambda recording: recording.header.rank))


class MergedRecording:
    """All ranks of a trial together, with the reading interface of `Recording`.

    What a number means here:

    - A tensor with a batch dimension has the samples of all ranks: its statistics and aggregates over the batch are those of one batch
      of them all, weighted by how many each rank has. `shape` and `batch_size` count them together.
    - A tensor that is sharded is put together from its parts, each of which counts once. Singular values do not follow from parts: NaN.
      If the values of one sample lie on several ranks, what does not follow is NaN too: the batch has only the mean of `mean` and
      `abs_mean` and the largest `abs_max`.
    - What has no batch dimension and is not sharded is taken once if it is the same on all ranks, bit by bit. If it differs, as a loss
      and a gradient of one rank's samples do, a single value is the mean over the ranks, and the statistics of others are those of all
      ranks' values together; the record has `FLAG_RANKS_DIFFER` then.
    - Counts are sums, extrema those of all. Histograms are sums too, and their quantiles are good to within a bin.

    Samples one by one, and values of neurons, are shown per rank: `S` is 0 everywhere, and values are there only of tensors without a
    batch dimension that are the same on all ranks. Layouts have hashes of their own.

    It is taken for granted that ranks work on different samples. Ranks that share theirs and hold plain tensors, as in tensor
    parallelism, count them once each.

    Memory: a few steps' numbers of all ranks at a time, and up to 256 MiB of statistics, which are merged once.

    Attributes:
        recordings: Those of the ranks.
        ranks: Their numbers, ascending.
        header: That of the first rank; it does not say which samples are recorded.
        name: `GROUP/TRIAL/all ranks`.
        steps: Numbers of the steps that all ranks have, ascending.
        steps_not_on_all_ranks: For every other step that some rank has, the ranks that lack it. `gaps` names them too.
    """

    def __init__(self, recordings: Sequence[Recording]) -> None:
        self.recordings = tuple(recordings)
        self.ranks = tuple(recording.header.rank for recording in recordings)
        self.header = replace(recordings[0].header, max_num_batch_size_to_record=0)
        self.name = f"{self.header.group}/{self.header.trial}/all ranks"
        having = [set(recording.steps) for recording in recordings]
        self.steps = tuple(sorted(set.intersection(*having)))
        self.steps_not_on_all_ranks = {
            step: tuple(rank for rank, own in zip(self.ranks, having, strict=True) if step not in own)
            for step in sorted(set.union(*having).difference(self.steps))
        }
        self._problems: list[str] = []
        self._plans: dict[tuple[tuple[str, ...], frozenset[TensorKey]], tuple[MergePlan, str]] = {}
        self._layouts: dict[str, Layout] = {}
        self._differing: dict[float, frozenset[TensorKey]] = {}
        self._statistics: dict[float, dict[str, Blob]] = {}
        self._statistics_bytes = 0

    def __repr__(self) -> str:
        return f"<MergedRecording {self.name} of {len(self.ranks)}: {len(self.steps)} steps>"

    @property
    def problems(self) -> list[str]:
        """A sentence for everything found damaged so far, on any rank; it grows as parts are read."""
        return list(dict.fromkeys([*(problem for recording in self.recordings for problem in recording.problems), *self._problems]))

    @property
    def network(self) -> Network:
        """Modules and parameters of the first rank."""
        return self.recordings[0].network

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The notes of all ranks by step; a note that not all ranks have says which do."""
        return merge_notes([recording.notes for recording in self.recordings], self.ranks)

    @cached_property
    def curve_points(self) -> tuple[CurvePoint, ...]:
        """Every curve as the mean over the ranks that have it, at the points that all of these have."""
        return merge_curves([recording.curve_points for recording in self.recordings])

    @cached_property
    def sentinel_points(self) -> tuple[SentinelPoint, ...]:
        """The largest magnitudes over all ranks, at the steps that all of them checked."""
        return merge_sentinels([recording.sentinel_points for recording in self.recordings])

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """What belongs to no step: the gaps of the ranks, the steps that some ranks lack, and whether their networks differ."""
        own = []
        lacking: defaultdict[tuple[int, ...], list[float]] = defaultdict(list)
        for step, ranks in self.steps_not_on_all_ranks.items():
            lacking[ranks].append(step)
        for ranks, steps in lacking.items():
            which = (
                f"{step_in_words(steps[0])}"
                if len(steps) == 1
                else f"{len(steps):,} steps, from {step_label(steps[0])} to {step_label(steps[-1])},"
            )
            own.append(Gap(f"all ranks together: without {which} which {ranks_in_words(ranks)} lack{'s' if len(ranks) == 1 else ''}"))
        if any(recording.network != self.network for recording in self.recordings):
            own.append(Gap(f"all ranks together: the ranks have different networks; that of rank {self.ranks[0]} is shown"))
        return (*same_gaps_once([recording.gaps for recording in self.recordings], self.ranks), *own)

    def step(self, number: float) -> StepDescription:
        """Describes a step over all ranks. Its dependency graphs and its calls of modules are those of the first rank.

        Reads values of tensors without a batch dimension, since only those that are equal on all ranks are in the merged step.

        Raises:
            DamagedRecordingError: It is damaged on some rank, or the ranks do not agree on its type of execution.
        """
        descriptions, plan, digest = self._planned(number)
        return merge_descriptions(descriptions, self.ranks, plan, digest, [recording.network for recording in self.recordings])

    def layout(self, digest: str) -> Layout:
        """The layout of a step that was described before.

        Raises:
            DamagedRecordingError: No step had it.
        """
        if digest not in self._layouts:
            raise DamagedRecordingError(f"{self.name}: no step has the layout {digest!a}.")
        return self._layouts[digest]

    def structure(self, digest: str) -> Structure:
        """Reads a dependency graph of the first rank. Raises what `Recording.structure` raises."""
        return self.recordings[0].structure(digest)

    def calls(self, digest: str) -> CallTree:
        """Reads the calls of watched modules of the first rank. Raises what `Recording.calls` raises."""
        return self.recordings[0].calls(digest)

    def blobs(self, number: float, names: Collection[str] | None = None) -> dict[str, Blob]:
        """Reads and merges the numbers of a step.

        Args:
            number: The step.
            names: Gives only these arrays; None gives all.

        Returns:
            As `Recording.blobs`, for the merged layout. The fifth column of `counts` has `FLAG_GRADIENT_ABSENT` where the gradient was
            absent on all ranks, and `FLAG_RANKS_DIFFER` where ranks that could agree do not.

        Raises:
            DamagedRecordingError: The step is damaged on some rank.
        """
        _, plan, _ = self._planned(number)
        merged = self._merged_statistics(number, plan)
        others = {name for name in expected_arrays(plan.layout) if name not in STATISTICS and (names is None or name in names)}
        if others:
            merged = {**merged, **merge_values(plan, [recording.blobs(number, others) for recording in self.recordings])}
        return {name: blob for name, blob in merged.items() if names is None or name in names}

    def histograms(self, number: float) -> StepHistograms:
        """Reads and merges the histograms of a step.

        Counts are added up. Quantiles are good to within a bin, except where one rank alone contributes or all have the same.

        Raises:
            DamagedRecordingError: The step is damaged on some rank.
        """
        descriptions, plan, _ = self._planned(number)
        layouts = [recording.layout(description.layout) for recording, description in zip(self.recordings, descriptions, strict=True)]
        statistics = self._merged_statistics(number, plan)
        extrema = [
            tuple(statistics[f"extrema.{record.target.entry.precision}"].data.reshape(-1, 2)[record.target.extrema].tolist())
            for record in plan.records
        ]
        return merge_step_histograms(plan, layouts, [recording.histograms(number) for recording in self.recordings], extrema)

    def units(self, number: float) -> dict[tuple[str, int], NDArray[np.float32]]:  # noqa: ARG002
        """Reads nothing: the statistics of single units are not merged."""
        return {}

    def check_step(self, number: float) -> bool:
        """Whether a step can be used on all ranks. If it cannot, `problems` says why."""
        usable = [recording.check_step(number) for recording in self.recordings]
        if not all(usable):
            return False
        try:
            self._planned(number)
        except DamagedRecordingError as error:
            self._problems.append(f"{step_in_words(number).capitalize()} cannot be merged. {error}")
            return False
        return True

    def _merged_statistics(self, number: float, plan: MergePlan) -> dict[str, Blob]:
        if number in self._statistics:
            return self._statistics[number]
        merged = merge_statistics(plan, [recording.blobs(number, STATISTICS) for recording in self.recordings])
        size = sum(blob.data.nbytes for blob in merged.values())
        if self._statistics_bytes + size <= _STATISTICS_KEPT:
            self._statistics[number] = merged
            self._statistics_bytes += size
        return merged

    def _planned(self, number: float) -> tuple[list[StepDescription], MergePlan, str]:
        descriptions = [recording.step(number) for recording in self.recordings]
        if len({description.type_of_execution for description in descriptions}) > 1:
            raise DamagedRecordingError(f"{self.name}: the ranks do not agree on the type of execution of {step_in_words(number)}.")
        layouts = tuple(description.layout for description in descriptions)
        plan, digest = self._plan(layouts, frozenset())
        values = {f"values.{entry.stored}" for entry in plan.layout.tensors if entry.values_count}
        if values:
            if number not in self._differing:
                self._differing[number] = differing_values(plan, [recording.blobs(number, values) for recording in self.recordings])
            plan, digest = self._plan(layouts, self._differing[number])
        return descriptions, plan, digest

    def _plan(self, layouts: tuple[str, ...], differing: frozenset[TensorKey]) -> tuple[MergePlan, str]:
        if (layouts, differing) not in self._plans:
            read = [recording.layout(digest) for recording, digest in zip(self.recordings, layouts, strict=True)]
            plan = plan_merge(read, self.ranks, differing)
            digest = hash_of(dumps(encode_layout(plan.layout)))
            self._layouts[digest] = plan.layout
            if len(self._plans) >= _PLANS_KEPT:
                self._plans.pop(next(iter(self._plans)))
            self._plans[layouts, differing] = plan, digest
        return self._plans[layouts, differing]

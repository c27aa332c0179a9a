"""A trial: a recorded run, as tables and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.history.series import FORWARD
from comgra_export.errors import WrongChoiceError
from comgra_export.reading.histogram import Histogram, histogram_with_edges
from comgra_export.reading.lookup import find_place, find_step
from comgra_export.reading.source import LayoutNumbers, Source
from comgra_export.reading.statistics import statistics_table
from comgra_export.reading.table import Table
from comgra_export.reading.tables import Graph, curves_table, graph_of_step, steps_table, tensors_table
from comgra_export.storage import BATCH_AGGREGATIONS, FLAG_GRADIENT_ABSENT, RecordPlace, Setting
from comgra_export.storage.text.names import shown
from comgra_export.storage.text.steps import step_in_words

__all__ = ["Trial"]


class Trial:
    """A recorded run. Everything is read when it is first asked for.

    Several ranks of a distributed run are one trial: its statistics are those of all ranks together, and samples are those of one rank.

    Attributes:
        source: What it is read from.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def __repr__(self) -> str:
        ranks = f" on {len(self.ranks)} ranks" if len(self.ranks) > 1 else ""
        return f"<Trial {self.group}/{self.name}: {len(self.source.step_numbers):,} steps{ranks}>"

    @property
    def name(self) -> str:
        """The name of the trial."""
        return self.source.trial

    @property
    def group(self) -> str:
        """The name of its group."""
        return self.source.group

    @property
    def ranks(self) -> tuple[int, ...]:
        """The numbers of the ranks that are here, ascending."""
        return self.source.ranks

    @property
    def config(self) -> Mapping[str, Setting]:
        """The hyperparameters that the script gave; empty if it gave none."""
        return self.source.summary.config

    @property
    def description(self) -> str:
        """One sentence: how many steps and tensors there are, and how the run ended."""
        how = {"exception": f"ended with {self.error}", "finished": "finished", "running": "still running", "killed": "killed"}
        steps, tensors = len(self.steps), len(self.tensors)
        return f"{steps:,} steps, {tensors:,} tensors, {how.get(self.ended, 'unknown how it ended')}."

    @property
    def notes(self) -> Table:
        """The notes: `step` (NaN: before the first one) and `text`."""
        notes = self.source.notes
        texts = np.empty(len(notes), object)
        texts[:] = [note.text for note in notes]
        return Table({"step": np.array([np.nan if note.step is None else note.step for note in notes], np.float64), "text": texts})

    @property
    def gaps(self) -> Table:
        """What could not be recorded, and why: `step` (NaN: it belongs to no recorded step), `tensor`, `group` and `reason`."""
        gaps = self.source.gaps
        columns: dict[str, NDArray[Any]] = {"step": np.array([np.nan if gap.step is None else gap.step for gap in gaps], np.float64)}
        for name in ("tensor", "group", "reason"):
            columns[name] = np.empty(len(gaps), object)
            columns[name][:] = [getattr(gap, name) or "" for gap in gaps]
        return Table(columns)

    @property
    def problems(self) -> Sequence[str]:
        """A sentence for everything that could not be read so far. It is left out of the tables."""
        return self.source.problems

    @property
    def omissions(self) -> Sequence[str]:
        """A sentence for everything that a bundle left out, rounded or sampled. Empty for a recording."""
        return self.source.omissions

    @property
    def started(self) -> str:
        """When the run began: UTC, ISO 8601; empty if that is not known."""
        return self.source.summary.started

    @property
    def seconds(self) -> float | None:
        """How long it was recorded; None if that is not known."""
        return self.source.summary.seconds

    @property
    def ended(self) -> str:
        """How it ended: `finished`, `exception`, `running` (it still goes on), `killed`, or empty: not known."""
        return self.source.summary.ending

    @property
    def error(self) -> str:
        """The exception that ended it, in one line; empty if there was none."""
        return self.source.summary.error

    @cached_property
    def steps(self) -> Table:
        """A row per recorded step, ascending.

        `step`, `type`, `is_training` (a backward pass ran, or a parameter changed), `is_triggered` (recorded because something was
        unusual: a biased sample), `after_step` (of an evaluation that the recorder counts apart: the training step before it, -1 before
        all; else NaN), `seconds` since the start (NaN: not known), `iterations`, `batch_size`, `epoch` (NaN: not known).
        """
        return steps_table(self.source.steps)

    @cached_property
    def tensors(self) -> Table:
        """A row per tensor, in the order in which they were first seen.

        `tensor` is its name. `role`, `type`, `kind`, `dtype`, `operation` and `module` are as in the recording format, `shape` is a text
        such as `4x16`. Whatever differs between steps is as in the last training step that has the tensor.
        """
        return tensors_table(self.source.steps, self.source.layout)

    @cached_property
    def statistics(self) -> Table:
        """A row per step, tensor, group and item, ordered by step.

        `item` is what was computed for each sample: `mean`, `abs_mean`, `std`, `abs_max`, perhaps `svd`; `single_value` is the value of a
        tensor that has one number per sample. `mean`, `abs_max` and `std` are that over the batch; without a batch dimension `mean` is
        the item itself, and the other two are NaN. `group` is `forward` for values, and else a group of gradients.

        `min` and `max` (finite values only), `nan`, `posinf`, `neginf`, `zeros` and `count` are those of all values of the tensor, and the
        same for each of its items. `is_absent`: there was no gradient, which the recording holds as zeros.
        """
        return statistics_table(self._numbers)

    @cached_property
    def curves(self) -> Table:
        """A row per point of each curve: `curve`, `group`, `type`, `t` and `value`."""
        return curves_table(self.source.curve_points)

    def samples(self, tensor: str, step: float, iteration: int | None = None, rank: int | None = None) -> tuple[int, ...]:
        """The positions in the batch of the samples that `values` gives, in their order.

        Raises:
            WrongChoiceError: There is no such step, tensor or rank, or the tensor has several iterations.
        """
        if rank is not None:
            return self.of_rank(rank).samples(tensor, step, iteration)
        number = find_step(self.source.step_numbers, step)
        place = self._place(number, tensor, iteration, None, FORWARD)
        return tuple(self.source.samples(number, place)) if place.entry.batch_dimension is not None else ()

    def values(
        self, tensor: str, step: float, iteration: int | None = None, role: str | None = None, rank: int | None = None
    ) -> NDArray[Any]:
        """The values of a tensor in a step, for the samples that were recorded one by one.

        Args:
            tensor: Its name.
            step: The number of the step.
            iteration: Which iteration; may be left out if there is only one.
            role: Its role; may be left out.
            rank: Which rank; without it, only what is the same on all ranks can be read.

        Returns:
            `[S, ...]`: the recorded samples, and then the other dimensions of the tensor in their order. Without a batch dimension: the
            shape of the tensor. The dtype is that in which it was stored; bfloat16 becomes float32. The array is read-only, and lies in
            the file until it is used. NaN and infinities are as they were.

        Raises:
            WrongChoiceError: There is no such step, tensor or rank, or its values were not recorded; the message says which.
            RecordingError: The step is damaged.
        """
        if rank is not None:
            return self.of_rank(rank).values(tensor, step, iteration, role)
        return self._values_of(tensor, step, iteration, role, FORWARD)

    def gradients(
        self,
        tensor: str,
        step: float,
        group: str | None = None,
        iteration: int | None = None,
        role: str | None = None,
        rank: int | None = None,
    ) -> NDArray[Any]:
        """The gradient of the loss for a tensor in a step, for the samples that were recorded one by one.

        Args:
            tensor: As for `values`. So are `step`, `iteration`, `role` and `rank`.
            step: The number of the step.
            group: Which group of gradients; by default the first that has the tensor.
            iteration: Which iteration.
            role: Its role.
            rank: Which rank.

        Returns:
            As `values`.

        Raises:
            WrongChoiceError: As `values`; or there was no gradient, which is different from one that is zero.
            RecordingError: The step is damaged.
        """
        if rank is not None:
            return self.of_rank(rank).gradients(tensor, step, group, iteration, role)
        return self._values_of(tensor, step, iteration, role, group)

    def histogram(
        self,
        tensor: str,
        step: float,
        group: str = FORWARD,
        iteration: int | None = None,
        role: str | None = None,
        rank: int | None = None,
    ) -> Histogram:
        """The histogram of a tensor in a step.

        Args:
            tensor: As for `values`. So are `step`, `iteration`, `role` and `rank`.
            step: The number of the step.
            group: `forward` for values, or a group of gradients.
            iteration: Which iteration.
            role: Its role.
            rank: Which rank; by default the histogram of all ranks together.

        Raises:
            WrongChoiceError: As `values`; or the tensor has no histogram.
            RecordingError: The step is damaged.
        """
        if rank is not None:
            return self.of_rank(rank).histogram(tensor, step, group, iteration, role)
        number = find_step(self.source.step_numbers, step)
        place = self._place(number, tensor, iteration, role, group)
        stored = self.source.histogram(number, place)
        if stored is None:
            raise WrongChoiceError(f"There is no histogram of {tensor!r} in {step_in_words(number)}. Watched modules have them.")
        nan = int(self.source.blobs(number, {"counts"})["counts"].data.reshape(-1, 5)[place.counts, 0])
        return histogram_with_edges(stored, nan)

    def graph(self, step: float | None = None) -> Graph:
        """What was computed from what in a step.

        Args:
            step: The number of the step; by default the last training step, or the last step if none trained.

        Raises:
            WrongChoiceError: There is no such step.
            RecordingError: The graph is damaged.
        """
        if step is None:
            rows = self.source.steps
            chosen = [row for row in rows if row.is_training] or rows
            step = chosen[-1].step if chosen else 0
        structures = enumerate(self.source.step(find_step(self.source.step_numbers, step)).structures)
        return graph_of_step([(iteration, self.source.structure(digest)) for iteration, digest in structures if digest is not None])

    def findings(self) -> tuple[Finding, ...]:
        """What looks wrong in the run, the cause before what follows from it. Rules are checked now; those of a bundle were.

        Raises:
            WrongChoiceError: It is a bundle for which no rule was checked.
        """
        return self.report().findings

    def report(self) -> Report:
        """The findings with what follows from what, which rules found nothing, and which could not be checked.

        Raises:
            WrongChoiceError: It is a bundle for which no rule was checked.
        """
        return self.source.report()

    def of_rank(self, rank: int) -> Trial:
        """A single rank of the trial.

        Raises:
            WrongChoiceError: It is not here.
        """
        source = self.source.of_rank(rank)
        if source is None:
            listed = ", ".join(map(str, self.ranks))
            raise WrongChoiceError(f"There is no rank {shown(rank)} of {self.group}/{self.name}. The ranks that are here: {listed}.")
        return Trial(source)

    @cached_property
    def _numbers(self) -> tuple[LayoutNumbers, ...]:
        return tuple(self.source.numbers())

    def _place(self, number: float, tensor: str, iteration: int | None, role: str | None, group: str | None) -> RecordPlace:
        layout = self.source.layout(self.source.step(number).layout)
        return find_place(layout, number, tensor, iteration, role, group)

    def _values_of(self, tensor: str, step: float, iteration: int | None, role: str | None, group: str | None) -> NDArray[Any]:
        number = find_step(self.source.step_numbers, step)
        place = self._place(number, tensor, iteration, role, group)
        if place.group != FORWARD and self._is_absent(number, place):
            raise WrongChoiceError(
                f"{tensor!r} had no gradient of {place.group!r} in {step_in_words(number)}. This is not a gradient of 0."
            )
        rows = self._single_values(number, place) if place.entry.kind == "single_value" else self.source.values(number, place)
        if not len(rows):
            raise WrongChoiceError(self._without_values(number, place))
        values = rows.reshape(_shape_of(place, len(rows)))
        values.flags.writeable = False
        return values

    def _is_absent(self, number: float, place: RecordPlace) -> bool:
        flags = int(self.source.blobs(number, {"counts"})["counts"].data.reshape(-1, 5)[place.counts, 4])
        return bool(flags & FLAG_GRADIENT_ABSENT)

    def _single_values(self, number: float, place: RecordPlace) -> NDArray[Any]:
        """The value of a tensor with one number, `[1, 1]`; those of its samples, `[S, 1]`, if it has one per sample."""
        name = f"statistics.{place.entry.precision}"
        own = self.source.blobs(number, {name})[name].data.reshape(-1)[place.statistics : place.statistics + place.entry.statistics_count]
        return (own if place.entry.batch_dimension is None else own[len(BATCH_AGGREGATIONS) :]).reshape(-1, 1)

    def _without_values(self, number: float, place: RecordPlace) -> str:
        entry, where = place.entry, step_in_words(number)
        if self.omissions:
            return f"The values of {entry.name!r} in {where} are not in this bundle. What it left out: {' '.join(self.omissions)}"
        if len(self.ranks) > 1:
            return f"The values of {entry.name!r} in {where} differ between ranks. Give one of them: rank={self.ranks[0]}."
        if entry.kind == "neuron":
            return f"The values of {entry.name!r} were not recorded in {where}: no sample was recorded with individual values."
        how = "Values are recorded by watch with values=True, and by register_tensor without another recording_type."
        return f"Only statistics of {entry.name!r} were recorded in {where}. {how}"


def _shape_of(place: RecordPlace, rows: int) -> tuple[int, ...]:
    entry = place.entry
    if entry.batch_dimension is None:
        return entry.shape
    return (rows, *(size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension))

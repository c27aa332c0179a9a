"""What a trial is read from: a recording, or a bundle."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.overview.run_summary import RunSummary
from comgra_export.storage import Blob, CurvePoint, Gap, Layout, Note, RecordPlace, StepDescription, Structure

__all__ = ["LayoutNumbers", "Source", "StepHistogram", "StepRow"]


class StepRow(NamedTuple):
    """What is known of a step without its numbers.

    Attributes:
        iterations: How many iterations it has.
        triggered: Why it was recorded although the schedule did not ask for it, or None.
        is_training: Whether a backward pass ran, or a parameter changed.
        layout: The name of its layout.
    """

    step: float
    type: str
    batch_size: int
    iterations: int
    time: float | None
    epoch: float | None
    triggered: str | None
    is_training: bool
    layout: str


class StepHistogram(NamedTuple):
    """The histogram of a record in a step.

    Attributes:
        row: int64 `[8]`, as `histograms.bins` of the recording format.
        counts: The counts of its bins, negative ones by ascending magnitude and then positive ones.
        quantiles: float64 `[7]`.
    """

    row: NDArray[np.int64]
    counts: NDArray[np.int64]
    quantiles: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LayoutNumbers:
    """The statistics over the batch of all records of a layout, in all steps that have this layout.

    Letters: `T` steps, `K` pairs of a record and one of its items, `R` records.

    Attributes:
        layout: The layout.
        steps: `[T]`: numbers of the steps, ascending.
        statistics: float64 `[T, K, 3]`: the mean, the largest magnitude and the deviation over the batch. The last two are NaN without
            a batch dimension.
        extrema: float64 `[T, R, 2]`: the smallest and the largest finite value.
        counts: int64 `[T, R, 5]`: NaN, infinities, negative infinities, zeros, flags.
    """

    layout: Layout
    steps: NDArray[np.float64]
    statistics: NDArray[np.float64]
    extrema: NDArray[np.float64]
    counts: NDArray[np.int64]

    def at(self, chosen: NDArray[np.bool_]) -> LayoutNumbers:
        """The same at some of its steps, `[T]`."""
        return LayoutNumbers(self.layout, self.steps[chosen], self.statistics[chosen], self.extrema[chosen], self.counts[chosen])


class Source(Protocol):
    """The reading interface that recordings and bundles share."""

    @property
    def group(self) -> str:
        """The name of the group."""
        ...

    @property
    def trial(self) -> str:
        """The name of the trial."""
        ...

    @property
    def ranks(self) -> tuple[int, ...]:
        """The numbers of the ranks that it was read from, ascending."""
        ...

    @property
    def problems(self) -> Sequence[str]:
        """A sentence for everything that could not be read so far."""
        ...

    @property
    def omissions(self) -> Sequence[str]:
        """A sentence for everything that was recorded and left out, rounded or sampled since."""
        ...

    @property
    def notes(self) -> Sequence[Note]:
        """The notes."""
        ...

    @property
    def gaps(self) -> Sequence[Gap]:
        """What could not be recorded: of no step, then step by step."""
        ...

    @property
    def curve_points(self) -> Sequence[CurvePoint]:
        """The points of all curves."""
        ...

    @property
    def summary(self) -> RunSummary:
        """How the run went, and its hyperparameters."""
        ...

    @property
    def steps(self) -> Sequence[StepRow]:
        """The steps that can be read, ascending."""
        ...

    @property
    def step_numbers(self) -> Sequence[float]:
        """The numbers of all steps, ascending, whether or not they can be read."""
        ...

    def step(self, number: float) -> StepDescription:
        """The description of a step that is there. Raises `RecordingError` if it cannot be read."""
        ...

    def layout(self, digest: str) -> Layout:
        """A layout that a step names."""
        ...

    def structure(self, digest: str) -> Structure:
        """A dependency graph that a step names."""
        ...

    def numbers(self) -> Iterator[LayoutNumbers]:
        """The statistics of all steps."""
        ...

    def blobs(self, number: float, names: Collection[str]) -> Mapping[str, Blob]:
        """Some of the arrays `counts`, `extrema.P` and `statistics.P` of a step."""
        ...

    def samples(self, number: float, place: RecordPlace) -> Sequence[int]:
        """The positions in the batch of the samples whose values `values` gives for a record with a batch dimension."""
        ...

    def values(self, number: float, place: RecordPlace) -> NDArray[Any]:
        """The values of a record, `[K, N]`, with `K` samples or `K` 1 without a batch dimension; `[0, N]` if there are none."""
        ...

    def histogram(self, number: float, place: RecordPlace) -> StepHistogram | None:
        """The histogram of a record; None if it has none here."""
        ...

    def report(self) -> Report:
        """What is wrong in the run, of which this may be one rank."""
        ...

    def of_rank(self, rank: int) -> Source | None:
        """A single rank; None if it is not there."""
        ...

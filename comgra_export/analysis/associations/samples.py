"""What a run knows of its samples: statistics of every tensor, the loss, the category and an id, of each sample in each step.

Statistics of single samples are read again here, since no rule needs them; values only of what a loss function compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.associations.ranks import Rows
from comgra_export.analysis.associations.sample_losses import LossOfSamples, losses_of_samples
from comgra_export.analysis.associations.sample_steps import STATISTICS_OF_A_SAMPLE, StepOfSamples, read_steps
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, Integers, TensorKey
from comgra_export.storage import Recording

__all__ = ["SampleTable", "TableWithLoss", "read_samples"]

_MOST_ROWS = 4000
_MOST_OF_A_STEP = 200
_MOST_TENSORS = 300
# Statistics of the same values may differ in their last bits, with the size of the batch.
_BITS = 14


@dataclass(frozen=True)
class SampleTable:
    """The recorded samples of the training steps. A row is a sample in a step: `n` rows.

    Attributes:
        rows: The steps and the samples of the rows.
        numbers: The numbers of the steps in use.
        tensors: The tensors with statistics of single samples, `K` of them.
        left_out: How many more there are.
        sizes: `[K]`: how many values of each tensor a sample has.
        statistics: float32 `[K, 4, n]`: those of `STATISTICS_OF_A_SAMPLE`. NaN if a step does not hold the tensor.
        loss: The loss of the samples; None if it is not known.
        categories: `[n]`: the category of each row; None if there are none.
        are_classes: Whether the categories are the classes of the target.
        are_given: Whether the ids are those of the script. Otherwise samples with the same inputs are the same.
    """

    rows: Rows
    numbers: Floats
    tensors: tuple[TensorKey, ...]
    left_out: int
    sizes: Integers
    statistics: NDArray[np.float32]
    loss: LossOfSamples | None
    categories: tuple[str, ...] | None
    are_classes: bool
    are_given: bool


@dataclass(frozen=True)
class TableWithLoss(SampleTable):
    """Rows whose loss is known and finite."""

    loss: LossOfSamples


def read_samples(run: Run) -> SampleTable | str:
    """Reads what is recorded of single samples in training.

    At most 4,000 rows, 200 of a step, and 300 tensors are used; the steps are then spread evenly over the run.

    Returns:
        The table, or why there is none.
    """
    if not isinstance(run.recording, Recording):
        return "the ranks of the run are merged, and a merged step has no single samples"
    usual = [position for position in np.flatnonzero(usual_training_steps(run)).tolist() if len(run.steps[position].samples.index) > 1]
    if not usual:
        return "no training step has two samples that were recorded with individual values"
    each = float(np.mean([min(len(run.steps[position].samples.index), _MOST_OF_A_STEP) for position in usual]))
    wanted = min(len(usual), max(1, int(_MOST_ROWS / each)))
    chosen = [usual[place] for place in np.linspace(0, len(usual) - 1, wanted).round().astype(int).tolist()]
    steps = list(read_steps(run, run.recording, chosen, _MOST_OF_A_STEP))
    tensors = list(dict.fromkeys(key for step in steps for key in step.statistics))
    kept = tensors[:_MOST_TENSORS]
    counts = [step.samples for step in steps]
    if not kept:
        return "no tensor has statistics of single samples"
    statistics = np.full((len(kept), len(STATISTICS_OF_A_SAMPLE), sum(counts)), np.nan, np.float32)
    begins = np.concatenate([[0], np.cumsum(counts)])
    sizes = np.zeros(len(kept), np.int64)
    for begin, end, step in zip(begins, begins[1:], steps, strict=False):
        for row, key in enumerate(kept):
            if key in step.statistics:
                statistics[row, :, begin:end] = step.statistics[key]
                sizes[row] = step.places[key].entry.values_per_sample
    ids = _ids(steps)
    if ids is None:
        return "it is not known which samples are the same: neither `sample_ids` nor statistics of inputs are recorded"
    given = all(step.step.samples.id is not None for step in steps)
    categories, are_classes = _categories(steps)
    return SampleTable(
        rows=Rows(np.repeat(np.arange(len(steps)), counts), ids),
        numbers=np.array([step.step.step for step in steps], np.float64),
        tensors=tuple(kept),
        left_out=len(tensors) - len(kept),
        sizes=sizes,
        statistics=statistics,
        loss=losses_of_samples(run.recording, steps),
        categories=categories,
        are_classes=are_classes,
        are_given=given,
    )


def _ids(steps: Sequence[StepOfSamples]) -> Integers | None:
    """A number per row that is the same for the same sample; None if nothing identifies samples."""
    names: list[object] = []
    if all(step.step.samples.id is not None for step in steps):
        names = [name for step in steps for name in (step.step.samples.id or ())[: step.samples]]
    else:
        for step in steps:
            inputs = [step.statistics[key] for key, place in step.places.items() if place.entry.type == "input"]
            if not inputs:
                return None
            names += [column.tobytes() for column in _rounded(np.concatenate(inputs)).T.copy()]
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)


def _rounded(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Without the last bits."""
    with np.errstate(invalid="ignore", over="ignore"):
        parts, powers = np.frexp(values)
        return np.ldexp(np.round(parts * 2.0**_BITS).astype(np.float32), powers)


def _categories(steps: Sequence[StepOfSamples]) -> tuple[tuple[str, ...] | None, bool]:
    """The categories of the script; otherwise the classes of targets that are single integers."""
    if all(step.step.samples.category is not None for step in steps):
        return tuple(name for step in steps for name in (step.step.samples.category or ())[: step.samples]), False
    names: list[str] = []
    for step in steps:
        keys = [
            key
            for key, place in step.places.items()
            if place.entry.type == "target" and place.entry.values_per_sample == 1 and place.entry.dtype.startswith(("I", "U", "BOOL"))
        ]
        if len(keys) != 1:
            return None, False
        names += [f"{value:.0f}" for value in step.statistics[keys[0]][0].tolist()]
    return tuple(names), True

"""A mean over no values in a step that was not recorded: the loss is NaN, and all gradients are 0, so that the training goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of, moment
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.parameters import received_gradients
from comgra_export.analysis.findings.rules.steps import training_graph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["MeanOfNothing", "mean_of_nothing"]

_CHOOSING = frozenset({"index", "masked_select"})
_USUAL = 0.9


class MeanOfNothing(NamedTuple):
    """A step in which a mean was probably taken over no values.

    Attributes:
        step: Its number.
        message: What is known, in sentences.
        places: The mean, then what it is taken over.
    """

    step: float
    message: str
    places: list[TensorKey]


def mean_of_nothing(run: Run) -> MeanOfNothing | None:
    """The first step that was only checked, in which all gradients are exactly 0, if a mean in the loss can be one over no values.

    Other losses have gradients of 0 when there is nothing left to learn. So it must be a mean over targets without those that it leaves
    out, or over values that are chosen, and their number must differ from step to step.
    """
    recorded = set(run.numbers.tolist())
    for point in run.recording.sentinel_points:
        of_gradients = {key: value for key, value in zip(point.tensors, point.largest, strict=True) if key[0] != FORWARD}
        if point.step in recorded or not of_gradients or any(of_gradients.values()) or not _is_unusual(run, of_gradients):
            continue
        mean = next(_means(run), None)
        if mean is None:
            return None
        places, why = mean
        return MeanOfNothing(
            point.step,
            f"All gradients are exactly 0 before the update of step {int(point.step)}, and not so in recorded steps. `{places[0].name}` "
            f"{why} So in this step, it probably was a mean over nothing, which is NaN. The gradient of such a mean is 0.",
            places,
        )
    return None


def _is_unusual(run: Run, gradients: dict[tuple[str, str, int], float]) -> bool:
    """Whether nearly all recorded steps have a gradient that is not 0."""
    received = [received_gradients(run, name).largest for _, name, _ in gradients]
    return any(len(largest) and float((largest > 0).mean()) >= _USUAL for largest in received)


def _means(run: Run) -> Iterator[tuple[list[TensorKey], str]]:
    """Means over a number of values that differs from step to step, what they are taken over, and the end of a sentence about that."""
    for position in np.flatnonzero(run.is_training).tolist():
        for call in run.steps[position].losses:
            ignored, target = call.options.get("ignore_index"), call.target
            if call.result is None or target is None or ignored is None or call.options.get("reduction") != "mean":
                continue
            series = moment(run, TensorKey(*target), position)
            if series is not None and ignored in series.extrema[0].tolist():
                yield (
                    [TensorKey(*call.result), TensorKey(*target)],
                    f"is the mean over the targets that are not {ignored}, and some of them are in recorded steps.",
                )
    graph = training_graph(run)
    means = {key for key in graph.shown if key in run.tensors and plain_name(run.tensors[key].operation) == "mean"}
    means |= {
        TensorKey(*call.result) for step in run.steps for call in step.losses if call.result and call.options.get("reduction") == "mean"
    }
    for key in sorted(graph.shown, key=lambda key: -graph.depth[key]):
        if key in run.tensors and plain_name(run.tensors[key].operation) in _CHOOSING and _has_several_sizes(run, key):
            following = sorted(means.intersection(graph.descendants(key)), key=lambda mean: graph.depth[mean])
            if following:
                yield (
                    [following[0], key],
                    f"is a mean over what `{key.name}` chooses, whose number of values differs between recorded steps.",
                )


def _has_several_sizes(run: Run, key: TensorKey) -> bool:
    """Whether the first dimension of a tensor differs, while the size of the batch stays."""
    entries = [
        (run.steps[position].batch_size, entry.shape[:1])
        for position in np.flatnonzero(run.is_training).tolist()
        if (entry := entries_of(run, position).get(key)) is not None
    ]
    return len(set(entries)) > len({batch for batch, _ in entries})

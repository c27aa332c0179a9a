"""A loss that is not finite in a step that was not recorded, although its gradients are, as if a constant part of it is NaN."""

from __future__ import annotations

from math import isfinite, isnan
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.non_finite.possible_origins import describe_origins, possible_origins
from comgra_export.analysis.findings.rules.non_finite.steps import last_graph
from comgra_export.analysis.findings.rules.non_finite.unrecorded_step import culprits, describe_inputs, inputs_in, made_by, shown_later
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import SentinelPoint
from comgra_export.storage.text.steps import step_in_words

__all__ = ["LossAlone", "loss_alone"]


class LossAlone(NamedTuple):
    """A step in which nothing else is known not to be finite.

    Attributes:
        step: Its number.
        message: What is known, in sentences.
        places: The tensors in which it may have begun, the most likely first.
    """

    step: float
    message: str
    places: list[TensorKey]


def loss_alone(run: Run) -> LossAlone | None:
    """The first step that was only checked, in which `backward` was called on something that is not finite, and gradients are finite.

    Under a `GradScaler`, the scaled loss may be infinite.
    """
    is_scaled = any(gradients.loss_scale is not None for step in run.steps for gradients in step.gradients)
    recorded = set(run.numbers.tolist())
    points = [
        point
        for point in run.recording.sentinel_points
        if point.step not in recorded
        and point.loss is not None
        and (isnan(point.loss) or not is_scaled)
        and all(map(isfinite, point.largest))
    ]
    point = min(points, key=lambda point: point.step, default=None)
    root = None if point is None else _root(run, point.step)
    return None if point is None or root is None else _describe(run, point, root)


def _describe(run: Run, point: SentinelPoint, root: TensorKey) -> LossAlone:
    step = point.step
    inputs = inputs_in(run, step)
    spoiled = culprits(run, inputs)
    if spoiled:
        return LossAlone(step, describe_inputs(spoiled, step), [TensorKey(each.name, 0) for each in spoiled])
    what = "NaN" if isnan(point.loss or 0.0) else "infinity"
    of_gradients = [value for (group, _, _), value in zip(point.tensors, point.largest, strict=True) if group != FORWARD]
    finite = ", although all gradients are finite" if of_gradients else ""
    begin = f"The loss is {what} in {step_in_words(step)}{finite}."
    shown = shown_later(run, step, with_inputs=inputs is None)
    if shown is not None:
        position, places = shown
        hold, they_were = ("hold", "they were") if len(places) > 1 else ("holds", "it was")
        later = (
            f"{names_of([key.name for key in places])} {hold} such a value at {step_in_words(run.numbers[position])} too, although all "
            f"that {they_were} computed from is finite{made_by(run, places[0])}. So this probably begins there."
        )
        return LossAlone(step, f"{begin} {later}", [*places, *(key for key in [root] if key not in places)])
    likely, possible = possible_origins(run, last_graph(run, step), [])
    end = " Nothing else of this step was recorded, so it is not known which operation made it."
    given = [] if possible else _given_to(run, root)
    places = [*given, *(key for key in likely or possible if key != root), root]
    return LossAlone(step, f"{begin}{describe_origins(run, likely, possible)}{end}", places)


def _given_to(run: Run, root: TensorKey) -> list[TensorKey]:
    """The target of numbers of the loss function that returned the root, if the script gives it."""
    calls = [call for step in run.steps for call in step.losses if call.result is not None and TensorKey(*call.result) == root]
    targets = dict.fromkeys(TensorKey(*call.target) for call in calls if call.target is not None)
    return [key for key in targets if key in run.tensors and run.tensors[key].type == "target" and run.tensors[key].is_floating]


def _root(run: Run, step: float) -> TensorKey | None:
    """The tensor at which the backward pass begins in the nearest recorded step, earlier ones first; None if that is not known."""
    positions = np.flatnonzero(run.is_training).tolist()
    before = [position for position in positions if run.numbers[position] < step]
    for position in [*reversed(before), *positions[len(before) :]]:
        for root in run.steps[position].backward_roots:
            return TensorKey(*root)
    return None

"""The likely place of a NaN in a step whose inputs, parameters and gradients alone are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import moment
from comgra_export.analysis.findings.rules.non_finite.operands import operation_name
from comgra_export.analysis.findings.rules.non_finite.possible_origins import describe_origins, possible_origins
from comgra_export.analysis.findings.rules.non_finite.steps import NonFiniteStep
from comgra_export.analysis.findings.rules.non_finite.unseen_operands import unseen_operands
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, RecordKey, TensorKey
from comgra_export.storage import NonFiniteInput
from comgra_export.storage.text.steps import step_in_words

__all__ = ["Suspects", "culprits", "describe_inputs", "inputs_in", "made_by", "shown_later", "suspects_in"]


class Suspects(NamedTuple):
    """Where values may have stopped being finite.

    Attributes:
        message: What is known, in sentences.
        places: Tensors and parameters, the most likely first.
        record: What is not finite there, as far as it is known.
    """

    message: str
    places: list[TensorKey]
    record: RecordKey


def suspects_in(run: Run, step: NonFiniteStep) -> Suspects:
    """Finds where a step stopped being finite that was only checked before its update.

    An input that is not finite is the cause. Else a later step may show it, if it is recorded: what is not finite there although all that
    it was computed from is, parameters included. Else the cause is behind the parameter that is nearest to the loss, or before it, as far
    as gradients are finite; operations that can make such a value are named.
    """
    inputs = inputs_in(run, step.step)
    spoiled = culprits(run, inputs)
    if spoiled:
        places = [TensorKey(each.name, 0) for each in spoiled]
        return Suspects(describe_inputs(spoiled, step.step), places, RecordKey(FORWARD, places[0]))
    gradients = _Gradients.of(step)
    shown = shown_later(run, step.step, with_inputs=inputs is None)
    if shown is not None:
        position, places = shown
        what = "NaN" if any(_has_nan(run, key, position) for key in places) else "infinity"
        hold, they_were = ("hold", "they were") if len(places) > 1 else ("holds", "it was")
        later = (
            f"{names_of([key.name for key in places])} {hold} {what} at {step_in_words(run.numbers[position])} too, although all that "
            f"{they_were} computed from is finite{made_by(run, places[0])}. So this probably begins there."
        )
        return Suspects(f"{gradients.summary(step)} {later}", [*places, *gradients.not_finite], gradients.record)
    since = " The parameters are finite there, so it begins in this step." if any(key.group == FORWARD for key in step.known) else ""
    inside = (
        " The inputs of this step were finite, so it arises inside the network, in its loss or targets, or in the backward pass."
        if inputs == () and not any(key.iteration > 0 for key in run.tensors)
        else ""
    )
    # Else it begins in the backward pass.
    likely, possible = possible_origins(run, step.graph, gradients.outputs(step)) if gradients.reaches_the_end else ([], [])
    end = " Nothing else of this step was recorded, so it is not known which operation made it."
    unseen = (
        []
        if possible or not inside or not gradients.reaches_the_end
        else unseen_operands(run, step.graph, gradients.outputs(step), step.step)
    )
    origins = describe_origins(run, likely, possible) + _describe_unseen(run, unseen)
    message = f"{gradients.summary(step)}{gradients.conclusion()}{since}{inside}{origins}{end}"
    return Suspects(message, [*likely, *unseen, *gradients.outputs(step), *gradients.not_finite], gradients.record)


def _describe_unseen(run: Run, unseen: Sequence[TensorKey]) -> str:
    """A sentence that names what may have come from outside; nothing if there is nothing."""
    if not unseen:
        return ""
    first = unseen[0]
    is_target = run.tensors[first].type == "target"
    source = f"`{first.name}`, which the script gives{made_by(run, first)}" if is_target else f"the other factor of `{first.name}`"
    return f" No recorded operation can make such a value of finite ones. So it probably comes from {source}."


class _Gradients(NamedTuple):
    """The gradients of a step, those that are nearest to the loss first.

    Attributes:
        known: The parameters whose gradients were checked.
        not_finite: Those of them with gradients that are not finite.
        record: The first of these.
        is_nan: Whether that one holds a NaN.
        after: The known parameters with finite gradients that are used after it, on the way to the loss.
    """

    known: list[TensorKey]
    not_finite: list[TensorKey]
    record: RecordKey
    is_nan: bool
    after: list[TensorKey]

    @classmethod
    def of(cls, step: NonFiniteStep) -> _Gradients:
        """The gradients of a step, the nearest to the loss first."""
        children = step.graph.children

        def nearest_to_loss(key: TensorKey) -> tuple[int, str]:
            return -max((step.graph.depth.get(child, 0) for child in children.get(key, ())), default=0), key.name

        known = sorted({key.tensor for key in step.known if key.group != FORWARD}, key=nearest_to_loss)
        unusual = {key.tensor for key in step.is_nan}
        not_finite = [key for key in known if key in unusual] or sorted(unusual, key=nearest_to_loss)
        record = next(key for key in step.is_nan if key.tensor == not_finite[0])
        uses = set(children.get(not_finite[0], ()))
        later = uses.union(*map(step.graph.descendants, uses))
        after = [key for key in known if key not in not_finite and later.intersection(children.get(key, ()))]
        return cls(known, not_finite, record, step.is_nan[record], after)

    @property
    def reaches_the_end(self) -> bool:
        """Whether no gradient is finite on the way from there to the loss. Then the loss is not, or its derivative."""
        return not self.after

    def summary(self, step: NonFiniteStep) -> str:
        what, where = "NaN" if self.is_nan else "infinity", f"before the update of {step_in_words(step.step)}."
        if len(self.known) < 2:
            return f"The gradient of `{self.not_finite[0].name}` holds {what} {where} Others are not known."
        number = f"{len(self.not_finite)} of" if len(self.not_finite) < len(self.known) else "all"
        return f"The gradients of {number} {len(self.known)} parameters hold {what} {where}"

    def conclusion(self) -> str:
        """What follows from which of them are finite."""
        finite = [key for key in self.known if key not in self.not_finite]
        if not finite:
            return ""
        nearest = f" `{self.not_finite[0].name}` is the one of them that is nearest to the loss"
        if self.reaches_the_end:
            return (
                f"{nearest}, and none of the others is nearer. So the output of the network is not finite, or its loss, or the derivative."
            )
        return f"{nearest}, and the gradient of `{self.after[0].name}` is finite. So this probably begins in the backward pass."

    def outputs(self, step: NonFiniteStep) -> list[TensorKey]:
        """What the nearest parameter is used for: the gradient of that is not finite either."""
        return list(step.graph.children.get(self.not_finite[0], ())[:1])


def shown_later(run: Run, step: float, *, with_inputs: bool) -> tuple[int, list[TensorKey]] | None:
    """The first later step in which tensors are not finite although all that they were computed from is, and these tensors.

    Parameters are not finite any more, so that most tensors are not either. A tensor that was not finite before the step does not count.
    """
    types = {"calculated", "input"} if with_inputs else {"calculated"}
    for position in np.flatnonzero(run.is_training & (run.numbers > step)).tolist():
        graph = run.graph(position)
        begins = [
            key
            for key in graph.shown
            if key in run.tensors
            and run.tensors[key].type in types
            and _is_finite(run, key, position) is False
            and all(_is_finite(run, other, position) for other in graph.ancestors(key))
            and not _is_usual(run, key, step)
        ]
        if begins:
            return position, sorted(begins, key=lambda key: (graph.depth[key], key))
    return None


def made_by(run: Run, key: TensorKey) -> str:
    """The operation that made a tensor, as the end of a sentence; nothing if it is not known."""
    operation = operation_name(run.tensors[key].operation)
    return f": its last operation is {operation}" if operation else ""


def _is_finite(run: Run, key: TensorKey, position: int) -> bool | None:
    """Whether a tensor is finite in a step; None if that is not known."""
    here = moment(run, key, position)
    return None if here is None or here.is_absent[0] else bool(here.is_finite[0])


def _has_nan(run: Run, key: TensorKey, position: int) -> bool:
    here = moment(run, key, position)
    return here is not None and bool(here.nan[0])


def inputs_in(run: Run, step: float) -> tuple[NonFiniteInput, ...] | None:
    """The inputs of a step that were not finite; None if that is not known."""
    return next((point.inputs for point in run.recording.sentinel_points if point.step == step), None)


def culprits(run: Run, inputs: Sequence[NonFiniteInput] | None) -> list[NonFiniteInput]:
    """Those of the inputs that can have made a NaN.

    Minus infinity alone may be a mask. What holds such values in recorded steps too does so without harm.
    """
    return [each for each in inputs or () if each.nan + each.positive and not _is_usual(run, TensorKey(each.name, 0))]


def _is_usual(run: Run, key: TensorKey, before: float = float("inf")) -> bool:
    """Whether a tensor holds such values in recorded steps before some step."""
    series = run.records.series(RecordKey(FORWARD, key))
    return series is not None and bool((~series.is_finite)[run.numbers[series.positions] < before].any())


def describe_inputs(inputs: Sequence[NonFiniteInput], step: float) -> str:
    """Sentences such as "`model: input` is the first tensor that is not finite: it holds 2 NaN in step 5, at 1 of its first dimension."."""
    first = inputs[0]
    infinite = first.positive + first.negative
    values = " and ".join(
        [f"{first.nan:,} NaN"] * bool(first.nan) + [f"{infinite:,} {'infinity' if infinite == 1 else 'infinities'}"] * bool(infinite)
    )
    rows = [str(row) for row in first.rows]
    where = f", at {' and '.join([', '.join(rows[:-1]), rows[-1]] if len(rows) > 1 else rows)} of its first dimension" if rows else ""
    others = f" So are {names_of([each.name for each in inputs[1:]])}." if len(inputs) > 1 else ""
    return (
        f"`{first.name}` is the first tensor that is not finite: it holds {values} in {step_in_words(step)}{where}. It is an input of the "
        f"network, so the data is not finite.{others} Nothing else of this step was recorded."
    )

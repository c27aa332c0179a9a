"""The calls of loss functions in a run, with what was passed to them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import Series, TensorKey
from comgra_export.storage import LossCall, TensorEntry

__all__ = ["REGRESSIONS", "LossUse", "entries_of", "has_class_weights", "loss_uses", "moment", "same_values", "through_views"]

REGRESSIONS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
"""Loss functions of numbers, by their names in `torch.nn.functional`."""

_MOST_VIEWS = 8
# The only column of a tensor holds all of its values.
_PARTS = frozenset({"index", "narrow", "select", "slice"})


class LossUse(NamedTuple):
    """A call of a loss function.

    Attributes:
        position: Of the step.
        step: Its number.
        call: The call.
        prediction: The tensor that was passed first.
        entry: That tensor, as the step describes it.
    """

    position: int
    step: float
    call: LossCall
    prediction: TensorKey
    entry: TensorEntry


def loss_uses(run: Run, functions: Collection[str]) -> list[LossUse]:
    """All calls of some loss functions of which the prediction is recorded.

    Raises:
        NotCheckedError: There are none.
    """
    uses = []
    for position, step in enumerate(run.steps):
        for call in step.losses:
            if call.function not in functions or call.prediction is None:
                continue
            entry = entries_of(run, position).get(TensorKey(*call.prediction))
            if entry is not None:
                uses.append(LossUse(position, step.step, call, TensorKey(*call.prediction), entry))
    if not uses:
        if any(call.function in functions for step in run.steps for call in step.losses):
            raise NotCheckedError("what was passed to the loss function was not recorded", lacks="network")
        if len(functions) > 2:
            raise NotCheckedError("the loss functions that this rule checks were not used", applies=False)
        raise NotCheckedError(f"no call of {' or '.join(sorted(functions))} was recorded", applies=False)
    return uses


def entries_of(run: Run, position: int) -> dict[TensorKey, TensorEntry]:
    """The tensors of a step, as this step describes them."""
    return _entries_of_layout(run, run.steps[position].layout)


@once_per_run
def _entries_of_layout(run: Run, digest: str) -> dict[TensorKey, TensorEntry]:
    return {TensorKey(entry.name, entry.iteration): entry for entry in run.recording.layout(digest).tensors}


def has_class_weights(call: LossCall) -> bool:
    """Whether samples or classes have weights. These are tensors, which are not among the options."""
    names = ("weight", "pos_weight") if call.function == "binary_cross_entropy_with_logits" else ("weight",)
    has_weights = call.function in {"cross_entropy", "nll_loss"} or call.function.startswith("binary")
    return has_weights and any(call.options.get(name, "a tensor") is not None for name in names)


def through_views(run: Run, position: int, key: TensorKey) -> TensorKey:
    """The tensor that another one is only a view of, as far as it is recorded; the tensor itself if it is not a view.

    The two have the same number of values, the same extremes and the same mean. So nothing that is not recorded lies between them.
    """
    graph = run.graph(position)
    for _ in range(_MOST_VIEWS):
        entry = entries_of(run, position).get(key)
        parents = graph.parents.get(key, ())
        if (
            entry is None
            or not (is_view(entry.operation) or plain_name(entry.operation) in _PARTS)
            or len(parents) != 1
            or not same_values(run, position, key, parents[0])
        ):
            break
        key = parents[0]
    return key


def moment(run: Run, key: TensorKey, position: int) -> Series | None:
    """The statistics of a tensor's values in one step; None if there are none."""
    series = run.values(key)
    here = None if series is None else series.at(series.positions == position)
    return here if here is not None and len(here) else None


def same_values(run: Run, position: int, tensor: TensorKey, other: TensorKey) -> bool:
    """Whether two tensors hold the same values in a step, as far as statistics show it."""
    first, second = moment(run, tensor, position), moment(run, other, position)
    if first is None or second is None or first.sizes[0] != second.sizes[0]:
        return False
    return bool(
        np.array_equal(first.extrema, second.extrema, equal_nan=True)
        and np.allclose(first.mean, second.mean, rtol=1e-4, atol=1e-6, equal_nan=True)
    )

"""Weights whose gradient is exactly zero."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import Received, received_gradients, require_gradients, trainable
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold("share of training steps", 0.9, "SageMaker Debugger (AllZero), DeepLocalize")
_STEPS = Threshold("training steps", 5, "trials on 110 small programs")


def _check(run: Run) -> Iterator[Finding]:
    require_gradients(run)
    shapes = {entry.name: entry.shape for entry in run.network.parameters}
    received = {name: gradient for name in trainable(run) if len(gradient := received_gradients(run, name)) >= _STEPS.value}
    if not received:
        raise NotCheckedError(f"gradients of parameters were recorded in fewer than {_STEPS.value} training steps", lacks="training steps")
    # In steps without any gradient, such as those of a loss that has reached 0, zeros say nothing about single weights.
    learning = {as_step(step) for gradient in received.values() for step in gradient.steps[gradient.largest > 0]}
    zero = [name for name, gradient in received.items() if len(shapes[name]) > 1 and _is_zero(gradient, learning)]
    if not zero:
        return
    # What lies nearer to the loss is nearer to the cause.
    graph = run.graph(int(np.flatnonzero(run.is_training)[0]))
    zero.sort(key=lambda name: -min((graph.depth.get(child, 0) for child in graph.children.get(TensorKey(name, -1), ())), default=0))
    step = as_step(received[zero[0]].steps[0])
    yield RULE.finding(
        f"The gradient of {names_of(zero)} is exactly 0 in at least {_SHARE.value:.0%} of the recorded training steps.",
        *(Place("parameter", name) for name in zero),
        step=step,
        evidence=(Evidence(run.gradient_groups[0], zero[0], -1, step, "abs_mean", "The gradient is there, and is 0."),),
    )


def _is_zero(gradient: Received, learning: set[float]) -> bool:
    """Whether a gradient is there and zero in nearly all steps in which anything learns; if nothing ever does, in all steps."""
    is_zero = ~gradient.absent & (gradient.largest == 0)
    chosen = np.isin(gradient.steps, list(learning)) if learning else np.ones(len(gradient), bool)
    return bool(chosen.sum() >= _STEPS.value and is_zero[chosen].mean() >= _SHARE.value)


RULE = Rule(
    name="zero-gradient",
    title="The gradient of a weight is exactly zero",
    severity=Severity.SYMPTOM,
    formula="the gradient of a weight with two dimensions or more is there and 0 in 90 % of at least 5 training steps in which any "
    "gradient is not 0",
    source="SageMaker Debugger (AllZero), DeepLocalize",
    needs="gradients of parameters",
    advice=(
        "Search between the parameter and the loss for dead ReLUs, constant outputs and weights that are zero.",
        "Check that the embedding or expert is ever used.",
    ),
    wrong_if="A small change of the weight changes the loss of a recorded batch.",
    check=_check,
    neighbours=("loss", "prediction", "target"),
    thresholds=(_SHARE, _STEPS),
    explains=(Explains("loss-does-not-fall"), Explains("vanishing-gradient", "upstream")),
    priority=4,
)

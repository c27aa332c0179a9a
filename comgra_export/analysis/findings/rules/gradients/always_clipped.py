"""Clipping makes every gradient many times smaller, so that the limit of clipping decides how far each step goes.

The gradients of parameters are recorded after clipping, and those of tensors before. The gradient of a bias is the sum of the gradient of
what its module returned over all samples and positions. The ratio of the two is therefore the factor of clipping.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, gradients_in_training, require_training_steps, usual_training_steps
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, TensorKey

__all__ = ["RULE"]

_RATIO = 10.0
_SHARE = 0.9
# Sums that cancel out nearly, relative to their terms, are not known well.
_LEAST_SUM = 1e-3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    if not any(_changes_by_a_factor(run, position) for position in np.flatnonzero(usual_training_steps(run)).tolist()):
        return
    measured = [ratios for entry in run.network.parameters if (ratios := _ratios(run, entry.name)) is not None]
    if not measured:
        raise NotCheckedError("gradients were scaled before they were recorded, and no layer with a bias shows by how much")
    with np.errstate(all="ignore"):
        of_steps = np.array([np.median(column[~np.isnan(column)]) for column in np.array(measured).T if not np.isnan(column).all()])
    if len(of_steps) < LEAST_STEPS or np.mean(of_steps > _RATIO) <= _SHARE:
        return
    ratio = float(np.median(of_steps))
    step = int(run.numbers[usual_training_steps(run)][0])
    first = next(iter(run.parameters), None)
    names = run.network.optimizers or ()
    yield RULE.finding(
        f"Gradients are about {ratio:,.0f} times smaller after clipping, in {np.mean(of_steps > _RATIO):.0%} of the recorded steps. "
        "The limit of clipping sets the size of the steps.",
        Place("optimizer", names[0].name if names else ""),
        step=step,
        value=ratio,
        limit=_RATIO,
        comparison="clipping is meant for single steps: a ratio of 1 in most",
        evidence=() if first is None else (Evidence(run.gradient_groups[0], first, -1, step, "abs_mean", "The gradient after clipping."),),
    )


def _changes_by_a_factor(run: Run, position: int) -> bool:
    changes = [name for gradients in run.steps[position].gradients for name in gradients.changed_in_place_by or ()]
    return any("mul" in name or "div" in name for name in changes)


def _ratios(run: Run, bias: str) -> Floats | None:
    """`[S]`: for each step the gradient of a bias before clipping, relative to that after; NaN if it is not known there."""
    if not bias.endswith(".bias"):
        return None
    module = bias.removesuffix(".bias")
    made = run.of_type("calculated").items()
    outputs = [key for key, entry in made if entry.module == module and key.name.startswith(f"{module}: output")]
    after = gradients_in_training(run, TensorKey(bias, -1))
    before = gradients_in_training(run, outputs[0]) if len(outputs) == 1 else None
    if after is None or before is None or before.entry.operation not in _ADDS_BIAS or len(after.entry.shape) != 1:
        return None
    ratios = np.full(len(run.steps), np.nan)
    common, in_before, in_after = np.intersect1d(before.positions, after.positions, return_indices=True)
    total = (before.mean * before.sizes)[in_before]
    terms = (before.absolute_mean * before.sizes)[in_before]
    clipped = (after.mean * after.sizes)[in_after]
    is_one_pass = np.array([[each.backward_passes for each in run.steps[position].gradients] == [1] for position in common], bool)
    # A comparison with NaN is false.
    known = is_one_pass & np.isfinite(total) & (np.abs(total) > _LEAST_SUM * terms) & (clipped * total > 0)
    ratios[common[known]] = total[known] / clipped[known]
    return ratios


_ADDS_BIAS = ("AddmmBackward0", "ViewBackward0", "ConvolutionBackward0")

RULE = Rule(
    name="always-clipped",
    title="Clipping makes every gradient much smaller",
    severity=Severity.PROBLEM,
    formula="gradient before clipping / gradient after clipping > 10 in more than 90 % of the recorded steps; measured as (sum of the "
    "gradient of what a layer returned) / (sum of the gradient of its bias), the median over layers with a bias",
    source="own trials: clipping a healthy run at norm 1 stays below",
    needs="gradients of layers with a bias, and what changed gradients in place",
    advice=(
        "Raise the limit of clipping to a multiple of the usual norm of the gradient.",
        "Lower the scale of the loss: average it instead of summing it.",
    ),
    check=_check,
    thresholds=(Threshold("ratio", _RATIO, "own trials"), Threshold("share of the steps", _SHARE, "own trials")),
    explains=(Explains("updates-too-small"), Explains("loss-does-not-fall")),
    priority=2,
)

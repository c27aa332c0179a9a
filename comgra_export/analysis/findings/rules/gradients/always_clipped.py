"""Clipping makes every gradient many times smaller, so that the limit of clipping decides how far each step goes.

The gradients of parameters are recorded after clipping, and those of tensors before. Three things show by how much they were clipped:

- The gradient of a bias is the sum of the gradient of what its module returned over all samples and positions. The ratio of the two is the
  factor of clipping, unless the terms of the sum cancel out.
- Then the sizes of the two are compared. Independent terms have a sum about as large as the root of the sum of their squares, and some
  cancel out. So this ratio must be larger, and all gradients together must have the same norm in every step.
- If values were clipped one by one, nearly all of them have the same magnitude.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, sqrt

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.gradients.exploding_gradient import NORM, RATIO
from comgra_export.analysis.findings.rules.steps import (
    LEAST_STEPS,
    gradients_in_training,
    require_training_steps,
    usual_training_steps,
    values_in_training,
)
from comgra_export.analysis.findings.rules.weights import weights
from comgra_export.analysis.findings.rules.wording import names_of, share_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_RATIO = 10.0
_RATIO_OF_NORMS = 100.0
_SHARE = 0.9
# Sums that cancel out nearly, relative to their terms, are not known well.
_LEAST_SUM = 1e-3
# Norms, or largest values, that differ by less are the limit of clipping.
_SAME = 1e-3
# The share of values below the limit is not known better.
_LEAST_FREE = 1e-3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    usual = np.flatnonzero(usual_training_steps(run)).tolist()
    if any(_is_unscaled_first(run, position) for position in usual):
        raise NotCheckedError("a GradScaler divided the gradients before they were clipped, and its scale is not known")
    by_factor = any(_is_changed_by(run, position, "mul", "div") for position in usual)
    by_value = any(_is_changed_by(run, position, "clamp", "clip") for position in usual)
    if not by_factor and not by_value:
        return
    measured = [] if not by_factor else [ratios for entry in run.network.parameters if (ratios := _ratios(run, entry.name)) is not None]
    of_steps = _medians(measured)
    limit = _RATIO
    if by_value and not by_factor and not _of_parameters(run):
        raise NotCheckedError("gradients were clamped before they were recorded, and not all of them are known in the same steps")
    if len(of_steps) < LEAST_STEPS and by_value:
        of_steps = _ratios_of_values(run)
    elif len(of_steps) < LEAST_STEPS:
        measured = [ratios for entry in run.network.parameters if (ratios := _ratios(run, entry.name, of_norms=True)) is not None]
        of_steps, limit = _medians(measured) if _have_one_norm(run) else np.array([]), _RATIO_OF_NORMS
    if by_factor and not measured:
        raise NotCheckedError("gradients were scaled before they were recorded, and no layer with a bias shows by how much")
    if len(of_steps) < LEAST_STEPS or np.mean(of_steps > limit) <= _SHARE:
        return
    ratio = float(np.median(of_steps))
    step = as_step(run.numbers[usual_training_steps(run)][0])
    first = next(iter(run.parameters), None)
    names = run.network.optimizers or ()
    exploded = _exploded(run, ratio) if by_factor else []
    where = f" Before, the gradient of {names_of(exploded)} is many times as large as the weight." if exploded else ""
    yield RULE.finding(
        f"Clipping makes gradients about {ratio:,.0f} times smaller, in {share_of(float(np.mean(of_steps > limit)), 'recorded steps')}. "
        f"So the limit of clipping sets how far each step goes.{where}",
        *(Place("parameter", name) for name in exploded),
        Place("optimizer", names[0].name if names else ""),
        step=step,
        value=ratio,
        limit=limit,
        comparison="Clipping is meant for single steps. In most steps, the ratio should be 1.",
        evidence=() if first is None else (Evidence(run.gradient_groups[0], first, -1, step, "abs_mean", "The gradient after clipping."),),
    )


def _exploded(run: Run, ratio: float) -> list[str]:
    """The weights whose gradients would explode without clipping, the worst first. Then the network is at fault, and not the limit."""
    sizes = {}
    for name in weights(run):
        gradient, weight = gradients_in_training(run, TensorKey(name, -1)), values_in_training(run, TensorKey(name, -1))
        if gradient is not None and weight is not None:
            norm, of_weight = ratio * float(np.nanmedian(gradient.norm)), float(np.nanmedian(weight.norm))
            if norm > NORM and norm > RATIO * of_weight > 0:
                sizes[name] = norm / of_weight
    return sorted(sizes, key=sizes.__getitem__, reverse=True)


def _is_changed_by(run: Run, position: int, *words: str) -> bool:
    changes = [name for gradients in run.steps[position].gradients for name in gradients.changed_in_place_by or ()]
    return any(word in name for name in changes for word in words)


def _is_unscaled_first(run: Run, position: int) -> bool:
    """Whether a `GradScaler` has divided gradients before anything else changed them: those of tensors keep its scale."""
    changes = [gradients.changed_in_place_by for gradients in run.steps[position].gradients if gradients.changed_in_place_by]
    return any("unscale" in names[0] for names in changes)


def _medians(measured: list[Floats]) -> Floats:
    """Per step the median over layers, without the steps that no layer knows."""
    columns = np.array(measured).T if measured else np.empty((0, 0))
    return np.array([np.median(column[~np.isnan(column)]) for column in columns if not np.isnan(column).all()])


def _of_parameters(run: Run) -> list[Series]:
    """The gradients of the parameters, if all of them are known in the same steps."""
    names = [entry.name for entry in run.network.parameters if entry.alias_of is None]
    known = [series for name in names if (series := gradients_in_training(run, TensorKey(name, -1))) is not None]
    return known if known and all(np.array_equal(series.steps, known[0].steps) for series in known) else []


def _have_one_norm(run: Run) -> bool:
    """Whether all gradients together have the same norm in nine of ten steps: the limit of clipping."""
    gradients = _of_parameters(run)
    if not gradients:
        return False
    norms = np.sqrt(np.sum([series.norm**2 for series in gradients], axis=0))
    return bool(np.mean(np.abs(norms / np.median(norms) - 1) < _SAME) > _SHARE) if np.median(norms) > 0 else False


def _ratios_of_values(run: Run) -> Floats:
    """`[S]`: per step by how much values are smaller after they were clipped one by one, the median over parameters.

    With normally distributed values of deviation d, clipping at c leaves a mean magnitude of c (1 - c / (d sqrt(2 pi))), if c is small.
    """
    gradients = _of_parameters(run)
    largest = np.array([series.largest_magnitude for series in gradients])
    if not gradients or not np.median(largest) > 0 or not np.mean(np.abs(largest / np.median(largest) - 1) < _SAME) > _SHARE:
        return np.array([])
    # 0 / 0 for a gradient that is zero everywhere, which says nothing.
    with np.errstate(invalid="ignore"):
        free = 1 - np.array([series.absolute_mean for series in gradients]) / largest
    return _medians(list(1 / (sqrt(2 * pi) * np.maximum(free, _LEAST_FREE))))


def _ratios(run: Run, bias: str, *, of_norms: bool = False) -> Floats | None:
    """`[S]`: for each step the gradient of a bias before clipping, relative to that after; NaN if it is not known there.

    With `of_norms`, the norm of the gradient of what the module returned is taken for the one before.
    """
    if not bias.endswith(".bias"):
        return None
    module = bias.removesuffix(".bias")
    made = run.of_type("calculated").items()
    outputs = [key for key, entry in made if entry.module == module and key.name.startswith(f"{module}: output")]
    after = gradients_in_training(run, TensorKey(bias, -1))
    before = gradients_in_training(run, outputs[0]) if len(outputs) == 1 else None
    if after is None or before is None or not _adds_bias(run, module, before) or len(after.entry.shape) != 1:
        return None
    ratios = np.full(len(run.steps), np.nan)
    common, in_before, in_after = np.intersect1d(before.positions, after.positions, return_indices=True)
    total = (before.mean * before.sizes)[in_before]
    terms = (before.absolute_mean * before.sizes)[in_before]
    clipped = (after.mean * after.sizes)[in_after]
    is_one_pass = np.array([[each.backward_passes for each in run.steps[position].gradients] == [1] for position in common], bool)
    if of_norms:
        with np.errstate(all="ignore"):
            relative = before.norm[in_before] / after.norm[in_after]
        known = is_one_pass & np.isfinite(relative)
        ratios[common[known]] = relative[known]
        return ratios
    # A comparison with NaN is false.
    known = is_one_pass & np.isfinite(total) & (np.abs(total) > _LEAST_SUM * terms) & (clipped * total > 0)
    ratios[common[known]] = total[known] / clipped[known]
    return ratios


def _adds_bias(run: Run, module: str, output: Series) -> bool:
    """Whether adding the bias is all that a module does last, so that the gradient of the bias is the sum of that of the output."""
    types = {entry.name: entry.type for entry in run.network.modules}
    # Inputs that are no single block in memory, such as what an LSTM with `batch_first` returns, are multiplied first.
    is_linear = output.entry.operation == "AddBackward0" and types.get(module) == "Linear"
    return is_linear or output.entry.operation in {"AddmmBackward0", "ViewBackward0", "ConvolutionBackward0"}


RULE = Rule(
    name="always-clipped",
    title="Clipping makes every gradient much smaller",
    severity=Severity.PROBLEM,
    formula="gradient before clipping / after it > 10 in more than 90 % of the recorded steps: (sum of the gradient of a layer's result) "
    "/ (sum of its bias's gradient), the median over layers. If sums cancel out: norms instead of sums, > 100, and all gradients "
    "together keep one norm. If values are clipped: estimated from the share at the limit",
    source="own trials: clipping a healthy run at norm 1 stays below",
    needs="gradients of layers with a bias, and what changed gradients in place",
    advice=(
        "Raise the limit of clipping to a multiple of the usual norm of the gradient.",
        "Lower the scale of the loss: average it instead of summing it.",
    ),
    wrong_if="The norm of all gradients before clipping is within ten times the limit of clipping.",
    check=_check,
    thresholds=(
        Threshold("ratio", _RATIO, "own trials"),
        Threshold("ratio of norms", _RATIO_OF_NORMS, "own choice: leaves a factor of 10 for terms that cancel out"),
        Threshold("share of the steps", _SHARE, "own trials"),
    ),
    explains=(Explains("updates-too-small"), Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=2,
)

"""More and more units hardly respond to anything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.units import unit_values
from comgra_export.analysis.findings.rules.loss_curve import start_and_end
from comgra_export.analysis.findings.rules.losses import loss_uses
from comgra_export.analysis.findings.rules.steps import require_training_steps, values_in_training
from comgra_export.analysis.findings.rules.supervised import SUPERVISED
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_DORMANT = 0.025
_BEFORE = 0.2
_AFTER = 0.65
_FALLEN = Threshold("loss of predictions at the end / at the start, below which nobody misses the units", 0.8, "own choice")
_STEPS = 5
_LEAST_STEPS = 6
_LEAST_UNITS = 8


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run, _LEAST_STEPS)
    any_known = False
    is_harmless = _learns(run)
    for key in run.of_type("calculated"):
        series = values_in_training(run, key) if key.iteration >= 0 else None
        if series is None or len(series) < _LEAST_STEPS:
            continue
        count = min(_STEPS, len(series) // 2)
        before, after = _dormant_share(run, key, series, slice(count)), _dormant_share(run, key, series, slice(-count, None))
        if before is None or after is None:
            continue
        any_known = True
        if before < _BEFORE and after > _AFTER:
            step = as_step(series.steps[-count])
            yield RULE.finding(
                f"{after:.0%} of the units of `{key.name}` hardly respond at the end, and {before:.0%} at the start."
                + (" The loss falls anyway." if is_harmless else ""),
                Place("tensor", *key),
                step=step,
                value=after,
                limit=_AFTER,
                comparison=f"At the start, the share is {before:.2g}.",
                severity=Severity.INFORMATION if is_harmless else None,
                evidence=(Evidence(FORWARD, *key, step, "abs_mean", "The mean magnitude over the steps."),),
            )
    if not any_known:
        raise NotCheckedError("no statistics of single units were recorded in enough steps")


def _learns(run: Run) -> bool:
    """Whether the results of all loss functions of predictions fall. What else is minimized, such as a penalty, may quiet units itself."""
    try:
        results = {TensorKey(*use.call.result) for use in loss_uses(run, SUPERVISED) if use.call.result is not None}
    except NotCheckedError:
        return False
    known = [series for key in results if (series := values_in_training(run, key)) is not None]
    losses = [start_and_end(series.mean) for series in known]
    return bool(losses) and all(loss is not None and loss.end < _FALLEN.value * loss.start for loss in losses)


def _dormant_share(run: Run, key: TensorKey, series: Series, steps: slice) -> float | None:
    """The share of units whose mean magnitude over some steps is far below that of all units; None if it is not known."""
    known = [unit_values(run, key, position) for position in series.positions[steps].tolist()]
    means = [each.mean_magnitude for each in known if each is not None and each.mean_magnitude is not None]
    if len(means) < len(known) or len({len(mean) for mean in means}) != 1 or len(means[0]) < _LEAST_UNITS:
        return None
    mean = np.mean(means, axis=0)
    return float((mean <= _DORMANT * mean.mean()).mean()) if np.isfinite(mean).all() and mean.any() else None


RULE = Rule(
    name="dormant-units",
    title="Units become inactive",
    severity=Severity.PROBLEM,
    formula="share of units with mean magnitude / mean over units <= 0.025: below 20 % in the first half of the steps, at most five, and "
    "above 65 % in as many at the end; for results of ReLU, GELU and similar functions, and for tensors without negative values. "
    "Information only if the loss of predictions fell by a fifth",
    source="Sokar et al. 2023 (0.025)",
    needs="statistics of single units in 6 training steps",
    advice=("Lower the learning rate.", "Add normalization.", "If the task changes over time, reset dormant units."),
    wrong_if="The output changes when the inactive units are set to 0.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(
        Threshold("activity of a dormant unit", _DORMANT, "Sokar et al. 2023"),
        Threshold("share at the start", _BEFORE, "own choice"),
        Threshold("share at the end", _AFTER, "own trials: healthy runs have 55 % at most"),
        _FALLEN,
    ),
    explains=(Explains("zero-gradient"), Explains("loss-does-not-fall")),
    priority=4,
)

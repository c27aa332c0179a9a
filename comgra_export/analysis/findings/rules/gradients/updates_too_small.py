"""Steps hardly change the weights, and the loss stays where it was; or they no longer change them at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import has_converged, loss_at_start_and_end
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, require_training_steps, usual_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD

__all__ = ["RULE"]

_RATIO = 1e-5
_SHARE = 0.8
_LOSS = 0.98
# Half of the distance between two numbers of float32: a smaller change leaves a weight as it is.
_ROUNDING = 2.0**-24
_SHARE_OF_RUN = 0.5
_LEAST_LATE = 3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    ended = _end_of_training(run)
    if ended is not None:
        yield ended
        return
    loss = loss_at_start_and_end(run)
    if loss is None:
        raise NotCheckedError("the loss was not recorded")
    largest = {}
    for name, history in weight_histories(run).items():
        _, ratios = update_ratios(history)
        # An optimizer that steps outside the recorded steps, or in every n-th only, is not slow.
        if len(ratios):
            largest[name] = float("inf") if _moves_between(history) else float(np.quantile(ratios, 0.9))
    if not largest:
        raise NotCheckedError("no updates of weights were recorded")
    small = sorted((name for name, ratio in largest.items() if ratio < _RATIO), key=largest.__getitem__)
    if len(small) < _SHARE * len(largest) or loss.start <= 0 or loss.end <= _LOSS * loss.start:
        return
    ratio = float(np.median([largest[name] for name in small]))
    changes = f"change by {ratio:.1g} of their size" if ratio else "do not change"
    step = int(run.parameters[small[0]].steps[0])
    optimizers = run.network.optimizers or ()
    yield RULE.finding(
        f"In a step, {len(small)} of {len(largest)} weights {changes}. The loss is {loss.start:.3g} at the "
        f"start, and {loss.end:.3g} at the end.",
        Place("optimizer", optimizers[0].name if optimizers else ""),
        *(Place("parameter", name) for name in small),
        step=step,
        value=ratio,
        limit=_RATIO,
        comparison="About 0.001 is typical.",
        evidence=(Evidence(FORWARD, small[0], -1, step, "abs_mean", "The size of the weight over the steps."),),
    )


def _end_of_training(run: Run) -> Finding | None:
    """The step from which on no weight changes any more, if more than half of the run comes after it."""
    histories = {name: history for name, history in weight_histories(run).items() if len(history.steps) >= LEAST_STEPS}
    begins = []
    for history in histories.values():
        changes = (history.update_norm > _ROUNDING * history.norm).nonzero()[0]
        first = int(changes[-1]) + 1 if len(changes) else 0
        # It has changed before, and does not change outside the recorded steps either.
        if 0 < first < len(history.steps) and np.ptp(history.norm[first:]) <= _ROUNDING * history.norm[first]:
            begins.append(int(history.steps[first]))
    if not begins or len(begins) < len(histories) or has_converged(run):
        return None
    since, last = max(begins), int(run.numbers[-1])
    if last - since <= _SHARE_OF_RUN * last or (run.numbers[usual_training_steps(run)] >= since).sum() < _LEAST_LATE:
        return None
    rates = [rate for step in (run.steps[0], run.steps[-1]) for rate in (step.learning_rates or ((),))[0][:1]]
    optimizers = run.network.optimizers or ()
    return RULE.finding(
        f"No weight changes any more from step {since} on, of {last} steps."
        + (f" The learning rate is {rates[1]:.3g} at the end, and {rates[0]:.3g} at the start." if len(rates) > 1 else ""),
        Place("optimizer", optimizers[0].name if optimizers else ""),
        *(Place("parameter", name) for name in histories),
        step=since,
        value=max(_largest_change(history, since) for history in histories.values()),
        limit=_ROUNDING,
        comparison="About 0.001 is typical, and a smaller change than the limit is lost in rounding.",
        evidence=(Evidence(FORWARD, next(iter(histories)), -1, since, "abs_mean", "The size of the weight over the steps."),),
    )


def _largest_change(history: ParameterHistory, since: int) -> float:
    """The largest update of a weight from a step on, relative to its size."""
    late = history.steps >= since
    sizes = np.maximum(history.norm[late], np.finfo(np.float32).tiny)
    return float(np.max(history.update_norm[late] / sizes, initial=0.0))


def _moves_between(history: ParameterHistory) -> bool:
    """Whether the norm changes by more than small updates in every step of the loop could explain."""
    steps = int(history.steps[-1] - history.steps[0]) + 1
    return bool(np.ptp(history.norm) > _RATIO * steps * history.norm.max())


RULE = Rule(
    name="updates-too-small",
    title="Steps hardly change the weights",
    severity=Severity.PROBLEM,
    formula="norm(update) / norm(weight) < 1e-5 in nine of ten steps, for at least 80 % of the weights, and the loss over the last 20 % of "
    "the steps > 0.98 of that over the first 5 %. Or all weights changed at first, and change by less than float32 can hold in more than "
    "half of the run, although the loss is above a tenth of what it was",
    source="own trials: healthy runs have 9e-6 at least; TheDeepChecker has 1e-4",
    needs="norms of updates in 5 training steps, and the loss",
    advice=(
        "Raise the learning rate.",
        "Check that the schedule of the learning rate does not end at 0.",
        "Check that clipping is not far below the usual norm of the gradient.",
    ),
    check=_check,
    thresholds=(
        Threshold("update ratio", _RATIO, "own trials"),
        Threshold("update ratio of a weight that does not change", _ROUNDING, "the precision of float32"),
        Threshold("share of the run without a change", _SHARE_OF_RUN, "own choice"),
        Threshold("share of the weights", _SHARE, "own trials"),
        Threshold("loss at the end, relative to the start", _LOSS, "own trials"),
    ),
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=4,
)

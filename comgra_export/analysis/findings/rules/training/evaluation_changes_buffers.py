"""Evaluations that change running statistics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.rules.modes import has_several_networks
from comgra_export.analysis.findings.rules.parameters import moves
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import parts_of_step, step_in_words

__all__ = ["RULE"]

# How statistics over the course of training are called. Other buffers, such as caches, are there to be changed.
_RUNNING = ("running", "num_batches_tracked", "moving", "ema", "cluster_size", "embed_avg")


def _check(run: Run) -> Iterator[Finding]:
    names = {entry.name for entry in run.network.parameters}
    buffers = [
        (key, series)
        for key, entry in run.tensors.items()
        if key.iteration == -1 and key.name not in names and entry.type != "parameter" and any(word in key.name for word in _RUNNING)
        if (series := run.values(key)) is not None
    ]
    if not buffers:
        raise NotCheckedError(
            "no running statistics of watched modules were recorded",
            lacks="network",
            applies=not any(any(step.calls) for step in run.steps),
        )
    pairs = [(p, p + 1) for p in range(len(run.steps) - 1) if not run.is_training[p] and _is_next(run, p) and _rested(run, p)]
    if not pairs:
        raise NotCheckedError("no evaluation is followed by a recorded step before the parameters change", lacks="evaluations")
    changed: dict[TensorKey, float] = {}
    for key, series in buffers:
        for before, after in pairs:
            if key not in changed and _differs(series, before, after):
                changed[key] = run.steps[before].step
    if changed:
        first = next(iter(changed))
        yield RULE.finding(
            f"The evaluation ({step_in_words(changed[first])}) changed {names_of([key.name for key in changed])}. "
            "So evaluations influence the "
            "network.",
            *(Place("tensor", *key) for key in changed),
            step=changed[first],
            severity=Severity.INFORMATION if has_several_networks(run) else None,
            evidence=(Evidence(FORWARD, *first, changed[first], "mean", "It changes, although no parameter does."),),
        )


def _is_next(run: Run, position: int) -> bool:
    """Whether no training step can lie between an evaluation and the next recorded step.

    The numbers of detected steps show it. Those of steps by hand do not, but training would have changed parameters.
    """
    trained, evaluation = parts_of_step(run.steps[position].step)
    if evaluation:
        return parts_of_step(run.steps[position + 1].step)[0] == trained
    return any(moves(run, name) for name in run.parameters)


def _rested(run: Run, position: int) -> bool:
    """Whether all parameters are known at a step and the next, and equal."""
    pairs = [history.norm[np.isin(history.positions, [position, position + 1])] for history in run.parameters.values()]
    return bool(pairs) and all(len(norms) == 2 and norms[0] == norms[1] for norms in pairs)


def _differs(series: Series, before: int, after: int) -> bool:
    chosen = series.at(np.isin(series.positions, [before, after]))
    if len(chosen) != 2 or not chosen.is_finite.all():
        return False
    return not (np.array_equal(chosen.extrema[0], chosen.extrema[1]) and chosen.mean[0] == chosen.mean[1])


RULE = Rule(
    name="evaluation-changes-buffers",
    title="An evaluation changes running statistics",
    severity=Severity.PROBLEM,
    formula="running statistics differ between the beginning of an evaluation and that of the next recorded step, and no parameter does. "
    "Information only if several networks are recorded, as in a GAN",
    source="exact; TrainCheck (transformers 33844)",
    needs="buffers of watched modules, and parameters in evaluations",
    advice=("Call `model.eval()` before an evaluation.", "Update running statistics of your own only `if self.training`."),
    wrong_if="The buffers are the same before and after an evaluation.",
    check=_check,
    priority=2,
)

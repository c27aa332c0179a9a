"""Parameters have different values on different ranks."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_MOST_NAMES = 5


def _check(run: Run) -> Iterator[Finding]:
    if len(run.ranks) < 2:
        raise NotCheckedError("one rank was recorded only", applies=False)
    parameters = run.of_type("parameter")
    if not parameters:
        raise NotCheckedError("no parameter was recorded", lacks="parameters")
    since: dict[TensorKey, float] = {}
    for key in parameters:
        series = run.values(key)
        if series is not None and series.ranks_differ.any():
            since[key] = as_step(series.steps[series.ranks_differ][0])
    if not since:
        return
    step = min(since.values())
    first = [key for key in since if since[key] == step]
    yield RULE.finding(
        f"{len(since)} of {len(parameters)} parameters do not have the same values on all {len(run.ranks)} ranks, since "
        f"{step_in_words(step)}: "
        f"{', '.join(f'`{key.name}`' for key in first[:_MOST_NAMES])}{', ...' if len(since) > min(len(first), _MOST_NAMES) else ''}.",
        *(Place("parameter", key.name) for key in [*first, *(key for key in since if key not in first)]),
        step=step,
        evidence=(Evidence(FORWARD, *first[0], step, None, "The parameter."),),
    )


RULE = Rule(
    name="ranks-differ",
    title="Parameters differ between ranks",
    severity=Severity.PROBLEM,
    formula="a parameter that is not sharded has other values on another rank, bit by bit, in a recorded step",
    source="exact; TrainCheck (parameters of replicas)",
    needs="the recordings of several ranks, and parameters",
    advice=(
        "Wrap the network in `DistributedDataParallel`, so that gradients are averaged.",
        "Start all ranks from the same weights.",
        "Mute the rule for parameters that belong to one rank, such as those of experts.",
    ),
    wrong_if="The parameters are equal when the ranks are compared at the same step, or belong to one rank on purpose.",
    check=_check,
    explains=(Explains("diverging-loss"), Explains("oscillating-loss"), Explains("loss-does-not-fall")),
    priority=1,
)

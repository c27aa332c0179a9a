"""Backward passes compute gradients, and no optimizer ever makes a step with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import moves, received_gradients, trainable
from comgra_export.analysis.findings.rules.steps_to_loss import steps_to_loss
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD

__all__ = ["RULE"]

_PASSES = Threshold("backward passes", 5, "exact; as many as other rules need steps")


def _check(run: Run) -> Iterator[Finding]:
    passes = [_backward_passes(run, int(position)) for position in np.flatnonzero(run.is_training)]
    count = sum(passes)
    if run.network.optimizers:
        return
    names = [name for name in trainable(run) if name in run.parameters]
    # Gradients may be cleared again when they are recorded: then the graph shows where they went.
    reached = {key.name for step in steps_to_loss(run) for key in step.reached if key.iteration < 0}
    with_gradient = [name for name in names if name in reached or (received_gradients(run, name).largest > 0).any()]
    if not with_gradient or any(moves(run, name) for name in names):
        return
    if count < _PASSES.value:
        seen = f"only {count} backward pass{' was' if count == 1 else 'es were'} seen"
        raise NotCheckedError(f"{seen}, and it needs {_PASSES.value}", lacks="training steps")
    step = int(run.numbers[run.is_training][0])
    yield RULE.finding(
        f"The recorded steps have {count} backward passes, which compute gradients for {len(with_gradient)} parameters, and no optimizer "
        "made a step with any of them: no parameter changed.",
        Place("optimizer"),
        *(Place("parameter", name) for name in with_gradient),
        step=step,
        evidence=(Evidence(FORWARD, with_gradient[0], -1, step, "abs_mean", "The values stay the same."),),
        # Gradients that are cleared between the passes are not gathered for one step that is yet to come.
        severity=None if len(passes) > 1 or _are_cleared(run, count) else Severity.PROBLEM,
    )


def _backward_passes(run: Run, position: int) -> int:
    """How many backward passes of a step are known: one for each iteration that has a loss of its own, or those that were counted."""
    step = run.steps[position]
    roots = len({root.iteration for root in step.backward_roots})
    return max([roots, *(facts.backward_passes or 0 for facts in step.gradients)])


def _are_cleared(run: Run, passes: int) -> bool:
    """Whether the gradients at the end are the sum of fewer backward passes than there were."""
    counted = [facts.backward_passes for step in run.steps for facts in step.gradients if facts.backward_passes is not None]
    return bool(counted) and sum(counted) < passes


RULE = Rule(
    name="optimizer-never-steps",
    title="No optimizer ever makes a step",
    severity=Severity.BUG,
    formula="at least 5 backward passes compute gradients of parameters that are not zero, no optimizer was named or seen to make a step "
    "with a parameter of the network, and no parameter changes. A problem only if all of these may be one step that gathers gradients: "
    "they are never cleared",
    source="exact; Stack Overflow and the PyTorch forum (`optimizer.step()` is missing)",
    needs="backward passes, graphs that lead to the loss or gradients, and norms of updates",
    advice=(
        "Call `optimizer.step()` after each `backward()`. A scheduler's `step()` changes learning rates only.",
        "Create the optimizer from the parameters of this network, and not from those of a copy.",
    ),
    wrong_if="The parameters have other values after the run than before, or the gradients alone are what the script is after.",
    check=_check,
    thresholds=(_PASSES,),
    explains=(Explains("gradients-left-over"), Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=0,
)

"""Gradients that are cleared before the optimizer uses them: all of them, or those of some batches of an accumulation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import moment
from comgra_export.analysis.findings.rules.parameters import lost_gradients
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.findings.rules.wording import names_of, share_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import StepDescription
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_STEPS = Threshold("training steps", 5, "own choice: as for the other rules about steps")
_SHARE = Threshold("share of training steps", 0.9, "own choice")


def _check(run: Run) -> Iterator[Finding]:
    every = _every_gradient(run)
    if every is not None:
        yield every
        return
    if len(run.network.optimizers or ()) != 1:
        raise NotCheckedError("there is no optimizer, or several of them take turns", lacks="optimizer", applies=not run.network.optimizers)
    # Perturbed copies of a batch, as in adversarial training, are not meant to add up, and the gradient of a single sample may be read, as
    # differential privacy does it.
    several = [
        position
        for position in np.flatnonzero(usual_training_steps(run)).tolist()
        if _backward_passes(run.steps[position]) > 1 and _have_other_targets(run, position) and run.steps[position].batch_size != 1
    ]
    if len(several) < _STEPS.value:
        raise NotCheckedError(f"fewer than {_STEPS.value} training steps compute several losses of different targets", applies=False)
    kept = {position: _passes_in_gradients(run.steps[position]) for position in several}
    cleared = [position for position, passes in kept.items() if passes is not None and passes < _backward_passes(run.steps[position])]
    share = len(cleared) / len(several)
    if share < _SHARE.value:
        return
    step = run.steps[cleared[0]]
    yield RULE.finding(
        f"Step {step.step:.0f} has {_backward_passes(step)} backward passes, each for another batch, and the gradients that the optimizer "
        f"uses are those of {_passes_in_gradients(step)}. The others were cleared before. This is so in "
        f"{share_of(share, 'such steps')}.",
        Place("optimizer", (run.network.optimizers or ())[0].name),
        step=step.step,
    )


def _every_gradient(run: Run) -> Finding | None:
    """All parameters that an optimizer holds, if none has a gradient when it makes its step although backward passes reached them."""
    positions = np.flatnonzero(run.is_training)
    lost = lost_gradients(run) if len(positions) >= _STEPS.value else []
    if not lost:
        return None
    result = run.graph(int(positions[0])).children[TensorKey(lost[0], -1)][0]
    step = as_step(run.numbers[positions[0]])
    return RULE.finding(
        f"In all {len(positions)} recorded training steps, the backward pass gave {names_of([result.name])} a gradient, and none of the "
        "parameters of the optimizer has one when it makes its step. They were cleared in between.",
        *(Place("parameter", name) for name in lost),
        step=step,
        evidence=(Evidence(run.gradient_groups[0], *result, step, "abs_mean", "The gradient of what is computed from the parameter."),),
    )


def _backward_passes(step: StepDescription) -> int:
    """In how many calls of the network a backward pass began."""
    return len({root.iteration for root in step.backward_roots})


def _passes_in_gradients(step: StepDescription) -> int | None:
    """Of how many backward passes gradients are the sum; None if it is not known."""
    known = [facts.backward_passes for facts in step.gradients if facts.backward_passes is not None]
    return max(known) if known and len(known) == len(step.gradients) else None


def _have_other_targets(run: Run, position: int) -> bool:
    """Whether the losses of a step compare with different targets."""
    means = set()
    for call in run.steps[position].losses:
        series = None if call.target is None else moment(run, TensorKey(*call.target), position)
        if series is not None:
            means.add((float(series.mean[0]), float(series.root_mean_square[0])))
    return len(means) > 1


RULE = Rule(
    name="gradients-cleared-early",
    title="Gradients are cleared before they are used",
    severity=Severity.BUG,
    formula="in 5 or more training steps, no parameter of the optimizers has a gradient at its step, or only zeros, although what is "
    "computed from them has one; or the gradients are the sum of fewer backward passes than calls of the network had, with different "
    "targets and more than one sample",
    source="exact; PyTorch forum (gradient accumulation)",
    needs="calls of loss functions, and gradients; one optimizer",
    advice=(
        "Call `zero_grad()` before `backward()`, or after the optimizer's step, and nowhere in between.",
        "In an accumulation, do not call it for each batch.",
    ),
    wrong_if="The gradient before the update is the sum of those of all batches.",
    check=_check,
    thresholds=(_STEPS, _SHARE),
    explains=(Explains("updates-too-small"), Explains("loss-does-not-fall")),
    priority=0,
)

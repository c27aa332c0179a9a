"""Parameters that have gradients and never change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import (
    moves,
    received_gradients,
    require_gradients,
    share_of_turns,
    trainable,
    unchanged,
)
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold("share of training steps with a gradient", 0.5, "trials on 110 small programs")
_GRADIENT = Threshold("root mean square of the gradient, if an optimizer holds it or none is known", 1e-6, "trials on 110 small programs")
_EARLY = Threshold("steps of an optimizer before any backward pass", 5, "exact")
_HALF = {"F16", "BF16"}


def _check(run: Run) -> Iterator[Finding]:
    too_early = list(_stepped_too_early(run))
    if too_early:
        yield from too_early
        return
    require_gradients(run)
    if not any((history.update_norm > 0).any() for history in run.parameters.values()):
        raise NotCheckedError("no parameter changed in a recorded step")
    names = [name for name in trainable(run) if name in run.parameters]
    still = [name for name in names if _stays(run, name)]
    if not still:
        yield from _without_rate(run, names)
        unknown = [name for name in names if np.isnan(run.parameters[name].update_norm).all()]
        if unknown:
            raise NotCheckedError(f"whether {names_of(unknown)} change{'' if len(unknown) > 1 else 's'} is not known")
        return
    step = as_step(received_gradients(run, still[0]).steps[0])
    outside = run.optimized is not None and not run.optimized.intersection(still)
    are_several = len(still) > 1
    reason = f" No optimizer that makes steps holds {'them' if are_several else 'it'}." if outside else ""
    # People who train a small part of a network often leave the rest out of the optimizer, and not out of autograd.
    is_most = len(still) > sum(moves(run, name) for name in names)
    yield RULE.finding(
        f"{names_of(still)} {'have gradients' if are_several else 'has a gradient'} in the recorded steps, and "
        f"{'their' if are_several else 'its'} values never change.{reason}",
        *(Place("parameter", name) for name in still),
        step=step,
        evidence=unchanged(run, still[0], step, "The gradient is not 0."),
        severity=Severity.INFORMATION if is_most else None,
    )


def _stepped_too_early(run: Run) -> Iterator[Finding]:
    """Every recorded update came before a backward pass, and no parameter ever changed."""
    early = [step.step for step in run.steps if step.gradients and all(facts.backward_passes == 0 for facts in step.gradients)]
    names = [name for name in trainable(run) if name in run.parameters and run.optimized is not None and name in run.optimized]
    updates = [step for step in run.steps if step.gradients]
    if len(early) < _EARLY.value or len(early) < len(updates) or not names or any(moves(run, name) for name in names):
        return
    yield RULE.finding(
        f"The optimizer steps before the backward pass, in all {len(early)} recorded steps: there are no gradients yet. So "
        f"{names_of(names)} never change{'' if len(names) > 1 else 's'}.",
        *(Place("parameter", name) for name in names),
        step=early[0],
    )


def _without_rate(run: Run, names: list[str]) -> Iterator[Finding]:
    """Parameters with a learning rate of 0 in all steps, beside others that have one and change."""
    without = [name for name in names if not moves(run, name) and _has_no_learning_rate(run, name)]
    received = {name: received_gradients(run, name) for name in without}
    learning = [name for name in without if len(received[name]) and (received[name].largest > 0).mean() > _SHARE.value]
    if not learning or len(learning) > sum(moves(run, name) for name in names):
        return
    yield RULE.finding(
        f"The learning rate of {names_of(learning)} is 0 in all recorded steps, although backward passes compute gradients for "
        f"{'it' if len(learning) == 1 else 'them'} and other parameters change.",
        *(Place("parameter", name) for name in learning),
        step=as_step(received[learning[0]].steps[0]),
        severity=Severity.SYMPTOM,
    )


def _stays(run: Run, name: str) -> bool:
    """Whether a parameter has a gradient in most steps, and neither they nor any others change it, while others change."""
    received, history = received_gradients(run, name), run.parameters[name]
    if not len(received) or moves(run, name) or _has_no_learning_rate(run, name):
        return False
    is_outside = run.optimized is not None and name not in run.optimized
    size = np.sqrt(max(1, int(np.prod(history.entry.shape))))
    # If several optimizers take turns, it may get gradients in those of others.
    turns = set() if is_outside else _steps_with_updates(run, _held_with(run, name))
    has_one = received.largest > 0
    if turns:
        has_one &= np.isin(received.steps, list(turns))
    if not has_one.any() or has_one.sum() <= (_SHARE.value * len(turns) if turns else share_of_turns(run) * len(received)):
        return False
    if not is_outside and (history.entry.dtype in _HALF or float(np.nanmedian(received.norm[has_one])) / size <= _GRADIENT.value):
        return False
    return _steps_with_updates(run, run.parameters).issuperset(received.steps[has_one].tolist())


def _steps_with_updates(run: Run, names: Iterable[str]) -> set[float]:
    """The recorded steps in which one of some parameters changes."""
    histories = [run.parameters[name] for name in names if name in run.parameters]
    return {as_step(step) for history in histories for step in history.steps[history.update_norm > 0]}


def _held_with(run: Run, name: str) -> set[str]:
    """The parameters of the optimizers that hold a parameter."""
    names = [entry.name for entry in run.network.parameters]
    held = [{names[place] for group in optimizer.groups for place in group.parameters} for optimizer in run.network.optimizers or ()]
    return set().union(*(each for each in held if name in each))


def _has_no_learning_rate(run: Run, name: str) -> bool:
    """Whether the learning rate of a parameter is known and 0 in all steps."""
    rates = []
    position = next(place for place, entry in enumerate(run.network.parameters) if entry.name == name)
    for number, optimizer in enumerate(run.network.optimizers or ()):
        for place, group in enumerate(optimizer.groups):
            if position in group.parameters:
                known = [step.learning_rates for step in run.steps if step.learning_rates is not None]
                rates += [step[number][place] for step in known if number < len(step) and place < len(step[number])]
    return bool(rates) and not any(rates)


RULE = Rule(
    name="never-updated",
    title="A parameter has gradients and never changes",
    severity=Severity.BUG,
    formula="the gradient is not zero in over half of the steps in which its optimizer changes others, and the parameter never "
    "changes (information for most). Or no parameter changes, without a backward pass before any of 5 updates. Left out: "
    "tiny gradients, half precision. A symptom: a learning rate of 0, for less than half of all",
    source="exact; TrainCheck (PyTorch forum 84911, mmpretrain 702)",
    needs="gradients, and norms of updates",
    advice=(
        "Pass all parameters to the optimizer: `model.parameters()`.",
        "Create the optimizer after all layers are in the model, and call its `step()` after `backward()`.",
        "Set `requires_grad_(False)` if the parameter is meant to stay as it is.",
    ),
    wrong_if="The values of the parameter differ before and after `optimizer.step()`.",
    check=_check,
    thresholds=(_SHARE, _GRADIENT, _EARLY),
    explains=(Explains("loss-does-not-fall"),),
    priority=2,
    while_training=10,
)

"""The network trains while its dropout and batch normalization are in evaluation mode."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.findings.rules.modes import modes_in, modules_with_a_mode
from comgra_export.analysis.findings.rules.operations import has_graph
from comgra_export.analysis.findings.rules.parameters import trainable
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import parts_of_step, step_in_words

__all__ = ["RULE"]

_SHARE = Threshold("share of training steps", 0.5, "trials on 110 small programs")
_EVALUATIONS = Threshold("evaluations after the last training step, or changes between evaluations", 3, "exact")
_MOST_PARAMETERS = 8


def _check(run: Run) -> Iterator[Finding]:
    modules = modules_with_a_mode(run)
    positions = [int(position) for position in np.flatnonzero(run.is_training) if modules.keys() & modes_in(run, int(position)).keys()]
    yield from _in_evaluations(run, list(modules))
    if not positions:
        return
    is_off = {
        position: not any(training for module, training in modes_in(run, position).items() if module in modules) for position in positions
    }
    # If the network itself is in training mode, single modules were set to evaluation on purpose.
    roots = {number for number, module in enumerate(run.network.modules) if module.parent < 0}
    is_whole = all(
        not training for position in positions if is_off[position] for root, training in modes_in(run, position).items() if root in roots
    )
    share = float(np.mean(list(is_off.values())))
    if share <= _SHARE.value or not is_whole:
        return
    since = next(position for position in positions if is_off[position])
    evaluations = [position for position in range(since) if not run.is_training[position]]
    is_after = any(not is_off[position] for position in positions if position < since) and bool(evaluations)
    is_frozen = any(not entry.requires_grad for entry in run.network.parameters)
    first = run.network.modules[_most_likely(run, since, [module for module in modules if module in modes_in(run, since)])]
    yield RULE.finding(
        f"The network trains in evaluation mode since step {run.steps[since].step}{', right after an evaluation' if is_after else ''}: "
        f"`{first.name}` ({first.type}) does not do what it does in training.",
        Place("module", first.name),
        Place("run"),
        step=run.steps[since].step,
        value=share,
        limit=_SHARE.value,
        comparison="Training steps usually run in training mode.",
        severity=Severity.BUG if is_after else Severity.INFORMATION if is_frozen else None,
    )


def _in_evaluations(run: Run, modules: list[int]) -> Iterator[Finding]:
    """Parameters that change from one evaluation to the next, after the last step in training mode.

    `watch` takes every call in evaluation mode for an evaluation. One with gradients turned on, after which parameters are different, is
    likely training.
    """
    last = max(np.flatnonzero(run.is_training), default=-1)
    between = _between_training_steps(run, modules, int(last))
    if between is not None:
        yield between
        return
    if not any(modes_in(run, position) for position in range(len(run.steps))) or (
        last < 0 and not any(any(step.calls) for step in run.steps)
    ):
        raise NotCheckedError("no step with dropout or batch normalization was recorded", lacks="network")
    after = [position for position in range(last + 1, len(run.steps)) if modes_in(run, position)]
    # A script that sets single modules to training mode does not forget modes.
    if any(any(modes_in(run, position).values()) for position in after):
        return
    after = [position for position in after if any(has_graph(entry.operation) for entry in entries_of(run, position).values())]
    moving = [name for name in trainable(run) if name in run.parameters and _moves_always(run.parameters[name], after)]
    if len(after) >= _EVALUATIONS.value and moving:
        step = run.steps[after[0]].step
        since = "never" if last < 0 else "no longer"
        yield RULE.finding(
            f"The network {since} runs in training mode, and `{moving[0]}` still changes. It looks as if training runs in evaluation mode.",
            Place("module", run.network.modules[_most_likely(run, after[0], modules)].name),
            Place("run"),
            step=step,
            severity=None if last < 0 else Severity.PROBLEM,
        )


def _between_training_steps(run: Run, modules: list[int], last: int) -> Finding | None:
    """Parameters that change from one evaluation to the next although no training step lies between, while later steps train again.

    The number of an evaluation is that of the training step before it, and a fraction. So two with the same whole number have no training
    step between them, recorded or not.
    """
    with_graph = [
        position
        for position in np.flatnonzero(~run.is_training).tolist()
        if position < last
        and (modes := modes_in(run, position))
        and not any(modes.values())
        and any(has_graph(entry.operation) for entry in entries_of(run, position).values())
    ]
    after = [parts_of_step(run.numbers[position])[0] for position in with_graph]
    pairs = [pair for pair, (step, later) in zip(pairwise(with_graph), pairwise(after), strict=True) if step == later]
    if len(pairs) < _EVALUATIONS.value:
        return None
    for name in [name for name in trainable(run) if name in run.parameters][:_MOST_PARAMETERS]:
        history = run.parameters[name]
        norms = dict(zip(history.positions.tolist(), history.norm.tolist(), strict=True))
        changed = [first for first, second in pairs if {first, second} <= norms.keys() and norms[first] != norms[second]]
        if len(changed) >= _EVALUATIONS.value and len(changed) > len(pairs) / 2:
            since = run.steps[changed[0]].step
            return RULE.finding(
                f"`{name}` changes {len(changed)} times from one recorded evaluation to the next, and no training step is between these. "
                f"It looks as if training runs in evaluation mode from {step_in_words(since)} on, until the mode changes again.",
                Place("module", run.network.modules[_most_likely(run, changed[0], modules)].name),
                Place("run"),
                step=since,
                severity=Severity.PROBLEM,
            )
    return None


def _most_likely(run: Run, position: int, modules: list[int]) -> int:
    """The first of some modules that ran in training mode before a step; the first of all if none did. Others were set apart on purpose."""
    before = [modes_in(run, earlier) for earlier in range(position)]
    return next((module for module in modules if any(modes.get(module) for modes in before)), modules[0])


def _moves_always(history: ParameterHistory, positions: list[int]) -> bool:
    """Whether the values of a parameter are different at each of some steps."""
    norms = history.norm[np.isin(history.positions, positions)]
    return len(norms) == len(positions) and bool((np.diff(norms) != 0).all())


RULE = Rule(
    name="training-in-evaluation-mode",
    title="Training runs in evaluation mode",
    severity=Severity.SYMPTOM,
    formula="in more than half of the training steps, the network and all of its dropouts and batch normalizations are in evaluation "
    "mode. Or parameters change between 3 or more evaluations with gradients after the last training step, or 3 times between evaluations "
    "with gradients that have no training step between them. A bug if that began after an "
    "evaluation, information only if some parameters are frozen",
    source="exact; TheDeepChecker (switch of modes)",
    needs="which modules ran in which mode",
    advice=("Call `model.train()` after every evaluation.", "Set only single modules to `eval()` if you want them frozen."),
    wrong_if="`model.training` is true in training steps, or the mode is intended, as for frozen layers.",
    check=_check,
    thresholds=(_SHARE, _EVALUATIONS),
    explains=(Explains("overfitting"), Explains("growing-with-depth"), Explains("diverging-loss")),
    priority=1,
)

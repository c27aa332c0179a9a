"""Evaluations with dropout and batch normalization in training mode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.modes import has_several_networks, is_batch_norm, modes_in, modules_with_a_mode
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.wording import names_of, share_of
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["RULE"]

_SHARE = Threshold("share of evaluations", 0.5, "the other half shows that the script knows the modes")


def _check(run: Run) -> Iterator[Finding]:
    of_functions = _of_functions(run)
    if of_functions is not None:
        yield of_functions
        return
    modules = modules_with_a_mode(run)
    evaluations = [
        position for position in range(len(run.steps)) if not run.is_training[position] and modules.keys() & modes_in(run, position).keys()
    ]
    if not evaluations or not run.is_training.any():
        raise NotCheckedError("no evaluation besides training steps was recorded", lacks="evaluations")
    on = {
        position: [module for module, training in modes_in(run, position).items() if training and module in modules]
        for position in evaluations
    }
    share = sum(bool(active) for active in on.values()) / len(evaluations)
    if share <= _SHARE.value:
        return
    since = next(position for position in evaluations if on[position])
    active = [run.network.modules[module] for module in on[since]]
    effect = (
        "uses the statistics of the batch, and changes its running statistics" if is_batch_norm(active[0]) else "drops values at random"
    )
    are = "is" if len(active) == 1 else "are"
    yield RULE.finding(
        f"{names_of([module.name for module in active])} {are} in training mode in {share_of(share, 'evaluations')}. `{active[0].name}` "
        f"{effect}.",
        Place("module", active[0].name),
        *(Place("module", module.name) for module in active[1:]),
        step=run.steps[since].step,
        value=share,
        limit=_SHARE.value,
        comparison="Evaluations usually run in evaluation mode.",
        severity=Severity.INFORMATION if has_several_networks(run) else None,
    )


def _of_functions(run: Run) -> Finding | None:
    """Functions that drop values in evaluations, in modules in evaluation mode. A `dropout` that is turned off returns its argument."""
    evaluations = np.flatnonzero(~run.is_training).tolist() if run.is_training.any() else []
    made = {position: _dropped(run, position) for position in evaluations}
    share = sum(bool(places) for places in made.values()) / max(len(evaluations), 1)
    if share <= _SHARE.value:
        return None
    since = next(position for position in evaluations if made[position])
    first, *others = places = made[since]
    step = run.steps[since].step
    named = {place.name for place in places}
    functions = {call.function for call in run.steps[since].dropouts if call.module in named}
    function = functions.pop() if len(functions) == 1 else "dropout"
    are = f"{'drop' if others else 'drops'} values by `{function}`" if first.kind == "module" else None
    are = are or ("are results of dropout" if others else "is the result of dropout")
    return RULE.finding(
        f"{names_of([place.name for place in places])} {are} in {share_of(share, 'evaluations')}, although the module around it is in "
        "evaluation mode.",
        *places,
        step=step,
        value=share,
        limit=_SHARE.value,
        comparison="A dropout that follows the mode of its module does nothing in evaluations.",
        evidence=(Evidence(FORWARD, first.name, first.iteration, step, None, "The result of dropout in an evaluation."),)
        if first.iteration is not None
        else (),
    )


def _dropped(run: Run, position: int) -> list[Place]:
    """What dropout made in modules in evaluation mode in a step: recorded tensors, else the modules that called it."""
    modes = modes_in(run, position)
    in_evaluation = {module.name for number, module in enumerate(run.network.modules) if modes.get(number) is False}
    results = _results_of_dropout(run, run.steps[position].layout)
    tensors = [Place("tensor", *key) for key, entry in results.items() if entry.module in in_evaluation]
    callers = dict.fromkeys(call.module for call in run.steps[position].dropouts if call.module in in_evaluation)
    return tensors or [Place("module", name) for name in callers if name is not None]


@once_per_run
def _results_of_dropout(run: Run, layout: str) -> dict[TensorKey, TensorEntry]:
    tensors = run.recording.layout(layout).tensors
    return {TensorKey(entry.name, entry.iteration): entry for entry in tensors if "dropout" in plain_name(entry.operation)}


RULE = Rule(
    name="evaluation-in-training-mode",
    title="Evaluations run in training mode",
    severity=Severity.PROBLEM,
    formula="in more than half of the steps that do not train, a dropout or batch normalization is in training mode, or a module in "
    "evaluation mode computes something by a function that drops values, such as dropout or an attention. Modules are information only if "
    "several networks are recorded, as in a GAN",
    source="exact; TrainCheck (transformers 33844), TheDeepChecker (switch of modes)",
    needs="which modules ran in which mode, in evaluations too",
    advice=(
        "Call `model.eval()` before an evaluation, and `model.train()` after it.",
        "Give `training=self.training` to `dropout` of `torch.nn.functional`, and `dropout_p=0.0` to attention in evaluations.",
    ),
    wrong_if="Two evaluations of the same samples give the same output.",
    check=_check,
    neighbours=("caller", "before"),
    thresholds=(_SHARE,),
    explains=(Explains("evaluation-changes-buffers"), Explains("overfitting")),
    priority=1,
)

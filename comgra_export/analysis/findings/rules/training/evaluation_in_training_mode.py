"""Evaluations with dropout and batch normalization in training mode."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.modes import has_several_networks, is_batch_norm, modes_in, modules_with_a_mode
from comgra_export.analysis.history.run import Run

__all__ = ["RULE"]

_SHARE = Threshold("share of evaluations", 0.5, "the other half shows that the script knows the modes")


def _check(run: Run) -> Iterator[Finding]:
    modules = modules_with_a_mode(run)
    evaluations = [
        position for position in range(len(run.steps)) if not run.is_training[position] and modules.keys() & modes_in(run, position).keys()
    ]
    if not evaluations or not run.is_training.any():
        raise NotCheckedError("no evaluation besides training steps was recorded")
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
    others = f" (and {len(active) - 1} more)" if len(active) > 1 else ""
    yield RULE.finding(
        f"{active[0].name}{others} is in training mode in evaluations: it {effect}. This is so in {share:.0%} of them.",
        Place("module", active[0].name),
        *(Place("module", module.name) for module in active[1:]),
        step=run.steps[since].step,
        value=share,
        limit=_SHARE.value,
        comparison="Evaluations usually run in evaluation mode.",
        severity=Severity.INFORMATION if has_several_networks(run) else None,
    )


RULE = Rule(
    name="evaluation-in-training-mode",
    title="Evaluations run in training mode",
    severity=Severity.PROBLEM,
    formula="in more than half of the steps that do not train, a dropout or batch normalization is in training mode. Information only if "
    "several networks are recorded, as in a GAN",
    source="exact; TrainCheck (transformers 33844), TheDeepChecker (switch of modes)",
    needs="which modules ran in which mode, in evaluations too",
    advice=("Call `model.eval()` before an evaluation, and `model.train()` after it.",),
    check=_check,
    thresholds=(_SHARE,),
    explains=(Explains("evaluation-changes-buffers"), Explains("overfitting")),
    priority=1,
)

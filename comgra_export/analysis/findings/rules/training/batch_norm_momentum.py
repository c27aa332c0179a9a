"""Running statistics are those of the last batch, or hardly more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.modes import is_batch_norm, modes_in, setting
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run

__all__ = ["RULE"]

_MOMENTUM = Threshold("momentum", 0.9, "own choice: the default is 0.1, and other frameworks' 0.9 to 0.99 mean 0.1 to 0.01")


def _check(run: Run) -> Iterator[Finding]:
    norms = {
        position: (module.name, momentum)
        for position, module in enumerate(run.network.modules)
        if is_batch_norm(module) and (momentum := setting(module, "momentum")) is not None
    }
    if not norms:
        raise NotCheckedError(
            "no momentum of a batch normalization is known in the network", lacks="network", applies=not run.network.modules
        )
    for position in np.flatnonzero(run.is_training).tolist():
        ran = [norms[number] for number, training in modes_in(run, position).items() if training and number in norms]
        fast = [(name, momentum) for name, momentum in ran if momentum >= _MOMENTUM.value]
        if not fast:
            continue
        names, momentum = [name for name, _ in fast], fast[0][1]
        yield RULE.finding(
            f"The momentum of {names_of(names)} is {momentum:g}. In PyTorch, this is the weight of the new batch, so evaluations use the "
            "statistics of the last batches alone. In other frameworks, it is that of the old statistics.",
            *(Place("module", name) for name in names),
            step=run.steps[position].step,
            value=momentum,
            limit=_MOMENTUM.value,
            comparison="The default is 0.1.",
        )
        return


RULE = Rule(
    name="batch-norm-momentum",
    title="Running statistics follow the last batch",
    severity=Severity.SYMPTOM,
    formula="a batch normalization with a momentum of 0.9 or more ran in training mode in a training step",
    source="exact; PyTorch's documentation of BatchNorm (its momentum is different from that of optimizers)",
    needs="modules with their settings, and which of them ran",
    advice=("Use `momentum=0.1`, or 1 minus the value of the other framework.",),
    wrong_if="Evaluations give the same loss when running statistics are computed over all batches with `momentum=None`.",
    check=_check,
    thresholds=(_MOMENTUM,),
    explains=(Explains("overfitting"),),
    priority=2,
)

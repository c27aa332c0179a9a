"""Batch normalization over very few samples."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.findings.rules.modes import is_batch_norm, modes_in
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_FEW = Threshold("samples in the batch", 4, "a starting value")
_RATHER_FEW = Threshold("values of a channel", 16, "a starting value")


def _check(run: Run) -> Iterator[Finding]:
    norms = {
        number: module for number, module in enumerate(run.network.modules) if is_batch_norm(module) and module.type != "SyncBatchNorm"
    }
    if not norms:
        raise NotCheckedError("no batch normalization is known in the network", lacks="network", applies=not run.network.modules)
    # Per module: samples and values of a channel in each training step in training mode.
    seen: dict[str, list[tuple[float, int, int, TensorKey]]] = {}
    for position in (int(position) for position in np.flatnonzero(run.is_training)):
        active = {norms[module].name for module, training in modes_in(run, position).items() if training and module in norms}
        for key, entry in entries_of(run, position).items():
            if entry.module in active and key.name.startswith(entry.module) and key.name.endswith("output") and len(entry.shape) > 1:
                seen.setdefault(entry.module, []).append(
                    (run.steps[position].step, entry.shape[0], prod(entry.shape) // max(entry.shape[1], 1), key)
                )
    if not seen:
        raise NotCheckedError("no training step shows the output of a batch normalization in training mode", lacks="network")
    few: dict[Severity, list[str]] = {}
    typical: dict[str, tuple[float, float]] = {}
    for name, rows in seen.items():
        # The median: the last batch of an epoch is often smaller.
        typical[name] = (float(np.median([row[1] for row in rows])), float(np.median([row[2] for row in rows])))
        has_few = typical[name][0] < _FEW.value, typical[name][1] < _RATHER_FEW.value
        if any(has_few):
            few.setdefault(Severity.PROBLEM if all(has_few) else Severity.SYMPTOM, []).append(name)
    for severity, names in few.items():
        samples, values = typical[names[0]]
        step, _, _, key = seen[names[0]][0]
        does = "normalizes" if len(names) == 1 else "normalize"
        is_few = samples < _FEW.value
        yield RULE.finding(
            f"{names_of(names)} {does} over {samples:g} samples, with {values:g} values for each channel. Statistics of so few are noisy.",
            *(Place("module", name) for name in names),
            step=step,
            value=samples if is_few else values,
            limit=(_FEW if is_few else _RATHER_FEW).value,
            comparison="Usual are 16 samples or more.",
            evidence=(Evidence(FORWARD, *key, step, "std", "Its output."),),
            severity=severity,
        )


RULE = Rule(
    name="small-batch-norm",
    title="Batch normalization over very few samples",
    severity=Severity.PROBLEM,
    formula="in the median training step, a BatchNorm in training mode gets fewer than 4 samples, and fewer than 16 values for each "
    "channel; a symptom if only one of them holds",
    source="a starting value; Karpathy's recipe",
    needs="watched modules, and which modules ran in which mode",
    advice=("Use a larger batch.", "Or use GroupNorm or LayerNorm, which do not depend on the batch."),
    wrong_if="The loss of evaluation is near that of training although the statistics come from so few samples.",
    check=_check,
    thresholds=(_FEW, _RATHER_FEW),
    explains=(Explains("oscillating-loss"), Explains("overfitting"), Explains("loss-does-not-fall"), Explains("gradient-spike")),
    priority=1,
)

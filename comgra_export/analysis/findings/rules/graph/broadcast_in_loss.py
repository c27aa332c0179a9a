"""The prediction and the target of a loss have different shapes, and PyTorch compares every one with every other."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.losses import entries_of, loss_uses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_ELEMENT_BY_ELEMENT = frozenset(
    {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "poisson_nll_loss"}
)


def _check(run: Run) -> Iterator[Finding]:
    seen = set()
    for use in loss_uses(run, _ELEMENT_BY_ELEMENT):
        target = None if use.call.target is None else entries_of(run, use.position).get(TensorKey(*use.call.target))
        if target is None or use.prediction.name in seen:
            continue
        try:
            shape = np.broadcast_shapes(use.entry.shape, target.shape)
        except ValueError:
            continue
        sizes = prod(use.entry.shape), prod(target.shape)
        # If only one of them is repeated, as a single number is, that is often intended.
        if prod(shape) <= max(sizes) and (min(sizes) == 1 or sizes[0] == sizes[1]):
            continue
        seen.add(use.prediction.name)
        both = prod(shape) > max(sizes)
        effect = "It compares every prediction with every target." if both else "It repeats the smaller one."
        yield RULE.finding(
            f"{use.call.function} broadcasts the prediction `{use.prediction.name}` {list(use.entry.shape)} and the target `{target.name}` "
            f"{list(target.shape)} to {list(shape)}. {effect}",
            Place("tensor", *use.prediction),
            Place("tensor", target.name, target.iteration),
            step=use.step,
            evidence=(Evidence(FORWARD, *use.prediction, use.step, None, "The prediction, whose shape differs from the target's."),),
            severity=None if both else Severity.INFORMATION,
        )


RULE = Rule(
    name="broadcast-in-loss",
    title="Prediction and target are broadcast in the loss",
    severity=Severity.BUG,
    formula="the shapes of prediction and target differ, and broadcasting makes a shape with more values than either of them has",
    source="exact; Humbatova et al. (wrong shape of the target)",
    needs="calls of loss functions, and tensors of prediction and target",
    advice=("Give both the same shape: `target.unsqueeze(1)` or `prediction.squeeze(1)`.",),
    check=_check,
    explains=(
        Explains("loss-does-not-fall"),
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
        Explains("vanishing-gradient"),
    ),
    priority=0,
    while_training=0,
)

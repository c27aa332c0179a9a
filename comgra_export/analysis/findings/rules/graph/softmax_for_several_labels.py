"""A softmax predicts one label of several, and samples have more than one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.supervised import is_contrastive
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_SUM = Threshold("labels of a sample", 1.5, "exact for targets of 0 and 1; leaves room for rounding and for weights of labels")
# All classes of a sample, in one dimension: [samples, classes].
_DIMENSIONS = 2
_LEAST_CLASSES = 2


def _check(run: Run) -> Iterator[Finding]:
    seen = set()
    for use in loss_uses(run, {"cross_entropy", "binary_cross_entropy", "mse_loss", "l1_loss"}):
        tensor = through_views(run, use.position, use.prediction)
        target = None if use.call.target is None else TensorKey(*use.call.target)
        if target is None or (tensor.name, target.name) in seen or not _has_softmax(run, use, tensor):
            continue
        most = _most_labels(run, use, target)
        if not most > _SUM.value:
            continue
        seen.add((tensor.name, target.name))
        what = "cross_entropy applies a softmax to it" if use.call.function == "cross_entropy" else "it is the result of softmax"
        yield RULE.finding(
            f"The predictions for a sample share a sum of 1 in `{tensor.name}`: {what}. In `{target.name}`, the targets of a sample sum to "
            f"up to {most:.3g}. So a sample with several labels can have a high probability for one of them only.",
            Place("tensor", *tensor),
            Place("tensor", *target),
            step=use.step,
            value=most,
            limit=_SUM.value,
            comparison="With one label for each sample, the sum is 1.",
            evidence=(
                Evidence(FORWARD, *target, use.step, None, "The targets."),
                Evidence(FORWARD, *tensor, use.step, None, "The output."),
            ),
        )


def _has_softmax(run: Run, use: LossUse, tensor: TensorKey) -> bool:
    """Whether the loss applies a softmax to the prediction, or one made it: over the classes, so that no sample has more than the mean."""
    if len(use.entry.shape) != _DIMENSIONS or use.entry.shape[1] < _LEAST_CLASSES or use.entry.batch_dimension != 0:
        return False
    # There, all samples like it are right for a sample, in equal shares.
    if is_contrastive(use):
        return False
    if use.call.function == "cross_entropy":
        return True
    series = moment(run, tensor, use.position)
    is_softmax = plain_name(entries_of(run, use.position)[tensor].operation) == "softmax"
    return is_softmax and series is not None and bool(abs(series.statistics[0, 0, 1] * use.entry.shape[1] - 1) < 1e-3)


def _most_labels(run: Run, use: LossUse, target: TensorKey) -> float:
    """The largest sum of the targets of a sample; NaN if they are no targets between 0 and 1 for every class."""
    series = moment(run, target, use.position)
    if series is None or series.entry.batch_dimension != 0 or not series.is_finite[0]:
        return float("nan")
    shape = entries_of(run, use.position)[target].shape
    is_share = series.extrema[0, 0] >= 0 and series.extrema[0, 1] <= 1
    return float(np.float64(series.statistics[0, 0, 1]) * shape[1]) if is_share and shape == use.entry.shape else float("nan")


RULE = Rule(
    name="softmax-for-several-labels",
    title="A softmax predicts one label, and samples have several",
    severity=Severity.PROBLEM,
    formula="the prediction [B, C] goes into cross_entropy, or was made by softmax over its classes, perhaps through views; the targets "
    "have the same shape and lie between 0 and 1; and those of a sample sum to more than 1.5",
    source="exact; Islam et al. 2019, Stack Overflow (several labels with softmax)",
    needs="calls of loss functions, and tensors of prediction and target",
    advice=(
        "Use `binary_cross_entropy_with_logits`, which predicts each label by itself, with the raw outputs of the last layer.",
        "If each sample should have one label, check how the targets are made.",
    ),
    wrong_if="Every sample has a single label, or the labels are meant to share one probability.",
    check=_check,
    thresholds=(_SUM,),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("initial-loss"),
        Explains("updates-too-small"),
    ),
    priority=1,
)

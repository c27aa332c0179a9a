"""One feature of the input alone predicts the target, or the input is the target."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.data.copied_target import CopiedTarget, copied_target, facts_of, places_with_values
from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.losses import LossUse
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import minimized_uses, supervised_uses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, TensorKey
from comgra_export.storage import Recording, TargetFact

__all__ = ["RULE"]

_SHARE = Threshold("share of the target's variance that the feature explains, or of the feature's that classes explain", 0.95, "own trials")
_LEAST_SAMPLES = Threshold("samples", 200, "own trials")
_NEXT = Threshold("the same share of the next feature, at most", 0.75, "own trials; values of a series go together")
_COPY = Threshold(
    "the share of a feature that is the target in other units, whatever the next feature has", 1 - 1e-6, "exact, up to rounding"
)
_NEXT_TO_COPY = 0.99
_LEAST_VARIANCE = 1e-6
_MOST_CLASSES = 50


def _check(run: Run) -> Iterator[Finding]:
    minimized = minimized_uses(run)
    copied = copied_target(run, minimized)
    if copied is not None:
        yield _of_copy(copied, minimized[0])
        return
    uses = supervised_uses(run)
    leaks = _leaks(run, uses)
    if leaks:
        yield from leaks
        return
    inputs = [key for key, series in inputs_in_training(run).items() if series.entry.is_floating and series.dimensions == 2]
    enough = False
    for key in inputs:
        pairs = [pair for use in uses if (pair := _values(run, key, use)) is not None]
        if sum(len(targets) for _, targets in pairs) < _LEAST_SAMPLES.value:
            continue
        enough = True
        features, targets = np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
        shares = np.array([_explained(column, targets) for column in features.T])
        best = int(np.argmax(shares))
        if shares[best] <= _SHARE.value:
            continue
        yield _finding(
            uses[0].step, key, best, float(shares[best]), len(targets), f"The median feature has {float(np.median(shares)):.2g}."
        )
    if not enough and not _has_features(run, uses):
        raise NotCheckedError("inputs of 200 samples `[B, F]` and targets with one value for each were not recorded")


def _of_copy(copied: CopiedTarget, use: LossUse) -> Finding:
    which = "have the very values of" if copied.is_known else "may be the values of"
    order = "" if copied.is_known else ", perhaps in another order: their statistics are the same"
    asked = "It looks as if" if copied.is_known else "If the order is the same too,"
    return RULE.finding(
        f"The targets of `{use.call.function}` {which} `{copied.input.name}`{order} in all {copied.steps} recorded steps. "
        f"{asked} the network is asked for what it gets.",
        *dict.fromkeys([Place("tensor", *copied.input), Place("tensor", *copied.target)]),
        step=use.step,
        severity=None if copied.is_known else Severity.SYMPTOM,
        evidence=(Evidence(FORWARD, *copied.input, use.step, "mean", "The input over the steps."),),
    )


def _has_features(run: Run, uses: list[LossUse]) -> bool:
    """Whether the recorder compared features of the inputs with the targets of enough samples."""
    return sum(run.steps[position].batch_size for position, fact in facts_of(run, uses) if fact.feature is not None) >= _LEAST_SAMPLES.value


def _leaks(run: Run, uses: list[LossUse]) -> list[Finding]:
    """Features that predict the target in every recorded step, by what the recorder has compared."""
    of_inputs: dict[TensorKey, list[tuple[int, TargetFact]]] = {}
    for position, fact in facts_of(run, uses):
        if fact.share is not None:
            of_inputs.setdefault(TensorKey(*fact.input), []).append((position, fact))
    findings = []
    for key, facts in of_inputs.items():
        samples = sum(run.steps[position].batch_size for position, _ in facts)
        shares = [fact.share or 0.0 for _, fact in facts]
        others = [fact.next_share or 0.0 for _, fact in facts]
        features = {fact.feature or 0 for _, fact in facts}
        if len(facts) < LEAST_STEPS or samples < _LEAST_SAMPLES.value or len(features) != 1 or min(shares) <= _SHARE.value:
            continue
        # What goes along with the target may well be among the features, beside the target itself.
        if np.median(others) <= (_NEXT_TO_COPY if min(shares) > _COPY.value else _NEXT.value):
            comparison = f"The next feature has {float(np.median(others)):.2g}."
            findings.append(_finding(uses[0].step, key, min(features), min(shares), samples, comparison))
    return findings


def _finding(step: float, key: TensorKey, feature: int, share: float, samples: int, comparison: str) -> Finding:
    return RULE.finding(
        f"Feature {feature} of `{key.name}` predicts the target alone: it explains {share:.1%} of the variance, in {samples} samples. It "
        "looks as if the target is among the features.",
        Place("tensor", *key),
        step=step,
        value=share,
        limit=_SHARE.value,
        comparison=comparison,
        evidence=(Evidence(FORWARD, *key, step, None, "The input."),),
    )


def _values(run: Run, key: TensorKey, use: LossUse) -> tuple[Floats, Floats] | None:
    """The features `[S, F]` and targets `[S]` of the recorded samples of a step; None if they were not recorded, or are not finite."""
    step = run.steps[use.position]
    places = [place for place in places_with_values(run, key, use) if place.entry.batch_dimension is not None]
    # A merged step has no values of samples.
    if len(places) < 2 or places[0].entry.samples != places[1].entry.samples or not isinstance(run.recording, Recording):
        return None
    if places[1].entry.values_per_sample != 1:
        return None
    features, targets = (values.astype(np.float64) for values in run.recording.values(step.step, places))
    return (features, targets[:, 0]) if np.isfinite(features).all() and np.isfinite(targets).all() else None


def _explained(feature: Floats, targets: Floats) -> float:
    """The correlation ratio of a feature given classes; the squared correlation if the targets are numbers."""
    total = float(feature.var())
    if total <= _LEAST_VARIANCE or targets.var() <= 0:
        return 0.0
    classes, places, counts = np.unique(targets, return_inverse=True, return_counts=True)
    if len(classes) > _MOST_CLASSES or (targets != np.round(targets)).any():
        return float(np.corrcoef(feature, targets)[0, 1] ** 2)
    means = np.bincount(places, feature) / counts
    return float((counts * (means - feature.mean()) ** 2).sum() / counts.sum() / total)


RULE = Rule(
    name="feature-is-label",
    title="The target is among the inputs",
    severity=Severity.PROBLEM,
    formula="correlation ratio of a feature, given the class, or squared correlation > 0.95 over 200 samples; in each of 5 steps and <= "
    "0.75 for the next feature (0.99 if the share is 1) if the recorder compared them. Or integers [B, T] equal the targets in 5 steps, "
    "without other inputs, or read by a recurrent layer",
    source="own trials; UMLAUT, Karpathy's recipe",
    needs="inputs `[B, F]` and targets of 200 samples, and calls of the loss function",
    advice=(
        "Remove the feature if it is not known when the network is used.",
        "Shift the targets of a language model by one: `tokens[:, :-1]` and `tokens[:, 1:]`.",
        "Mute this finding for an autoencoder.",
    ),
    wrong_if="The feature is known when the network is used, or the network is meant to reproduce its input.",
    check=_check,
    neighbours=("target",),
    thresholds=(_SHARE, _NEXT, _COPY, _LEAST_SAMPLES),
    explains=(Explains("overfitting"),),
    priority=2,
)

"""The first loss is far from that of a network that knows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import has_converged
from comgra_export.analysis.findings.rules.losses import LossUse, loss_uses, through_views
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.findings.rules.supervised import is_contrastive, is_weighted, value_of
from comgra_export.analysis.findings.rules.weights import looks_trained
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import step_in_words

__all__ = ["RULE"]

_RATIO = Threshold("first loss / ln C", 2.0, "trials on 110 small programs: at most 1.42")
_RATIO_OF_HARMLESS = Threshold("the same, if each sample is a class or the loss falls to a tenth", 5.0, "own trials: at most 3.7")
_EXCESS = Threshold("first loss - ln C", 1.0, "own trials")
_FUNCTIONS = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
_FIRST_STEPS = 5


def _check(run: Run) -> Iterator[Finding]:
    uses = [use for use in loss_uses(run, _FUNCTIONS) if usual_training_steps(run)[use.position] and use.step < _FIRST_STEPS]
    if not uses:
        raise NotCheckedError("no call of a loss for classes was recorded in the first training steps")
    seen = set()
    for use in uses:
        classes, loss = _classes(use), value_of(run, use)
        is_mean = use.call.options.get("reduction") == "mean" and not (use.call.function.startswith("binary") and is_weighted(use))
        if (use.call.function, use.prediction) in seen or classes < 2 or not is_mean:
            continue
        seen.add((use.call.function, use.prediction))
        expected = log(classes)
        ratio = (_RATIO_OF_HARMLESS if is_contrastive(use) or has_converged(run) else _RATIO).value
        if not (loss > ratio * expected and loss > expected + _EXCESS.value) or use.call.result is None:
            continue
        result, prediction = TensorKey(*use.call.result), through_views(run, use.position, use.prediction)
        is_pretrained = _is_pretrained(run, use)
        yield RULE.finding(
            f"The loss is {loss:.3g} in {step_in_words(use.step)}. A network that knows nothing has a loss of "
            f"about ln({classes}) = {expected:.3g}. "
            f"It looks as if `{prediction.name}` is sure of wrong answers from the start."
            + (" It is computed with frozen weights, which were trained on something else." if is_pretrained else ""),
            Place("tensor", *prediction),
            Place("tensor", *result),
            step=use.step,
            value=loss / expected,
            limit=ratio,
            severity=Severity.INFORMATION if is_pretrained else None,
            comparison=f"This is the ratio to ln({classes}) = {expected:.3g}.",
            evidence=(
                Evidence(FORWARD, *prediction, use.step, None, "The prediction."),
                Evidence(FORWARD, *result, use.step, "mean", "The loss over the steps."),
            ),
        )


def _is_pretrained(run: Run, use: LossUse) -> bool:
    """Whether the prediction is computed with frozen weights that were trained before: the whole network may know another task."""
    before = run.graph(use.position).ancestors(use.prediction)
    frozen = (entry.name for entry in run.network.parameters if not entry.requires_grad and TensorKey(entry.name, -1) in before)
    return any(looks_trained(run, name) for name in frozen)


def _classes(use: LossUse) -> int:
    """How many classes there are; 0 if the prediction has no dimension of classes."""
    if use.call.function.startswith("binary"):
        return 2
    shape = use.entry.shape
    return shape[min(1, len(shape) - 1)] if shape else 0


RULE = Rule(
    name="initial-loss",
    title="The first loss is too high",
    severity=Severity.SYMPTOM,
    formula="loss in one of the steps 0 to 4 > 2 ln C and > ln C + 1, for C classes. Only mean losses; > 5 ln C for those of contrastive "
    "learning, where each sample is a class, and if the loss falls to a tenth. Information only behind frozen weights that look trained",
    source="Karpathy's recipe (verify the loss at the start)",
    needs="calls of cross_entropy, nll_loss or binary cross entropy in the first training steps",
    advice=(
        "Give the last layer small initial weights, and a bias of 0.",
        "Check what scales the predictions before the loss.",
        "Normalize the inputs.",
    ),
    wrong_if="The weights come from another training, or the classes have weights of their own.",
    check=_check,
    thresholds=(_RATIO, _RATIO_OF_HARMLESS, _EXCESS),
    explains=(
        Explains("exploding-gradient"),
        Explains("always-clipped"),
        Explains("updates-too-large"),
        Explains("dead-relu", "upstream"),
        Explains("dormant-units", "upstream"),
        Explains("predictions-ignore-input"),
    ),
    priority=6,
)

"""The first loss is far from that of a network that knows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, log

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import loss_at_start_and_end
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, LossUse, has_class_weights, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.steps import late, usual_training_steps, values_in_training
from comgra_export.analysis.findings.rules.supervised import is_contrastive, value_of
from comgra_export.analysis.findings.rules.weights import looks_trained
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import step_in_words

__all__ = ["RULE"]

_RATIO = Threshold("first loss / ln C", 2.0, "trials on 110 small programs: at most 1.42")
_RATIO_OF_HARMLESS = Threshold("the same, if each sample is a class or the loss ends below a tenth of ln C", 5.0, "own trials: at most 3.7")
_EXCESS = Threshold("first loss - ln C", 1.0, "own trials")
_TARGETS = Threshold("size of the targets / size of the first predictions", 100.0, "own choice")
_REMAINS = Threshold("loss at the end / loss at the start, for such targets", 0.5, "own choice")
_FUNCTIONS = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
_FIRST_STEPS = 5
_CONVERGED = 0.1
_LATE = 0.2


def _check(run: Run) -> Iterator[Finding]:
    first = [
        use for use in loss_uses(run, {*_FUNCTIONS, *REGRESSIONS}) if usual_training_steps(run)[use.position] and use.step < _FIRST_STEPS
    ]
    far = _far_from_targets(run, first)
    if far is not None:
        yield far
    uses = [use for use in first if use.call.function in _FUNCTIONS]
    if not first:
        raise NotCheckedError("no call of a loss for classes or numbers was recorded in the first training steps", lacks="training steps")
    seen = set()
    for use in uses:
        classes, loss = _classes(use), value_of(run, use)
        is_mean = use.call.options.get("reduction") == "mean" and not (
            use.call.function.startswith("binary") and has_class_weights(use.call)
        )
        if (use.call.function, use.prediction) in seen or classes < 2 or not is_mean:
            continue
        seen.add((use.call.function, use.prediction))
        expected = log(classes)
        ratio = (_RATIO_OF_HARMLESS if is_contrastive(use) or _falls_to_almost_nothing(run, use, expected) else _RATIO).value
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


def _far_from_targets(run: Run, uses: list[LossUse]) -> Finding | None:
    """Targets of a regression that are many times as large as the first predictions, if the loss does not come down from there."""
    use = next((use for use in uses if use.call.function in REGRESSIONS and use.call.target is not None), None)
    loss = loss_at_start_and_end(run)
    if use is None or use.call.target is None or loss is None or not loss.end > _REMAINS.value * loss.start > 0:
        return None
    target = TensorKey(*use.call.target)
    predictions, targets = moment(run, use.prediction, use.position), moment(run, target, use.position)
    if predictions is None or targets is None or run.graph(use.position).parents.get(target):
        return None
    size = float(targets.root_mean_square[0])
    ratio = size / max(1.0, float(predictions.root_mean_square[0]))
    if not _TARGETS.value < ratio < inf:
        return None
    return RULE.finding(
        f"The targets of {use.call.function} have a size of {size:.3g} in {step_in_words(use.step)}, and the predictions one of "
        f"{predictions.root_mean_square[0]:.3g}. The loss begins at {loss.start:.3g}, and is {loss.end:.3g} at the end.",
        Place("tensor", *target),
        Place("tensor", *use.prediction),
        *(Place("tensor", *TensorKey(*result)) for result in (use.call.result,) if result is not None),
        step=use.step,
        value=ratio,
        limit=_TARGETS.value,
        comparison="This is the ratio of the two sizes. Standardized targets have a size of 1.",
        evidence=(
            Evidence(FORWARD, *target, use.step, None, "The targets."),
            Evidence(FORWARD, *use.prediction, use.step, None, "The predictions."),
        ),
    )


def _falls_to_almost_nothing(run: Run, use: LossUse, expected: float) -> bool:
    """Whether a loss ends below a tenth of that of a network that knows nothing, so that its first values did no harm."""
    series = None if use.call.result is None else values_in_training(run, TensorKey(*use.call.result))
    return series is not None and float(late(series, _LATE).mean.mean()) < _CONVERGED * expected


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
    formula="loss in one of the steps 0 to 4 > 2 ln C and > ln C + 1, for a mean loss of C classes; > 5 ln C in contrastive learning, and "
    "if the loss ends below a tenth of ln C. Information only after trained, frozen weights. For regressions: targets over 100 times as "
    "large as 1 and the predictions, without a halved loss",
    source="Karpathy's recipe (verify the loss at the start)",
    needs="calls of cross_entropy, nll_loss, binary cross entropy or a regression loss in the first training steps",
    advice=(
        "Give the last layer small initial weights, and a bias of 0.",
        "Check what scales the predictions before the loss.",
        "Normalize the inputs, and the targets of a regression.",
    ),
    wrong_if="The weights come from another training, or the classes have weights of their own.",
    check=_check,
    neighbours=("target", "before", "loss"),
    thresholds=(_RATIO, _RATIO_OF_HARMLESS, _EXCESS, _TARGETS, _REMAINS),
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

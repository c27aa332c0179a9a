"""A loss that cannot be negative is negative."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss.likelihood_by_hand import Likelihood, minimized_likelihood, without_scale
from comgra_export.analysis.findings.rules.loss.score_function import ScoreFunction, minimized_score_function
from comgra_export.analysis.findings.rules.loss.without_bound import FALL, Fall, fall_without_bound
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.findings.rules.supervised import SUPERVISED, supervised_uses, value_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_CHOOSES = frozenset({"diagonal", "gather", "index", "select", "slice"})
_SAME = 1e-4
_LIMIT = Threshold("loss", -1e-6, "exact; TheDeepChecker (flipped sign)")

_DIVERGENCE = "kl_div"
# It is a difference of large sums.
_DIVERGENCE_LIMIT = Threshold("loss, for kl_div", -1e-4, "own choice")


def _check(run: Run) -> Iterator[Finding]:
    log_probability = _minimized_log_probability(run)
    if log_probability is not None:
        yield log_probability
        return
    likelihood = minimized_likelihood(run)
    if likelihood is not None:
        yield _of_likelihood(likelihood)
        return
    score = minimized_score_function(run)
    if score is not None:
        yield _of_score_function(run, score)
        return
    fall = fall_without_bound(run)
    try:
        findings = list(_of_loss_functions(run))
    except NotCheckedError:
        if fall is None:
            raise
        findings = []
    yield from findings
    if fall is not None and not findings:
        yield _falling(run, fall)


def _of_likelihood(each: Likelihood) -> Finding:
    return RULE.finding(
        f"The script minimizes `{each.loss.name}`, which falls from {each.start:.3g} to {each.end:.3g}. It is made of logarithms of "
        f"`{each.source.name}` and of 1 less it, with weights that are never negative. So the probabilities of the right answers fall: the "
        "minus sign is missing.",
        *(Place("tensor", *key) for key in (each.loss, each.source)),
        step=each.step,
        value=each.end,
        limit=_LIMIT.value,
        comparison="The negative logarithm of a probability is at least 0.",
        evidence=(Evidence(FORWARD, *each.loss, each.step, "mean", "The loss over the steps."),),
    )


def _of_score_function(run: Run, each: ScoreFunction) -> Finding:
    return RULE.finding(
        f"The script minimizes `{each.loss.name}`, which is made of logarithms of probabilities in `{each.logarithms.name}` times weights "
        "of both signs. So what has a positive weight becomes less probable. If weights are rewards, and not costs, the minus sign is "
        "missing.",
        *(Place("tensor", *key) for key in dict.fromkeys((each.product, each.loss, each.logarithms))),
        step=each.step,
        evidence=(Evidence(FORWARD, *each.loss, as_step(run.numbers[run.is_training][-1]), "mean", "The loss over the steps."),),
        severity=Severity.SYMPTOM,
    )


def _falling(run: Run, fall: Fall) -> Finding:
    step = as_step(run.numbers[fall.position])
    return RULE.finding(
        f"The script minimizes `{fall.loss.name}`, which falls from {fall.start:.3g} to {fall.end:.3g} at {step_in_words(step)}. Most of "
        f"it was computed from `{fall.source.name}`. It looks as if nothing bounds it from below, or a term has the wrong sign.",
        *(Place("tensor", *key) for key in dict.fromkeys((fall.source, fall.loss))),
        step=fall.since,
        value=-fall.end,
        limit=FALL.value * max(abs(fall.start), 1.0),
        comparison="Losses that are bounded stay near zero or above: those of healthy runs do not fall below -5 times their start.",
        evidence=(
            Evidence(FORWARD, *fall.loss, step, "mean", "The loss over the steps."),
            Evidence(FORWARD, *fall.source, step, "abs_mean", "What most of it was computed from, over the steps."),
        ),
    )


def _of_loss_functions(run: Run) -> Iterator[Finding]:
    """The first result of a loss function that it cannot have, or the first loss that is minimized with its sign flipped."""
    for use in loss_uses(run, SUPERVISED | {_DIVERGENCE}):
        value = value_of(run, use)
        limit = _DIVERGENCE_LIMIT if use.call.function == _DIVERGENCE else _LIMIT
        if value < limit.value and use.call.result is not None:
            yield _finding(run, use, TensorKey(*use.call.result), value, f"{use.call.function} is {value:.3g}. {_cause(run, use)}")
            return
    try:
        minimized = supervised_uses(run)
    except NotCheckedError:
        # Every loss function returned what it can. What else is minimized may well be negative.
        return
    for use in minimized:
        for root in map(TensorKey._make, run.steps[use.position].backward_roots):
            series = moment(run, root, use.position)
            if series is not None and float(series.mean[0]) < _LIMIT.value:
                value = float(series.mean[0])
                yield _finding(
                    run,
                    use,
                    root,
                    value,
                    f"The script minimizes {use.call.function} with its sign flipped, so it maximizes the loss. The value is {value:.3g}.",
                )
                return


def _minimized_log_probability(run: Run) -> Finding | None:
    """The mean or the sum of chosen results of `log_softmax`, if a backward pass began at it with its sign as it is."""
    for position in np.flatnonzero(usual_training_steps(run)).tolist():
        for root in map(TensorKey._make, run.steps[position].backward_roots):
            source = _chosen_from(run, position, without_scale(run, position, root))
            value = None if source is None else moment(run, root, position)
            if source is None or value is None or not value.mean[0] < _LIMIT.value:
                continue
            step = as_step(run.numbers[position])
            return RULE.finding(
                f"The script minimizes `{root.name}`, which is {value.mean[0]:.3g}. It is made of logarithms of probabilities from "
                f"`{source.name}`. So the probabilities of the right answers fall: the minus sign is missing.",
                Place("tensor", *source),
                Place("tensor", *root),
                step=step,
                value=float(value.mean[0]),
                limit=_LIMIT.value,
                comparison="The negative logarithm of a probability is at least 0.",
                evidence=(Evidence(FORWARD, *root, step, "mean", "The loss over the steps."),),
            )
    return None


def _chosen_from(run: Run, position: int, root: TensorKey) -> TensorKey | None:
    """The result of `log_softmax` whose chosen values a loss is the mean or the sum of, as far as statistics show."""
    graph, entries = run.graph(position), entries_of(run, position)
    parents = graph.parents.get(root, ())
    if root not in entries or plain_name(entries[root].operation) not in {"mean", "sum"} or len(parents) != 1:
        return None
    chosen, loss = moment(run, parents[0], position), moment(run, root, position)
    if chosen is None or loss is None or chosen.extrema[0, 1] > 0:
        return None
    total = float(chosen.mean[0]) * (float(chosen.sizes[0]) if plain_name(entries[root].operation) == "sum" else 1.0)
    if not np.isclose(total, loss.mean[0], rtol=_SAME):
        return None
    key = parents[0]
    while key in entries and (plain_name(entries[key].operation) in _CHOOSES or is_view(entries[key].operation)):
        if len(graph.parents.get(key, ())) == 0:
            return None
        key = graph.parents[key][0]
    whole = moment(run, key, position)
    is_source = key in entries and plain_name(entries[key].operation) == "log_softmax" and key != parents[0] and whole is not None
    is_part = (
        is_source and whole is not None and whole.extrema[0, 0] <= chosen.extrema[0, 0] and chosen.extrema[0, 1] <= whole.extrema[0, 1]
    )
    return key if is_part else None


def _cause(run: Run, use: LossUse) -> str:
    """What is known about the target that makes the loss negative."""
    target = None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position)
    if use.call.function.startswith("binary") and target is not None:
        low, high = target.extrema[0]
        return f"It cannot be negative for targets from 0 to 1. These are from {low:.3g} to {high:.3g}."
    if use.call.function == _DIVERGENCE:
        return "It cannot be negative for distributions: its first argument must be logarithms of probabilities, and its targets sum to 1."
    if use.call.function == "nll_loss":
        return "It cannot be negative for logarithms of probabilities."
    return "It cannot be negative unless targets or weights are negative."


def _places(run: Run, use: LossUse, loss: TensorKey) -> list[Place]:
    """What makes the loss negative first: logarithms that are none, or targets out of range."""
    prediction = Place("tensor", *through_views(run, use.position, use.prediction))
    is_result = use.call.result is not None and loss == TensorKey(*use.call.result)
    if is_result and use.call.function in {_DIVERGENCE, "nll_loss"}:
        return [prediction, Place("tensor", *loss)]
    target = None if use.call.target is None else TensorKey(*use.call.target)
    values = None if target is None or not use.call.function.startswith("binary") else moment(run, target, use.position)
    if is_result and target is not None and values is not None and (values.extrema[0, 0] < 0 or values.extrema[0, 1] > 1):
        return [Place("tensor", *target), Place("tensor", *loss), prediction]
    return [Place("tensor", *loss), prediction]


def _finding(run: Run, use: LossUse, loss: TensorKey, value: float, message: str) -> Finding:
    step = as_step(run.numbers[use.position])
    return RULE.finding(
        message,
        *_places(run, use, loss),
        step=step,
        value=value,
        limit=_LIMIT.value,
        comparison="It is at least 0.",
        evidence=(Evidence(FORWARD, *loss, step, "mean", "The loss over the steps."),),
    )


RULE = Rule(
    name="negative-loss",
    title="A loss that cannot be negative is negative",
    severity=Severity.PROBLEM,
    formula=(
        "the result of a loss function that compares predictions with targets < -1e-6 (kl_div: < -1e-4). Or what is minimized is, and it "
        "is such a result up to a factor, or the mean or the sum of values chosen from `log_softmax`, perhaps scaled, or of weighted "
        "logarithms of a probability and of 1 less it. A symptom: the mean or the sum of gathered log-probabilities times weights of both "
        "signs, as in a policy gradient. Or its last value is its lowest, and "
        "below -1,000 times the larger of 1 and its first"
    ),
    source="exact; TheDeepChecker (flipped sign), AUTOTRAINER (abnormal loss)",
    needs="calls of loss functions; roots of backward passes and the graph for a flipped sign",
    advice=("Check the sign of the loss.", "Give targets from 0 to 1 to binary cross entropy.", "Use cross_entropy for raw scores."),
    wrong_if="The loss is one that may be negative, as a log density may, or its weights are costs.",
    check=_check,
    neighbours=("target", "before", "loss"),
    thresholds=(_LIMIT, _DIVERGENCE_LIMIT, FALL),
    explains=(
        Explains("diverging-loss"),
        Explains("runaway-growth"),
        Explains("logit-growth"),
        Explains("exploding-gradient"),
        Explains("updates-too-large"),
        Explains("initial-loss"),
        Explains("predictions-ignore-input"),
        Explains("loss-does-not-fall"),
    ),
    priority=1,
)

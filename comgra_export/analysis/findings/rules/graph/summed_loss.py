"""The loss is a sum over the batch instead of a mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import entries_of, same_values
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import StepDescription

__all__ = ["RULE"]

_LARGE = Threshold("median over weights of update norm / norm, in one of the first 12 training steps", 0.1, "Karpathy's rule: 0.001")
_LARGER = Threshold("the same, for a sum by hand and an optimizer that scales nothing", 0.01, "10 times Karpathy's rule")
_BATCH = Threshold("samples in the batch", 2, "the sum over a single sample is its mean")
_FIRST_STEPS = 12
# These scale their steps themselves, so that a factor of the loss matters little.
_ADAPTIVE = frozenset(
    {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Rprop", "Lion", "Adafactor", "SparseAdam"}
)
_DIVISIONS = frozenset({"div", "mul", "mean", "true_divide"})
_MAGNITUDES = frozenset({"pow", "abs"})
_DIFFERENCES = frozenset({"sub", "rsub"})


def _check(run: Run) -> Iterator[Finding]:
    uses = [(position, step, call) for position, step in enumerate(run.steps) for call in step.losses if run.is_training[position]]
    by_hand = _by_hand(run)
    if by_hand is not None:
        yield by_hand
    elif not uses:
        raise NotCheckedError("no call of a loss function was recorded in a training step", applies=False)
    seen = set()
    for position, step, call in uses:
        result = None if call.result is None else TensorKey(*call.result)
        if call.options.get("reduction") != "sum" or step.batch_size < _BATCH.value or result is None or result.name in seen:
            continue
        if _is_divided(run, position, result):
            continue
        seen.add(result.name)
        ratio = _largest_update(run)
        severity = Severity.PROBLEM if ratio > _LARGE.value else _severity_by_optimizer(run)
        yield _finding(f"{call.function} sums the loss", step, result, ratio, severity)


def _by_hand(run: Run) -> Finding | None:
    """A sum of the squares or magnitudes of differences, where a backward pass begins. Only if early updates are large."""
    ratio = _largest_update(run)
    severity = Severity.PROBLEM if ratio > _LARGE.value else _severity_by_optimizer(run)
    is_large = ratio > _LARGE.value or (severity == Severity.SYMPTOM and ratio > _LARGER.value)
    for position in np.flatnonzero(run.is_training).tolist() if is_large else []:
        step, graph, entries = run.steps[position], run.graph(position), entries_of(run, position)
        chain = [TensorKey(*root) for root in step.backward_roots[:1]]
        while (parents := graph.parents.get(chain[-1], ()) if chain else ()) and len(parents) == 1:
            chain.append(parents[0])
        # A factor of 1 changes nothing.
        while len(chain) > 1 and plain_name(entries[chain[0]].operation) in _DIVISIONS and same_values(run, position, *chain[:2]):
            del chain[0]
        operations = [plain_name(entries[key].operation) for key in chain[:3] if key in entries]
        is_of_batch = len(operations) == 3 and entries[chain[1]].shape[:1] == (step.batch_size,) and step.batch_size >= _BATCH.value
        if is_of_batch and operations[0] == "sum" and operations[1] in _MAGNITUDES and operations[2] in _DIFFERENCES:
            return _finding(f"`{chain[0].name}` sums the differences", step, chain[0], ratio, severity)
    return None


def _finding(what: str, step: StepDescription, result: TensorKey, ratio: float, severity: Severity) -> Finding:
    is_large = ratio > _LARGE.value
    return RULE.finding(
        f"{what} over a batch of {step.batch_size} samples. Its gradients are about {step.batch_size} times "
        "as large as those of the mean, and so is the effective learning rate of an optimizer that does not scale gradients.",
        Place("tensor", *result),
        step=step.step,
        value=ratio if is_large else None,
        limit=_LARGE.value if is_large else None,
        comparison="This is how far an early step changes the weights, relative to their size. About 0.001 is usual." if is_large else "",
        evidence=(Evidence(FORWARD, *result, step.step, "mean", "The loss, summed over the batch."),),
        severity=severity,
    )


def _is_divided(run: Run, position: int, result: TensorKey) -> bool:
    """Whether something that is computed from the loss is divided or scaled before the backward pass begins."""
    graph, entries = run.graph(position), entries_of(run, position)
    after = graph.descendants(result) if result in graph.shown else frozenset()
    roots = [TensorKey(*root) for root in run.steps[position].backward_roots]
    if roots and result not in roots and not after.intersection(roots):
        # The way from it to the root is not known.
        return True
    return any(key in entries and plain_name(entries[key].operation) in _DIVISIONS for key in after)


def _largest_update(run: Run) -> float:
    """The largest median over weights of the relative size of an update, in the first training steps."""
    first = np.flatnonzero(run.is_training)[:_FIRST_STEPS]
    medians = []
    for position in first:
        ratios = [
            ratio
            for history in run.parameters.values()
            for ratio in history.update_ratio[history.positions == position]
            if len(history.entry.shape) > 1 and np.isfinite(ratio)
        ]
        medians += [float(np.median(ratios))] if ratios else []
    return max(medians, default=0.0)


def _severity_by_optimizer(run: Run) -> Severity:
    types = {optimizer.type for optimizer in run.network.optimizers or ()}
    return Severity.SYMPTOM if types and not types & _ADAPTIVE else Severity.INFORMATION


RULE = Rule(
    name="summed-loss",
    title="The loss is summed over the batch",
    severity=Severity.SYMPTOM,
    formula="reduction = sum in a training step, nothing computed from the result is divided, and the batch has 2 samples or more. A "
    "problem if updates are large, and then also for the sum of squared or absolute differences (a symptom from 0.01 on, if the optimizer "
    "scales nothing); information only if the optimizer is unknown or scales its steps itself",
    source="exact; Humbatova et al. (wrong loss calculation)",
    needs="calls of loss functions; graph, norms of updates and optimizers to judge the effect",
    advice=("Use `reduction='mean'`.", "Or divide the loss by the size of the batch.", "Or lower the learning rate by the same factor."),
    wrong_if="Twice the batch size with the same learning rate changes the size of the updates by less than half.",
    check=_check,
    neighbours=("prediction", "target"),
    thresholds=(_LARGE, _LARGER, _BATCH),
    explains=(
        Explains("updates-too-small"),
        Explains("updates-too-large"),
        Explains("exploding-gradient"),
        Explains("diverging-loss"),
        Explains("oscillating-loss"),
        Explains("initial-loss"),
        Explains("always-clipped"),
        Explains("dead-relu"),
        Explains("nan-origin"),
        Explains("runaway-growth"),
    ),
    priority=1,
)

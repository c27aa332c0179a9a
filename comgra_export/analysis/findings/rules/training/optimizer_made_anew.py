"""A new optimizer is made for every step, so that none of them remembers anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.history.run import Run
from comgra_export.storage import MOST_OPTIMIZERS, OptimizerEntry

__all__ = ["RULE"]

_LEAST = Threshold("optimizers of the same parameters", 5, "own choice: as many as other rules need steps")
_STEPS = Threshold("training steps for each of them", 2, "own choice: clients that take turns make several steps each")
# What these compute in a step depends on the steps before. SGD remembers nothing without momentum.
_REMEMBER = frozenset(
    {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "SparseAdam", "Adafactor"}
)


def _check(run: Run) -> Iterator[Finding]:
    if run.network.optimizers is None:
        raise NotCheckedError("no optimizer is known", lacks="optimizer")
    if not len(run.numbers) or not run.is_training.any():
        raise NotCheckedError("no training step was recorded", lacks="training steps")
    alike: defaultdict[Hashable, list[OptimizerEntry]] = defaultdict(list)
    for optimizer in run.network.optimizers:
        held = tuple(group.parameters for group in optimizer.groups)
        if any(held) and _remembers(optimizer):
            alike[optimizer.type, held].append(optimizer)
    training = run.numbers[run.is_training]
    span = _last_with_all(run) - float(training[0]) + 1
    for optimizers in alike.values():
        if len(optimizers) < _LEAST.value or span > _STEPS.value * len(optimizers):
            continue
        first = optimizers[0]
        yield RULE.finding(
            f"{len(optimizers)} optimizers of the class {first.type} hold the same parameters, in {span:.0f} training steps. A new one "
            "knows nothing of the steps before: neither the mean of the gradients nor their size. It looks as if it is made in the loop.",
            Place("optimizer", first.name),
            step=float(training[0]),
            value=span / len(optimizers),
            limit=_STEPS.value,
            comparison="This is the number of steps for each of them. One optimizer usually makes all steps.",
        )


def _last_with_all(run: Run) -> float:
    """The last training step in which all optimizers were named: no more are named after `MOST_OPTIMIZERS`."""
    assert run.network.optimizers is not None
    training: list[float] = run.numbers[run.is_training].tolist()
    if len(run.network.optimizers) < MOST_OPTIMIZERS:
        return training[-1]
    named = {step.step: len(step.learning_rates) for step in run.steps if step.learning_rates is not None}
    return next((step for step in training if named.get(step, 0) >= MOST_OPTIMIZERS), training[-1])


def _remembers(optimizer: OptimizerEntry) -> bool:
    """Whether what an optimizer does in a step depends on the steps before."""
    has_momentum = any(group.options.get("momentum") for group in optimizer.groups)
    return optimizer.type in _REMEMBER or (optimizer.type == "SGD" and has_momentum)


RULE = Rule(
    name="optimizer-made-anew",
    title="A new optimizer for every step",
    severity=Severity.PROBLEM,
    formula="5 optimizers or more of one class hold the same parameters, and there are at most 2 training steps for each of them. Only for "
    "optimizers that remember earlier steps, as Adam does, and SGD with momentum",
    source="exact; Stack Overflow and the PyTorch forum (the optimizer is created in the training step)",
    needs="optimizers, and training steps",
    advice=("Create the optimizer once, before the loop.", "To change the learning rate, set it in `optimizer.param_groups`."),
    wrong_if="The updates stay the same when one optimizer makes all steps.",
    check=_check,
    thresholds=(_LEAST, _STEPS),
    explains=(
        Explains("updates-too-small"),
        Explains("updates-too-large"),
        Explains("oscillating-loss"),
        Explains("diverging-loss"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=1,
)

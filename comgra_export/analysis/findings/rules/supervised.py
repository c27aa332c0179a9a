"""What a run minimizes, if that is one loss function of its predictions and of targets that are given.

Rules about a loss over the steps hold for these only. The losses of a GAN, of reinforcement learning or of contrastive learning may rise,
oscillate or stay where they are although all is well.
"""

from __future__ import annotations

from collections import Counter
from math import log
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.classes import ClassRange, class_counts
from comgra_export.analysis.findings.rules.losses import LossUse, has_class_weights, loss_uses, moment
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import Floats, TensorKey

__all__ = [
    "SUPERVISED",
    "RecordedLosses",
    "constants_of",
    "is_contrastive",
    "late_values",
    "minimized_uses",
    "recorded_losses",
    "root_of",
    "supervised_uses",
    "value_of",
]

SUPERVISED = frozenset(
    {
        "cross_entropy",
        "nll_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
    }
)
"""Loss functions that compare predictions with targets, by their names in `torch.nn.functional`."""

_SCALES = frozenset({"mul", "div", "true_divide", "neg"})
_MOST_SCALES = 3
_LEAST_CONTRASTED = 8


class RecordedLosses(NamedTuple):
    """The loss of training over the recorded steps, `T` of them.

    Attributes:
        use: The call in the first of these steps.
        steps: `[T]`: their numbers.
        values: `[T]`: the loss; its mean if a step computes it several times.
        constant: `[T]`: what the loss would be in these steps if the network always predicted the shares of the classes or the mean of the
            targets. At most that; NaN if it is not known.
    """

    use: LossUse
    steps: Floats
    values: Floats
    constant: Floats

    @property
    def key(self) -> TensorKey:
        """The loss of the first step."""
        result = self.use.call.result
        return self.use.prediction if result is None else TensorKey(*result)


def value_of(run: Run, use: LossUse) -> float:
    """What a loss function returned, if that is a single value; else NaN."""
    result = None if use.call.result is None else moment(run, TensorKey(*use.call.result), use.position)
    return float(result.mean[0]) if result is not None and result.entry.kind == "single_value" else float("nan")


def is_contrastive(use: LossUse) -> bool:
    """Whether each sample of the batch is a class, as in contrastive learning."""
    shape = use.entry.shape
    is_of_classes = use.call.function in {"cross_entropy", "nll_loss"} and len(shape) == 2
    return is_of_classes and shape[0] >= _LEAST_CONTRASTED and shape[0] - shape[1] in (0, 1)


def supervised_uses(run: Run) -> list[LossUse]:
    """The calls in usual training steps from whose results backward passes began, perhaps scaled.

    Raises:
        NotCheckedError: Something else is minimized, or more than one thing; or targets are computed from other recorded tensors.
    """
    chosen = minimized_uses(run)
    if any(use.call.target is None for use in chosen):
        raise NotCheckedError("the targets are not recorded; `register_tensor` with `is_target=True` records them")
    if any(run.graph(use.position).parents.get(TensorKey(*use.call.target)) for use in chosen if use.call.target is not None):
        raise NotCheckedError(
            "the targets are computed from other recorded tensors; compute them before the network runs, if they are data"
        )
    return chosen


def minimized_uses(run: Run) -> list[LossUse]:
    """As `supervised_uses`, whatever targets are computed from.

    Raises:
        NotCheckedError: Something else is minimized, or more than one thing.
    """
    uses = [use for use in loss_uses(run, SUPERVISED) if usual_training_steps(run)[use.position]]
    roots = {position: set(map(TensorKey._make, step.backward_roots)) for position, step in enumerate(run.steps)}
    if len(run.network.optimizers or ()) > 1:
        raise NotCheckedError("there are several optimizers, so the losses may work against each other", applies=False)
    chosen, explained = [], set()
    for use in uses:
        root = root_of(run, use, roots[use.position])
        if root is not None:
            chosen.append(use)
            explained.add((use.position, root))
    minimized = {(position, root) for position, of_step in roots.items() if usual_training_steps(run)[position] for root in of_step}
    if not chosen or minimized != explained:
        raise NotCheckedError("what is minimized is not the result of a loss function alone", applies=False)
    if len({use.call.function for use in chosen}) > 1 or any(map(is_contrastive, chosen)):
        raise NotCheckedError("several loss functions are minimized, or one of contrastive learning", applies=False)
    if _is_of_one_class(run, chosen):
        raise NotCheckedError("all targets are of one class, as in contrastive learning that puts the right one first", applies=False)
    return chosen


def _is_of_one_class(run: Run, uses: list[LossUse]) -> bool:
    """Whether cross entropies have the same target in all samples and steps."""
    if uses[0].call.function not in {"cross_entropy", "nll_loss"}:
        return False
    classes: set[float] = set()
    for use in uses:
        series = None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position)
        if series is None or len(classes.union(series.extrema[0].tolist())) != 1:
            return False
        classes.update(series.extrema[0].tolist())
    return True


def recorded_losses(run: Run, least: int, span: int) -> RecordedLosses:
    """The loss of training over the steps.

    Args:
        run: The run.
        least: How many recorded training steps are needed.
        span: How many steps must lie between the first and the last of them.

    Raises:
        NotCheckedError: There are fewer, or it is not known what is minimized.
    """
    losses = _all_losses(run)
    positions = losses.positions
    if len(positions) < least:
        count = len(positions)
        raise NotCheckedError(
            f"only {count} training step{' was' if count == 1 else 's were'} recorded, and it needs {least}", lacks="training steps"
        )
    reach = int(run.numbers[positions[-1]] - run.numbers[positions[0]])
    if reach < span:
        raise NotCheckedError(f"the recorded training steps lie within {reach} steps, and it needs {span}", lacks="longer run")
    return RecordedLosses(losses.use, run.numbers[positions], losses.values, losses.constants)


class _AllLosses(NamedTuple):
    """What `recorded_losses` returns, with the positions of the steps."""

    use: LossUse
    positions: list[int]
    values: Floats
    constants: Floats


@once_per_run
def _all_losses(run: Run) -> _AllLosses:
    uses = supervised_uses(run)
    values: dict[int, list[float]] = {}
    constants: dict[int, list[float]] = {}
    for use, constant in constants_of(run, uses):
        values.setdefault(use.position, []).append(value_of(run, use))
        constants.setdefault(use.position, []).append(constant)
    positions = sorted(values)
    means = [np.array([np.mean(of_step[position]) for position in positions]) for of_step in (values, constants)]
    return _AllLosses(uses[0], positions, *means)


def late_values(values: Floats, share: float, least: int = 2) -> Floats:
    """The last of some values: this share of them, and at least so many."""
    return values[-max(least, round(len(values) * share)) :]


def root_of(run: Run, use: LossUse, roots: set[TensorKey]) -> TensorKey | None:
    """The tensor at which a backward pass began, if it is the result of a call up to a factor."""
    graph = run.graph(use.position)
    key = None if use.call.result is None else TensorKey(*use.call.result)
    for _ in range(_MOST_SCALES):
        if key is None or key in roots:
            return key
        children = [child for child in graph.children.get(key, ()) if graph.parents[child] == (key,)]
        scaled = [child for child in children if child in run.tensors and plain_name(run.tensors[child].operation) in _SCALES]
        key = scaled[0] if len(scaled) == 1 else None
    return key if key in roots else None


def constants_of(run: Run, uses: list[LossUse]) -> list[tuple[LossUse, float]]:
    """Per call the loss of a prediction that is the same for all samples of all calls. NaN if it is not known."""
    function, options = uses[0].call.function, uses[0].call.options
    if options.get("reduction") == "mean" and not has_class_weights(uses[0].call):
        return _of_classes(run, uses) if function in {"cross_entropy", "nll_loss"} else _of_numbers(run, uses, function)
    return [(use, float("nan")) for use in uses]


def _of_classes(run: Run, uses: list[LossUse]) -> list[tuple[LossUse, float]]:
    counts = [class_counts(run, use) for use in uses]
    known = [each for each in counts if each is not None]
    if len(known) < len(uses):
        return [(use, float("nan")) for use in uses]
    together: Counter[ClassRange] = Counter()
    for each in known:
        together.update(each)
    total = together.total()
    surprise = {name: log(total / count) + log(name.classes) for name, count in together.items() if count}
    return [
        (use, sum(count * surprise[name] for name, count in each.items() if count) / max(sum(each.values()), 1))
        for use, each in zip(uses, known, strict=True)
    ]


def _of_numbers(run: Run, uses: list[LossUse], function: str) -> list[tuple[LossUse, float]]:
    moments = [None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position) for use in uses]
    series = [each for each in moments if each is not None]
    unknown = [(use, float("nan")) for use in uses]
    if len(series) < len(uses):
        return unknown
    mean = float(np.mean([each.mean[0] for each in series]))
    if function == "mse_loss":
        return [(use, float(each.standard_deviation[0] ** 2 + (each.mean[0] - mean) ** 2)) for use, each in zip(uses, series, strict=True)]
    if function.startswith("binary_cross_entropy") and 0 < mean < 1:
        return [
            (use, float(-each.mean[0] * log(mean) - (1 - each.mean[0]) * log(1 - mean))) for use, each in zip(uses, series, strict=True)
        ]
    return unknown

"""Parameters that get gradients and that no optimizer holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.parameters import (
    moves,
    received_gradients,
    require_gradients,
    share_of_turns,
    trainable,
    unchanged,
)
from comgra_export.analysis.findings.rules.weights import is_as_initialized, module_type
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_LEAST_STEPS = 3
# What PyTorch's parametrizations, weight norms and spectral norms make of a weight.
_PARAMETRIZED = re.compile(r"(.+?)\.(?:parametrizations\.\w+\.original\d*|\w+_(?:g|v|orig))")
_LAYERS = frozenset({"Linear", "Conv1d", "Conv2d", "Conv3d", "LSTM", "GRU", "RNN"})


def _check(run: Run) -> Iterator[Finding]:
    if run.optimized is None:
        raise NotCheckedError("no optimizer is known", lacks="optimizer")
    require_gradients(run)
    names = trainable(run)
    still = [name for name in names if name not in run.optimized and not moves(run, name)]
    unfrozen = [name for name in still if _got_gradients_later(run, name)]
    outside = unfrozen or [name for name in still if _gets_gradients(run, name)]
    if not outside:
        return
    received = received_gradients(run, outside[0])
    step = as_step(received.steps[np.argmax(received.largest > 0)] if unfrozen else received.steps[0])
    # People who train a small part of a network often leave the rest out of the optimizer, and not out of autograd.
    is_most = len(outside) > len(run.optimized.intersection(names))
    is_meant = is_most and not unfrozen and not _has_empty_group(run) and not any(is_as_initialized(run, name) for name in outside)
    is_meant = is_meant and not _are_vectors_of_held_weights(run, outside) and not _are_made_later(run, outside)
    severity = Severity.BUG
    if is_meant:
        severity = Severity.PROBLEM if _are_behind_all_others(run, outside) else Severity.INFORMATION
    yield RULE.finding(
        f"No optimizer that makes steps holds {names_of(outside)}, although backward passes compute gradients for "
        f"{'it' if len(outside) == 1 else 'them'}.",
        *(Place("parameter", name) for name in outside),
        step=step,
        evidence=unchanged(run, outside[0], step, "The gradient that nothing uses."),
        severity=severity,
    )


def _got_gradients_later(run: Run, name: str) -> bool:
    """Whether a parameter had no gradient in the first recorded steps, and one in all that follow, as if somebody meant to train it."""
    received = received_gradients(run, name)
    first = int(np.argmax(received.largest > 0)) if len(received) else 0
    is_later = first >= _LEAST_STEPS and len(received) - first >= _LEAST_STEPS
    return is_later and bool(received.absent[:first].all()) and bool((received.largest[first:] > 0).all())


def _has_empty_group(run: Run) -> bool:
    """Whether an optimizer beside others, or a group beside others, holds no parameter of the network."""
    groups = [group.parameters for optimizer in run.network.optimizers or () for group in optimizer.groups]
    return any(groups) and not all(groups)


def _are_vectors_of_held_weights(run: Run, outside: Sequence[str]) -> bool:
    """Whether all weights are held, and only biases and scales are not: the second group of a weight decay is missing.

    Whoever leaves out parts on purpose leaves out whole layers, or trains the vectors and not the weights.
    """
    shapes = {entry.name: len(entry.shape) for entry in run.network.parameters}
    held = {name.rpartition(".")[0] for name in run.optimized or () if shapes.get(name, 0) > 1}
    split = [name for name in outside if name.rpartition(".")[0] in held]
    return bool(split) and all(shapes[name] <= 1 for name in outside)


def _are_made_later(run: Run, outside: Sequence[str]) -> bool:
    """Whether a weight is parametrized, as by weight normalization, and the optimizer holds the bias of its layer and not its parts.

    It was made before they were, then: they are new parameters, and the weight that it holds belongs to nothing any more.
    """
    parametrized = [match[1] for name in outside if (match := _PARAMETRIZED.fullmatch(name)) is not None]
    return bool(parametrized) and any(f"{layer}.bias" in (run.optimized or ()) for layer in parametrized)


def _are_behind_all_others(run: Run, outside: Sequence[str]) -> bool:
    """Whether the optimizers hold the first layers alone. Whoever trains a part on purpose trains the last layers, or some in between.

    Vectors and embeddings in front of a network are trained alone too.
    """
    graph = run.graph(int(np.flatnonzero(run.is_training)[0]))
    entries = {entry.name: entry for entry in run.network.parameters}

    def depths(names: Iterable[str]) -> list[int]:
        """How far from the inputs the parameters are used; nothing of those that are not seen."""
        results = (graph.children.get(TensorKey(name, -1), ()) for name in names)
        return [min(graph.depth.get(result, 0) for result in of_one) for of_one in results if of_one]

    held = [name for name in run.optimized or () if name in entries]
    of_layers = [name for name in held if module_type(run, entries[name]) in _LAYERS]
    before, behind = depths(held), depths(outside)
    return bool(of_layers) and bool(before) and bool(behind) and max(before) < min(behind)


def _gets_gradients(run: Run, name: str) -> bool:
    received = received_gradients(run, name)
    return bool(len(received)) and bool((received.largest > 0).mean() > share_of_turns(run))


RULE = Rule(
    name="not-in-optimizer",
    title="No optimizer holds a parameter that gets gradients",
    severity=Severity.BUG,
    formula="no optimizer holds the parameter, it never changes, and its gradient is not zero in most steps (a quarter with two "
    "optimizers), or from a later step on. Information if most are like that, unless they are as initialized, late, vectors "
    "of held weights, parts of a parametrized weight whose bias is held, or a group is empty; a problem if only the first layers are held",
    source="exact; TrainCheck (PyTorch forum 84911)",
    needs="optimizers, gradients, and norms of updates",
    advice=(
        "Pass all parameters to the optimizer: `model.parameters()`. If there are several, call `step()` of each.",
        "Make the optimizer after the last change of the network, such as a weight normalization or a new layer.",
        "Set `requires_grad_(False)` if the parameter is meant to stay as it is.",
    ),
    wrong_if="The parameter is in `optimizer.param_groups`, or another part of the script changes it.",
    check=_check,
    explains=(
        Explains("never-updated"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("updates-too-small"),
    ),
    priority=1,
    while_training=10,
)

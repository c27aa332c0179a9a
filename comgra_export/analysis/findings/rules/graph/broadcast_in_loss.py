"""The prediction and the target of a loss have different shapes, and PyTorch compares every one with every other."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.losses import entries_of, loss_uses
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, is_view, plain_name
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["RULE"]

_ELEMENT_BY_ELEMENT = frozenset(
    {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "poisson_nll_loss"}
)
_DIFFERENCES = frozenset({"sub", "rsub"})
_WEIGHTINGS = frozenset({"mul", "div", "true_divide"})
_SLICES = frozenset({"getitem", "index_select", "narrow", "select", "slice", "split", "unbind"})
_LOGARITHMS = frozenset({"log", "log1p", "log_sigmoid", "logsigmoid", "softplus"})
_SHIFTS = frozenset({"add", "clamp", "rsub", "sub"})
_MOST_VIEWS = 4


def _check(run: Run) -> Iterator[Finding]:
    by_hand = list(_by_hand(run))
    yield from by_hand
    try:
        yield from _in_functions(run)
    except NotCheckedError:
        if not by_hand and not any(run.graph(position).shown for position in range(len(run.steps))):
            raise


def _by_hand(run: Run) -> Iterator[Finding]:
    """Tensors `[B, B]` made of one `[B, 1]` or `[B]` and something that is not recorded, on the way to the loss.

    Differences of predictions, where something is the target; and products of the losses of samples or of logarithms of predictions,
    where it is their weights. Products of gathered log-probabilities, one for each sample, count whatever else they were computed from.
    """
    seen = set()
    for position in np.flatnonzero(run.is_training).tolist():
        step, graph, entries = run.steps[position], run.graph(position), entries_of(run, position)
        roots = set(map(TensorKey._make, step.backward_roots))
        losses = {TensorKey(*call.result) for call in step.losses if call.result is not None}
        for key, entry in entries.items():
            parents = graph.parents.get(key, ())
            operation = plain_name(entry.operation)
            if key.name in seen or operation not in _DIFFERENCES | _WEIGHTINGS or any(parent not in entries for parent in parents):
                continue
            is_weighting = operation in _WEIGHTINGS
            gathered = [parent for parent in parents if is_weighting and _is_gathered(graph, entries, parent)]
            column = None if is_weighting else _column_less_row(graph, entries, key)
            if len(parents) != 1 and len(gathered) != 1 and column is None:
                continue
            source = column or (gathered or parents)[0]
            prediction = entries[source]
            count = prediction.shape[0] if prediction.shape else 0
            of_samples = gathered or losses & {source, *graph.parents.get(source, ())} or _is_logarithm(graph, entries, source)
            is_known = bool(of_samples) if is_weighting else _is_output(graph, entries, source)
            # Operations that are not recorded may have made a column of other tensors. A matrix of pairs is meant to be one.
            are_columns = prod(prediction.shape) == count and all(prod(entries[parent].shape) != count**2 for parent in parents)
            is_of_samples = count > 1 and count == step.batch_size and are_columns and is_known
            if not is_of_samples or entry.shape != (count, count) or not roots & graph.descendants(key):
                continue
            seen.add(key.name)
            what = "a product or quotient" if is_weighting else "a difference"
            effect = "Every loss meets every weight." if is_weighting else "Every prediction is compared with every target."
            yield RULE.finding(
                f"{key.name} is {what} {list(entry.shape)} of {source.name} {list(prediction.shape)} and a tensor of another shape. "
                f"{effect}",
                Place("tensor", *source),
                Place("tensor", *key),
                step=step.step,
                evidence=(Evidence(FORWARD, *source, step.step, None, "The prediction, whose shape differs from the target's."),),
            )


def _column_less_row(graph: StepGraph, entries: dict[TensorKey, TensorEntry], key: TensorKey) -> TensorKey | None:
    """The output `[B, 1]` from which, or which from, a recorded `[B]` was subtracted that has another origin; None if it is not so.

    The differences of all pairs of scores are those of a tensor and itself.
    """
    parents = graph.parents.get(key, ())
    columns = [parent for parent in parents if entries[parent].shape == (*entries[key].shape[:1], 1)]
    rows = [parent for parent in parents if entries[parent].shape == entries[key].shape[:1]]
    if len(parents) != 2 or not columns or not rows or not _is_output(graph, entries, columns[0]):
        return None
    ancestors = [{parent, *graph.ancestors(parent)} for parent in (columns[0], rows[0])]
    layers = [{each for each in of_one if each in entries and entries[each].module is not None} for of_one in ancestors]
    return None if ancestors[0] & set(rows) or ancestors[1] & set(columns) or layers[0] & layers[1] else columns[0]


def _is_output(graph: StepGraph, entries: dict[TensorKey, TensorEntry], key: TensorKey) -> bool:
    """Whether a module returned a tensor, or what it is a part or an activation of."""
    for _ in range(_MOST_VIEWS):
        parents = graph.parents.get(key, ())
        operation = entries[key].operation
        is_part = is_view(operation) or plain_name(operation) in {*_SLICES, *ACTIVATIONS}
        if entries[key].module is not None or not is_part or len(parents) != 1 or parents[0] not in entries:
            break
        key = parents[0]
    return entries[key].module is not None


def _is_logarithm(graph: StepGraph, entries: dict[TensorKey, TensorEntry], key: TensorKey) -> bool:
    """Whether a tensor is the logarithm of an output, as in a cross entropy that is written by hand."""
    if plain_name(entries[key].operation) not in _LOGARITHMS:
        return False
    for _ in range(_MOST_VIEWS):
        parents = graph.parents.get(key, ())
        if len(parents) != 1 or parents[0] not in entries:
            return False
        (key,) = parents
        # A small number may be added to a probability, or it is taken from 1.
        if plain_name(entries[key].operation) not in _SHIFTS or entries[key].module is not None:
            return _is_output(graph, entries, key)
    return False


def _is_gathered(graph: StepGraph, entries: dict[TensorKey, TensorEntry], key: TensorKey) -> bool:
    """Whether a tensor holds what was gathered for each sample, as log-probabilities of actions are, perhaps with another sign."""
    if len(entries[key].shape) != 1:
        return False
    for _ in range(_MOST_VIEWS):
        operation, parents = entries[key].operation, graph.parents.get(key, ())
        if plain_name(operation) == "gather":
            return True
        if not (is_view(operation) or plain_name(operation) == "neg") or len(parents) != 1 or parents[0] not in entries:
            return False
        key = parents[0]
    return False


def _in_functions(run: Run) -> Iterator[Finding]:
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
    formula="the shapes of prediction and target differ, and broadcasting makes more values than either has. By hand: a [B, B] on the way "
    "to the loss that is a difference of an output [B] or [B, 1] and an unrecorded tensor or a [B] of another origin, or a product of "
    "losses, of logarithms of an output or of gathered log-probabilities [B] with something else",
    source="exact; Humbatova et al. (wrong shape of the target)",
    needs="calls of loss functions, and tensors of prediction and target; or the graph",
    advice=("Give both the same shape: `target.unsqueeze(1)` or `prediction.squeeze(1)`.",),
    wrong_if="The loss is the same, except for rounding, after both were given the same shape.",
    check=_check,
    neighbours=("prediction", "target"),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
        Explains("vanishing-gradient"),
    ),
    priority=0,
    while_training=0,
)

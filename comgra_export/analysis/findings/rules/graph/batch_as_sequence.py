"""A recurrent layer or an attention takes the samples of the batch for the places of a sequence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.graph.views_across_samples import ViewAcrossSamples, view_across_samples
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.supervised import SUPERVISED
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import ModuleEntry, TensorEntry

__all__ = ["RULE", "is_sequence_first"]

# Without `batch_first=True`, these take the batch as the second dimension, and print nothing about it.
_RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
_SEQUENCES = 3


def is_sequence_first(module: ModuleEntry) -> bool:
    """Whether a module is known to take the places of a sequence as its first dimension, and the batch as its second."""
    if module.type == "MultiheadAttention":
        return "batch_first=False" in module.description
    return module.type in _RECURRENT and "batch_first=True" not in module.description


def _check(run: Run) -> Iterator[Finding]:
    view = view_across_samples(run)
    if view is not None:
        yield _of_view(view)
        return
    yield from _of_layers(run)


def _of_view(view: ViewAcrossSamples) -> Finding:
    return RULE.finding(
        f"`{view.tensor.name}` {list(view.shape)} is a view of `{view.source.name}` {list(view.of_source)}, of which the first dimension "
        "is the batch. A view leaves all values in their order, so it puts values of one sample into others.",
        Place("tensor", *view.tensor),
        Place("tensor", *view.source),
        step=view.step,
        evidence=(Evidence(FORWARD, *view.tensor, view.step, None, f"The view {list(view.shape)}: samples are mixed."),),
    )


def _of_layers(run: Run) -> Iterator[Finding]:
    modules = {module.name for module in run.network.modules if is_sequence_first(module)}
    if not modules:
        raise NotCheckedError(
            "no recurrent layer or attention is known to take the sequence first", lacks="network", applies=not run.network.modules
        )
    seen: set[object] = set()
    wrong: dict[str, tuple[TensorKey, TensorEntry, LossUse]] = {}
    for use in loss_uses(run, SUPERVISED):
        kind = run.steps[use.position].layout
        if kind in seen or not bool(np.asarray(run.is_training)[use.position]):
            continue
        seen.add(kind)
        graph = run.graph(use.position)
        before = graph.ancestors(use.prediction)
        for key in sorted(before, key=lambda each: graph.depth.get(each, 0)):
            entry = entries_of(run, use.position).get(key)
            if entry is None or entry.module not in modules or entry.module in wrong:
                continue
            if _is_of_samples(run, use, entry) or _are_places_second(run, use.position, key):
                wrong[entry.module] = key, entry, use
    if not wrong:
        return
    key, entry, use = next(iter(wrong.values()))
    samples, places = entry.shape[:2]
    yield RULE.finding(
        f"`{entry.module}` takes the first dimension of its input for the sequence, and that is the batch of {samples} samples. So it "
        f"mixes the samples, and takes the {places} places of a sample for a batch.",
        Place("tensor", *key),
        *(Place("module", module) for module in wrong),
        step=use.step,
        evidence=(Evidence(FORWARD, *key, use.step, None, f"The result {list(entry.shape)}: samples come first."),),
    )


def _is_of_samples(run: Run, use: LossUse, entry: TensorEntry) -> bool:
    """Whether the first dimension of a result is that of the samples: there is a target for each, and none for what comes second."""
    target = None if use.call.target is None else entries_of(run, use.position).get(TensorKey(*use.call.target))
    if target is None or not target.shape or len(entry.shape) != _SEQUENCES:
        return False
    samples, places = entry.shape[:2]
    has_batch = samples == run.steps[use.position].batch_size == target.shape[0] == use.entry.shape[0]
    return has_batch and samples != places and min(samples, places) > 1 and places not in (*target.shape[1:], *use.entry.shape[1:])


def _are_places_second(run: Run, position: int, key: TensorKey) -> bool:
    """Whether what it was computed from had something `[T, F]` added to it, `[B, T, F]`, as learned vectors for places are.

    There are more samples than places: so these are not the first few of a table, one for each of the samples.
    """
    graph, entries = run.graph(position), entries_of(run, position)
    shape = entries[key].shape
    if len(shape) != _SEQUENCES or not 1 < shape[1] < shape[0]:
        return False
    sums = (other for other in graph.ancestors(key) if other in entries and plain_name(entries[other].operation) == "add")
    alike = [other for other in sums if len(entries[other].shape) == _SEQUENCES and entries[other].shape[:2] == shape[:2]]
    added = {
        (entries[parent].shape, entries[other].shape) for other in alike for parent in graph.parents.get(other, ()) if parent in entries
    }
    return any(part in (whole[1:], (1, *whole[1:])) for part, whole in added)


RULE = Rule(
    name="batch-as-sequence",
    title="The batch is taken for a sequence",
    severity=Severity.BUG,
    formula="an RNN, LSTM, GRU or MultiheadAttention without `batch_first=True` returns [B, T, F] for a prediction in a training step of "
    "B samples. Prediction and target have B as their first dimension and T as none; or B > T, and something [T, F] was added to a tensor "
    "[B, T, F] before. Or a view has all sizes of a tensor [B, ...] in another order, and B is not the first of them any more",
    source="exact; PyTorch forum (`batch_first`), Humbatova et al. (wrong tensor shape)",
    needs="modules with their settings, graphs, and calls of loss functions",
    advice=(
        "Create the layer with `batch_first=True`.",
        "Or transpose its input and its output: `x.transpose(0, 1)`.",
        "Change the order of dimensions with `permute`, and never with `view` or `reshape`.",
    ),
    wrong_if="The result for one sample stays the same when the others of the batch are exchanged.",
    check=_check,
    neighbours=("before", "caller"),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("same-for-all-samples"),
        Explains("overfitting"),
    ),
    priority=0,
    while_training=0,
)

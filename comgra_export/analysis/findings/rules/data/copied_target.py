"""Whether a target of integers, such as tokens, is the input of the network itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, through_views
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.recurrent import RECURRENT
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, RecordKey, Series, TensorKey
from comgra_export.storage import Recording, TargetFact
from comgra_export.storage.arrays.layout_arrays import RecordPlace

__all__ = ["CopiedTarget", "copied_target", "facts_of", "places_with_values"]


class CopiedTarget(NamedTuple):
    """An input that is the target.

    Attributes:
        input: The input.
        target: The target.
        steps: In how many recorded steps.
        is_known: Whether the values are known to be the same in the same order. Else only their statistics are.
    """

    input: TensorKey
    target: TensorKey
    steps: int
    is_known: bool


def copied_target(run: Run, uses: Sequence[LossUse]) -> CopiedTarget | None:
    """The input of integers `[B, T]` that is the target of all calls; None if there is none, or if it may be meant.

    It may be meant if the network has another input that varies, since then the target may be an input for teacher forcing, which the
    network shifts. A recurrent layer that gets the embeddings of all positions shows that it does not. It may also be meant if nothing that
    has a value for each of the `T` positions lies between input and prediction, as in an autoencoder.

    Args:
        run: The run.
        uses: The calls of the loss function that is minimized.
    """
    targets = {None if use.call.target is None else TensorKey(*use.call.target) for use in uses}
    target = targets.pop()
    goals = None if targets or target is None else values_in_training(run, target)
    if goals is None or target is None or len(goals) < LEAST_STEPS or goals.entry.is_floating or not np.ptp(goals.mean):
        return None
    inputs = inputs_in_training(run)
    for key, series in inputs.items():
        # A label beside each sample may well be an input, as for networks that are conditioned on it.
        if series.dimensions < 2:
            continue
        is_known = _are_in_order(run, key, uses)
        # A target that is known to be the same may leave out values, and so have other statistics.
        if not is_known and not _have_same_statistics(series, goals):
            continue
        others = [other for name, other in inputs.items() if name != key and other.entry.dtype != "BOOL" and np.ptp(other.mean)]
        starts = _read_in_order(run, uses[0], key) if others and is_known else set() if others else {key}
        if is_known is not False and _reaches_prediction_over_time(run, uses[0], key, starts):
            # A network that reverses or sorts its input has targets with the same statistics.
            return CopiedTarget(key, target, len(goals), bool(is_known))
    return None


def facts_of(run: Run, uses: Sequence[LossUse]) -> Iterator[tuple[int, TargetFact]]:
    """How the targets of these calls compare with inputs, and the positions of the steps."""
    for use in uses:
        for fact in run.steps[use.position].target_facts:
            if fact.target == use.call.target:
                yield use.position, fact


def places_with_values(run: Run, key: TensorKey, use: LossUse) -> list[RecordPlace]:
    """The places of a tensor and of the target of a loss in a step. Those without values are left out."""
    wanted = [] if use.call.target is None else [RecordKey(FORWARD, key), RecordKey(FORWARD, TensorKey(*use.call.target))]
    places = [place for record in wanted if (place := run.places(use.position).get(record)) is not None]
    return [place for place in places if place.entry.values_count]


def _have_same_statistics(series: Series, goals: Series) -> bool:
    """Whether two tensors have the same size, dtype, mean, extremes and zeros in all steps. Batches differ, so that others would not."""
    if series.entry.dtype != goals.entry.dtype or len(series) != len(goals) or not (series.sizes == goals.sizes).all():
        return False
    return bool(
        np.allclose(series.mean, goals.mean, rtol=1e-6, atol=0)
        and np.array_equal(series.extrema, goals.extrema)
        and np.array_equal(series.counts[:, 3], goals.counts[:, 3])
    )


def _are_in_order(run: Run, key: TensorKey, uses: Sequence[LossUse]) -> bool | None:
    """Whether each value of an input is that of the target at the same position; None if they were neither compared nor recorded."""
    compared = [fact.is_same for _, fact in facts_of(run, uses) if TensorKey(*fact.input) == key and fact.is_same is not None]
    if compared:
        return all(compared)
    if all(use.call.target is not None and through_views(run, use.position, TensorKey(*use.call.target)) == key for use in uses):
        return True
    known = [is_same for use in uses if (is_same := _is_in_order(run, key, use)) is not None]
    return all(known) if known else None


def _is_in_order(run: Run, key: TensorKey, use: LossUse) -> bool | None:
    places = places_with_values(run, key, use)
    if len(places) < 2 or not isinstance(run.recording, Recording):
        return None
    step = run.steps[use.position]
    inputs, targets = run.recording.values(step.step, places)
    if places[0].entry.batch_dimension is not None and places[1].entry.batch_dimension is None:
        # The targets of all samples in a row: `[B * T]`.
        rows = targets.reshape(-1, inputs.shape[1]) if targets.size % inputs.shape[1] == 0 else targets
        index = list(step.samples.index)
        if len(index) != len(inputs) or max(index) >= len(rows):
            return None
        targets = rows[index]
    return np.array_equal(inputs, targets) if inputs.shape == targets.shape else None


def _read_in_order(run: Run, use: LossUse, key: TensorKey) -> set[TensorKey]:
    """The results of recurrent layers for the very embeddings of an input."""
    graph, entries = run.graph(use.position), entries_of(run, use.position)
    recurrent = {module.name for module in run.network.modules if module.type in RECURRENT}
    embedded = {child for child in graph.children.get(key, ()) if child in entries and plain_name(entries[child].operation) == "embedding"}
    results = {child for each in embedded for child in graph.children.get(each, ())}
    return {result for result in results if result in entries and entries[result].module in recurrent}


def _reaches_prediction_over_time(run: Run, use: LossUse, key: TensorKey, starts: set[TensorKey]) -> bool:
    """Whether the prediction is computed from some tensors by others that have values for each of the `T` positions of an input."""
    graph, entries = run.graph(use.position), entries_of(run, use.position)
    batch, length = entries[key].shape[:2]
    seen = {start for start in starts if start == key or {length, batch * length}.intersection(entries[start].shape)}
    waiting = list(seen)
    while waiting:
        for child in graph.children.get(waiting.pop(), ()):
            entry = entries.get(child)
            if child not in seen and entry is not None and {length, batch * length}.intersection(entry.shape):
                seen.add(child)
                waiting.append(child)
    return use.prediction in seen

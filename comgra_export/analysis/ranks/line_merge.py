"""What grows line by line in a recording, over all ranks: notes, curves and sentinels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from comgra_export.analysis.ranks.merge_plan import ranks_in_words
from comgra_export.storage import CurvePoint, NonFiniteInput, Note, SentinelPoint, without_repeated_curves

__all__ = ["merge_curves", "merge_notes", "merge_sentinels"]


def merge_notes(notes: Sequence[Sequence[Note]], ranks: Sequence[int]) -> tuple[Note, ...]:
    """The notes of all ranks by step. A note that not all ranks have says which do."""
    having: dict[tuple[Note, int], list[int]] = {}
    for rank, own in zip(ranks, notes, strict=True):
        times: defaultdict[Note, int] = defaultdict(int)
        for note in own:
            # Two equal notes of a rank are two notes.
            having.setdefault((note, times[note]), []).append(rank)
            times[note] += 1
    merged = [
        note if len(of_ranks) == len(ranks) else Note(f"[{ranks_in_words(of_ranks)}] {note.text}", note.step)
        for (note, _), of_ranks in having.items()
    ]
    return tuple(sorted(merged, key=lambda note: -1 if note.step is None else note.step))


def merge_curves(curves: Sequence[Sequence[CurvePoint]]) -> tuple[CurvePoint, ...]:
    """The mean of every curve over the ranks that have it, at the points that all of these have; in the order of the first of them.

    A curve of the script leaves out one of the recorder's own of that name, even if only another rank has it.
    """
    values: defaultdict[tuple[str, str, str], defaultdict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    having: defaultdict[tuple[str, str, str], set[int]] = defaultdict(set)
    of_script = {_curve(point) for own in curves for point in own if not point.is_own}
    for rank, own in enumerate(curves):
        for point in own:
            curve = _curve(point)
            if not (point.is_own and curve in of_script):
                having[curve].add(rank)
                values[curve][point.t].append(point.v)
    return without_repeated_curves(
        CurvePoint(*curve, t, _mean(of_ranks), curve not in of_script)
        for curve, points in values.items()
        for t, of_ranks in points.items()
        if len(of_ranks) == len(having[curve])
    )


def _curve(point: CurvePoint) -> tuple[str, str, str]:
    return point.group, point.name, point.type


def merge_sentinels(points: Sequence[Sequence[SentinelPoint]]) -> tuple[SentinelPoint, ...]:
    """The largest magnitudes over all ranks, at the steps that all of them checked, of the tensors that all of them have. By step.

    NaN if a rank has a NaN. A step with a loss that is not finite counts even if one rank alone checked it. What triggered a rank alone
    is kept: the step was recorded there.
    """
    by_rank = [{point.step: point for point in own} for own in points]
    merged = {step: _merged([own[step] for own in by_rank]) for step in by_rank[0] if all(step in own for own in by_rank)}
    # The loss of one rank may be NaN while the gradients of all are finite. Then the others had no reason to look.
    for step, point in (pair for own in by_rank for pair in own.items() if pair[1].loss is not None):
        merged.setdefault(step, point)
    return tuple(merged[step] for step in sorted(merged))


def _merged(points: Sequence[SentinelPoint]) -> SentinelPoint:
    """The checks of one step by all ranks."""
    first = points[0]
    largest = [dict(zip(point.tensors, point.largest, strict=True)) for point in points]
    tensors = tuple(tensor for tensor in first.tensors if all(tensor in own for own in largest))
    reasons = dict.fromkeys(point.triggered for point in points if point.triggered is not None)
    return SentinelPoint(
        first.step,
        first.type_of_execution,
        tensors,
        tuple(_largest([own[tensor] for own in largest]) for tensor in tensors),
        triggered="; ".join(reasons) if reasons else None,
        origin=next((point.origin for point in points if point.origin is not None), None),
        inputs=_inputs(points),
        loss=_loss(points),
    )


def _loss(points: Sequence[SentinelPoint]) -> float | None:
    known = [point.loss for point in points if point.loss is not None]
    return _largest(known) if known else None


def _inputs(points: Sequence[SentinelPoint]) -> tuple[NonFiniteInput, ...] | None:
    """The inputs of the first rank with one that is not finite. If there is none, the inputs of all ranks must be known."""
    known = [point.inputs for point in points if point.inputs is not None]
    first = next((inputs for inputs in known if inputs), ())
    return first if first or len(known) == len(points) else None


def _largest(values: Sequence[float]) -> float:
    return math.nan if any(math.isnan(value) for value in values) else max(values)


def _mean(values: Sequence[float]) -> float:
    first = values[0]
    return first if all(value == first for value in values) else sum(value / len(values) for value in values)

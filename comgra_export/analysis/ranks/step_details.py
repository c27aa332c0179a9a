"""What is known of a step over all ranks, apart from its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from comgra_export.analysis.ranks.merge_plan import MergePlan, ranks_in_words
from comgra_export.storage import EstimatedNorms, Gap, GradientFacts, Network, ParameterFacts, RecordedSamples, StepDescription

__all__ = ["merge_descriptions", "same_gaps_once"]

_T = TypeVar("_T")


def merge_descriptions(
    descriptions: Sequence[StepDescription], ranks: Sequence[int], plan: MergePlan, digest: str, networks: Sequence[Network]
) -> StepDescription:
    """Describes a step over all ranks. `digest` is what the merged layout is called.

    Returns:
        The step. Positions are those of the first network. The dependency graphs are those of the first rank; a gap says where another
        rank has others. What must be the same on all ranks and is not is not known: None.
    """
    first = descriptions[0]
    others = [rank for rank, description in zip(ranks, descriptions, strict=True) if description.structures != first.structures]
    graph_gaps = []
    if others:
        reason = f"the dependency graph is that of rank {ranks[0]}, and another one on {ranks_in_words(others)}"
        graph_gaps.append(Gap(f"all ranks together: {reason}"))
    same_network = all(network == networks[0] for network in networks)
    held = [description.held_bytes for description in descriptions if description.held_bytes is not None]
    return replace(
        first,
        batch_size=sum(description.batch_size for description in descriptions),
        layout=digest,
        samples=RecordedSamples(()),
        session=max(description.session for description in descriptions),
        triggered=_triggered(description.triggered for description in descriptions),
        learning_rates=_only(description.learning_rates for description in descriptions) if same_network else None,
        module_runs=_only(description.module_runs for description in descriptions) if same_network else None,
        parameters=_merge_parameters([description.parameters for description in descriptions], networks, plan.holders),
        gradients=_merge_gradients([description.gradients for description in descriptions]),
        held_bytes=max(held, default=None),
        # They are of single ranks: a sample's flows do not add up to those of another one.
        flows=(),
        gaps=(*plan.gaps, *graph_gaps, *same_gaps_once([description.gaps for description in descriptions], ranks)),
    )


def same_gaps_once(gaps: Sequence[Sequence[Gap]], ranks: Sequence[int]) -> list[Gap]:
    """The gaps of all ranks, in order. A gap that not all ranks have names the ranks that have it."""
    having: dict[Gap, list[int]] = {}
    for rank, own in zip(ranks, gaps, strict=True):
        for gap in dict.fromkeys(own):
            having.setdefault(gap, []).append(rank)
    return [
        gap if len(of_ranks) == len(ranks) else replace(gap, reason=f"{ranks_in_words(of_ranks)}: {gap.reason}")
        for gap, of_ranks in having.items()
    ]


def _only(values: Iterable[_T]) -> _T | None:
    """The value that all are; None if they differ."""
    first, *others = values
    return first if all(other == first for other in others) else None


def _triggered(reasons: Iterable[str | None]) -> str | None:
    """A step that the schedule asked for on one rank, it asked for on all."""
    listed = list(reasons)
    return None if None in listed else "; ".join(dict.fromkeys(reason for reason in listed if reason is not None))


def _merge_gradients(groups: Sequence[Sequence[GradientFacts]]) -> tuple[GradientFacts, ...]:
    by_rank = [{each.group: each for each in own} for own in groups]
    merged = []
    for group in by_rank[0]:
        if all(group in own for own in by_rank):
            of_group = [own[group] for own in by_rank]
            merged.append(
                GradientFacts(
                    group,
                    _only(each.backward_passes for each in of_group),
                    _only(each.loss_scale for each in of_group),
                    _only(each.changed_in_place_by for each in of_group),
                    _only(each.averaged_over_ranks for each in of_group),
                )
            )
    return tuple(merged)


def _merge_parameters(
    changes: Sequence[ParameterFacts | None], networks: Sequence[Network], holders: Mapping[str, tuple[int, ...]]
) -> ParameterFacts | None:
    """Norms of the parameters that all ranks tell of.

    The norm of a sharded parameter is the root of the summed squares of its parts. Other parameters get the mean over the
    ranks, which is what every rank says if they agree.
    """
    by_rank: list[dict[str, tuple[float, float, float | None]]] = []
    for own, network in zip(changes, networks, strict=True):
        if own is None:
            return None
        names = [network.parameters[position].name for position in own.parameters]
        by_rank.append(dict(zip(names, zip(own.norm, own.update_norm, own.accumulated_gradient_difference, strict=True), strict=True)))
    merged: list[tuple[int, float, float, float | None]] = []
    for position, parameter in enumerate(networks[0].parameters):
        name = parameter.name
        if all(name in own for own in by_rank):
            counted = [own[name] for rank, own in enumerate(by_rank) if name not in holders or holders[name][rank] == rank]
            norms, updates, differences = zip(*counted, strict=True)
            merge = math.hypot if name in holders else _mean
            known = [difference for difference in differences if difference is not None]
            difference = merge(*known) if len(known) == len(differences) else None
            merged.append((position, merge(*norms), merge(*updates), difference))
    if not merged:
        return ParameterFacts((), (), (), ())
    positions, of_values, of_updates, of_gradients = zip(*merged, strict=True)
    return ParameterFacts(positions, of_values, of_updates, of_gradients, _merge_estimates(changes, networks, positions, holders))


def _merge_estimates(
    changes: Sequence[ParameterFacts | None], networks: Sequence[Network], positions: Sequence[int], holders: Mapping[str, tuple[int, ...]]
) -> tuple[EstimatedNorms, ...]:
    """The parameters that a rank has estimated: from the elements of all parts, or of the rank with the fewest; with the largest error."""
    by_name: dict[str, list[EstimatedNorms]] = {}
    for own, network in zip(changes, networks, strict=True):
        for each in () if own is None else own.estimated:
            by_name.setdefault(network.parameters[each.parameter].name, []).append(each)
    merged = []
    for position in positions:
        name = networks[0].parameters[position].name
        if parts := by_name.get(name):
            errors = [part.error for part in parts if part.error is not None]
            elements = (sum if name in holders else min)(part.elements for part in parts)
            merged.append(EstimatedNorms(position, elements, max(errors, default=None)))
    return tuple(merged)


def _mean(*values: float) -> float:
    first = values[0]
    if all(value == first for value in values) or any(math.isnan(value) for value in values):
        return first if not any(math.isnan(value) for value in values) else math.nan
    return sum(value / len(values) for value in values)

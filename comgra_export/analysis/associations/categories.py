"""Categories of samples and the loss: whose loss is larger or smaller than that of the other samples of the same step."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.associations.screening import Design, screen
from comgra_export.analysis.associations.wording import in_phases
from comgra_export.analysis.findings.model.association import Association, FamilyCheck
from comgra_export.analysis.findings.model.finding import Evidence
from comgra_export.analysis.history.series import Floats, Integers

__all__ = ["CategoriesChecked", "check_categories", "medians_ratio"]

LEAST_SAMPLES = 20
_LEAST_NAMED = 5
_LEAST_AUC = 0.65
_LEAST_RATIO = 1.3
_MOST = 50
_LEAST_IN_PHASE = 5


class CategoriesChecked(NamedTuple):
    """The result: what was reported, what was checked (None: no category has enough samples), and what should be known."""

    reported: list[Association]
    check: FamilyCheck | None
    notes: list[str]


def check_categories(
    design: Design, names: tuple[str, ...], are_classes: bool, loss: Floats, evidence: tuple[Evidence, ...]
) -> CategoriesChecked:
    """Compares each category with all other samples.

    Args:
        design: The samples.
        names: `[n]`: the category of each row.
        are_classes: Whether they are the classes of the target.
        loss: `[n]`: the loss of each row, finite.
        evidence: Views that show the loss.
    """
    rows = design.rows
    kind = "class" if are_classes else "category"
    of_row = np.array(names, object)
    members = {name: of_row == name for name in sorted(set(names))}
    samples = {name: len(np.unique(rows.ids[is_member])) for name, is_member in members.items()}
    large = [name for name, _ in Counter(samples).most_common(_MOST) if _is_enough(samples[name], rows.samples - samples[name])]
    if len(members) == 2:
        # Each is what the other is not.
        large = large[-1:]
    few = [f"{name} ({samples[name]})" for name in members if _LEAST_NAMED <= samples[name] < LEAST_SAMPLES]
    notes = [f"Too few samples to judge a {kind}: {', '.join(few[:10])}."] if few else []
    if not large:
        return CategoriesChecked([], None, notes)
    ranks = rows.ranks(loss[None])
    inside = np.array([members[name] for name in large], np.float64)
    pairs = np.stack([np.arange(len(large)), np.zeros(len(large), np.int64)], axis=1)
    screened = screen(design, rows.per_sample(rows.centered(inside)), rows.per_sample(ranks), pairs)
    reported = []
    for row in np.flatnonzero(screened.passes).tolist():
        name = large[row]
        is_member = members[name]
        auc = _auc(design, is_member, ranks[0], np.ones(len(rows), bool))
        ratio = medians_ratio(design, is_member, loss)
        if abs(auc - 0.5) < _LEAST_AUC - 0.5 or (ratio is not None and max(ratio, 1 / ratio) < _LEAST_RATIO):
            continue
        first = design.is_first_half[rows.ids]
        halves = [_auc(design, is_member, ranks[0], half) for half in (first, ~first)]
        phases = [_in_phase(design, is_member, ranks[0], phase) for phase in design.phases]
        keeps = [None if each is None else (each - 0.5) * np.sign(auc - 0.5) >= (_LEAST_AUC - 0.5) / 2 for each in phases]
        more = auc > 0.5
        steps, often = _steps_with(design, is_member, ranks[0] if more else -ranks[0])
        times = "" if ratio is None else f"median {ratio:.2g} times that of the others; "
        message = (
            f"Samples of {kind} {name} had {'higher' if more else 'lower'} loss in {often} of {steps} recorded "
            f"steps ({times}AUC {auc:.2f}, n = {samples[name]} and {rows.samples - samples[name]} distinct samples; {halves[0]:.2f} and "
            f"{halves[1]:.2f} in the two halves).{in_phases(keeps)}"
        )
        reported.append(
            Association(
                family="category",
                message=message,
                measure="AUC",
                effect=auc,
                discovery=halves[0],
                confirmation=halves[1],
                phases=(phases[0], phases[1], phases[2]),
                q=float(screened.q[row]),
                samples=rows.samples,
                evidence=evidence,
            )
        )
    return CategoriesChecked(reported, FamilyCheck(len(large), len(reported), _smallest(design, samples, large)), notes)


def _is_enough(inside: int, outside: int) -> bool:
    return inside >= LEAST_SAMPLES and outside >= LEAST_SAMPLES


def _smallest(design: Design, samples: dict[str, int], names: list[str]) -> str:
    """For the largest category: the correlation of ranks with membership as an AUC."""
    count = max(samples[name] for name in names)
    share = count / design.rows.samples
    auc = 0.5 + design.smallest_correlation(len(names)) / sqrt(12 * share * (1 - share))
    return f"AUC about {max(auc, _LEAST_AUC):.2f} for {count} of {design.rows.samples} samples" if auc < 1 else "none, with so few samples"


def _pairs(design: Design, is_member: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> Integers:
    """Per step how many pairs of a member and another sample there are."""
    count = len(design.rows.sizes)
    inside, all_of = (np.bincount(design.rows.steps[mask], minlength=count) for mask in (is_member & chosen, chosen))
    pairs: Integers = inside * (all_of - inside)
    return pairs


def _auc(design: Design, is_member: NDArray[np.bool_], ranks: Floats, chosen: NDArray[np.bool_]) -> float:
    """The chance that a member has the larger value than another sample of its step, over the chosen rows."""
    rows = design.rows.at(chosen)
    inside = is_member[chosen]
    again = rows.ranks(ranks[chosen][None])[0] * rows.sizes_of_rows
    pairs = _pairs(Design(rows, design.phase_of_step), inside, np.ones(len(rows), bool)).sum()
    return 0.5 + float(again[inside].sum() / pairs) if pairs else 0.5


def _in_phase(design: Design, is_member: NDArray[np.bool_], ranks: Floats, phase: NDArray[np.bool_]) -> float | None:
    enough = _pairs(design, is_member, phase).sum() > 0 and (is_member & phase).sum() >= _LEAST_IN_PHASE
    return _auc(design, is_member, ranks, phase) if enough else None


def _steps_with(design: Design, is_member: NDArray[np.bool_], ranks: Floats) -> tuple[int, int]:
    """In how many steps there are members and others, and in how many of them the members have the larger mean rank."""
    both = _pairs(design, is_member, np.ones(len(is_member), bool)) > 0
    # The ranks of a step sum to 0, so that the others have the opposite sign.
    sums = np.bincount(design.rows.steps[is_member], ranks[is_member], minlength=len(both))
    return int(both.sum()), int((sums[both] > 0).sum())


def medians_ratio(design: Design, is_member: NDArray[np.bool_], values: Floats) -> float | None:
    """The median of the members relative to that of the other samples, after division by the median of the step.

    Returns:
        None if a value is negative, or a median is zero.
    """
    rows = design.rows
    if (values < 0).any():
        return None
    medians = rows.medians(values[None])[0]
    usable = medians > 0
    relative = values[usable] / medians[usable]
    parts = [relative[mask] for mask in (is_member[usable], ~is_member[usable])]
    if not all(len(part) for part in parts) or not np.median(parts[1]) > 0 or not np.median(parts[0]) > 0:
        return None
    return float(np.median(parts[0]) / np.median(parts[1]))

"""Extreme values of one tensor and sparse values of another, in the same samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.associations.features import MOST_PAIRS, Features, neighbours
from comgra_export.analysis.associations.samples import SampleTable
from comgra_export.analysis.associations.screening import LEVEL, Design, Screened, screen
from comgra_export.analysis.associations.significance import OddsRatio, fisher_exact, odds_ratio
from comgra_export.analysis.associations.wording import in_phases, name_of, relation
from comgra_export.analysis.findings.model.association import Association, FamilyCheck
from comgra_export.analysis.findings.model.finding import Evidence
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import FORWARD, Floats, Integers, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["LEAST_PER_STEP", "check_events"]

LEAST_PER_STEP = 10
"""How many samples a step needs so that one of them can be extreme."""

_EXTREME = 0.45
_SPARSE = 0.1
_LEAST_VALUES = 10
_LEAST_SHARE = 0.01
_MOST_EVENTS = 20
_LEAST_EXPECTED = 5
_LEAST_ODDS = 2.0
_LEAST_IN_PHASE = 5

Table = Integers


def check_events(design: Design, features: Features, table: SampleTable, graph: StepGraph) -> tuple[list[Association], FamilyCheck | str]:
    """Compares samples with an extreme statistic of one tensor with others, by how often another tensor is sparse.

    A statistic is extreme if its rank is among the first or last 5 % of the step, or is the first or last one. A tensor is sparse in a
    sample if the square of its mean magnitude is less than a tenth of its mean square. So it is, for example, if nine tenths of its values
    are zero and the others equal.

    Returns:
        What was reported, and what was checked, or why nothing was.
    """
    rows = design.rows
    sparse, owners = _sparse(table)
    if not owners:
        return [], "no tensor is sparse in some samples and not in others"
    extreme = np.concatenate([features.ranks >= _EXTREME, features.ranks <= -_EXTREME]).astype(np.float64)
    names = [*features.names, *features.names]
    near = {owner: neighbours(graph, [table.tensors[owner]]) for owner in owners}
    possible = np.array(
        [(x, y) for y, owner in enumerate(owners) for x, feature in enumerate(names) if feature.tensor not in near[owner]], np.int64
    ).reshape(-1, 2)
    if not len(possible):
        return [], "nothing varies between samples but what lies next to the sparse tensors"
    # A thinned list has pairs of all tensors.
    pairs = possible[np.linspace(0, len(possible) - 1, min(len(possible), MOST_PAIRS)).round().astype(int)]
    screened = screen(design, rows.per_sample(rows.centered(extreme)), rows.per_sample(rows.centered(sparse)), pairs)
    often = rows.per_sample(extreme) >= 0.5, rows.per_sample(sparse) >= 0.5
    screened = _exact(screened, pairs, often, design.is_first_half)
    reported: dict[tuple[TensorKey, TensorKey], Association] = {}
    passed = np.flatnonzero(screened.passes)
    count = 0
    # The strongest statistic stands for the others of its tensor.
    for place in passed[np.argsort(-np.abs(screened.effect[passed]), kind="stable")].tolist():
        x, y = pairs[place].tolist()
        counts = _table(often[0][x], often[1][y])
        ratio = odds_ratio(counts)
        if ratio.low <= _LEAST_ODDS and ratio.high >= 1 / _LEAST_ODDS:
            continue
        count += 1
        feature, other = names[x], table.tensors[owners[y]]
        if (feature.tensor, other) in reported:
            continue
        halves = [odds_ratio(_table(often[0][x][half], often[1][y][half])).value for half in (design.is_first_half, ~design.is_first_half)]
        phases = [_in_phase(extreme[x] > 0, sparse[y] > 0, phase) for phase in design.phases]
        end = "largest" if x < len(features.names) else "smallest"
        step = as_step(table.numbers[rows.steps[int(np.argmax(extreme[x] * (1 + sparse[y])))]])
        message = (
            f"Samples in which {feature.label} is among the {end} 5 % of its step have a sparse {name_of(other)} "
            f"{'more' if ratio.value > 1 else 'less'} often: {_shares(counts)} (odds ratio "
            f"{ratio.value:.2g}, 95 % interval {ratio.low:.2g} to {ratio.high:.2g}, n = {rows.samples} "
            f"distinct samples; {halves[0]:.2g} and {halves[1]:.2g} in the two halves)."
            f"{in_phases(_keeps(phases, ratio))}{relation(graph, feature.tensor, other)}"
        )
        views = (
            Evidence(FORWARD, other.name, other.iteration, step, None, "A step with such a sample."),
            Evidence(FORWARD, feature.tensor.name, feature.tensor.iteration, step, None, "The extreme value."),
        )
        reported[feature.tensor, other] = Association(
            family="event",
            message=message,
            measure="odds ratio",
            effect=ratio.value,
            discovery=halves[0],
            confirmation=halves[1],
            phases=(phases[0], phases[1], phases[2]),
            q=float(screened.q[place]),
            samples=rows.samples,
            evidence=views,
        )
    smallest = f"correlation of the two about {design.smallest_correlation(len(pairs)):.2f} for {rows.samples} samples"
    return list(reported.values()), FamilyCheck(len(pairs), count, smallest, len(possible) - len(pairs))


def _sparse(table: SampleTable) -> tuple[Floats, list[int]]:
    """Tensors that are sparse in some samples and not in others: `[E, n]`, and their rows in the table. The most mixed ones first."""
    mean, magnitude, deviation = (table.statistics[:, item].astype(np.float64) for item in range(3))
    sizes = table.sizes[:, None]
    with np.errstate(invalid="ignore"):
        square = mean**2 + deviation**2 * (sizes - 1) / np.maximum(sizes, 1)
        is_sparse = magnitude**2 < _SPARSE * square
    # A tensor of zeros is as sparse as can be.
    is_sparse |= magnitude == 0
    share = is_sparse.mean(axis=1)
    known = np.isfinite(table.statistics[:, :3]).all(axis=(1, 2)) & (table.sizes >= _LEAST_VALUES)
    mixed = np.flatnonzero(known & (share >= _LEAST_SHARE) & (share <= 1 - _LEAST_SHARE))
    # A tensor that is sparse in the very samples in which an earlier one is says nothing new.
    first = np.unique(is_sparse[mixed], axis=0, return_index=True)[1]
    mixed = mixed[np.sort(first)]
    owners = mixed[np.argsort(np.abs(share[mixed] - 0.5), kind="stable")][:_MOST_EVENTS].tolist()
    return is_sparse[owners].astype(np.float64), owners


def _exact(screened: Screened, pairs: Integers, often: tuple[NDArray[np.bool_], NDArray[np.bool_]], first: NDArray[np.bool_]) -> Screened:
    """Replaces small p-values by exact ones if fewer than five samples are expected in a cell."""
    corrected = []
    for p, half in ((screened.p_discovery, first), (screened.p_confirmation, ~first)):
        exact = p.copy()
        for place in np.flatnonzero(p < LEVEL).tolist():
            counts = _table(often[0][pairs[place, 0]][half], often[1][pairs[place, 1]][half])
            expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
            if expected.min() < _LEAST_EXPECTED:
                exact[place] = max(fisher_exact(counts), p[place])
        corrected.append(exact)
    return screened._replace(p_discovery=corrected[0], p_confirmation=corrected[1])


def _table(extreme: NDArray[np.bool_], event: NDArray[np.bool_]) -> Table:
    """`[2, 2]`: extreme or not, event or not."""
    return np.array([[(row & column).sum() for column in (event, ~event)] for row in (extreme, ~extreme)], np.int64)


def _shares(counts: Table) -> str:
    (hits, misses), (others, rest) = counts.tolist()
    return f"{hits} of {hits + misses}, against {others / max(others + rest, 1):.1%} otherwise"


def _in_phase(extreme: NDArray[np.bool_], event: NDArray[np.bool_], phase: NDArray[np.bool_]) -> float | None:
    enough = (extreme & phase).sum() >= _LEAST_IN_PHASE
    return odds_ratio(_table(extreme[phase], event[phase])).value if enough else None


def _keeps(phases: list[float | None], ratio: OddsRatio) -> list[bool | None]:
    """Whether the odds in each phase are at least the square root of the least odds, on the same side."""
    least = _LEAST_ODDS**0.5
    return [None if each is None else (each if ratio.value > 1 else 1 / each) >= least for each in phases]

"""Statistics of samples: one for each group of those that are nearly the same, and how they go with the loss."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.associations.categories import medians_ratio
from comgra_export.analysis.associations.ranks import correlate
from comgra_export.analysis.associations.sample_steps import STATISTICS_OF_A_SAMPLE
from comgra_export.analysis.associations.samples import SampleTable, TableWithLoss
from comgra_export.analysis.associations.screening import Design, screen
from comgra_export.analysis.associations.wording import in_phases, relation, statistic_of, times_of
from comgra_export.analysis.findings.model.association import Association, FamilyCheck
from comgra_export.analysis.findings.model.finding import Evidence
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import FORWARD, Floats, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["MOST_PAIRS", "Feature", "Features", "check_features", "neighbours", "read_features"]

MOST_PAIRS = 2000
"""How many pairs of a kind are checked at most."""

_DISTANCE = "distance"
_LEAST_RHO = 0.3
_LEAST_IN_PHASE = 20
_LEAST_KNOWN = 0.5
_NEARLY_SAME = 0.95
# To find statistics that are nearly the same, this many samples do.
_SAMPLES_COMPARED = 1000
_TOP = 0.1


class Feature(NamedTuple):
    """A statistic of a tensor, for each sample. `distance` is that of its mean from the median of the step."""

    tensor: TensorKey
    item: str

    @property
    def label(self) -> str:
        """In words."""
        if self.item == _DISTANCE:
            return f"the distance between {statistic_of('mean', self.tensor)} and the median of the step"
        return statistic_of(self.item, self.tensor)


class Features(NamedTuple):
    """Statistics of samples, `F` of them.

    Attributes:
        names: Which they are.
        ranks: `[F, n]`: their ranks within the step.
        left_out: How many were not used since there are too many.
    """

    names: Sequence[Feature]
    ranks: Floats
    left_out: int


def read_features(design: Design, table: SampleTable) -> Features:
    """The statistics of samples, without those that are constant, not known in half of the rows, or nearly the same as an earlier one.

    Args:
        design: The samples.
        table: The same rows.
    """
    rows = design.rows
    names: list[Feature] = []
    values: list[Floats] = []
    means = table.statistics[:, 0].astype(np.float64)
    # What is infinite has no distance.
    with np.errstate(invalid="ignore"):
        distances = np.abs(means - rows.medians(means))
    for row, tensor in enumerate(table.tensors):
        single = table.sizes[row] == 1
        for place, item in enumerate(STATISTICS_OF_A_SAMPLE[:1] if single else STATISTICS_OF_A_SAMPLE):
            names.append(Feature(tensor, item))
            values.append(table.statistics[row, place].astype(np.float64))
        names.append(Feature(tensor, _DISTANCE))
        values.append(distances[row])
    ranks = rows.ranks(np.array(values))
    varied = np.flatnonzero((ranks != 0).mean(axis=1) >= _LEAST_KNOWN)
    of_samples = rows.per_sample(ranks[varied])[:, :_SAMPLES_COMPARED]
    same = np.abs(correlate(of_samples, of_samples)) > _NEARLY_SAME
    kept: list[int] = []
    for row in range(len(varied)):
        if not same[row, kept].any():
            kept.append(row)
    chosen = varied[kept[:MOST_PAIRS]]
    return Features([names[row] for row in chosen.tolist()], ranks[chosen], len(kept) - len(chosen))


def neighbours(graph: StepGraph, tensors: Collection[TensorKey]) -> frozenset[TensorKey]:
    """Some tensors with all from which or of which one of them was computed directly."""
    near = (other for key in tensors for other in (*graph.parents.get(key, ()), *graph.children.get(key, ())))
    return frozenset((*tensors, *near))


def check_features(
    design: Design, features: Features, table: TableWithLoss, graph: StepGraph, evidence: tuple[Evidence, ...]
) -> tuple[list[Association], FamilyCheck | str]:
    """Compares statistics of samples with their loss.

    Args:
        design: The samples.
        features: Their statistics.
        table: The same rows.
        graph: What was computed from what.
        evidence: Views that show the loss.

    Returns:
        What was reported, and what was checked, or why nothing was.
    """
    rows, loss = design.rows, table.loss.values
    near = neighbours(graph, table.loss.tensors)
    used = [row for row, feature in enumerate(features.names) if feature.tensor not in near]
    if not used:
        return [], "nothing varies between samples but what lies next to the loss"
    ranks = rows.ranks(loss[None])
    x = features.ranks[used]
    pairs = np.stack([np.arange(len(used)), np.zeros(len(used), np.int64)], axis=1)
    screened = screen(design, rows.per_sample(x), rows.per_sample(ranks), pairs)
    reported: dict[TensorKey, Association] = {}
    passed = np.flatnonzero(screened.passes & (np.abs(screened.effect) >= _LEAST_RHO))
    # The strongest statistic stands for the others of its tensor.
    for place in passed[np.argsort(-np.abs(screened.effect[passed]), kind="stable")].tolist():
        feature = features.names[used[place]]
        if feature.tensor in reported:
            continue
        effect, discovery, confirmation = (float(each[place]) for each in (screened.effect, screened.discovery, screened.confirmation))
        phases = [_in_phase(x[place], ranks[0], phase) for phase in design.phases]
        keeps = [None if each is None else each * np.sign(effect) >= _LEAST_RHO / 2 for each in phases]
        ratio = medians_ratio(design, _largest(design, x[place]), loss)
        times = "" if ratio is None else f"in the tenth with the largest values, the median loss is {times_of(ratio)} that of the others; "
        step = as_step(table.numbers[rows.steps[int(np.argmax(x[place]))]])
        message = (
            f"Samples in which {feature.label} is larger had {'higher' if effect > 0 else 'lower'} loss than others of "
            f"their step ({times}rank correlation {effect:.2f}, n = {rows.samples} distinct samples; {discovery:.2f} "
            f"and {confirmation:.2f} in the two halves).{in_phases(keeps)}{relation(graph, feature.tensor, table.loss.tensors[0])}"
        )
        view = Evidence(FORWARD, feature.tensor.name, feature.tensor.iteration, step, None, "A step with one of the largest values.")
        reported[feature.tensor] = Association(
            family="feature",
            message=message,
            measure="rank correlation",
            effect=effect,
            discovery=discovery,
            confirmation=confirmation,
            phases=(phases[0], phases[1], phases[2]),
            q=float(screened.q[place]),
            samples=rows.samples,
            evidence=(view, *evidence),
        )
    smallest = f"rank correlation about {max(design.smallest_correlation(len(used)), _LEAST_RHO):.2f} for {rows.samples} samples"
    return list(reported.values()), FamilyCheck(len(used), len(passed), smallest, features.left_out)


def _in_phase(x: Floats, y: Floats, phase: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float | None:
    return float(correlate(x[phase][None], y[phase][None])[0, 0]) if phase.sum() >= _LEAST_IN_PHASE else None


def _largest(design: Design, ranks: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows are of the tenth of samples with the largest mean ranks."""
    means = design.rows.per_sample(ranks[None])[0]
    order = np.argsort(-means, kind="stable")
    of_sample = np.zeros(len(means), bool)
    of_sample[order[: max(1, round(len(means) * _TOP))]] = True
    largest: np.ndarray[tuple[int], np.dtype[np.bool_]] = of_sample[design.rows.ids]
    return largest

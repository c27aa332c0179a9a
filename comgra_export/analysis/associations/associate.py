"""From a run to what goes together in it."""

from __future__ import annotations

import numpy as np

from comgra_export.analysis.associations.categories import LEAST_SAMPLES as LEAST_OF_CATEGORY
from comgra_export.analysis.associations.categories import check_categories
from comgra_export.analysis.associations.events import LEAST_PER_STEP, check_events
from comgra_export.analysis.associations.features import check_features, read_features
from comgra_export.analysis.associations.over_steps import associate_steps
from comgra_export.analysis.associations.samples import SampleTable, TableWithLoss, read_samples
from comgra_export.analysis.associations.screening import Design, phase_of_steps
from comgra_export.analysis.associations.wording import counted
from comgra_export.analysis.findings.model.association import FAMILIES, Association, Associations, Family, FamilyCheck
from comgra_export.analysis.findings.model.finding import Evidence
from comgra_export.analysis.findings.rules.steps import training_graph
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step

__all__ = ["LEAST_SAMPLES", "LEAST_STEPS", "associate", "associate_samples"]

LEAST_SAMPLES = 200
LEAST_STEPS = 10
_MOST_REPORTED = 10
_OF_SAMPLES: tuple[Family, ...] = ("category", "feature", "event")


def associate(run: Run) -> Associations:
    """Checks what goes together: categories, statistics of samples, extreme values and statistics of steps.

    Each kind of pair is discovered in one half and confirmed in the other, and corrected for how many pairs there are.
    """
    graph = training_graph(run)
    table = read_samples(run)
    of_samples = associate_samples(table, graph) if isinstance(table, SampleTable) else _nothing(table)
    of_steps = associate_steps(run, graph)
    reported = sorted((*of_samples.reported, *of_steps.reported), key=lambda each: -_size(each))
    return Associations(
        tuple(reported[:_MOST_REPORTED]),
        max(0, len(reported) - _MOST_REPORTED),
        {**of_samples.checked, **of_steps.checked},
        {**of_samples.not_checked, **of_steps.not_checked},
        of_samples.notes,
    )


def associate_samples(table: SampleTable, graph: StepGraph) -> Associations:
    """Checks the pairs of samples. All that passes is in the result.

    Args:
        table: The samples.
        graph: What was computed from what.
    """
    reason = _too_few(table)
    if reason is not None:
        return _nothing(reason)
    known = _with_loss(table)
    notes = () if table.are_given else ("No `sample_ids` were recorded: samples with the same inputs count as the same.",)
    everything = Design(table.rows, phase_of_steps(table.numbers))
    fewest = int(table.rows.sizes.min())
    features = read_features(everything, table) if fewest >= LEAST_PER_STEP else None
    if features is None:
        few = f"a step has {fewest} recorded samples, and it needs {LEAST_PER_STEP} for one of them to be extreme"
        parts = [Associations(not_checked={"event": few})]
    else:
        parts = [_part("event", *check_events(everything, features, table, graph))]
    if isinstance(known, str):
        parts.append(Associations(not_checked={"category": known, "feature": known}))
    else:
        design = Design(known.rows, phase_of_steps(known.numbers))
        if features is None or len(known.rows) < len(table.rows):
            features = read_features(design, known)
        reported, check = check_features(design, features, known, graph, _views_of_loss(known))
        parts += [_part("feature", reported, check), _categories(design, known)]
    return Associations(
        reported=tuple(each for part in parts for each in part.reported),
        checked={family: part.checked[family] for family in FAMILIES for part in parts if family in part.checked},
        not_checked={family: reason for part in parts for family, reason in part.not_checked.items()},
        notes=(*notes, *(note for part in parts for note in part.notes)),
    )


def _nothing(reason: str) -> Associations:
    return Associations(not_checked=dict.fromkeys(_OF_SAMPLES, reason))


def _too_few(table: SampleTable) -> str | None:
    steps, samples = len(table.numbers), table.rows.samples
    if samples >= LEAST_SAMPLES and steps >= LEAST_STEPS:
        return None
    same = "" if table.are_given else " Samples with the same inputs are the same: give `sample_ids` if they are not."
    were = "was" if samples == 1 else "were"
    recorded = f"{counted(samples, 'distinct sample')} in {counted(steps, 'training step')} {were} recorded with individual values"
    return f"{recorded}, and it needs {LEAST_SAMPLES} in {LEAST_STEPS}.{same}"


def _part(family: Family, reported: list[Association], check: FamilyCheck | str) -> Associations:
    if isinstance(check, str):
        return Associations(not_checked={family: check})
    return Associations(tuple(reported), checked={family: check})


def _categories(design: Design, table: TableWithLoss) -> Associations:
    if table.categories is None:
        return Associations(not_checked={"category": "no categories were recorded (`category_per_sample`), and no classes as targets"})
    result = check_categories(design, table.categories, table.are_classes, table.loss.values, _views_of_loss(table))
    if result.check is None:
        reason = f"no category has {LEAST_OF_CATEGORY} samples besides {LEAST_OF_CATEGORY} others"
        return Associations(not_checked={"category": reason}, notes=tuple(result.notes))
    return Associations(tuple(result.reported), checked={"category": result.check}, notes=tuple(result.notes))


def _with_loss(table: SampleTable) -> TableWithLoss | str:
    """The rows whose loss is known and finite, or why there are too few."""
    loss = table.loss
    chosen = np.zeros(len(table.rows), bool) if loss is None else np.isfinite(loss.values)
    if loss is None or not chosen.any():
        return "the loss of single samples is not known: record the values of what the loss function compares (kind `neuron`)"
    kept = TableWithLoss(
        rows=table.rows.at(chosen),
        numbers=table.numbers[np.unique(table.rows.steps[chosen])],
        tensors=table.tensors,
        left_out=table.left_out,
        sizes=table.sizes,
        statistics=table.statistics if chosen.all() else table.statistics[:, :, chosen],
        loss=loss._replace(values=loss.values[chosen]),
        categories=None if table.categories is None else tuple(np.array(table.categories, object)[chosen].tolist()),
        are_classes=table.are_classes,
        are_given=table.are_given,
    )
    reason = _too_few(kept)
    return kept if reason is None else f"counting samples whose loss is known and finite: {reason}"


def _views_of_loss(table: TableWithLoss) -> tuple[Evidence, ...]:
    """What the loss was computed from, in a step in the middle."""
    step = as_step(table.numbers[len(table.numbers) // 2])
    return tuple(Evidence(FORWARD, *key, step, None, "What the loss was computed from.") for key in table.loss.tensors[:1])


def _size(association: Association) -> float:
    """The effect on a scale from 0 to 1 that all measures share."""
    if association.measure == "AUC":
        return abs(2 * association.effect - 1)
    if association.measure == "odds ratio":
        return abs((association.effect - 1) / (association.effect + 1))
    return abs(association.effect)

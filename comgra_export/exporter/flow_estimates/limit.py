"""Estimated gradient flows are kept of as many steps as a page can bear."""

from __future__ import annotations

from dataclasses import replace

from comgra_export.analysis.gradient_flow import MAX_ESTIMATED_FLOWS
from comgra_export.exporter.plan.plan import PlannedStep, PlannedTrial
from comgra_export.exporter.plan.usefulness import usefulness
from comgra_export.exporter.reporting.problems import Problems, steps_in_words

__all__ = ["limit_estimates"]

MAX_FLOWS_IN_ALL = 4 * MAX_ESTIMATED_FLOWS
"""How many estimated flows a bundle holds at most, over all steps. Each takes about ten bytes."""


def limit_estimates(trials: list[PlannedTrial], problems: Problems) -> tuple[PlannedTrial, ...]:
    """Leaves out the estimates of some steps if they would be more than `MAX_FLOWS_IN_ALL` in all.

    Those that are kept are spread evenly over the steps of each trial. `problems` gets the steps whose estimates are left out.
    """
    order = []
    for number, trial in enumerate(trials):
        estimated = [place for place, step in enumerate(trial.steps) if step.estimates]
        order += [(rank, number, place) for rank, place in zip(usefulness(len(estimated)), estimated, strict=True)]
    room = MAX_FLOWS_IN_ALL
    left_out: set[tuple[int, int]] = set()
    for _, number, place in sorted(order):
        count = _flows_of(trials[number].steps[place])
        if count <= room:
            room -= count
        else:
            left_out.add((number, place))
    limited = []
    for number, trial in enumerate(trials):
        without = [place for place in range(len(trial.steps)) if (number, place) in left_out]
        if without:
            where = steps_in_words(trial.source.label, [trial.steps[place].description.step for place in without])
            problems.add(
                [
                    f"{where} has no estimated flows: with them, there would be more than {MAX_FLOWS_IN_ALL:,} in all. "
                    "Choose fewer steps (steps=, --steps), fewer samples (samples=, --samples), or fewer or smaller tensors."
                ]
            )
        steps = (_without_estimates(step) if (number, place) in left_out else step for place, step in enumerate(trial.steps))
        limited.append(replace(trial, steps=tuple(steps)))
    return tuple(limited)


def _flows_of(step: PlannedStep) -> int:
    flows = step.description.flows[len(step.description.flows) - len(step.estimates) :]
    return sum(flow.sample_count * flow.layers[pair.source].size * flow.layers[pair.target].size for flow in flows for pair in flow.pairs)


def _without_estimates(step: PlannedStep) -> PlannedStep:
    recorded = step.description.flows[: len(step.description.flows) - len(step.estimates)]
    return replace(step, description=replace(step.description, flows=recorded), flows=tuple(range(len(recorded))), estimates=())

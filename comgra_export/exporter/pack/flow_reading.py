"""The numbers of the gradient flows of a bundle: those that were recorded, and those that are estimated while it is made."""

from __future__ import annotations

from collections.abc import Iterable

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.plan.estimated_flows import EstimateReader, FlowArrays
from comgra_export.exporter.plan.plan import PlannedStep, PlannedTrial
from comgra_export.storage import Recording

__all__ = ["FlowReader", "pairs_of_flows"]

_LARGEST_INT32 = 2**31 - 1
_TOO_MANY = "It has more elements or flows than a page can address."


class FlowReader:
    """Reads the flows of a recording, and estimates those that are not in it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._estimates = EstimateReader(recording)

    def read(self, step: PlannedStep, position: int) -> FlowArrays | str:
        """The numbers of a flow of a step, or why they cannot be used, as a sentence.

        Args:
            step: The step.
            position: Which of the flows of its description.
        """
        number, flow = step.description.step, step.description.flows[position]
        if not _fit(layer.size * flow.sample_count + 1 for layer in flow.layers):
            return _TOO_MANY
        recorded = len(step.description.flows) - len(step.estimates)
        try:
            if position >= recorded:
                return self._estimates.read(number, flow, step.estimates[position - recorded])
            numbers = self._recording.flow_numbers(number, position)
        except DamagedRecordingError as error:
            return str(error)
        if not _fit(len(pair.flows) for pair in numbers.pairs):
            return _TOO_MANY
        return FlowArrays(numbers.values, numbers.gradients, numbers.pairs)


def pairs_of_flows(planned: PlannedTrial) -> int:
    """How many pairs of layers there are in the flows that are kept of a trial."""
    return sum(len(step.description.flows[position].pairs) for step in planned.steps for position in step.flows)


def _fit(counts: Iterable[int]) -> bool:
    return max(counts, default=0) < _LARGEST_INT32

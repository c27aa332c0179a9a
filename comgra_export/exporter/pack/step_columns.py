"""The steps of a trial in the index: a column for each attribute, with positions in lists of what many steps share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from comgra_export.exporter.format.index import ArraySet, SampleSet, StepColumns, StepTypes
from comgra_export.exporter.pack.step_lanes import ArrayForm
from comgra_export.exporter.plan.index import Interner
from comgra_export.exporter.plan.plan import PlannedStep, PlannedTrial
from comgra_export.storage import RecordedSamples, encode_number

__all__ = ["SharedSets"]


class SharedSets:
    """What many steps of a bundle have in common, and the strings in it."""

    def __init__(self) -> None:
        self._strings: Interner[str] = Interner()
        self._array_sets: Interner[tuple[ArrayForm, ...]] = Interner()
        self._sample_sets: Interner[tuple[tuple[int, str], ...]] = Interner()
        self._structure_sets: Interner[tuple[int, ...]] = Interner()
        self._call_sets: Interner[tuple[int, ...]] = Interner()

    def append_step(self, columns: StepColumns, step: PlannedStep, arrays: tuple[ArrayForm, ...], lanes: Mapping[int, int]) -> None:
        """Appends a step to the columns of its trial. `lanes` has the first chunk of every lane by width, or -1."""
        description = step.description
        samples = tuple(zip(description.samples.index, _sample_labels(description.samples), strict=True))
        columns["step"].append(description.step)
        columns["type"].append(self._strings.position(description.type_of_execution))
        columns["batch_size"].append(description.batch_size)
        columns["time"].append(None if description.time is None else encode_number(description.time))
        columns["layout"].append(step.layout)
        columns["structure_set"].append(self._structure_sets.position(step.graphs))
        columns["call_set"].append(self._call_sets.position(step.calls) if step.calls else -1)
        columns["sample_set"].append(self._sample_sets.position(samples))
        columns["array_set"].append(self._array_sets.position(arrays))
        columns["lane8"].append(lanes[8])
        columns["lane4"].append(lanes[4])
        columns["lane2"].append(lanes[2])
        columns["lane1"].append(lanes[1])
        columns["gaps"].append(len(description.gaps))
        columns["triggered"].append(-1 if description.triggered is None else self._strings.position(description.triggered))
        columns["facts"].append(step.facts)
        columns["epoch"].append(None if description.epoch is None else encode_number(description.epoch))

    @property
    def array_sets(self) -> list[ArraySet]:
        """The `array_sets` of the index."""
        position = self._strings.position
        return [
            {
                "name": [position(name) for name, _, _ in arrays],
                "dtype": [position(dtype) for _, dtype, _ in arrays],
                "count": [count for _, _, count in arrays],
            }
            for arrays in self._array_sets.values
        ]

    @property
    def sample_sets(self) -> list[SampleSet]:
        """The `sample_sets` of the index."""
        position = self._strings.position
        return [
            {"index": [index for index, _ in samples], "label": [position(label) for _, label in samples]}
            for samples in self._sample_sets.values
        ]

    @property
    def structure_sets(self) -> list[list[int]]:
        """The `structure_sets` of the index."""
        return [list(structures) for structures in self._structure_sets.values]

    @property
    def call_sets(self) -> list[list[int]]:
        """The `call_sets` of the index."""
        return [list(calls) for calls in self._call_sets.values]

    def step_types(self, trials: Iterable[PlannedTrial]) -> StepTypes:
        """The `step_types` of the index, from all recorded steps: where none trained, nothing tells an evaluation."""
        trained: dict[str, bool] = {}
        for step in (step for trial in trials for step in trial.steps):
            name = step.description.type_of_execution
            trained[name] = trained.get(name, False) or step.is_training
        known = trained if any(trained.values()) else {}
        return {"type": [self._strings.position(name) for name in known], "trained": [int(value) for value in known.values()]}

    @property
    def strings(self) -> list[str]:
        """The `strings` of the index. Only complete once the sets have been asked for."""
        return self._strings.values


def _sample_labels(samples: RecordedSamples) -> list[str]:
    """Returns what to show for each recorded sample: its index in the batch, its id and its category, as far as they are known."""
    labels = []
    for place, index in enumerate(samples.index):
        parts = [f"Sample {index:03d}" if samples.category else f"Sample {index}"]
        if samples.id is not None:
            parts.append(samples.id[place])
        if samples.category is not None:
            parts.append(samples.category[place])
        labels.append(" | ".join(parts))
    return labels

"""What of a gradient flow goes into files that vnittest opens: one sample, and one channel of each layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.gradient_flow import sums_by_source, sums_by_target
from comgra_export.errors import WrongChoiceError
from comgra_export.importers.pickles.writer import PickledContent
from comgra_export.importers.vnittest.recording import NEIGHBOURS_METHOD, STEP_TYPE
from comgra_export.storage import FlowNumbers, GradientFlow, PairNumbers, Recording, StepDescription, iterate_records

__all__ = ["FileContents"]

Array = NDArray[np.generic]

_ESTIMATES = frozenset({"chain_rule_estimate", "vnittest_estimate"})
_MAX_MATRIX_BYTES = 2**30


class FileContents:
    """What goes into the files.

    Args:
        recording: Where the flow is.
        step: The step that has it.
        flow: Its name; None for the first of the step, with the others of the same layers.
        sample: Position in the batch; None for the first sample of the flow.
        channels: Which channel of a layer, by its name; that of all others under the empty name.

    Attributes:
        name: The name of the flow.
        gradients: Per layer, by name, what its gradients are.
        remarks: What was chosen or made up.

    Raises:
        WrongChoiceError: A flow, sample, layer or channel is not there, or a matrix is too large for vnittest.
    """

    def __init__(
        self, recording: Recording, step: StepDescription, flow: str | None, sample: int | None, channels: Mapping[str, int]
    ) -> None:
        self._recording, self._step, self._channels = recording, step, channels
        self.remarks: list[str] = []
        chosen = self._choose(flow)
        self._flow, self._numbers = chosen[0]
        self.name = self._flow.name
        self._sample = self._sample_place(sample)
        self._is_explicit = any(own.method == NEIGHBOURS_METHOD for own, _ in chosen)
        for name in channels:
            if name and name not in [layer.name for layer in self._flow.layers]:
                names = ", ".join(layer.name for layer in self._flow.layers)
                raise WrongChoiceError(f"There is no layer {name!r} to choose a channel of. The layers are: {names}.")
        self._planes = [self._plane(place) for place in range(len(self._flow.layers))]
        self._pairs: dict[tuple[int, int], NDArray[np.float32] | None] = {}
        sums: dict[int, NDArray[np.float64]] = {}
        for own, numbers in chosen:
            for pair, flows in zip(own.pairs, numbers.pairs, strict=True):
                key = (pair.source, pair.target)
                if own.method == NEIGHBOURS_METHOD or (own.method in _ESTIMATES and flow is None):
                    self._pairs.setdefault(key, None)
                    continue
                self._pairs[key] = self._matrix(key, flows)
                samples, size = own.sample_count, own.layers[pair.target].size
                sums.setdefault(pair.target, sums_by_target(flows, samples, size)[self._sample])
                sums[pair.source] = sums_by_source(flows, samples)[self._sample]
                if flows.computed is not None and not flows.computed[self._sample].all():
                    self.remarks.append(f"Not all flows from {self._name(pair.source)} to {self._name(pair.target)} were computed.")
        self.gradients = self._gradients_of_layers(sums)
        if flow is None and any(own.method in _ESTIMATES and own.pairs for own, _ in chosen):
            self.remarks.append(
                "Between layers whose flows are estimates, no numbers are written: vnittest makes its own. --flow NAME writes them."
            )

    def flow_info(self) -> PickledContent:
        """The content of `flow_info.pkl`."""
        names = self._names_in_order()
        gradients = {names[name]: numbers for name, numbers in self.gradients.items()}
        flows = {(names[self._name(source)], names[self._name(target)]): matrix for (source, target), matrix in self._pairs.items()}
        info: dict[str, PickledContent] = {"activation_gradients": gradients, "gradient_flows": flows}
        return info

    def picture(self, role: str) -> Array:
        """The input's or the target's picture."""
        places = range(len(self._flow.layers)) if role == "input" else reversed(range(len(self._flow.layers)))
        place = next((place for place in places if self._flow.layers[place].role == role and self._numbers.values[place] is not None), None)
        if place is not None:
            return self._values(place)[self._planes[place]]
        shown = [place for pair in self._pairs for place in pair] or [0]
        like = min(shown) if role == "input" else max(shown)
        self.remarks.append(
            f"The flow has no values of the {role}, which vnittest needs: its picture is zeros of the size of {self._name(like)}."
        )
        return np.zeros(self._planes[like].shape, np.float32)

    def _names_in_order(self) -> dict[str, str]:
        """What the layers are called: vnittest puts them in the order of their names, so that numbers before them may be needed."""
        names = [layer.name for layer in self._flow.layers]
        written = [name for name in names if name in self.gradients]
        if self._step.type_of_execution == STEP_TYPE or written == sorted(written):
            return {name: name for name in names}
        digits = len(str(len(names)))
        numbered = {name: f"{place:0{digits}} {name}" for place, name in enumerate(names, start=1)}
        self.remarks.append(f"vnittest sorts layers by their names, so these have numbers before them: {numbered[written[0]]!r}.")
        return numbered

    def _choose(self, name: str | None) -> list[tuple[GradientFlow, FlowNumbers]]:
        flows = self._step.flows
        places = [place for place, flow in enumerate(flows) if name in (None, flow.name)]
        if not places:
            raise WrongChoiceError(
                f"There is no gradient flow {name!r} in step {self._step.step}. There are: {', '.join(flow.name for flow in flows)}."
            )
        first = flows[places[0]]
        same = [place for place in places if (flows[place].layers, flows[place].samples) == (first.layers, first.samples)]
        return [(flows[place], self._recording.flow_numbers(self._step.step, place)) for place in same]

    def _sample_place(self, sample: int | None) -> int:
        samples = self._flow.samples
        if sample is None or (sample == 0 and not samples):
            if len(samples) > 1:
                self.remarks.append(f"Of the samples {', '.join(map(str, samples))}, this is {samples[0]}.")
            return 0
        if sample not in samples:
            there = f"those of {', '.join(map(str, samples))}" if samples else "one, which has no number"
            raise WrongChoiceError(f"The flow {self.name} is not of sample {sample}. There is {there}.")
        return samples.index(sample)

    def _name(self, place: int) -> str:
        return self._flow.layers[place].name

    def _plane(self, place: int) -> NDArray[np.int64]:
        """The positions in the flattened layer that make its picture `[rows, columns]`."""
        layer = self._flow.layers[place]
        positions = np.arange(layer.size)
        if self._is_explicit:
            return positions.reshape(layer.shape)
        rows, columns = layer.shape[-2:] if len(layer.shape) > 1 else (1, layer.size)
        channels = prod(layer.shape[:-2])
        chosen = self._channels.get(layer.name, self._channels.get("") if channels > 1 else 0)
        channel = self._strongest_channel(place, channels) if chosen is None else chosen
        if channel >= channels:
            raise WrongChoiceError(f"{layer.name} has {channels} channels, counted from 0, and no channel {channel}.")
        if channels > 1:
            why = ", which has the largest flows" if chosen is None else ""
            self.remarks.append(f"Of {layer.name}, this is channel {channel} of {channels}{why}.")
        return np.asarray(positions.reshape(channels, rows, columns)[channel])

    def _strongest_channel(self, place: int, channels: int) -> int:
        """The channel with the largest flows in and out, or else gradients: magnitudes in sum, without NaN. A dead one has zeros."""
        found = [np.zeros(self._flow.layers[place].size)]
        for pair, numbers in zip(self._flow.pairs, self._numbers.pairs, strict=True):
            sizes = replace(numbers, flows=np.abs(np.nan_to_num(numbers.flows, posinf=0, neginf=0)))
            if pair.source == place:
                found.append(sums_by_source(sizes, self._flow.sample_count)[self._sample])
            if pair.target == place:
                found.append(sums_by_target(sizes, self._flow.sample_count, self._flow.layers[place].size)[self._sample])
        gradients = self._numbers.gradients[place]
        if len(found) == 1 and gradients is not None:
            found.append(np.abs(np.nan_to_num(gradients[self._sample])))
        return int(np.sum(found, axis=0).reshape(channels, -1).sum(axis=1).argmax())

    def _matrix(self, key: tuple[int, int], flows: PairNumbers) -> NDArray[np.float32]:
        """The flows between the pictures of two layers, in full."""
        source, target = (self._flow.layers[place].size for place in key)
        kept = [self._planes[place].reshape(-1) for place in key]
        if len(kept[0]) * len(kept[1]) * 4 > _MAX_MATRIX_BYTES:
            raise WrongChoiceError(
                f"vnittest needs all {len(kept[0]):,} x {len(kept[1]):,} flows from {self._name(key[0])} to {self._name(key[1])}, zeros "
                "among them, which is more than 1 GiB. Record smaller layers."
            )
        places = [np.full(size, -1) for size in (source, target)]
        for place, positions in zip(places, kept, strict=True):
            place[positions] = np.arange(len(positions))
        starts = flows.starts[self._sample * source : (self._sample + 1) * source + 1]
        rows = places[0][np.repeat(np.arange(source), np.diff(starts))]
        columns = places[1][flows.targets[starts[0] : starts[-1]]]
        matrix = np.zeros((len(kept[0]), len(kept[1])), np.float32)
        shown = (rows >= 0) & (columns >= 0)
        matrix[rows[shown], columns[shown]] = flows.flows[starts[0] : starts[-1]][shown]
        return matrix

    def _gradients_of_layers(self, sums: Mapping[int, NDArray[np.float64]]) -> dict[str, NDArray[np.float32]]:
        found = {}
        for place, (gradients, plane) in enumerate(zip(self._numbers.gradients, self._planes, strict=True)):
            if gradients is not None:
                found[self._name(place)] = gradients[self._sample][plane]
            elif place in sums:
                found[self._name(place)] = sums[place][plane].astype(np.float32)
                self.remarks.append(f"There are no gradients of {self._name(place)}: these are the sums of its flows.")
        return found

    def _values(self, place: int) -> Array:
        """The values of a layer, flat: with the dtype of its record where that has them as a whole, else float32."""
        layer = self._flow.layers[place]
        layout = self._recording.layout(self._step.layout)
        for record in iterate_records(layout):
            entry = record.entry
            is_it = (record.group, entry.name, entry.iteration) == ("forward", layer.record_name, layer.record_iteration)
            if is_it and entry.batch_dimension is None and entry.values_count == layer.size and entry.stored != "BF16":
                name = f"values.{entry.stored}"
                blob = self._recording.blobs(self._step.step, [name])[name]
                whole: Array = blob.data[record.values : record.values + layer.size]
                return whole.astype(np.bool_) if entry.stored == "BOOL" else whole
        values = self._numbers.values[place]
        assert values is not None
        row: Array = values[self._sample]
        return row

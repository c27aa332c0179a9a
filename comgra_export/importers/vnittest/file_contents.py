"""Takes from a gradient flow what vnittest can show: one sample, and one channel of each layer."""

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
    """The content of the three files, by the arguments of `write_vnittest`. In `channels`, the empty name stands for all other layers.

    Attributes:
        gradients: The gradients of each layer, by the layer's name.
        remarks: Sentences about what was chosen or made up.

    Raises:
        WrongChoiceError: A flow, sample, layer or channel does not exist, or a matrix is too large for vnittest.
    """

    def __init__(
        self, recording: Recording, step: StepDescription, flow: str | None, sample: int | None, channels: Mapping[str, int]
    ) -> None:
        self._recording, self._step, self._channels = recording, step, channels
        self.remarks: list[str] = []
        chosen = self._choose(flow)
        self._flow, self._numbers = chosen[0]
        self.name = self._flow.name
        self._sample = self._sample_index(sample)
        self._is_explicit = any(own.method == NEIGHBOURS_METHOD for own, _ in chosen)
        self._check_layers_of_channels()
        self._planes = [self._plane(index) for index in range(len(self._flow.layers))]
        self._pairs: dict[tuple[int, int], NDArray[np.float32] | None] = {}
        self._sums: dict[int, NDArray[np.float64]] = {}
        for own, numbers in chosen:
            self._add_pairs(own, numbers, leaves_estimates=flow is None)
        self.gradients = self._gradients_of_layers()
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
        """The picture of the input or of the target: the first or the last layer with this role."""
        values = self._numbers.values
        indices = [index for index, layer in enumerate(self._flow.layers) if layer.role == role and values[index] is not None]
        if indices:
            index = indices[0] if role == "input" else indices[-1]
            return self._values(index)[self._planes[index]]
        shown = [index for pair in self._pairs for index in pair] or [0]
        like = min(shown) if role == "input" else max(shown)
        self.remarks.append(
            f"The flow has no values of the {role}, which vnittest needs: its picture is zeros of the size of {self._name(like)}."
        )
        return np.zeros(self._planes[like].shape, np.float32)

    def _names_in_order(self) -> dict[str, str]:
        """The names to write, by the names of the layers. vnittest sorts layers by name, so they may need a number in front."""
        names = [layer.name for layer in self._flow.layers]
        written = [name for name in names if name in self.gradients]
        if self._step.type_of_execution == STEP_TYPE or written == sorted(written):
            return {name: name for name in names}
        digits = len(str(len(names)))
        numbered = {name: f"{number:0{digits}} {name}" for number, name in enumerate(names, start=1)}
        self.remarks.append(f"vnittest sorts layers by their names, so these have numbers before them: {numbered[written[0]]!r}.")
        return numbered

    def _choose(self, name: str | None) -> list[tuple[GradientFlow, FlowNumbers]]:
        flows = self._step.flows
        indices = [index for index, flow in enumerate(flows) if name in (None, flow.name)]
        if not indices:
            raise WrongChoiceError(
                f"There is no gradient flow {name!r} in step {self._step.step}. There are: {', '.join(flow.name for flow in flows)}."
            )
        first = flows[indices[0]]
        same = [index for index in indices if (flows[index].layers, flows[index].samples) == (first.layers, first.samples)]
        return [(flows[index], self._recording.flow_numbers(self._step.step, index)) for index in same]

    def _check_layers_of_channels(self) -> None:
        names = [layer.name for layer in self._flow.layers]
        for name in self._channels:
            if name and name not in names:
                raise WrongChoiceError(f"There is no layer {name!r} to choose a channel of. The layers are: {', '.join(names)}.")

    def _add_pairs(self, flow: GradientFlow, numbers: FlowNumbers, *, leaves_estimates: bool) -> None:
        """Adds the matrices of a flow, and the sums of its flows per layer. It adds None for pairs that vnittest estimates itself."""
        for pair, flows in zip(flow.pairs, numbers.pairs, strict=True):
            key = (pair.source, pair.target)
            if flow.method == NEIGHBOURS_METHOD or (flow.method in _ESTIMATES and leaves_estimates):
                self._pairs.setdefault(key, None)
                continue
            self._pairs[key] = self._matrix(key, flows)
            samples, size = flow.sample_count, flow.layers[pair.target].size
            self._sums.setdefault(pair.target, sums_by_target(flows, samples, size)[self._sample])
            self._sums[pair.source] = sums_by_source(flows, samples)[self._sample]
            if flows.computed is not None and not flows.computed[self._sample].all():
                self.remarks.append(f"Not all flows from {self._name(pair.source)} to {self._name(pair.target)} were computed.")

    def _sample_index(self, sample: int | None) -> int:
        samples = self._flow.samples
        if sample is None or (sample == 0 and not samples):
            if len(samples) > 1:
                self.remarks.append(f"The flow has the samples {', '.join(map(str, samples))}; sample {samples[0]} is written.")
            return 0
        if sample not in samples:
            choice = f"The samples are: {', '.join(map(str, samples))}." if samples else "It has a single sample without a number."
            raise WrongChoiceError(f"The flow {self.name!r} has no sample {sample}. {choice}")
        return samples.index(sample)

    def _name(self, layer: int) -> str:
        return self._flow.layers[layer].name

    def _plane(self, index: int) -> NDArray[np.int64]:
        """The positions in the flattened layer that make its picture `[rows, columns]`."""
        layer = self._flow.layers[index]
        positions = np.arange(layer.size)
        if self._is_explicit:
            return positions.reshape(layer.shape)
        rows, columns = layer.shape[-2:] if len(layer.shape) > 1 else (1, layer.size)
        channels = prod(layer.shape[:-2])
        chosen = self._channels.get(layer.name, self._channels.get("") if channels > 1 else 0)
        channel = self._strongest_channel(index, channels) if chosen is None else chosen
        if channel >= channels:
            raise WrongChoiceError(f"{layer.name} has {channels} channels, counted from 0, and no channel {channel}.")
        if channels > 1:
            why = ", which has the largest flows," if chosen is None else ""
            self.remarks.append(f"{layer.name} has {channels} channels; channel {channel}{why} is written.")
        return np.asarray(positions.reshape(channels, rows, columns)[channel])

    def _strongest_channel(self, layer: int, channels: int) -> int:
        """The channel with the largest sum of magnitudes of flows in and out. NaN and infinities count as 0.

        A layer without flows is judged by its gradients.
        """
        count, size = self._flow.sample_count, self._flow.layers[layer].size
        magnitudes = [np.zeros(size)]
        for pair, numbers in zip(self._flow.pairs, self._numbers.pairs, strict=True):
            absolute = replace(numbers, flows=np.abs(np.nan_to_num(numbers.flows, posinf=0, neginf=0)))
            if pair.source == layer:
                magnitudes.append(sums_by_source(absolute, count)[self._sample])
            if pair.target == layer:
                magnitudes.append(sums_by_target(absolute, count, size)[self._sample])
        gradients = self._numbers.gradients[layer]
        if len(magnitudes) == 1 and gradients is not None:
            magnitudes.append(np.abs(np.nan_to_num(gradients[self._sample])))
        return int(np.sum(magnitudes, axis=0).reshape(channels, -1).sum(axis=1).argmax())

    def _matrix(self, key: tuple[int, int], flows: PairNumbers) -> NDArray[np.float32]:
        """The flows between the pictures of two layers, as a full matrix."""
        source, target = (self._flow.layers[index].size for index in key)
        kept = [self._planes[index].reshape(-1) for index in key]
        if len(kept[0]) * len(kept[1]) * 4 > _MAX_MATRIX_BYTES:
            raise WrongChoiceError(
                f"vnittest needs all {len(kept[0]):,} x {len(kept[1]):,} flows from {self._name(key[0])} to {self._name(key[1])}, zeros "
                "among them, which is more than 1 GiB. Record smaller layers."
            )
        in_picture = [np.full(size, -1) for size in (source, target)]
        for positions, own in zip(in_picture, kept, strict=True):
            positions[own] = np.arange(len(own))
        starts = flows.starts[self._sample * source : (self._sample + 1) * source + 1]
        rows = in_picture[0][np.repeat(np.arange(source), np.diff(starts))]
        columns = in_picture[1][flows.targets[starts[0] : starts[-1]]]
        matrix = np.zeros((len(kept[0]), len(kept[1])), np.float32)
        shown = (rows >= 0) & (columns >= 0)
        matrix[rows[shown], columns[shown]] = flows.flows[starts[0] : starts[-1]][shown]
        return matrix

    def _gradients_of_layers(self) -> dict[str, NDArray[np.float32]]:
        """The gradients of each layer that has some, or else the sums of its flows."""
        by_layer = {}
        for index, (gradients, plane) in enumerate(zip(self._numbers.gradients, self._planes, strict=True)):
            if gradients is not None:
                by_layer[self._name(index)] = gradients[self._sample][plane]
            elif index in self._sums:
                by_layer[self._name(index)] = self._sums[index][plane].astype(np.float32)
                self.remarks.append(f"There are no gradients of {self._name(index)}: the sums of its flows are written.")
        return by_layer

    def _values(self, index: int) -> Array:
        """The values of a layer, flat: with the dtype of its record if that is whole, or else as float32."""
        layer = self._flow.layers[index]
        layout = self._recording.layout(self._step.layout)
        for record in iterate_records(layout):
            entry = record.entry
            is_record = (record.group, entry.name, entry.iteration) == ("forward", layer.record_name, layer.record_iteration)
            if is_record and entry.batch_dimension is None and entry.values_count == layer.size and entry.stored != "BF16":
                name = f"values.{entry.stored}"
                blob = self._recording.blobs(self._step.step, [name])[name]
                whole: Array = blob.data[record.values : record.values + layer.size]
                return whole.astype(np.bool_) if entry.stored == "BOOL" else whole
        values = self._numbers.values[index]
        assert values is not None
        row: Array = values[self._sample]
        return row

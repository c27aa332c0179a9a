"""Registering the tensors of one step: by name, at the ports of watched modules, as parameters and as buffers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.dtypes import number_type
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.weak_methods import WeakMethod
from comgra_export.recorder.modules.attention import MAX_PATTERN_VALUES
from comgra_export.recorder.modules.ports import TensorAtPort, port_reference, port_traits
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.modules.watched import WatchedModule, buffers_of
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.numbers.singular_values import MOST_PRODUCTS_ON_DEVICE
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.step.gradients import GradientGroups
from comgra_export.recorder.step.options import StepOptions
from comgra_export.recorder.step.parameters import StepParameters
from comgra_export.recorder.step.state import StepState
from comgra_export.recorder.step.tensors import LocalValues, TensorRecording, local_values
from comgra_export.recorder.tracing.registered_tensors import Connectable, RegisteredTensors
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, Reference, Registration, Traits
from comgra_export.storage.model.layout import Kind, TensorType
from comgra_export.storage.model.lines import Gap

__all__ = ["TensorRegistrar"]


class TensorRegistrar:
    """Gives the tensors of a step their names, and has their values recorded.

    The hooks of the step refer to it only weakly: they must not keep the step alive.

    `decide_before_update` is called in a provisional step when parameters are about to change. It may still accept the step as a whole.
    """

    def __init__(
        self,
        state: StepState,
        options: StepOptions,
        training: TrainingState,
        *,
        registered: RegisteredTensors,
        values: TensorRecording,
        parameters: StepParameters,
        gradients: GradientGroups,
        gap_keeper: GapKeeper,
        unusual_steps: UnusualSteps | None,
        decide_before_update: WeakMethod[Callable[[], None]] | None,
    ) -> None:
        self._state = state
        self._options = options
        self._training = training
        self._registered = registered
        self._values = values
        self._parameters = parameters
        self._gradients = gradients
        self._gap_keeper = gap_keeper
        self._unusual_steps = unusual_steps
        self._decide_before_update = decide_before_update
        self._has_parameters = False

    def register(self, reference: Reference, tensor: Tensor, traits: Traits, local: LocalValues, histogram_values: int = 0) -> None:
        """Registers a tensor, or another name of one, with the values that it has now.

        `local` has the values of it that this process holds. A histogram counts `histogram_values` of these at most; with 0, only a watched
        tensor has one.

        Raises:
            MisuseError: The name, or the role within the node, is taken in this iteration; or the tensor has a name already, with other
                traits.
        """
        if type(tensor) is not Tensor and isinstance(tensor, nn.Parameter):
            self.register_parameters()
        registration = self._registered.add(reference, tensor, traits, histogram_values)
        self._take(registration, reference, tensor, local)

    def register_port(self, tensor: Tensor, port: TensorAtPort) -> Registration:
        """Registers a tensor that a watched module was called with or returned, unless it is registered already.

        Raises:
            MisuseError: The user has given its name to another tensor.
        """
        if type(tensor) is not Tensor and isinstance(tensor, nn.Parameter):
            self.register_parameters()
        registration = self._registered.find(tensor)
        if registration is None:
            registration = self._register_new_port(tensor, port)
        else:
            self._registered.note_port(f"{port.node}: {port.role}", registration)
            if port.histogram_values and not registration.histogram_values:
                self._values.add_histogram(registration, tensor, port.histogram_values)
            self._values.watch_again(registration, tensor)
        registration.meaning = registration.meaning or port.meaning
        return registration

    def register_computed(self, tensor: Tensor, name: str, tensor_type: TensorType, histogram_values: int) -> None:
        """Registers what a function has returned, or a target. Does nothing if no numbers of it can be recorded.

        Args:
            tensor: A tensor that is not registered.
            name: The name of the function. A number is added if it is taken.
            tensor_type: The type. Only a tensor without dimensions is a loss.
            histogram_values: As for `register`.
        """
        state = self._state
        local = local_values(tensor)
        values, _, missing = local
        is_plain = values.layout == torch.strided and not (values.is_nested or values.is_meta)
        if missing is not None or not is_plain or number_type(values.dtype) is None:
            return
        dimensions = values.dim()
        has_batch = dimensions > 0 and values.shape[0] == state.batch_size
        traits = port_traits(
            dimensions, is_input=False, with_values=False, has_batch=has_batch, per_sample=bool(state.per_sample_by_default)
        )
        if tensor_type != "calculated" and (tensor_type != "loss" or dimensions == 0):
            traits = _traits_of_type(traits, tensor_type)
        # A target has no gradient that anybody asks for. To compute one would take a twin.
        is_watched = tensor.requires_grad
        registration = self._registered.add_computed(name, tensor, traits, histogram_values if dimensions else 0, is_watched=is_watched)
        self._take(registration, registration.first, tensor, local)

    def register_parameters(self) -> None:
        """Registers the parameters of the tracked modules, with the values that they have now, unless that was done already."""
        if self._has_parameters:
            return
        self._has_parameters = True
        self._parameters.find_changed()
        if not self._state.is_provisional:
            self._parameters.take_snapshots()
        modules = self._training.modules
        histogram_values = self._training.watched.histogram_values_by_name(modules.modules())
        with self._values.read_together():
            for name, parameter in modules.parameters().items():
                local = local_values(parameter)
                traits = Traits("parameter", self._kind_of_parameter(name, local), None, False)
                node = next((prefix for prefix in self._options.node_prefixes if name.startswith(prefix)), name)
                of_prefix = (values for prefix, values in histogram_values.items() if name.startswith(prefix))
                reference = Reference(name, INITIAL_ITERATION, node, name)
                self.register(reference, parameter, traits, local, max(of_prefix, default=0))
        self._parameters.values_before.clear()

    def _kind_of_parameter(self, name: str, local: LocalValues) -> Kind:
        values, shard, _ = local
        if not self._options.with_svd or values.dim() != 2:
            return "kpis"
        if shard is None and not values.is_cpu and min(values.shape) * values.numel() > MOST_PRODUCTS_ON_DEVICE:
            reason = "its largest singular value is left out: it would hold up the device for long"
            self._gap_keeper.note(Gap(reason, self._state.number, INITIAL_ITERATION, None, name))
            return "kpis"
        return "kpis_and_svd"

    def record_buffers(self, watched: Mapping[nn.Module, WatchedModule]) -> None:
        """Records the buffers of watched modules, with the values that they have now."""
        for name, buffer in buffers_of(watched).items():
            node, _, attribute = name.rpartition(".")
            traits = Traits("calculated", "kpis" if buffer.dim() else "single_value", None, False)
            registration = self._registered.add_state(Reference(name, INITIAL_ITERATION, node, f"buffer {attribute}"), traits)
            self._values.record_values(registration, buffer, local_values(buffer))

    def connect(self, source: Connectable, sink: Connectable) -> None:
        """Adds a dependency of the sink by hand.

        Raises:
            MisuseError: One of the two is not known, or they are the same tensor.
        """
        if not (self._registered.has(source) and self._registered.has(sink)):
            self.register_parameters()
        self._registered.connect(source, sink)

    def before_update(self) -> None:
        """Registers the parameters before an optimizer changes them, in a step that may still be recorded."""
        state = self._state
        if state.is_provisional and not state.is_given_up:
            decide = None if self._decide_before_update is None else self._decide_before_update()
            if decide is not None:
                decide()
            if state.is_provisional and not state.is_given_up:
                self.register_parameters()

    def _register_new_port(self, tensor: Tensor, port: TensorAtPort) -> Registration:
        state = self._state
        assert state.iteration is not None
        local = local_values(tensor)
        values, _, _ = local
        dimensions = values.dim()
        has_batch = dimensions > 0 and not values.is_nested and values.shape[0] == state.batch_size
        with_values = port.with_values or (
            port.meaning is not None and self._has_room_for_values(f"{port.node}: {port.role}", values, has_batch)
        )
        reference = port_reference(port.node, port.role, state.iteration)
        per_sample = bool(state.per_sample_by_default)
        traits = port_traits(dimensions, is_input=port.is_input, with_values=with_values, has_batch=has_batch, per_sample=per_sample)
        registration = self._registered.add(reference, tensor, traits, port.histogram_values)
        registration.is_found = True
        registration.is_result = port.is_result
        self._take(registration, reference, tensor, local)
        return registration

    def _take(self, registration: Registration, reference: Reference, tensor: Tensor, local: LocalValues) -> None:
        """Takes the values of a tensor that has been given a name, unless another name of it has them."""
        self._gradients.may_come = self._gradients.may_come or tensor.requires_grad
        if not registration.others and registration.entry is None:
            self._values.record_values(registration, tensor, local)
        if self._unusual_steps is not None and registration.traits.type != "parameter":
            self._unusual_steps.add((FORWARD, reference.name, reference.iteration), local[0])

    def _has_room_for_values(self, name: str, pattern: Tensor, has_batch: bool) -> bool:
        """Whether an attention pattern has so few values that they are recorded without being asked for."""
        state = self._state
        count = pattern.numel() if not has_batch else pattern[:1].numel() * len(state.samples.index)
        if count > MAX_PATTERN_VALUES:
            reason = (
                f"only its statistics are recorded: this pattern of attention has {count:,} values to record, more than "
                f"{MAX_PATTERN_VALUES:,}. With values=True, they are recorded"
            )
            self._gap_keeper.note(Gap(reason, state.number, state.iteration, FORWARD, name))
        return count <= MAX_PATTERN_VALUES


@lru_cache
def _traits_of_type(traits: Traits, tensor_type: TensorType) -> Traits:
    return replace(traits, type=tensor_type)

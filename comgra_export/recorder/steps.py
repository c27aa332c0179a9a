"""What one recorded training step collects, until it is whole."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from torch import Tensor, nn

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.arrays import StepNumbers, arrange
from comgra_export.recorder.calls import unseen
from comgra_export.recorder.compilation import EagerExecution, compiler_is_used
from comgra_export.recorder.data_flow import DataFlowTracer
from comgra_export.recorder.dependencies import AutogradTracer, Dependency, Spot, Tracer, version_of
from comgra_export.recorder.dtypes import number_type, why_not_recordable
from comgra_export.recorder.facts import StepFacts, TrainingState
from comgra_export.recorder.finished import FinishedStep
from comgra_export.recorder.gaps import GapKeeper, describe_error
from comgra_export.recorder.gradients import GradientWatch
from comgra_export.recorder.measurements import Measurements
from comgra_export.recorder.operations import UPDATE, OperationWatch
from comgra_export.recorder.record_numbers import RecordKey
from comgra_export.recorder.registrations import Reference, Registration, TensorReference, Traits, difference_between, tensor_entry
from comgra_export.recorder.scratch import Scratch
from comgra_export.recorder.sharding import NoLocalPartError, local_part
from comgra_export.recorder.snapshots import ParameterNorms, ParameterSnapshots, SnapshotMemory
from comgra_export.recorder.structures import build_structure
from comgra_export.recorder.transfer import Transfer
from comgra_export.recorder.twins import GradientTwins
from comgra_export.recorder.unusual_steps import UnusualSteps
from comgra_export.storage.model import Gap, Group, Layout, RecordedSamples, Shard, Structure

__all__ = ["FORWARD", "INITIAL_ITERATION", "GraphSource", "RecordedStep", "StepOptions"]

GraphSource = Literal["data_flow", "autograd"]

FORWARD = "forward"
INITIAL_ITERATION = -1


@dataclass(frozen=True)
class StepOptions:
    """How steps are recorded.

    Attributes:
        max_samples: How many samples are recorded one by one; None for all.
        node_prefixes: Parameters whose name begins with one of these share a node.
        with_svd: Whether singular values of parameters are computed.
        request_gradients: Whether gradients of tensors that require none are asked for.
        graph: Where dependencies are read from: the functions that are called, or autograd's graph.
        snapshot_memory: Where the values of parameters before a step are kept.
        scratch: Where intermediate results lie.
        known_structures: The dependency graphs of the last steps, by iteration.
    """

    max_samples: int | None
    node_prefixes: tuple[str, ...]
    with_svd: bool
    request_gradients: bool
    graph: GraphSource = "data_flow"
    snapshot_memory: SnapshotMemory = field(default_factory=SnapshotMemory)
    scratch: Scratch = field(default_factory=Scratch)
    known_structures: dict[int, Structure] = field(default_factory=dict)


@dataclass
class RecordedStep:
    """One training step that is being recorded.

    Args:
        number: The training step.
        batch_size: `B`.
        per_sample_by_default: Whether tensors are recorded per sample where the call does not say.
        samples: The samples recorded one by one (`S` of them), unless `accept` says otherwise.
        options: How it is recorded.
        training: The tracked modules, optimizers and scaler.
        gap_keeper: Where trouble goes.
        is_provisional: Whether it is not known yet that the step is to be recorded.
        unusual_steps: Checks what is registered; None where nothing does.
        decide: Called when parameters are about to change in a provisional step: the last moment to accept it as a whole.

    Attributes:
        triggered: Why the step is recorded although it was not due.
        iteration: The iteration in progress, or the last one; None before the first.
        gaps: What could not be recorded of this step.
        structures: The dependency graph of every iteration; None where it is missing.
    """

    number: int
    batch_size: int
    per_sample_by_default: bool
    samples: RecordedSamples
    options: StepOptions
    training: TrainingState
    gap_keeper: GapKeeper
    is_provisional: bool = False
    unusual_steps: UnusualSteps | None = None
    decide: weakref.WeakMethod[Callable[[], None]] | None = None

    def __post_init__(self) -> None:
        self.triggered: str | None = None
        self.is_given_up = False
        self._checked_groups: set[str] = set()
        self._changed_parameters: set[int] = set()
        self.iteration: int | None = None
        self.gaps: list[Gap] = []
        self.structures: list[Structure | None] = []
        self._untouchable = self.training.modules.buffers()
        self._registrations: list[Registration] = []
        self._groups = [FORWARD]
        self._measurements = self._new_measurements()
        # Compiled code would be compiled anew under a watch. A step that is due runs eagerly; every other one should stay as fast as it is.
        self._is_watched = self.options.graph == "data_flow" and not (self.is_provisional and compiler_is_used())
        self._eager_execution = EagerExecution()
        # On every step of a run, that would cost more than all the rest.
        follows_gradients = not self.is_provisional or self.unusual_steps is None
        self._facts = StepFacts(self.training, watched=self._is_watched, follows_gradients=follows_gradients)
        self._tracer, self._operations, twins = self._choose_tracer()
        self._gradients = GradientWatch(twins, self._untouchable)
        self._in_iteration: dict[int, Registration] = {}
        self._by_name: dict[tuple[str, int], Registration] = {}
        self._newest_iteration: dict[str, int] = {}
        self._names_by_place: dict[tuple[str, str, int], str] = {}
        self._snapshots: ParameterSnapshots | None = None
        self._values_before: dict[int, Tensor] = {}
        self._has_parameters = False
        self._iterations_held_back: list[tuple[int, list[Registration]]] = []
        self._states_of_parameters: dict[int, tuple[int | None, int]] = {}
        # A recorder that is dropped within a step must leave nothing behind either.
        watching = () if self._operations is None else (self._operations.stop,)
        actions = (*watching, self._gradients.release, self._facts.release, self._eager_execution.stop, self._tracer.forget)
        self._end = weakref.finalize(self, _run_all, actions)
        self._end.atexit = False

    def begin(self) -> None:
        """Begins to watch what is computed. The parameters are registered with the values that they have now.

        In a provisional step, that waits until it is accepted, or they are about to change.
        """
        if self.is_provisional:
            self._states_of_parameters = {id(one): _state_of(one) for one in self.training.modules.parameters().values()}
        else:
            self.register_parameters()
            self._eager_execution.start()
        self._facts.start()
        if self._operations is not None:
            self._operations.start()

    def accept(self, samples: RecordedSamples) -> None:
        """Decides that the step is recorded, and computes what was held back.

        Args:
            samples: The samples recorded one by one.
        """
        self.samples = samples
        self.is_provisional = False
        self.register_parameters()
        for registration in self._registrations:
            if registration.entry is not None and registration.traits.per_sample:
                registration.entry = replace(registration.entry, samples=len(samples.index))
        self._measurements.settle(samples.index)
        for iteration, registrations in self._iterations_held_back:
            structure = None
            try:
                structure = self._build_structure(iteration, registrations)
            except MisuseError as error:
                # The call that is at fault has returned long ago.
                self.gap_keeper.report("graph", Gap(str(error), self.number, iteration), error)
            self.structures.append(structure)
        self._iterations_held_back.clear()
        if self._snapshots is None:
            self._changed_parameters = self._parameters_changed_since_begin()
            self._take_snapshots()
            self._values_before.clear()
            if self._changed_parameters:
                reason = "by how much the step changed some parameters is not known, since it was decided to record it only afterwards"
                self.gap_keeper.report("snapshots", Gap(reason, self.number))

    def register_parameters(self) -> None:
        """Registers the parameters of the tracked modules, with the values that they have now, unless that was done already."""
        if self._has_parameters:
            return
        self._has_parameters = True
        parameters = self.training.modules.parameters()
        if self._states_of_parameters:
            self._changed_parameters = self._parameters_changed_since_begin()
        if not self.is_provisional:
            self._take_snapshots()
        for name, parameter in parameters.items():
            traits = Traits("parameter", "kpis_and_svd" if self.options.with_svd and parameter.dim() == 2 else "kpis", None, False)
            node = next((prefix for prefix in self.options.node_prefixes if name.startswith(prefix)), name)
            self.register(Reference(name, INITIAL_ITERATION, node, name), parameter, traits)
        self._values_before.clear()

    def give_up(self) -> None:
        """Lets go of what is held back: from now on, the step cannot be recorded any more."""
        self.is_given_up = True
        self._measurements.give_up()

    def start_iteration(self) -> None:
        """Begins the next iteration; the first one is 0."""
        self.iteration = 0 if self.iteration is None else self.iteration + 1
        self._in_iteration.clear()

    def register(self, reference: Reference, tensor: Tensor, traits: Traits) -> None:
        """Registers a tensor, or another name of one, with the values that it has now.

        Raises:
            MisuseError: The name, or the role within the node, is taken in this iteration; or the tensor has a name already, with other
                traits.
        """
        if type(tensor) is not Tensor and isinstance(tensor, nn.Parameter):
            self.register_parameters()
        self._check_unused(reference)
        spot = self._tracer.spot_to_register(tensor)
        if spot.number is None:
            registration = self._add_tensor(spot, reference, tensor, traits)
        else:
            registration = self._registrations[spot.number]
            _check_alias(registration, reference, traits)
            registration.references.append(reference)
        self._by_name[reference.name, reference.iteration] = registration
        self._newest_iteration[reference.name] = max(reference.iteration, self._newest_iteration.get(reference.name, INITIAL_ITERATION))
        self._names_by_place[reference.node, reference.role, reference.iteration] = reference.name
        if self.unusual_steps is not None and traits.type != "parameter":
            self.unusual_steps.add((FORWARD, reference.name, reference.iteration), tensor)
        if reference.iteration == self.iteration:
            self._in_iteration[registration.number] = registration

    def connect(self, source: Tensor | str | TensorReference, sink: Tensor | str | TensorReference) -> None:
        """Adds a dependency of the sink by hand.

        Raises:
            MisuseError: One of the two is not known, or they are the same tensor.
        """
        source_spot, sink_spot = self._find("src", source), self._find("sink", sink)
        if source_spot is sink_spot:
            raise MisuseError(
                f"add_tensor_connection: src and sink are the same tensor, {self._label(source_spot, source)}. Connect two different ones."
            )
        with self.gap_keeper.guard("connection", "a connection could not be added", step=self.number, iteration=self.iteration):
            self._tracer.connect(source_spot, sink_spot)

    def check_gradients(self, group: str) -> None:
        """Checks the gradients that the parameters have now.

        Raises:
            MisuseError: The name is taken.
        """
        if group in self._checked_groups:
            raise MisuseError(
                f"record_current_gradients: the name {group!r} is taken by another call in this training step. "
                "Give every call of a step a name of its own."
            )
        self._checked_groups.add(group)
        # While a scaler looks for its factor, gradients overflow as a matter of course.
        if self.unusual_steps is not None and not self._facts.has_scaler:
            gradients = ((name, parameter.grad) for name, parameter in self.training.modules.parameters().items())
            self.unusual_steps.add_all(((group, name, INITIAL_ITERATION), gradient) for name, gradient in gradients if gradient is not None)

    def record_gradients(self, group: str, clear: bool) -> None:
        """Records the gradients that all registered tensors have now.

        Args:
            group: Name of the recording type.
            clear: Whether to forget them afterwards, save those of parameters.

        Raises:
            MisuseError: The name is taken.
        """
        if group in self._groups:
            taken_by = "the values of the forward pass" if group == FORWARD else "another call in this training step"
            raise MisuseError(
                f"record_current_gradients: the name {group!r} is taken by {taken_by}. Give every call of a step a name of its own."
            )
        self._groups.append(group)
        for registration in self._registrations:
            self._measure_gradient(registration, group)
            self._explain_absent_gradient(registration, group)
            if clear and registration.traits.type != "parameter":
                self._gradients.clear(registration.number)
        with self.gap_keeper.guard("facts", "what became of the gradients is not known", step=self.number):
            self._facts.note_gradients(group)
        if self._facts.scale_is_doubtful:
            reason = "gradients of some parameters may still be multiplied by the loss scale. Give their optimizer to track_optimizers"
            self.gap_keeper.report("loss scale", Gap(reason, self.number, self.iteration, group))
        self._measurements.compute_pressing()

    def finish_iteration(self) -> None:
        """Builds the dependency graph of the iteration.

        Raises:
            MisuseError: The nodes or the connections contradict each other.
        """
        assert self.iteration is not None
        registrations = list(self._in_iteration.values())
        if self.is_provisional:
            self._iterations_held_back.append((self.iteration, registrations))
        else:
            self.structures.append(self._build_structure(self.iteration, registrations))

    def finish(self, type_of_execution: str) -> FinishedStep:
        """Computes what is left to compute, and sends it on its way to the CPU.

        Args:
            type_of_execution: The type of the step.
        """
        measurements = self._measurements
        measurements.compute()
        members: dict[str, list[int]] = {group: [] for group in self._groups}
        for group, number in sorted(measurements.absent.union(*(part.place.keys for part in measurements.parts))):
            members[group].append(number)
        tensors = sorted(set().union(*members.values()))
        rows = {number: row for row, number in enumerate(tensors)}
        entries = tuple(entry for entry in (self._registrations[number].entry for number in tensors) if entry is not None)
        layout = Layout(entries, tuple(Group(group, tuple(rows[number] for number in found)) for group, found in members.items()))
        numbers = StepNumbers([part.place for part in measurements.parts], measurements.absent, tensors)
        results = [part.rows for part in measurements.parts]
        norms, parameter_norms = self._finish_snapshots()
        differences = self._facts.gradient_differences()
        self._report_trouble_of_facts()
        transfer = Transfer(results + norms)
        first_norm = len(results)
        return FinishedStep(
            number=self.number,
            type_of_execution=type_of_execution,
            batch_size=self.batch_size,
            layout=layout,
            arrays=lambda: arrange(layout, numbers, transfer.wait()),
            size=transfer.size,
            samples=self.samples,
            structures=tuple(self.structures),
            parameters=lambda: None if parameter_norms is None else parameter_norms.facts(transfer.wait()[first_norm:], differences()),
            learning_rates=self._facts.learning_rates(),
            gradients=self._facts.gradients(),
            triggered=self.triggered,
            module_runs=self._facts.module_runs(),
            held_bytes=transfer.size + measurements.held_bytes + (0 if self._snapshots is None else self._snapshots.bytes),
            gaps=tuple(self.gaps),
        )

    def release(self) -> None:
        """Removes every hook, and ends watching what is computed."""
        with self.gap_keeper.guard("release", "a hook could not be removed", step=self.number):
            self._end()

    def discard(self) -> None:
        """Lets go of what was collected. Much of it refers back to this step; nothing of the user's must wait for the garbage collector."""
        self._measurements.give_up()
        self._registrations.clear()
        self._iterations_held_back.clear()
        self._in_iteration.clear()
        self._by_name.clear()
        self._snapshots = None

    def _before_update(self) -> None:
        if self.is_provisional and not self.is_given_up:
            decide = None if self.decide is None else self.decide()
            if decide is not None:
                decide()
            if self.is_provisional and not self.is_given_up:
                self.register_parameters()

    def _parameters_changed_since_begin(self) -> set[int]:
        states = self._states_of_parameters
        return {id(one) for one in self.training.modules.parameters().values() if states.get(id(one)) != _state_of(one)}

    def _take_snapshots(self) -> None:
        found = self.training.modules.parameters_by_position()
        parameters = {position: one for position, one in found.items() if id(one) not in self._changed_parameters}
        with self.gap_keeper.guard("snapshots", "the parameters could not be copied before the step", step=self.number):
            self._snapshots = ParameterSnapshots(parameters, self.options.snapshot_memory)
            self._values_before = {
                id(parameter): values
                for position, parameter in parameters.items()
                if (values := self._snapshots.values(position)) is not None
            }

    def _finish_snapshots(self) -> tuple[list[Tensor], ParameterNorms | None]:
        if self._snapshots is None:
            return [], None
        with self.gap_keeper.guard("snapshots", "by how much the step changed the parameters could not be computed", step=self.number):
            norms, facts = self._snapshots.finish(self.training.modules.parameters_by_position())
            names = [parameter.name for parameter in self.training.modules.network().parameters]
            for position, reason in facts.missing.items():
                self.gap_keeper.report("snapshots", Gap(reason, self.number, None, None, names[position]))
            return norms, facts
        return [], None

    def _add_tensor(self, spot: Spot, reference: Reference, tensor: Tensor, traits: Traits) -> Registration:
        registration = Registration(len(self._registrations), spot, traits, [reference])
        self._registrations.append(registration)
        self._tracer.register(spot, registration.number)
        try:
            try:
                local, shard = local_part(tensor)
                reason = why_not_recordable(local)
                if id(tensor) in self._changed_parameters:
                    reason = "it was changed before it was decided to record this step"
            except NoLocalPartError as error:
                reason = str(error)
            if reason is None:
                self._gradients.watch(registration.number, tensor, spot.is_used)
                self._measure_values(registration, tensor, local, shard)
            else:
                self.gap_keeper.report("unsupported tensor", Gap(reason, self.number, reference.iteration, None, reference.name))
        except (MisuseError, RecordingGapError):
            raise
        except Exception as error:
            reason = f"it could not be recorded ({describe_error(error)})"
            self.gap_keeper.report("values", Gap(reason, self.number, reference.iteration, None, reference.name), error)
        return registration

    def _measure_values(self, registration: Registration, tensor: Tensor, local: Tensor, shard: Shard | None) -> None:
        traits, reference = registration.traits, registration.references[0]
        numbers = number_type(local.dtype)
        assert numbers is not None
        if local.dtype == torch.float16 and self._facts.has_scaler:
            # Without the loss scale, its gradients may be smaller than what float16 holds.
            numbers = replace(numbers, stored="F32", stored_dtype=torch.float32)
        entry = tensor_entry(
            name=reference.name,
            iteration=reference.iteration,
            node=reference.node,
            role=reference.role,
            type=traits.type,
            # The singular values of a part say nothing of the whole.
            kind="kpis" if shard is not None and traits.kind == "kpis_and_svd" else traits.kind,
            dtype=numbers.name,
            stored=numbers.stored,
            shape=local.shape,
            batch_dimension=traits.batch_dimension,
            samples=len(self.samples.index) if traits.per_sample else 0,
            operation=self._tracer.operation(tensor),
            module=self._facts.module_of(tensor),
            shard=shard,
        )
        before = self._values_before.get(id(tensor))
        if before is None:
            self._measurements.add((FORWARD, registration.number), entry, numbers, local)
            self._measurements.compute_pressing()
        else:
            self._measurements.add((FORWARD, registration.number), entry, numbers, before, lasts=True)
        registration.entry, registration.numbers = entry, numbers

    def _measure_gradient(self, registration: Registration, group: str) -> None:
        entry, numbers = registration.entry, registration.numbers
        if entry is None or numbers is None:
            return
        key = (group, registration.number)
        try:
            gradient = self._gradients.gradient(registration.number)
            if gradient is None:
                self._measurements.add_absent(key, entry, numbers)
            else:
                local, _ = local_part(gradient)
                dense = local if local.layout == torch.strided else local.to_dense()
                dense = self._facts.without_scale(dense, self._gradients.parameter(registration.number))
                self._measurements.add(key, entry, numbers, dense, lasts=self._gradients.lasts(registration.number))
        except Exception as error:
            self._measurements.fail(key, error)

    def _explain_absent_gradient(self, registration: Registration, group: str) -> None:
        reason, reference = self._gradients.why_absent(registration.number), registration.references[0]
        if reason is not None:
            gap = Gap(f"its gradient is not known: {reason}", self.number, reference.iteration, group, reference.name)
            self.gap_keeper.report("gradient", gap)

    def _choose_tracer(self) -> tuple[Tracer[Any], OperationWatch | None, GradientTwins | None]:
        if not self._is_watched:
            return AutogradTracer(), None, None

        keeper, number = self.gap_keeper, self.number

        def report(error: Exception) -> None:
            if isinstance(error, RecordingGapError):
                raise error
            keeper.report("graph", Gap(f"a dependency may be missing ({describe_error(error)})", number), error)

        tracer = DataFlowTracer()
        twins = GradientTwins(tracer) if self.options.request_gradients else None
        listeners = (_Updates(weakref.WeakMethod(self._before_update)), self._facts, _Overwrites(self._measurements))
        return tracer, OperationWatch(tracer, twins, listeners, report), twins

    def _report_trouble_of_facts(self) -> None:
        for error in self._facts.errors():
            self.gap_keeper.report(
                "facts", Gap(f"what is known of modules and gradients may be wrong ({describe_error(error)})", self.number)
            )

    def _new_measurements(self) -> Measurements:
        registrations, keeper, step = self._registrations, self.gap_keeper, self.number

        # Without a reference to the step, to which the listeners of its operations would lead back.
        def fail(key: RecordKey, error: Exception) -> None:
            group, number = key
            reference = registrations[number].references[0]
            reason = f"its numbers could not be computed ({describe_error(error)})"
            keeper.report("numbers", Gap(reason, step, reference.iteration, group, reference.name), error)

        return Measurements(self.samples.index, fail, self.options.scratch, provisional=self.is_provisional)

    def _build_structure(self, iteration: int, registrations: list[Registration]) -> Structure | None:
        with self.gap_keeper.guard("graph", "the dependency graph could not be built", step=self.number, iteration=iteration):
            return build_structure(iteration, registrations, self._registrations, self._direct_dependencies, self.options.known_structures)
        return None

    def _direct_dependencies(self, registration: Registration) -> list[Dependency]:
        return self._tracer.direct_dependencies(registration.spot, registration.references[-1].name)

    def _check_unused(self, reference: Reference) -> None:
        if (reference.name, reference.iteration) in self._by_name:
            when = "before the first iteration" if reference.iteration == INITIAL_ITERATION else f"in iteration {reference.iteration}"
            raise MisuseError(
                f"register_tensor: the name {reference.name!r} was given twice {when} of step {self.number}. "
                "Give every tensor of an iteration a name of its own; a module that runs several times needs a counter in its names."
            )
        other = self._names_by_place.get((reference.node, reference.role, reference.iteration))
        if other is not None:
            raise MisuseError(
                f"register_tensor: the tensor {reference.name!r} has the role {reference.role!r} in the node {reference.node!r}, "
                f"and so has {other!r} in the same iteration. Give one of them another role_within_node."
            )

    def _find(self, argument: str, subject: Tensor | str | TensorReference) -> Spot:
        if isinstance(subject, Tensor):
            spot: Spot = self._tracer.spot(subject)
            return spot
        if isinstance(subject, str):
            key = (subject, self._newest_iteration.get(subject, INITIAL_ITERATION))
        elif isinstance(subject, TensorReference):
            key = (subject.tensor_name, subject.iteration)
        else:
            raise MisuseError(
                f"add_tensor_connection: {argument} is a {type(subject).__name__}. Give a tensor, the name of a registered "
                "tensor, or a TensorReference."
            )
        if key not in self._by_name:
            self.register_parameters()
        if key not in self._by_name:
            raise MisuseError(
                f"add_tensor_connection: there is no registered tensor {subject!r} for {argument} in step {self.number}. "
                "Register it first, or give the tensor itself."
            )
        return self._by_name[key].spot

    def _label(self, spot: Spot, subject: Tensor | str | TensorReference) -> str:
        if spot.number is not None:
            return repr(self._registrations[spot.number].references[-1].name)
        return f"a tensor of the shape {list(subject.shape)} that is not registered" if isinstance(subject, Tensor) else repr(subject)


def _run_all(actions: Sequence[Callable[[], None]]) -> None:
    """Runs actions in order, whatever the others raise."""
    with ExitStack() as stack:
        for action in reversed(actions):
            stack.callback(action)


def _state_of(parameter: nn.Parameter) -> tuple[int | None, int]:
    local = getattr(parameter, "_local_tensor", parameter)
    return version_of(local), local.data_ptr() if local.layout == torch.strided else 0


class _Updates:
    """Tells when parameters are about to change, before anything else is done for it."""

    def __init__(self, before_update: weakref.WeakMethod[Callable[[], None]]) -> None:
        self._before_update = before_update

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        if function == UPDATE or any(isinstance(tensor, nn.Parameter) for tensor in tensors):
            before_update = self._before_update()
            if before_update is not None:
                with unseen():
                    before_update()

    def after_backward(self) -> None:
        pass


@dataclass(frozen=True)
class _Overwrites:
    """Tells what is held of a step that memory is about to change. It does not lead back to the step."""

    measurements: Measurements

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:  # noqa: ARG002
        self.measurements.before_overwrite(tensors)

    def after_backward(self) -> None:
        pass


def _check_alias(registration: Registration, reference: Reference, traits: Traits) -> None:
    first = registration.references[0]
    if registration.traits != traits:
        raise MisuseError(
            f"register_tensor: the tensor {reference.name!r} was registered before, as {first.name!r} in iteration {first.iteration}, "
            f"with another {difference_between(registration.traits, traits)}. Give all names of a tensor the same arguments, "
            "or register a copy of it: tensor.clone()."
        )
    for other in registration.references:
        if (other.node, other.iteration) == (reference.node, reference.iteration):
            raise MisuseError(
                f"register_tensor: the tensor {reference.name!r} was registered before in the same iteration, as {other.name!r}, "
                f"and for the same node {reference.node!r}. Give one of the two another node_name, or leave it out."
            )

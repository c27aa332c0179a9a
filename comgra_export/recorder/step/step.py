"""What one recorded training step collects, until it is whole."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.flows.record import FlowRequest, GradientFlows
from comgra_export.recorder.gradients.inline_statistics import GradientLooks
from comgra_export.recorder.gradients.watch import GradientWatch
from comgra_export.recorder.host.compilation import EagerExecution, compiler_is_used
from comgra_export.recorder.host.function_modes import are_twins_in_use
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part
from comgra_export.recorder.modules.attention import MAX_PATTERN_VALUES
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.calls import CallWatch
from comgra_export.recorder.modules.ports import TensorAtPort, describe_port
from comgra_export.recorder.modules.training_state import StepFacts, TrainingState
from comgra_export.recorder.modules.watched import buffers_of
from comgra_export.recorder.numbers.buffers import HistogramCopies
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.numbers.transfer import Transfer
from comgra_export.recorder.output.finished_step import FinishedStep
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.step.gradient_groups import GradientGroups
from comgra_export.recorder.step.gradients import GradientRecording
from comgra_export.recorder.step.listeners import HeldValues, ParameterUpdates
from comgra_export.recorder.step.options import StepOptions
from comgra_export.recorder.step.parameters import StepParameters
from comgra_export.recorder.step.tensors import TensorRecording, measurements_of_step
from comgra_export.recorder.tracing.autograd_tracer import AutogradTracer
from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.operations import OperationWatch
from comgra_export.recorder.tracing.other_threads import OtherThreads
from comgra_export.recorder.tracing.registered_tensors import Connectable, RegisteredTensors
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, Reference, Registration, Traits
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.recorder.tracing.structures import unused_input
from comgra_export.recorder.tracing.twins import GradientTwins
from comgra_export.storage.model import (
    CallTree,
    Gap,
    RecordedSamples,
    Structure,
)

__all__ = ["RecordedStep"]


@dataclass
class RecordedStep:
    """One training step that is being recorded.

    Args:
        number: The training step.
        batch_size: `B`.
        per_sample_by_default: Whether tensors are recorded per sample where the call does not say.
        samples: The samples recorded one by one (`S` of them), unless `accept` says otherwise.
        epoch: In which epoch it is; None where that is not known.
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
        calls: The calls of watched modules in every iteration; None where there were none.
        gradients: The groups of gradients.
    """

    number: int
    batch_size: int
    per_sample_by_default: bool
    samples: RecordedSamples
    epoch: float | None
    options: StepOptions
    training: TrainingState
    gap_keeper: GapKeeper
    is_provisional: bool = False
    unusual_steps: UnusualSteps | None = None
    decide: weakref.WeakMethod[Callable[[], None]] | None = None

    def __post_init__(self) -> None:
        self.triggered: str | None = None
        self.is_given_up = False
        self.iteration: int | None = None
        self.gaps: list[Gap] = []
        self.structures: list[Structure | None] = []
        self.calls: list[CallTree | None] = []
        self._has_parameters = False
        self._iterations_held_back: list[tuple[int, list[Registration]]] = []
        # Compiled code would be compiled anew under a watch. A step that is due runs eagerly; every other one should stay as fast as it is.
        is_watched = self.options.graph == "data_flow" and not (self.is_provisional and compiler_is_used())
        self._eager_execution = EagerExecution()
        # On every step of a run, that would cost more than all the rest.
        follows_gradients = not self.is_provisional or self.unusual_steps is None
        self._facts = StepFacts(self.training, watched=is_watched, follows_gradients=follows_gradients)
        modules, keeper = self.training.modules, self.gap_keeper
        self._parameters = StepParameters(modules, self.options.snapshot_memory, self.number, keeper)
        self._other_threads = OtherThreads()
        data_flow = DataFlowTracer(self._other_threads) if is_watched else None
        tracer: Tracer[Any] = AutogradTracer() if data_flow is None else data_flow
        twins, why_no_twins = None, "gradients of such tensors are not asked for"
        if data_flow is not None and self.options.request_gradients:
            if are_twins_in_use():
                why_no_twins = "another recorder, whose step began first, has the gradients of such tensors"
            else:
                twins = GradientTwins(data_flow)
        self._registered = RegisteredTensors(tracer, self.number, keeper, self.options.known_structures)
        measurements = measurements_of_step(
            self.number,
            self._registered.all,
            self.samples.index,
            self.options.scratch,
            HistogramCopies(self.options.histogram_memory),
            keeper,
            provisional=self.is_provisional,
        )
        looks = GradientLooks(self._registered.all, measurements, self._facts)
        gradients = GradientWatch(twins, why_no_twins, modules.buffers(), looks)
        self._watched = self.training.watched.modules(modules.modules())
        self._call_gradients = None
        if self.training.watched:
            self._call_gradients = CallGradients(self._registered, gradients, self.number, keeper, self._other_threads)
        self._flows = GradientFlows(self.number, self._registered, gradients, tracer, keeper)
        self._operations = None if data_flow is None else self._watch_operations(data_flow, twins, measurements)
        self._tensors = TensorRecording(
            self.number,
            self._registered.all,
            measurements=measurements,
            gradients=gradients,
            tracer=tracer,
            parameters=self._parameters,
            facts=self._facts,
            gap_keeper=keeper,
            samples=len(self.samples.index),
        )
        gradient_recording = GradientRecording(
            self.number,
            self._registered.all,
            measurements=measurements,
            gradients=gradients,
            call_gradients=self._call_gradients,
            facts=self._facts,
            gap_keeper=keeper,
        )
        self.gradients = GradientGroups(self.number, gradient_recording, modules, self._facts, self.unusual_steps, keeper)
        self._call_watch = None if self._call_gradients is None else self._watch_calls(self._call_gradients)
        # A recorder that is dropped within a step must leave nothing behind either.
        watching = [] if self._operations is None else [self._operations.stop]
        if self._call_watch is not None and self._call_gradients is not None:
            watching += [self._call_watch.release, self._call_gradients.release]
        actions = (*watching, gradients.release, self._facts.release, self._eager_execution.stop, tracer.forget)
        self._end = weakref.finalize(self, _run_all, actions)
        self._end.atexit = False

    def begin(self) -> None:
        """Begins to watch what is computed. The parameters are registered with the values that they have now.

        In a provisional step, that waits until it is accepted, or they are about to change.
        """
        if self.is_provisional:
            self._parameters.remember_states()
        else:
            self.register_parameters()
            self._record_buffers()
            self._eager_execution.start()
        if self._call_watch is not None:
            # First, so that what a module returns is seen before it counts as left.
            self._call_watch.start()
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
        self._tensors.settle(samples.index)
        for iteration, registrations in self._iterations_held_back:
            structure = None
            try:
                structure = self._registered.build_structure(iteration, registrations)
            except MisuseError as error:
                # The call that is at fault has returned long ago.
                self.gap_keeper.report("graph", Gap(str(error), self.number, iteration), error)
            self.structures.append(structure)
        self._iterations_held_back.clear()
        self._flows.report_left_out()
        if not self._parameters.has_snapshots:
            self._parameters.find_changed()
            self._parameters.take_snapshots()
            self._parameters.values_before.clear()
            if self._parameters.changed:
                reason = "by how much the step changed some parameters is not known, since it was decided to record it only afterwards"
                self.gap_keeper.report("snapshots", Gap(reason, self.number))

    def register_parameters(self) -> None:
        """Registers the parameters of the tracked modules, with the values that they have now, unless that was done already."""
        if self._has_parameters:
            return
        self._has_parameters = True
        self._parameters.find_changed()
        if not self.is_provisional:
            self._parameters.take_snapshots()
        histogram_values = self.training.watched.histogram_values_by_name(self.training.modules.modules())
        for name, parameter in self.training.modules.parameters().items():
            traits = Traits("parameter", "kpis_and_svd" if self.options.with_svd and parameter.dim() == 2 else "kpis", None, False)
            node = next((prefix for prefix in self.options.node_prefixes if name.startswith(prefix)), name)
            of_prefix = (values for prefix, values in histogram_values.items() if name.startswith(prefix))
            self.register(Reference(name, INITIAL_ITERATION, node, name), parameter, traits, max(of_prefix, default=0))
        self._parameters.values_before.clear()

    def has_gradients(self) -> bool:
        """Whether gradients have reached registered tensors."""
        return self._tensors.has_gradients()

    def give_up(self) -> None:
        """Lets go of what is held back: from now on, the step cannot be recorded any more."""
        self.is_given_up = True
        self._tensors.give_up()

    def start_iteration(self) -> None:
        """Begins the next iteration; the first one is 0."""
        self.iteration = 0 if self.iteration is None else self.iteration + 1
        self._registered.start_iteration(self.iteration)
        if self._call_watch is not None:
            self._call_watch.start_iteration()

    def register(self, reference: Reference, tensor: Tensor, traits: Traits, histogram_values: int = 0) -> None:
        """Registers a tensor, or another name of one, with the values that it has now.

        Args:
            reference: The name.
            tensor: The tensor.
            traits: What is recorded of it.
            histogram_values: Of how many of its values, at most, there is a histogram; 0: there is none, save that of a watched tensor.

        Raises:
            MisuseError: The name, or the role within the node, is taken in this iteration; or the tensor has a name already, with other
                traits.
        """
        if type(tensor) is not Tensor and isinstance(tensor, nn.Parameter):
            self.register_parameters()
        registration = self._registered.add(reference, tensor, traits, histogram_values)
        self._take(registration, reference, tensor)

    def register_port(self, tensor: Tensor, port: TensorAtPort) -> Registration:
        """Registers a tensor that a watched module was called with or returned, unless it is registered already.

        Raises:
            MisuseError: The user has given its name to another tensor.
        """
        if type(tensor) is not Tensor and isinstance(tensor, nn.Parameter):
            self.register_parameters()
        registration = self._registered.find(tensor)
        if registration is None:
            assert self.iteration is not None
            try:
                local, _ = local_part(tensor)
            except NoLocalPartError:
                local = tensor
            dimensions = local.dim()
            has_batch = dimensions > 0 and not local.is_nested and local.shape[0] == self.batch_size
            with_values = port.with_values or (
                port.meaning is not None and self._has_room_for_values(f"{port.node}: {port.role}", local, has_batch)
            )
            reference, traits = describe_port(
                port.node, port.role, self.iteration, port.is_input, with_values, dimensions, has_batch, bool(self.per_sample_by_default)
            )
            registration = self._registered.add(reference, tensor, traits, port.histogram_values)
            registration.is_found = True
            registration.is_result = port.is_result
            self._take(registration, reference, tensor)
        else:
            if port.histogram_values and not registration.histogram_values:
                self._tensors.add_histogram(registration, tensor, port.histogram_values)
            self._tensors.see_again(registration, tensor)
        registration.meaning = registration.meaning or port.meaning
        return registration

    def connect(self, source: Connectable, sink: Connectable) -> None:
        """Adds a dependency of the sink by hand.

        Raises:
            MisuseError: One of the two is not known, or they are the same tensor.
        """
        if not (self._registered.has(source) and self._registered.has(sink)):
            self.register_parameters()
        self._registered.connect(source, sink)

    def record_gradient_flow(self, request: FlowRequest) -> None:
        """Records a gradient flow, unless it is not known yet that the step is to be recorded.

        Raises:
            MisuseError: As `GradientFlows.record`.
        """
        assert self.iteration is not None
        if self.is_provisional:
            self._flows.leave_out(request.name, self.iteration)
        else:
            self._flows.record(request, self.iteration, self.samples.index)

    def end_interrupted_calls(self, entering: nn.Module) -> None:
        """Takes note that Ctrl-C has ended the calls of watched modules in progress, save those around one of this module that begins."""
        if self._call_watch is not None:
            self._call_watch.end_interrupted(entering)

    def finish_iteration(self) -> None:
        """Builds the dependency graph of the iteration.

        Raises:
            MisuseError: The nodes or the connections contradict each other.
        """
        assert self.iteration is not None
        if self._call_watch is not None:
            self.calls.append(self._call_watch.finish_iteration())
            called = self._other_threads.take_called()
            if called:
                reason = f"calls in other threads than that of the step are left out, with what they compute: {called}"
                self.gap_keeper.report("threads", Gap(reason, self.number, self.iteration))
        registrations = list(self._registered.in_iteration.values())
        if self.is_provisional:
            self._iterations_held_back.append((self.iteration, registrations))
        else:
            self.structures.append(self._registered.build_structure(self.iteration, registrations))

    def finish(self, type_of_execution: str) -> FinishedStep:
        """Computes what is left to compute, and sends it on its way to the CPU.

        Args:
            type_of_execution: The type of the step.
        """
        self._warn_of_unused_input()
        norms, parameter_norms = self._parameters.finish()
        numbers = self._tensors.finish(self.gradients.names)
        differences = self._facts.gradient_differences()
        for error in self._facts.errors():
            reason = f"what is known of modules and gradients may be wrong ({describe_error(error)})"
            self.gap_keeper.report("facts", Gap(reason, self.number))
        transfer = Transfer(norms + numbers.rows)
        count, scratch, layouts = len(norms), self.options.scratch_of_writing, self.options.known_layouts
        return FinishedStep(
            number=self.number,
            type_of_execution=type_of_execution,
            batch_size=self.batch_size,
            numbers=lambda: numbers.arrange(transfer.wait()[count:], scratch, layouts),
            size=transfer.size + numbers.size + sum(flow.size for flow in self._flows.recorded),
            samples=self.samples,
            structures=tuple(self.structures),
            parameters=lambda: None if parameter_norms is None else parameter_norms.facts(transfer.wait()[:count], differences()),
            learning_rates=self._facts.learning_rates(),
            gradients=self._facts.gradients(),
            triggered=self.triggered,
            module_runs=self._facts.module_runs(),
            held_bytes=self._tensors.held_bytes + self._parameters.held_bytes,
            gaps=tuple(self.gaps),
            calls=tuple(self.calls) if self._call_gradients is None else self._call_gradients.complete(self.calls),
            epoch=self.epoch,
            flows=tuple(self._flows.recorded),
        )

    def release(self) -> None:
        """Removes every hook, and ends watching what is computed."""
        with self.gap_keeper.guard("release", "a hook could not be removed", step=self.number):
            self._end()

    def discard(self) -> None:
        """Lets go of what was collected. Much of it refers back to this step; nothing of the user's must wait for the garbage collector."""
        self._tensors.give_up()
        self._registered.clear()
        self._iterations_held_back.clear()
        self._parameters.discard()

    def _warn_of_unused_input(self) -> None:
        structures = [structure for structure in self.structures if structure is not None]
        if self._operations is None or len(structures) < len(self.structures):
            return
        name = unused_input(structures, self._registered.all)
        if name is not None:
            self.gap_keeper.warn(
                "unused input",
                f"The input {name!r} was not used by anything that was seen in step {self.number}. Register "
                "the very tensor that the network is given: x[:, t] makes another one each time. Further unused inputs are not told.",
            )

    def _take(self, registration: Registration, reference: Reference, tensor: Tensor) -> None:
        """Takes the values of a tensor that has been given a name, unless another name of it has them."""
        self.gradients.may_come = self.gradients.may_come or tensor.requires_grad
        if not registration.others:
            self._tensors.record_values(registration, tensor)
        if self.unusual_steps is not None and registration.traits.type != "parameter":
            self.unusual_steps.add((FORWARD, reference.name, reference.iteration), tensor)

    def _has_room_for_values(self, name: str, pattern: Tensor, has_batch: bool) -> bool:
        """Whether the values of a pattern of attention are few enough to be recorded without being asked for."""
        count = pattern.numel() if not has_batch else pattern[:1].numel() * len(self.samples.index)
        if count > MAX_PATTERN_VALUES:
            reason = (
                f"only its statistics are recorded: this pattern of attention has {count:,} values to record, more than "
                f"{MAX_PATTERN_VALUES:,}. With values=True, they are recorded"
            )
            self.gap_keeper.note(Gap(reason, self.number, self.iteration, FORWARD, name))
        return count <= MAX_PATTERN_VALUES

    def _record_buffers(self) -> None:
        """Records the buffers of watched modules, with the values that they have now."""
        for name, buffer in buffers_of(self._watched).items():
            node, _, attribute = name.rpartition(".")
            traits = Traits("calculated", "kpis" if buffer.dim() else "single_value", None, False)
            registration = self._registered.add_state(Reference(name, INITIAL_ITERATION, node, f"buffer {attribute}"), traits)
            self._tensors.record_values(registration, buffer)

    def _before_update(self) -> None:
        if self.is_provisional and not self.is_given_up:
            decide = None if self.decide is None else self.decide()
            if decide is not None:
                decide()
            if self.is_provisional and not self.is_given_up:
                self.register_parameters()

    def _watch_calls(self, gradients: CallGradients) -> CallWatch:
        keeper, number = self.gap_keeper, self.number

        def report(what: str, error: Exception) -> None:
            keeper.report("calls", Gap(f"{what} ({describe_error(error)})", number), error)

        return CallWatch(self._watched, self, gradients, self._other_threads, report)

    def _watch_operations(self, tracer: DataFlowTracer, twins: GradientTwins | None, measurements: Measurements) -> OperationWatch:
        keeper, number = self.gap_keeper, self.number

        def report(error: Exception) -> None:
            if isinstance(error, RecordingGapError):
                raise error
            keeper.report("graph", Gap(f"a dependency may be missing ({describe_error(error)})", number), error)

        listeners = (ParameterUpdates(weakref.WeakMethod(self._before_update)), self._facts, HeldValues(measurements))
        before_backward = None if self._call_gradients is None else self._call_gradients.before_backward
        return OperationWatch(tracer, twins, listeners, report, before_backward)


def _run_all(actions: Sequence[Callable[[], None]]) -> None:
    """Runs actions in order, whatever the others raise."""
    with ExitStack() as stack:
        for action in reversed(actions):
            stack.callback(action)

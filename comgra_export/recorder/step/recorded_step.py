"""What one recorded training step collects, until it is whole."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from torch import Tensor, nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.flows.request import FlowRequest
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.numbers.finished_numbers import FinishedNumbers
from comgra_export.recorder.numbers.parameter_norms import ParameterNorms
from comgra_export.recorder.output.finished_step import FinishedStep
from comgra_export.recorder.step.arriving_numbers import ArrivingNumbers
from comgra_export.recorder.step.options import StepOptions
from comgra_export.recorder.step.parts import StepParts
from comgra_export.recorder.step.state import StepState
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.recorder.tracing.structures import unused_input
from comgra_export.storage.model.calls import CallTree
from comgra_export.storage.model.layout import Structure
from comgra_export.storage.model.lines import Gap
from comgra_export.storage.model.step_description import RecordedSamples
from comgra_export.storage.text.steps import step_in_words

__all__ = ["RecordedStep"]


class RecordedStep:
    """One training step that is being recorded, or held back until it is known whether it is.

    The life of a step:

    1. `begin` copies and registers the parameters, and installs the hooks.
    2. `start_iteration`, then whatever is registered (`registrar`), then `finish_iteration`, which builds the dependency graph. Once per
       iteration.
    3. `gradients.record` and `record_gradient_flow`, whenever the script asks for them.
    4. In a provisional step, at any time before the end: `accept`, which computes what was held back; or `give_up`.
    5. `release` removes the hooks.
    6. `finish` computes what needs the training thread, and hands over the rest as a `FinishedStep`. Steps that are not recorded skip it.
    7. `discard` lets go of everything.

    Attributes:
        gradients: Its groups of gradients.
        gaps: What could not be recorded of it.
        structures: The dependency graph of every iteration; None if it is missing.
        calls: The calls of watched modules in every iteration; None if there were none.
    """

    def __init__(self, state: StepState, options: StepOptions, gap_keeper: GapKeeper, parts: StepParts) -> None:
        self.state = state
        self.gap_keeper = gap_keeper
        self.registrar = parts.registrar
        self.gradients = parts.gradients
        self.gaps: list[Gap] = []
        self.structures: list[Structure | None] = []
        self.calls: list[CallTree | None] = []
        self._options = options
        self._parts = parts
        self._iterations_held_back: list[tuple[int, list[Registration]]] = []
        self._norms: tuple[list[Tensor], ParameterNorms | None] | None = None
        # A recorder that is dropped within a step must leave nothing behind either.
        self._release = weakref.finalize(self, _run_all, parts.releases())
        self._release.atexit = False

    def begin(self) -> None:
        """Begins to watch what is computed. The parameters are registered with the values that they have now.

        In a provisional step, that waits until it is accepted, or they are about to change.
        """
        parts = self._parts
        if self.state.is_provisional:
            parts.parameters.remember_states()
        else:
            parts.registrar.register_parameters()
            parts.registrar.record_buffers(parts.watched)
            parts.eager_execution.start()
        if parts.calls is not None:
            # First, so that what a module returns is seen before it counts as left.
            parts.calls.watch.start()
        parts.training_watch.start()
        if parts.operations is not None:
            parts.operations.start()

    def start_iteration(self) -> None:
        """Begins the next iteration; the first one is 0."""
        iteration = self.state.iteration = 0 if self.state.iteration is None else self.state.iteration + 1
        self._parts.registered.start_iteration(iteration)
        if self._parts.calls is not None:
            self._parts.calls.watch.start_iteration()
        if self._parts.losses is not None:
            self._parts.losses.start_iteration()

    def finish_iteration(self) -> None:
        """Builds the dependency graph of the iteration.

        Raises:
            MisuseError: The nodes or the connections contradict each other.
        """
        iteration, parts = self.state.iteration, self._parts
        assert iteration is not None
        if parts.losses is not None:
            parts.losses.finish_iteration()
        if parts.calls is not None:
            self.calls.append(parts.calls.watch.finish_iteration())
            called = parts.other_threads.take_called()
            if called:
                reason = f"calls in other threads than that of the step are left out, with what they compute: {called}"
                self.gap_keeper.report("threads", Gap(reason, self.state.number, iteration))
        registrations = list(parts.registered.in_iteration.values())
        if self.state.is_provisional:
            self._iterations_held_back.append((iteration, registrations))
        else:
            self.structures.append(parts.registered.build_structure(iteration, registrations))

    def end_evaluation(self) -> None:
        """The model has returned in an evaluation. Losses may follow.

        What happens to parameters and gradients from now on does not belong to this step, and no hook on them stays.
        """
        if self._parts.parameters.has_snapshots:
            self._norms = self._parts.parameters.finish()
        self._parts.gradient_watch.release()
        self._parts.training_watch.release()
        if self._parts.calls is not None:
            self._parts.calls.gradients.release()
        if self._parts.losses is not None:
            self._parts.losses.end_evaluation()

    def record_gradient_flow(self, request: FlowRequest) -> None:
        """Records a gradient flow, unless it is not known yet that the step is recorded.

        Raises:
            MisuseError: As `GradientFlows.record`.
        """
        state = self.state
        assert state.iteration is not None
        if state.is_provisional:
            self._parts.flows.leave_out(request.name, state.iteration)
        else:
            self._parts.flows.record(request, state.iteration, state.samples.index)

    def has_gradients(self) -> bool:
        """Whether gradients have reached registered tensors."""
        return self._parts.gradient_watch.have_come()

    def end_interrupted_calls(self, entering: nn.Module) -> None:
        """Notes that Ctrl-C has ended the calls of watched modules in progress, save those around a call of this module that begins."""
        self._parts.module_calls.end_interrupted(entering)

    def take_gap(self, gap: Gap) -> bool:
        """Keeps a gap if it belongs to this step. Returns whether it does."""
        if gap.step != self.state.number:
            return False
        self.gaps.append(gap)
        return True

    def accept(self, samples: RecordedSamples) -> None:
        """Decides that the step is recorded, and computes what was held back."""
        parts, number = self._parts, self.state.number
        self.state.samples = samples
        self.state.is_provisional = False
        parts.registrar.register_parameters()
        parts.values.accept()
        for iteration, registrations in self._iterations_held_back:
            structure = None
            try:
                structure = parts.registered.build_structure(iteration, registrations)
            except MisuseError as error:
                # The call that is at fault has returned long ago.
                self.gap_keeper.report("graph", Gap(str(error), number, iteration), error)
            self.structures.append(structure)
        self._iterations_held_back.clear()
        parts.flows.report_left_out()
        if not parts.parameters.has_snapshots:
            parts.parameters.find_changed()
            parts.parameters.take_snapshots()
            parts.parameters.values_before.clear()
            if parts.parameters.changed:
                reason = "by how much the step changed some parameters is not known, since it was decided to record it only afterwards"
                self.gap_keeper.report("snapshots", Gap(reason, number))

    def give_up(self) -> None:
        """Lets go of what is held back: from now on, the step cannot be recorded any more."""
        self.state.is_given_up = True
        self._parts.measurements.give_up()

    def release(self) -> None:
        """Removes every hook, and ends watching what is computed."""
        with self.gap_keeper.guard("release", "a hook could not be removed", step=self.state.number):
            self._release()

    def finish(self, type_of_execution: str) -> FinishedStep:
        """Computes what is left to compute in this thread, and sends the numbers on their way to the CPU."""
        parts, state = self._parts, self.state
        self._warn_of_unused_input()
        norms, parameter_norms = self._norms or parts.parameters.finish()
        tensors = self._finish_measurements()
        for error in parts.training_watch.errors():
            reason = f"what is known of modules and gradients may be wrong ({describe_error(error)})"
            self.gap_keeper.report("modules and gradients", Gap(reason, state.number))
        numbers = ArrivingNumbers(tensors, parameter_norms, norms, parts.training_watch, self._options)
        flows = tuple(parts.flows.recorded)
        return FinishedStep(
            number=state.number,
            type_of_execution=type_of_execution,
            batch_size=state.batch_size,
            numbers=numbers,
            size=numbers.size + sum(flow.size for flow in flows),
            samples=state.samples,
            structures=tuple(self.structures),
            triggered=state.triggered,
            trained=state.trained,
            lacks_calls=state.lacks_calls,
            module_runs=parts.training_watch.module_runs(),
            held_bytes=parts.measurements.held_bytes + parts.gradient_watch.held_bytes + parts.parameters.held_bytes,
            gaps=tuple(self.gaps),
            calls=tuple(self.calls) if parts.calls is None else parts.calls.gradients.complete(self.calls),
            epoch=state.epoch,
            flows=flows,
            losses=() if parts.losses is None else parts.losses.losses(),
            backward_roots=() if parts.losses is None else parts.losses.backward_roots(),
            exceptions=tuple(parts.exceptions.noted),
            dropouts=() if parts.dropouts is None else parts.dropouts.noted(),
        )

    def discard(self) -> None:
        """Lets go of what was collected, so that nothing of the user's waits for the garbage collector."""
        self._parts.measurements.give_up()
        self._parts.registered.clear()
        self._iterations_held_back.clear()
        self._parts.parameters.discard()
        if self._parts.losses is not None:
            self._parts.losses.release()

    def _finish_measurements(self) -> FinishedNumbers:
        """Computes the numbers that have to be computed now. The copies of parameters then belong to what is returned."""
        parts, measurements = self._parts, self._parts.measurements
        rest = measurements.finish()
        return FinishedNumbers(
            self.state.number,
            self.gradients.names,
            {registration.number: registration.entry for registration in parts.registered.all if registration.entry is not None},
            absent=measurements.absent,
            parts=measurements.parts,
            sums=measurements.sums,
            rest=rest,
            samples=measurements.samples,
            gap_keeper=self.gap_keeper,
            copies=measurements.copies,
            when_computed=parts.parameters.hand_over(),
        )

    def _warn_of_unused_input(self) -> None:
        structures = [structure for structure in self.structures if structure is not None]
        if self._parts.operations is None or len(structures) < len(self.structures):
            return
        name = unused_input(structures, self._parts.registered.all)
        if name is not None:
            self.gap_keeper.warn(
                "unused input",
                f"The input {name!r} was not used by anything that was seen in {step_in_words(self.state.number)}. Register the very "
                "tensor that the network is given: x[:, t] makes a new tensor each time. Further unused inputs are not reported.",
            )


def _run_all(actions: Sequence[Callable[[], None]]) -> None:
    """Runs actions in order, whatever the others raise."""
    with ExitStack() as stack:
        for action in reversed(actions):
            stack.callback(action)
